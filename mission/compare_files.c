#include "mission/compare_files.h"
#include "base/error.h"
#include "base/map.h"
#include "workspace/store/tree_diff.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

pawl_status pawl__file_comparing_open(pawl__file_comparing *out, pawl_log *log, pawl__state *state,
        const pawl_workspace_options *options, pawl_error *err)
{
        *out = (pawl__file_comparing){.log = log, .state = state, .options = options};
        return pawl__contents_open(&out->contents, log, err);
}

void pawl__file_comparing_close(pawl__file_comparing *c)
{
        pawl__contents_close(c->contents);
}

/* The paths of files that the two steps changed. */
typedef struct paths {
        const char **items;
        size_t n, cap;
        pawl__map seen;
        pawl__arena arena;
} paths;

static pawl_status add_path(const pawl__change *change, void *user, pawl_error *err)
{
        paths *p = user;
        const bool from = change->from && change->from->kind != PAWL__ENTRY_DIRECTORY;
        const bool to = change->to && change->to->kind != PAWL__ENTRY_DIRECTORY;

        if (change->unknown || (!from && !to) ||
                pawl__map_get(&p->seen, change->path) != PAWL__MAP_NONE)
                return PAWL_OK;
        const pawl_text copy = pawl__arena_copy(&p->arena, change->path);
        if (pawl__arena_check(&p->arena, err) || pawl__map_put(&p->seen, copy, 0) ||
                pawl__grow(&p->items, &p->cap, p->n + 1, sizeof *p->items))
                return pawl__nomem(err);
        p->items[p->n++] = copy.data;
        return PAWL_OK;
}

static bool is_kept(const pawl__row *checkpoint, unsigned char tree[32])
{
        return !checkpoint->v[PAWL__WCP_PRUNED_SEQ].integer &&
               pawl__unhex32(tree, checkpoint->v[PAWL__WCP_TREE].text);
}

/* What the step changed: since the checkpoint before its own. Where that is not kept, nothing is
 * known of it. */
static pawl_status add_changed(
        paths *p, pawl__file_comparing *c, const pawl__left_files *left, pawl_error *err)
{
        const pawl__directories directories = pawl__contents_directories(c->contents);
        pawl__row base = {.v[PAWL__WCP_N].integer = left->after.v[PAWL__WCP_BASE].integer};
        unsigned char before[32], after[32];
        pawl_status status = PAWL_OK;

        if (!left->changed || !is_kept(&left->after, after))
                return PAWL_OK;
        if (base.v[PAWL__WCP_N].integer) {
                status = pawl__state_get(c->state, PAWL__WORKSPACE, &base, &p->arena, err);
                if (status || !is_kept(&base, before))
                        return status == PAWL_ENOTFOUND ? PAWL_OK : status;
        }
        return pawl__diff_trees(
                &directories, base.v[PAWL__WCP_N].integer ? before : NULL, after, add_path, p, err);
}

static pawl_status compare(pawl_comparison **out, const pawl__file_comparing *c, const paths *p,
        const pawl__left_files *a, const pawl__left_files *b, pawl_error *err)
{
        pawl_workspace_options options = *c->options;
        pawl_comparison *found = NULL;
        char first[24], second[24];

        options.paths = p->items;
        options.n_paths = p->n;
        snprintf(first, sizeof first, "%" PRId64, a->after.v[PAWL__WCP_N].integer);
        snprintf(second, sizeof second, "%" PRId64, b->after.v[PAWL__WCP_N].integer);
        const pawl_status status =
                pawl_workspace_compare(&found, c->log, first, second, &options, NULL, NULL, err);
        if (!status && found->n_files) {
                *out = found;
                return PAWL_OK;
        }
        if (!status)
                pawl_comparison_free(found);
        return status;
}

pawl_status pawl__compare_left_files(pawl_comparison **out, pawl__file_comparing *c,
        const pawl__left_files *a, const pawl__left_files *b, pawl_error *err)
{
        unsigned char trees[2][32];
        paths p = {.arena = PAWL__ARENA_INIT};

        if (!a->known || !b->known || !is_kept(&a->after, trees[0]) ||
                !is_kept(&b->after, trees[1]) || memcmp(trees[0], trees[1], 32) == 0)
                return PAWL_OK;
        pawl_status status = add_changed(&p, c, a, err);
        if (!status)
                status = add_changed(&p, c, b, err);
        if (!status && p.n)
                status = compare(out, c, &p, a, b, err);
        free(p.items);
        pawl__map_free(&p.seen);
        pawl__arena_free(&p.arena);
        return status;
}
