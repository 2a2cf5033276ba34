/* Taking a checkpoint, and telling what came of it. */
#include "base/error.h"
#include "workspace/checkpoint.h"
#include <stdlib.h>

struct pawl_workspace_capture {
        pawl__workspace ws;
        pawl__taking taking;
        pawl_workspace_checkpoint_info info;
        pawl_workspace_capture_counts counts;
        pawl_not_captured *missed;
};

static pawl_status tell(pawl_workspace_capture *c, pawl_error *err)
{
        const pawl__scan *scan = c->taking.scan;

        c->info = pawl__checkpoint_info(
                &c->ws.current, (uint64_t)c->ws.current.v[PAWL__WCP_N].integer);
        c->counts = (pawl_workspace_capture_counts){.files = scan->files,
                .bytes = scan->bytes,
                .captured = scan->captured,
                .unchanged = scan->unchanged,
                .ignored = scan->ignored,
                .too_large = scan->too_large,
                .unreadable = scan->unreadable,
                .special = scan->special,
                .changing = scan->changing,
                .repositories = scan->repositories};
        c->missed = pawl__arena_array(&c->ws.arena, scan->n_not_captured + 1, sizeof *c->missed);
        if (!c->missed)
                return pawl__nomem(err);
        for (size_t i = 0; i < scan->n_not_captured; i++)
                c->missed[i] = (pawl_not_captured){
                        scan->not_captured[i].path, pawl__skip_name(scan->not_captured[i].why)};
        return PAWL_OK;
}

pawl_status pawl_workspace_checkpoint(pawl_workspace_capture **out, pawl_log *log,
        const pawl_workspace_checkpoint_request *request, const pawl_workspace_options *options,
        pawl_error *err)
{
        static const pawl_workspace_checkpoint_request none = PAWL_CHECKPOINT_REQUEST_INIT;
        pawl_workspace_capture *c = calloc(1, sizeof *c);
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
                pawl_workspace_capture_free(c);
                return told;
        }
        *out = c;
        return status;
}

const pawl_workspace_checkpoint_info *pawl_workspace_capture_info(
        const pawl_workspace_capture *capture)
{
        return &capture->info;
}

const pawl_workspace_capture_counts *pawl_workspace_capture_counted(
        const pawl_workspace_capture *capture)
{
        return &capture->counts;
}

size_t pawl_workspace_capture_missed(const pawl_workspace_capture *capture)
{
        return capture->taking.scan->n_not_captured;
}

const pawl_not_captured *pawl_workspace_capture_missed_at(
        const pawl_workspace_capture *capture, size_t index)
{
        return index < pawl_workspace_capture_missed(capture) ? &capture->missed[index] : NULL;
}

void pawl_workspace_capture_free(pawl_workspace_capture *capture)
{
        if (!capture)
                return;
        pawl__taking_free(&capture->taking);
        pawl__workspace_close(&capture->ws);
        free(capture);
}
