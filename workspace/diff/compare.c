/* What lies between two checkpoints, or one and the workspace. */
#include "workspace/diff/compare.h"
#include "base/error.h"
#include <stdlib.h>

static pawl_status find_sides(pawl__comparing *c, const char *a, const char *b, pawl_error *err)
{
        const uint64_t current = (uint64_t)c->ws.current.v[PAWL__WCP_N].integer;
        pawl_status status = pawl__workspace_find(&c->rows[0], c->ws.state, a, &c->ws.arena, err);

        if (!status && b)
                status = pawl__workspace_find(&c->rows[1], c->ws.state, b, &c->ws.arena, err);
        if (status)
                return status;
        c->has_b = b != NULL;
        for (int i = 0; i < 1 + c->has_b; i++)
                if (c->rows[i].v[PAWL__WCP_PRUNED_SEQ].integer)
                        return pawl__fail(err, PAWL_ENOTFOUND,
                                "checkpoint %lld: its contents were pruned; compare another",
                                (long long)c->rows[i].v[PAWL__WCP_N].integer);
        c->a = pawl__checkpoint_info(&c->rows[0], current);
        if (c->has_b)
                c->b = pawl__checkpoint_info(&c->rows[1], current);
        return PAWL_OK;
}

static pawl_status read_workspace(pawl__comparing *c, pawl_error *err)
{
        c->ws.looks = true;
        pawl_status status = pawl__workspace_scan(&c->scan, &c->ws, false, err);

        if (status)
                return status;
        const pawl__directories directories = pawl__scan_directories(c->scan);
        pawl__contents_overlay(c->ws.contents, &directories);
        int error = pawl__rootdir_open(&c->root, c->ws.root);
        return error ? pawl__fail(err, PAWL_EIO, "workspace %.300s: %s; check the path", c->ws.root,
                               strerrordesc_np(error))
                     : PAWL_OK;
}

pawl_status pawl_workspace_compare(pawl_comparison **out, pawl_log *log, const char *a,
        const char *b, const pawl_workspace_options *options, pawl_patch_fn patch, void *patch_user,
        pawl_error *err)
{
        TRY(pawl__log_usable(log, err));

        pawl__comparing *c = calloc(1, sizeof *c);
        pawl_status status;

        if (!c)
                return pawl__nomem(err);
        c->root = (pawl__rootdir)PAWL__ROOTDIR_INIT;
        c->patch = patch;
        c->patch_user = patch_user;
        status = pawl__workspace_open(&c->ws, log, options, err);
        if (status) {
                free(c);
                return status;
        }
        status = find_sides(c, a, b, err);
        if (!status && !b)
                status = read_workspace(c, err);
        if (!status)
                status = pawl__compare_files(c, err);
        if (!status && !c->ws.part)
                status = pawl__compare_members(c, err);
        if (!status && !c->ws.part)
                status = pawl__compare_git(c, err);
        if (status)
                status = pawl__workspace_or_pruned(status, c->ws.state, &c->rows[0], err);
        if (status && c->has_b)
                status = pawl__workspace_or_pruned(status, c->ws.state, &c->rows[1], err);
        if (status) {
                pawl_comparison_free(&c->shown);
                return status;
        }
        c->shown = (pawl_comparison){.a = &c->a,
                .b = c->has_b ? &c->b : NULL,
                .files = c->files,
                .n_files = c->n_files,
                .unknown = c->unknown,
                .n_unknown = c->n_unknown,
                .members = c->members,
                .n_members = c->n_members,
                .git = c->has_git ? &c->git : NULL};
        *out = &c->shown;
        return PAWL_OK;
}

void pawl_comparison_free(pawl_comparison *comparison)
{
        pawl__comparing *c = (pawl__comparing *)comparison;

        if (!c)
                return;
        pawl__rootdir_close(&c->root);
        pawl__contents_overlay(c->ws.contents, NULL);
        pawl__scan_free(c->scan);
        pawl__workspace_close(&c->ws);
        pawl__buf_free(&c->before);
        pawl__buf_free(&c->after);
        pawl__buf_free(&c->hunks);
        free(c->files);
        free(c->unknown);
        free(c->members);
        free(c);
}
