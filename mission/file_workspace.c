/* workspace: {checkpoint, root, exclude} of a mission file. */
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

static pawl_status set_exclude(const pawl__place *place, pawl__node node)
{
        const pawl__loader *loader = place->target;
        pawl_mission *mission = loader->mission;
        const pawl__json_tree *tree = &place->document->tree;
        char **patterns = pawl__arena_array(
                &mission->arena, (size_t)pawl__value_at(place, node)->count + 1, sizeof *patterns);

        if (!patterns)
                return pawl__nomem(place->err);
        for (pawl__node m = pawl__json_first(tree, node); m != PAWL__NO_NODE;
                m = pawl__json_after(tree, node, m)) {
                pawl_status status = pawl__keep_c_string(place, &patterns[mission->n_exclude], m);
                if (status)
                        return status;
                mission->n_exclude++;
        }
        mission->exclude = (const char **)(void *)patterns;
        return PAWL_OK;
}

static const pawl__field workspace_fields[] = {
        {"checkpoint", PAWL__ENTRY_ANY, NULL, set_checkpoint},
        {"root", PAWL__ENTRY_TEXT, NULL, set_root},
        {"exclude", PAWL__ENTRY_LIST, NULL, set_exclude},
};

pawl_status pawl__workspace_settings_read(const pawl__place *place, pawl__node node)
{
        pawl__place inside = *place;

        inside.where = "workspace.";
        return pawl__fields_read(PAWL__FIELDS(workspace_fields), &inside, node);
}
