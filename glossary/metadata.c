/* A step's glossary metadata. */
#include "base/error.h"
#include "glossary/extract.h"

/* The container of that name and its members' number; PAWL__NO_NODE: there is none, or it and its
 * members are not of the form, which *status then says. */
static pawl__node find(pawl_status *status, size_t *n, const pawl__json_tree *tree,
        const char *name, pawl__json_type type, pawl_error *err)
{
        const pawl__node found = pawl__json_get(tree, 0, name);

        if (*status || found == PAWL__NO_NODE ||
                pawl__json_at(tree, found)->type == PAWL__JSON_NULL)
                return PAWL__NO_NODE;
        bool fits = pawl__json_at(tree, found)->type == type;
        for (pawl__node i = pawl__json_first(tree, found); i != PAWL__NO_NODE;
                i = pawl__json_after(tree, found, i))
                fits = fits && pawl__json_at(tree, i)->type == PAWL__JSON_STRING;
        *n = pawl__json_at(tree, found)->count;
        if (fits)
                return found;
        *status = pawl__fail(err, PAWL_EINVAL, "metadata.%s: not an %s of strings; write it as one",
                name, type == PAWL__JSON_ARRAY ? "array" : "object");
        return PAWL__NO_NODE;
}

static pawl_status read_tree(
        pawl__metadata *m, pawl__arena *arena, const pawl__json_tree *tree, pawl_error *err)
{
        const struct {
                const char *name;
                pawl_text **out;
                size_t *n;
        } lists[] = {{"glossary_watch_terms", &m->watch_terms, &m->n_watch_terms},
                {"glossary_exclude_terms", &m->exclude_terms, &m->n_exclude_terms},
                {"glossary_fields", &m->fields, &m->n_fields}};
        const pawl__json_node *root = pawl__json_at(tree, 0);
        pawl_status status = PAWL_OK;
        size_t n = 0;

        if (root->type == PAWL__JSON_NULL)
                return PAWL_OK;
        if (root->type != PAWL__JSON_OBJECT)
                return pawl__fail(
                        err, PAWL_EINVAL, "metadata: not an object; write it as {\"name\": value}");
        for (size_t l = 0; l < sizeof lists / sizeof lists[0]; l++) {
                const pawl__node list =
                        find(&status, &n, tree, lists[l].name, PAWL__JSON_ARRAY, err);
                if (list == PAWL__NO_NODE)
                        continue;
                pawl_text *texts = *lists[l].out = pawl__arena_array(arena, n, sizeof *texts);
                for (pawl__node i = pawl__json_first(tree, list); i != PAWL__NO_NODE && texts;
                        i = pawl__json_after(tree, list, i))
                        texts[(*lists[l].n)++] =
                                pawl__arena_copy(arena, pawl__json_at(tree, i)->value);
        }
        const pawl__node aliases =
                find(&status, &n, tree, "glossary_aliases", PAWL__JSON_OBJECT, err);
        m->aliases = pawl__arena_array(arena, n, sizeof *m->aliases);
        for (pawl__node i = pawl__json_first(tree, aliases); i != PAWL__NO_NODE && m->aliases;
                i = pawl__json_after(tree, aliases, i))
                m->aliases[m->n_aliases++] =
                        (struct pawl__alias){pawl__arena_copy(arena, pawl__json_at(tree, i)->name),
                                pawl__arena_copy(arena, pawl__json_at(tree, i)->value)};
        return status ? status : pawl__arena_check(arena, err);
}

pawl_status pawl__metadata_read(
        pawl__metadata *out, pawl__arena *arena, pawl_text json, pawl_error *err)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl__metadata metadata = {0};
        pawl_status status = PAWL_OK;

        if (json.data) {
                status = pawl__json_tree_read(&tree, json.data, json.len, err);
                if (status)
                        status = pawl__fail_prefix(err, status, "metadata");
                else
                        status = read_tree(&metadata, arena, &tree, err);
        }
        pawl__json_tree_free(&tree);
        if (status == PAWL_OK)
                *out = metadata;
        return status;
}
