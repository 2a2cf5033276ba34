/* The commands as tools: what each says of itself, which are listed, and what none of them takes.
 */
#include "base/error.h"
#include "base/json_tree.h"
#include "cli/registry.h"
#include "mcp/tools.h"
#include "support/test.h"

/* The listed tools of a choice, as a tree. */
typedef struct listing {
        pawl__json_writer w;
        pawl__json_tree tree;
        pawl__node tools;
} listing;

static void list_tools(listing *l, const char *choice)
{
        pawl_error err = PAWL_ERROR_INIT;

        *l = (listing){.w = PAWL__JSON_WRITER_INIT};
        pawl__json_open_object(&l->w);
        mcp_tools_write(&l->w, &cli_commands, choice);
        pawl__json_close_object(&l->w);
        assert_int_equal(pawl__json_end_writer(&l->w), PAWL_OK);
        assert_int_equal(
                pawl__json_tree_read(&l->tree, l->w.buf.data, l->w.buf.len, &err), PAWL_OK);
        l->tools = pawl__json_get(&l->tree, 0, "tools");
}

static void free_listing(listing *l)
{
        pawl__json_tree_free(&l->tree);
        pawl__json_writer_free(&l->w);
}

static pawl__node tool_named(const listing *l, const char *name)
{
        for (pawl__node at = pawl__json_first(&l->tree, l->tools); at != PAWL__NO_NODE;
                at = pawl__json_after(&l->tree, l->tools, at))
                if (pawl__text_is(pawl__json_get_text(&l->tree, at, "name"), name))
                        return at;
        return PAWL__NO_NODE;
}

UNIT_TEST(each_tool_that_changes_something_says_whether_it_only_adds)
{
        size_t n = 0;

        for (const cli_program *const *p = cli_commands.programs; *p; p++)
                for (const cli_cmd *const *cmd = (*p)->cmds; *cmd; cmd++) {
                        const unsigned traits = (*cmd)->traits,
                                       how = traits & (CLI_ADDS | CLI_REPLACES);
                        const bool tool = (traits & CLI_SERVED) || !strcmp((*cmd)->name, "run") ||
                                          !strcmp((*cmd)->name, "resume");
                        if (!tool)
                                continue;
                        n++;
                        if ((traits & CLI_CHANGES) ? how != CLI_ADDS && how != CLI_REPLACES
                                                   : how != 0)
                                fail_msg("%s: has CLI_CHANGES with one of CLI_ADDS and "
                                         "CLI_REPLACES, or none of the three",
                                        (*cmd)->name);
                }
        assert_true(n > 40);
}

UNIT_TEST(what_takes_something_away_is_annotated_as_destructive)
{
        static const char *const destructive[] = {"cancel", "skip", "rollback", "undo", "redo",
                "restore", "fork", "rebuild", "prune_sessions", "prune_checkpoints",
                "prune_threads", "run", "resume", "resolve", "glossary_edit", "glossary_deprecate",
                "glossary_ignore"};
        static const char *const adds[] = {"checkpoint", "session_start", "session_end", "pin"};
        listing l;

        list_tools(&l, "all");
        for (size_t i = 0; i < sizeof destructive / sizeof *destructive; i++) {
                const pawl__node hints =
                        pawl__json_get(&l.tree, tool_named(&l, destructive[i]), "annotations");
                const pawl__node hint = pawl__json_get(&l.tree, hints, "destructiveHint");
                assert_int_not_equal(hint, PAWL__NO_NODE);
                if (pawl__json_at(&l.tree, hint)->type != PAWL__JSON_TRUE)
                        fail_msg("%s", destructive[i]);
        }
        for (size_t i = 0; i < sizeof adds / sizeof *adds; i++) {
                const pawl__node hints =
                        pawl__json_get(&l.tree, tool_named(&l, adds[i]), "annotations");
                assert_int_equal(
                        pawl__json_at(&l.tree, pawl__json_get(&l.tree, hints, "destructiveHint"))
                                ->type,
                        PAWL__JSON_FALSE);
                assert_int_equal(
                        pawl__json_at(&l.tree, pawl__json_get(&l.tree, hints, "readOnlyHint"))
                                ->type,
                        PAWL__JSON_FALSE);
        }
        free_listing(&l);
}

UNIT_TEST(no_tool_takes_an_actor)
{
        listing l;

        list_tools(&l, "all");
        for (pawl__node at = pawl__json_first(&l.tree, l.tools); at != PAWL__NO_NODE;
                at = pawl__json_after(&l.tree, l.tools, at)) {
                const pawl__node schema = pawl__json_get(&l.tree, at, "inputSchema");
                const pawl__node properties = pawl__json_get(&l.tree, schema, "properties");
                const pawl_text name = pawl__json_get_text(&l.tree, at, "name");
                mcp_words words = {.n = 0};
                pawl__json_tree call = PAWL__JSON_TREE_INIT;
                pawl_error err = PAWL_ERROR_INIT;
                mcp_tool tool;
                assert_int_equal(pawl__json_get(&l.tree, properties, "actor"), PAWL__NO_NODE);
                assert_true(mcp_tool_find(&tool, &cli_commands, name));
                assert_int_equal(
                        pawl__json_tree_read(&call, "{\"Actor\":\"user:ana\"}", 20, &err), PAWL_OK);
                assert_int_equal(mcp_tool_words(&words, &tool, &call, 0, &err), PAWL_EINVAL);
                assert_non_null(strstr(err.message, "arguments.Actor: is not known"));
                pawl__json_tree_free(&call);
                mcp_words_free(&words);
        }
        free_listing(&l);
}

UNIT_TEST(a_choice_is_core_or_all_or_names)
{
        static const struct {
                const char *choice;
                uint32_t n;
        } choices[] = {{"show", 1}, {"show,eventlog_verify", 2}, {"show,show", 1}};
        pawl_error err = PAWL_ERROR_INIT;
        listing l;

        list_tools(&l, NULL);
        assert_int_not_equal(tool_named(&l, "checkpoint"), PAWL__NO_NODE);
        assert_int_equal(tool_named(&l, "eventlog_verify"), PAWL__NO_NODE);
        const uint32_t n_core = pawl__json_at(&l.tree, l.tools)->count;
        assert_true(n_core >= 14 && n_core <= 20);
        free_listing(&l);
        list_tools(&l, "core,show");
        assert_int_equal(pawl__json_at(&l.tree, l.tools)->count, n_core + 1);
        free_listing(&l);
        for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
                assert_int_equal(mcp_tools_check(choices[i].choice, &cli_commands, &err), PAWL_OK);
                list_tools(&l, choices[i].choice);
                assert_int_equal(pawl__json_at(&l.tree, l.tools)->count, choices[i].n);
                free_listing(&l);
        }
        for (const char *const *wrong =
                        (const char *const[]){"", "core,", "nothing", "show, pin", NULL};
                *wrong; wrong++)
                assert_int_equal(mcp_tools_check(*wrong, &cli_commands, &err), PAWL_EINVAL);
        assert_int_equal(mcp_tools_check(NULL, &cli_commands, &err), PAWL_OK);
}
