/*
 * The first byte chooses the agent; what follows are its settings, and what an agent tells a hook.
 * Settings that are taken get their hooks, once; after they are taken out again the text is what it
 * was. Settings that are refused stay as they are.
 */
#include "agents/hook_call.h"
#include "agents/settings.h"
#include "fuzz/fuzzing.h"

static void install(pawl_text settings, const pawl__agent *agent)
{
        pawl__buf text = PAWL__BUF_INIT;
        bool whole = false;
        unsigned before = 0, events = 0;

        require(!pawl__buf_add_text(&text, settings));
        const bool empty = settings.len == 0;
        const bool readable =
                empty || pawl__settings_hooked(&before, settings, agent, NULL) == PAWL_OK;

        pawl__buf command = PAWL__BUF_INIT;
        require(!pawl__buf_adds(&command, "pawl") &&
                !pawl__hook_command_end(&command, agent, NULL));
        pawl_status status = pawl__settings_install(&text, agent, command.data, NULL);
        require((status >= 0) == readable);
        if (status == PAWL_OK) {
                require(pawl__settings_hooked(&events, pawl__buf_text(&text), agent, NULL) ==
                        PAWL_OK);
                require(events && (events & before) == before);
                require(pawl__settings_install(&text, agent, command.data, NULL) == PAWL_DONE);
                require(pawl__settings_uninstall(&whole, &text, agent, NULL) == PAWL_OK);
                require(before || whole == empty);
                require(before || whole || pawl__text_eq(pawl__buf_text(&text), settings));
        } else {
                require(pawl__text_eq(pawl__buf_text(&text), settings));
        }
        pawl__buf_free(&command);
        pawl__buf_free(&text);
}

static void call(pawl_text json)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl__buf kept = PAWL__BUF_INIT;
        pawl__hook_call told;

        if (pawl__hook_call_read(&told, &tree, &kept, json, NULL, NULL) == PAWL_OK)
                require(told.agent && told.event_name.len);
        pawl__json_tree_free(&tree);
        pawl__buf_free(&kept);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        if (size == 0)
                return 0;
        const pawl_text text = {(const char *)data + 1, size - 1};
        install(text, &pawl__agents[*data % 5]);
        call(text);
        return 0;
}
