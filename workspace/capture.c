/* Taking a checkpoint, and telling what came of it. */
#include "base/error.h"
#include "workspace/checkpoint.h"
#include <stdlib.h>

/* What a caller gets, and what it lies in. */
typedef struct capture {
        pawl_workspace_capture shown;
        pawl__workspace ws;
        pawl__taking taking;
} capture;

static pawl_status tell(capture *c, pawl_error *err)
{
        const pawl__scan *scan = c->taking.scan;

        c->shown.info = pawl__checkpoint_info(
                &c->ws.current, (uint64_t)c->ws.current.v[PAWL__WCP_N].integer);
        c->shown.counts = (pawl_workspace_capture_counts){.files = scan->files,
                .bytes = scan->bytes,
                .captured = scan->captured,
                .unchanged = scan->unchanged,
                .ignored = scan->ignored,
                .too_large = scan->too_large,
                .unreadable = scan->unreadable,
                .special = scan->special,
                .changing = scan->changing,
                .repositories = scan->repositories,
                .over_budget = scan->over_budget,
                .reserved = scan->reserved,
                .workspaces = scan->workspaces};
        pawl_not_captured *missed =
                pawl__arena_array(&c->ws.arena, scan->n_not_captured + 1, sizeof *missed);
        if (!missed)
                return pawl__nomem(err);
        c->shown.missed = missed;
        c->shown.n_missed = scan->n_not_captured;
        c->shown.git_unread = c->ws.git_unread;
        for (size_t i = 0; i < scan->n_not_captured; i++)
                missed[i] = (pawl_not_captured){
                        scan->not_captured[i].path, pawl__skip_name(scan->not_captured[i].why)};
        return PAWL_OK;
}

pawl_status pawl_workspace_checkpoint(pawl_workspace_capture **out, pawl_log *log,
        const pawl_workspace_checkpoint_request *request, const pawl_workspace_options *options,
        pawl_error *err)
{
        TRY(pawl__log_usable(log, err));

        static const pawl_workspace_checkpoint_request none = PAWL_CHECKPOINT_REQUEST_INIT;
        capture *c = calloc(1, sizeof *c);
        pawl_status status, told;

        if (!c)
                return pawl__nomem(err);
        status = pawl__workspace_open(&c->ws, log, options, err);
        if (status) {
                free(c);
                return status;
        }
        c->taking = (pawl__taking){.ws = &c->ws, .request = request ? request : &none};
        status = pawl__checkpoint_take(&c->taking, 0, err);
        told = status == PAWL_OK || status == PAWL_DONE ? tell(c, err) : status;
        if (told) {
                pawl_workspace_capture_free(&c->shown);
                return told;
        }
        *out = &c->shown;
        return status;
}

void pawl_workspace_capture_free(pawl_workspace_capture *shown)
{
        capture *c = (capture *)shown;

        if (!c)
                return;
        pawl__taking_free(&c->taking);
        pawl__workspace_close(&c->ws);
        free(c);
}
