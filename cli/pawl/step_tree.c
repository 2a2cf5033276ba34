#include "cli/pawl/step_tree.h"
#include "base/error.h"
#include <string.h>

enum { DEEPEST = 20, INDENT = 2 };

typedef struct tree {
        const pawl_text *ids;
        const pawl__needs *needs;
        size_t n;
        uint32_t *depth, *parent; /* PAWL__MAP_NONE: not known yet; none */
        pawl__arena *arena;
} tree;

/* A step is below the deepest of those that it needs, the last of them; a round settles at
 * least those whose needs are settled, so that steps in order take one. */
static void find_depths(tree *t)
{
        size_t left = t->n, before = t->n + 1;

        while (left && left < before) {
                before = left;
                for (size_t i = 0; i < t->n; i++) {
                        uint32_t parent = PAWL__MAP_NONE, depth = 0;
                        bool known = t->depth[i] == PAWL__MAP_NONE;
                        for (size_t k = 0; k < t->needs[i].n && known; k++) {
                                const uint32_t need = t->needs[i].items[k];
                                known = t->depth[need] != PAWL__MAP_NONE;
                                if (known && t->depth[need] + 1 >= depth) {
                                        depth = t->depth[need] + 1;
                                        parent = need;
                                }
                        }
                        if (!known)
                                continue;
                        t->depth[i] = depth;
                        t->parent[i] = parent;
                        left--;
                }
        }
}

static void write_line(cli_step_line *line, const tree *t, size_t at)
{
        const size_t indent = INDENT * (t->depth[at] < DEEPEST ? t->depth[at] : DEEPEST);
        const pawl__needs *needs = &t->needs[at];
        pawl__buf text = PAWL__BUF_INIT;

        for (size_t i = 0; i < indent; i++)
                pawl__buf_addc(&text, ' ');
        pawl__buf_add_text(&text, t->ids[at]);
        *line = (cli_step_line){
                .at = at, .label = pawl__arena_copy(t->arena, pawl__buf_text(&text))};
        pawl__buf_clear(&text);
        for (size_t i = 0; i < needs->n; i++) {
                pawl__buf_adds(&text, i ? ", " : "");
                pawl__buf_add_text(&text, t->ids[needs->items[i]]);
        }
        if (needs->n)
                line->needs = pawl__arena_copy(t->arena, pawl__buf_text(&text));
        pawl__buf_free(&text);
}

/* Each before those below it, which keep their order: a list of its children a step, newest first,
 * is followed by way of a stack. */
static void write_lines(cli_step_line *lines, const tree *t, uint32_t *child, uint32_t *next)
{
        uint32_t *roots = &child[t->n], top = PAWL__MAP_NONE;
        size_t n = 0;

        for (size_t i = t->n; i-- > 0;) {
                uint32_t *list = t->parent[i] == PAWL__MAP_NONE ? roots : &child[t->parent[i]];
                next[i] = *list;
                *list = (uint32_t)i;
        }
        top = *roots;
        while (top != PAWL__MAP_NONE) {
                uint32_t at = top;
                write_line(&lines[n++], t, at);
                if (child[at] != PAWL__MAP_NONE) {
                        top = child[at];
                        continue;
                }
                while (at != PAWL__MAP_NONE && next[at] == PAWL__MAP_NONE)
                        at = t->parent[at];
                top = at == PAWL__MAP_NONE ? at : next[at];
        }
}

pawl_status cli_step_tree(cli_step_line **out, const pawl_text *ids, const pawl__needs *needs,
        size_t n, pawl__arena *arena, pawl_error *err)
{
        tree t = {.ids = ids, .needs = needs, .n = n, .arena = arena};
        uint32_t *buf = pawl__arena_array(arena, 4 * n + 1, sizeof *buf);
        cli_step_line *lines = pawl__arena_array(arena, n, sizeof *lines);

        if (!buf || !lines)
                return pawl__nomem(err);
        memset(buf, 0xff, (4 * n + 1) * sizeof *buf); /* PAWL__MAP_NONE */
        t.depth = buf;
        t.parent = buf + n;
        find_depths(&t);
        write_lines(lines, &t, buf + 2 * n, buf + 3 * n + 1);
        *out = lines;
        return pawl__arena_check(arena, err);
}
