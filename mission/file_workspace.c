/* workspace: {checkpoint, root, exclude, include, tool_checkpoints, edit_tools,
 * tool_checkpoint_files} of a mission file. */
#include "base/error.h"
#include "mission/loader.h"

static pawl_status set_checkpoint(const pawl__place *place, pawl__node node)
{
        static const struct {
                const char *name;
                pawl__snapshots when;
        } known[] = {{"each_step", PAWL__SNAPSHOT_EACH_STEP}, {"manual", PAWL__SNAPSHOT_MANUAL},
                {"off", PAWL__SNAPSHOT_MANUAL}};
        const pawl__loader *loader = place->target;
        const pawl_text word = pawl__document_word(place->document, node); /* off may be a bool */

        for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
                if (pawl__text_is(word, known[i].name)) {
                        loader->mission->snapshots = known[i].when;
                        return PAWL_OK;
                }
        return pawl__field_fail(place, node, "is not known; write each_step, manual or off");
}

static pawl_status set_root(const pawl__place *place, pawl__node node)
{
        const pawl__loader *loader = place->target;

        return pawl__keep_path(place, &loader->mission->root, node);
}

static pawl_status keep_patterns(
        const char ***out, size_t *n, const pawl__place *place, pawl__node node)
{
        const pawl__loader *loader = place->target;
        const pawl__json_tree *tree = &place->document->tree;
        char **patterns = pawl__arena_array(&loader->mission->arena,
                (size_t)pawl__value_at(place, node)->count + 1, sizeof *patterns);

        if (!patterns)
                return pawl__nomem(place->err);
        for (pawl__node m = pawl__json_first(tree, node); m != PAWL__NO_NODE;
                m = pawl__json_after(tree, node, m)) {
                TRY(pawl__keep_c_string(place, &patterns[*n], m));
                ++*n;
        }
        *out = (const char **)(void *)patterns;
        return PAWL_OK;
}

static pawl_status set_exclude(const pawl__place *place, pawl__node node)
{
        pawl_mission *mission = ((const pawl__loader *)place->target)->mission;

        return keep_patterns(&mission->exclude, &mission->n_exclude, place, node);
}

static pawl_status set_include(const pawl__place *place, pawl__node node)
{
        pawl_mission *mission = ((const pawl__loader *)place->target)->mission;

        return keep_patterns(&mission->include, &mission->n_include, place, node);
}

/* ---- Tool calls: told to the commands of steps, which take their checkpoints ----------------- */

static pawl_status set_tool_checkpoints(const pawl__place *place, pawl__node node)
{
        const pawl__loader *loader = place->target;
        const pawl_text word = pawl__document_word(place->document, node); /* may be a bool */
        pawl_text kept;

        if (!pawl__text_is(word, "on") && !pawl__text_is(word, "off"))
                return pawl__field_fail(place, node, "is not known; write on or off");
        pawl_status status = pawl__keep(place, &kept, word);
        if (!status)
                loader->mission->tool_checkpoints = (char *)(uintptr_t)kept.data;
        return status;
}

static pawl_status set_edit_tools(const pawl__place *place, pawl__node node)
{
        const pawl__loader *loader = place->target;
        const pawl__json_tree *tree = &place->document->tree;
        pawl__buf list = PAWL__BUF_INIT;
        pawl_status status = PAWL_OK;

        if (pawl__value_at(place, node)->count == 0)
                return pawl__field_fail(
                        place, node, "names none; write them, or tool_checkpoints: off");

        for (pawl__node m = pawl__json_first(tree, node); m != PAWL__NO_NODE && !status;
                m = pawl__json_after(tree, node, m)) {
                char *name;
                status = pawl__keep_c_string(place, &name, m);
                if (!status && (!*name || strchr(name, ',')))
                        status = pawl__field_fail(
                                place, m, "is no name of a tool; write one without commas");
                if (!status &&
                        (pawl__buf_adds(&list, list.len ? "," : "") || pawl__buf_adds(&list, name)))
                        status = pawl__nomem(place->err);
        }
        pawl_text kept = {NULL, 0};
        if (!status)
                status = pawl__keep(place, &kept, pawl__buf_text(&list));
        pawl__buf_free(&list);
        if (!status)
                loader->mission->edit_tools = (char *)(uintptr_t)kept.data;
        return status;
}

static pawl_status set_tool_files(const pawl__place *place, pawl__node node)
{
        const pawl__loader *loader = place->target;

        return pawl__keep_path(place, &loader->mission->tool_files, node);
}

static const pawl__field workspace_fields[] = {
        {"checkpoint", PAWL__ENTRY_ANY, NULL, set_checkpoint},
        {"root", PAWL__ENTRY_TEXT, NULL, set_root},
        {"exclude", PAWL__ENTRY_LIST, NULL, set_exclude},
        {"include", PAWL__ENTRY_LIST, NULL, set_include},
        {"tool_checkpoints", PAWL__ENTRY_ANY, NULL, set_tool_checkpoints},
        {"edit_tools", PAWL__ENTRY_LIST, NULL, set_edit_tools},
        {"tool_checkpoint_files", PAWL__ENTRY_TEXT, NULL, set_tool_files},
};

pawl_status pawl__workspace_settings_read(const pawl__place *place, pawl__node node)
{
        pawl__place inside = *place;

        inside.where = "workspace.";
        return pawl__fields_read(PAWL__FIELDS(workspace_fields), &inside, node);
}
