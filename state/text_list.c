#include "state/text_list.h"
#include "base/error.h"
#include "base/json_write.h"
#include "base/map.h"

/* The list and the array beside it, and which texts have been seen. */
typedef struct merging {
        pawl__json_tree list;
        pawl__map seen;
        pawl__json_writer w;
} merging;

static void merging_free(merging *m)
{
        pawl__json_tree_free(&m->list);
        pawl__map_free(&m->seen);
        pawl__json_writer_free(&m->w);
}

static pawl_status read_list(pawl__json_tree *out, pawl_text list, pawl_error *err)
{
        return list.data ? pawl__json_tree_read(out, list.data, list.len, err)
                         : pawl__json_tree_read(out, "[]", 2, err);
}

/* Write those of an array that were not seen, and see them. */
static pawl_status take(merging *m, const pawl__json_tree *tree, pawl__node array)
{
        for (pawl__node n = pawl__json_first(tree, array); n != PAWL__NO_NODE;
                n = pawl__json_after(tree, array, n)) {
                pawl_text text = pawl__json_at(tree, n)->value;
                if (pawl__map_get(&m->seen, text) != PAWL__MAP_NONE)
                        continue;
                if (pawl__map_put(&m->seen, text, 0))
                        return PAWL_ENOMEM;
                pawl__json_text(&m->w, text);
        }
        return PAWL_OK;
}

static pawl_status see(merging *m, const pawl__json_tree *tree, pawl__node array)
{
        for (pawl__node n = pawl__json_first(tree, array); n != PAWL__NO_NODE;
                n = pawl__json_after(tree, array, n))
                if (pawl__map_put(&m->seen, pawl__json_at(tree, n)->value, 0))
                        return PAWL_ENOMEM;
        return PAWL_OK;
}

static pawl_status merge(pawl_text *out, pawl__arena *arena, pawl_text list,
        const pawl__json_tree *tree, pawl__node array, bool adds, pawl_error *err)
{
        merging m = {PAWL__JSON_TREE_INIT, PAWL__MAP_INIT, PAWL__JSON_WRITER_INIT};
        bool ok = true;
        pawl_status status = read_list(&m.list, list, err);

        if (!status) {
                pawl__json_open_array(&m.w);
                if (!adds)
                        status = see(&m, tree, array);
                if (!status)
                        status = take(&m, &m.list, 0);
                if (!status && adds)
                        status = take(&m, tree, array);
                pawl__json_close_array(&m.w);
                if (!status)
                        status = pawl__json_end_writer(&m.w);
                if (!status)
                        *out = pawl__arena_text(arena, pawl__buf_text(&m.w.buf), &ok);
                if (status || !ok)
                        status = pawl__nomem(err);
        }
        merging_free(&m);
        return status;
}

pawl_status pawl__text_list_add(pawl_text *out, pawl__arena *arena, pawl_text list,
        const pawl__json_tree *tree, pawl__node more, pawl_error *err)
{
        return merge(out, arena, list, tree, more, true, err);
}

pawl_status pawl__text_list_remove(pawl_text *out, pawl__arena *arena, pawl_text list,
        const pawl__json_tree *tree, pawl__node less, pawl_error *err)
{
        return merge(out, arena, list, tree, less, false, err);
}

pawl_status pawl__text_list_count(size_t *out, pawl_text list, pawl_error *err)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl_status status = read_list(&tree, list, err);

        if (!status)
                *out = pawl__json_at(&tree, 0)->count;
        pawl__json_tree_free(&tree);
        return status;
}
