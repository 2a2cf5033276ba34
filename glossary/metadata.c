/* A step's glossary metadata. */
#include "base/error.h"
#include "glossary/extract.h"

/* What stands in a list, and what to do about anything else. */
static pawl_status refuse(pawl_error *err, const char *name, const char *form)
{
        return pawl__fail(err, PAWL_EINVAL, "metadata.%s: not %s; write it as one", name, form);
}

static pawl_status read_list(pawl_text **out, size_t *n_out, pawl__arena *arena,
        const pawl__json_tree *tree, const char *name, pawl_error *err)
{
        static const char form[] = "an array of strings";
        pawl__node list = pawl__json_get(tree, 0, name);
        bool ok = true;
        size_t n = 0;

        if (list == PAWL__NO_NODE || pawl__json_at(tree, list)->type == PAWL__JSON_NULL)
                return PAWL_OK;
        if (pawl__json_at(tree, list)->type != PAWL__JSON_ARRAY)
                return refuse(err, name, form);
        pawl_text *texts =
                pawl__arena_array(arena, pawl__json_at(tree, list)->count, sizeof *texts);
        if (!texts)
                return pawl__nomem(err);
        for (pawl__node i = pawl__json_first(tree, list); i != PAWL__NO_NODE;
                i = pawl__json_after(tree, list, i)) {
                if (pawl__json_at(tree, i)->type != PAWL__JSON_STRING)
                        return refuse(err, name, form);
                texts[n++] = pawl__arena_text(arena, pawl__json_at(tree, i)->value, &ok);
        }
        if (!ok)
                return pawl__nomem(err);
        *out = texts;
        *n_out = n;
        return PAWL_OK;
}

static pawl_status read_aliases(
        pawl__metadata *metadata, pawl__arena *arena, const pawl__json_tree *tree, pawl_error *err)
{
        static const char name[] = "glossary_aliases", form[] = "an object of strings";
        pawl__node object = pawl__json_get(tree, 0, name);
        bool ok = true;

        if (object == PAWL__NO_NODE || pawl__json_at(tree, object)->type == PAWL__JSON_NULL)
                return PAWL_OK;
        if (pawl__json_at(tree, object)->type != PAWL__JSON_OBJECT)
                return refuse(err, name, form);
        metadata->aliases = pawl__arena_array(
                arena, pawl__json_at(tree, object)->count, sizeof *metadata->aliases);
        if (!metadata->aliases)
                return pawl__nomem(err);
        for (pawl__node i = pawl__json_first(tree, object); i != PAWL__NO_NODE;
                i = pawl__json_after(tree, object, i)) {
                const pawl__json_node *member = pawl__json_at(tree, i);
                if (member->type != PAWL__JSON_STRING)
                        return refuse(err, name, form);
                struct pawl__alias *alias = &metadata->aliases[metadata->n_aliases++];
                alias->alias = pawl__arena_text(arena, member->name, &ok);
                alias->term = pawl__arena_text(arena, member->value, &ok);
        }
        return ok ? PAWL_OK : pawl__nomem(err);
}

static pawl_status read_tree(
        pawl__metadata *metadata, pawl__arena *arena, const pawl__json_tree *tree, pawl_error *err)
{
        const pawl__json_node *root = pawl__json_at(tree, 0);

        if (root->type == PAWL__JSON_NULL)
                return PAWL_OK;
        if (root->type != PAWL__JSON_OBJECT)
                return pawl__fail(
                        err, PAWL_EINVAL, "metadata: not an object; write it as {\"name\": value}");
        pawl_status status = read_list(&metadata->watch_terms, &metadata->n_watch_terms, arena,
                tree, "glossary_watch_terms", err);
        if (status == PAWL_OK)
                status = read_list(&metadata->exclude_terms, &metadata->n_exclude_terms, arena,
                        tree, "glossary_exclude_terms", err);
        if (status == PAWL_OK)
                status = read_list(&metadata->fields, &metadata->n_fields, arena, tree,
                        "glossary_fields", err);
        return status ? status : read_aliases(metadata, arena, tree, err);
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
