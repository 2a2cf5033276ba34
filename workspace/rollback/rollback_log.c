/* A rollback in the log: its start, the claim on its run, and its end. */
#include "base/error.h"
#include "base/json_write.h"
#include "events/types.h"
#include "state/steps_before.h"
#include "workspace/rollback/rollback_internal.h"
#include <inttypes.h>

static void member_git(pawl__json_writer *w, const pawl_rollback_plan *p)
{
        if (!p->git.branch.data)
                return;
        pawl__json_name(w, "git");
        pawl__json_open_object(w);
        pawl__json_member_string(w, "from", p->git.from);
        pawl__json_member_string(w, "to", p->git.to);
        pawl__json_close_object(w);
}

/* ---- Its start ---------------------------------------------------------------------------- */

/* What is going to be replaced or removed must be in the log by now, or it could not be brought
 * back: a part of the log may be lost that the index still relies on. */
static pawl_status has_all_that_goes(pawl_rollback_plan *p, pawl_error *err)
{
        pawl_status status = PAWL_OK;

        for (size_t i = 0; i < p->plan.n_steps && !status; i++) {
                const pawl__plan_step *step = &p->plan.steps[i];
                bool has = true;
                if (step->from.kind == PAWL__ENTRY_FILE)
                        status = pawl__contents_has(&has, p->contents, step->from.hash, err);
                if (!status && !has)
                        return pawl__fail(err, PAWL_EDAMAGED,
                                "%.*s: the log has lost what it holds, so that it could not be "
                                "brought back; remove workspace.index beside the log, and try "
                                "again",
                                PAWL__FMT(step->path));
        }
        return status;
}

pawl_status pawl__rollback_started(uint64_t safety, pawl__batch *batch, void *user, pawl_error *err)
{
        pawl_rollback_plan *p = user;
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;
        pawl_event event = {.actor = p->actor};
        pawl_status status = has_all_that_goes(p, err);

        if (!status)
                status = pawl__batch_blob(batch, p->plan.hash, pawl__buf_text(&p->encoded), err);
        if (status)
                return status;
        pawl__json_open_object(&w);
        pawl__json_member_integer(&w, "target", (int64_t)p->plan.target);
        pawl__json_member_integer(&w, "safety", (int64_t)safety);
        pawl__json_member_text(&w, "tree", p->target.v[PAWL__WCP_TREE].text);
        pawl__json_member_string(&w, "plan_hash", p->hash);
        pawl__json_member_bool(&w, "undo", p->plan.undo);
        member_git(&w, p);
        if (p->reason.data)
                pawl__json_member_text(&w, "reason", p->reason);
        pawl__json_member_string(&w, "decisions", p->plan.drop_decisions ? "drop" : "keep");
        if (p->plan.in_part) /* which ones, its plan says */
                pawl__json_member_bool(&w, "paths", true);
        if (p->n_retries)
                pawl__json_member_integer(&w, "finishes", p->finishes.v[PAWL__RB_SEQ].integer);
        return pawl__batch_emit(batch, PAWL__ROLLBACK_STARTED, &event, &w, err);
}

pawl_status pawl__rollback_read(pawl__plan *out, pawl__buf *encoded, pawl__workspace *ws,
        const pawl__row *rollback, pawl_error *err)
{
        unsigned char hash[32], tree[32];
        pawl_status status = PAWL_EDAMAGED;

        if (pawl__unhex32(hash, rollback->v[PAWL__RB_PLAN_HASH].text) &&
                pawl__unhex32(tree, rollback->v[PAWL__RB_TREE].text))
                status = pawl__log_blob(encoded, ws->log, hash);
        if (status && status != PAWL_ENOTFOUND && status != PAWL_EDAMAGED)
                return pawl__log_failed(ws->log, status, err);
        if (status)
                return pawl__fail(err, PAWL_EDAMAGED,
                        "rollback at seq %" PRId64
                        ": its plan is not in the log any more; check with `eventlog verify`",
                        rollback->v[PAWL__RB_SEQ].integer);
        status = pawl__plan_decode(out, pawl__buf_text(encoded), err);
        if (!status && memcmp(out->target_tree, tree, 32) != 0)
                return pawl__fail(err, PAWL_EDAMAGED,
                        "rollback at seq %" PRId64
                        ": its plan goes to another tree; check with `eventlog verify`",
                        rollback->v[PAWL__RB_SEQ].integer);
        return status;
}

/* ---- Its run ------------------------------------------------------------------------------ */

pawl_status pawl__rollback_claim(pawl_rollback_plan *p, pawl__workspace *ws, pawl_error *err)
{
        pawl_owner owner;
        uint64_t fence = 0;

        if (!p->run_id.data || p->fence)
                return PAWL_OK;
        pawl_status status = pawl__log_claim(&fence, ws->log, p->mission_id, p->run_id,
                pawl__text(NULL), p->actor, NULL, &owner);
        if (!status)
                p->fence = fence;
        return pawl__log_failed(ws->log, status, err);
}

void pawl__rollback_release(pawl_rollback_plan *p, pawl__workspace *ws)
{
        char run_id[129];

        if (!p->fence || p->run_id.len >= sizeof run_id)
                return;
        memcpy(run_id, p->run_id.data, p->run_id.len);
        run_id[p->run_id.len] = '\0';
        /* Where that fails, the lease expires. */
        if (!pawl_log_release(ws->log, run_id, p->fence))
                p->fence = 0;
}

/* ---- When it fails half-way --------------------------------------------------------------- */

pawl_status pawl__rollback_half_way(
        pawl_status status, const pawl_rollback_plan *p, pawl_error *err)
{
        return status ? pawl__fail_prefix(err, status,
                                "the %s is half-done, and `pawl rollback --finish` or "
                                "`pawl undo` ends it",
                                pawl__reversal_word(p->is))
                      : PAWL_OK;
}

/* ---- Its end ------------------------------------------------------------------------------ */

static void member_numbers(
        pawl__json_writer *w, const char *name, const uint64_t *numbers, size_t n)
{
        pawl__json_name(w, name);
        pawl__json_open_array(w);
        for (size_t i = 0; i < n; i++)
                pawl__json_integer(w, (int64_t)numbers[i]);
        pawl__json_close_array(w);
}

static void member_steps(pawl__json_writer *w, const pawl_rollback_plan *p, bool done)
{
        pawl__json_name(w, "steps");
        pawl__json_open_array(w);
        for (size_t i = 0; i < p->n_steps && done; i++) {
                pawl__json_open_object(w);
                pawl__json_member_text(w, "run_id", p->steps[i].run_id);
                pawl__json_member_text(w, "step_id", p->steps[i].step_id);
                pawl__json_close_object(w);
        }
        pawl__json_close_array(w);
}

/* Which steps of the plan could not be done. */
static void member_unwritten(pawl__json_writer *w, const pawl_rollback_plan *p)
{
        if (p->n_unwritten == 0)
                return;
        pawl__json_name(w, "not_written");
        pawl__json_open_array(w);
        for (size_t i = 0; i < p->plan.n_steps; i++)
                if (p->unwritten[i])
                        pawl__json_integer(w, (int64_t)i);
        pawl__json_close_array(w);
}

/* What the run and the other steps are from now on. */
static void member_restored(pawl__json_writer *w, const pawl_rollback_plan *p)
{
        if (!p->run_id.data || !p->has_run_then)
                return;
        pawl__json_name(w, "restored");
        pawl__steps_before_open(w, &p->run_then);
        for (size_t i = 0; i < p->n_back; i++)
                pawl__steps_before_add(w, &p->back[i]);
        pawl__json_close_array(w);
        pawl__json_close_object(w);
}

static pawl_status add_end(
        pawl__batch *batch, pawl_rollback_plan *p, pawl__workspace *ws, bool done, pawl_error *err)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;
        pawl_event event = {.actor = p->actor};
        pawl_status status = PAWL_OK;

        if (done) {
                status = pawl__rollback_checkpoints(p, ws, err);
                event.run_id = p->run_id;
                event.mission_id = p->mission_id;
        }
        if (status)
                return status;
        pawl__json_open_object(&w);
        pawl__json_member_integer(&w, "started_seq", p->started.v[PAWL__RB_SEQ].integer);
        pawl__json_member_string(&w, "outcome", done ? "done" : "abandoned");
        member_numbers(&w, "invalidated", p->given_up, done ? p->n_given_up : 0);
        member_numbers(&w, "revalidated", p->taken_up, done ? p->n_taken_up : 0);
        member_steps(&w, p, done);
        member_unwritten(&w, p);
        if (done)
                member_restored(&w, p);
        if (p->reason.data)
                pawl__json_member_text(&w, "reason", p->reason);
        if (done)
                member_git(&w, p);
        return pawl__batch_emit(batch, PAWL__ROLLED_BACK, &event, &w, err);
}

/* The index may stand for a tree only if the log has all that is in it. */
typedef struct having {
        pawl__contents *contents;
        bool all;
} having;

static pawl_status has_content(const pawl__change *change, void *user, pawl_error *err)
{
        having *h = user;
        const pawl__entry *to = change->to;

        if (!h->all || !to || (to->kind != PAWL__ENTRY_FILE && to->kind != PAWL__ENTRY_DIRECTORY))
                return PAWL_OK;
        return pawl__contents_has(&h->all, h->contents, to->hash, err);
}

static void keep_index(const pawl_rollback_plan *p, pawl__workspace *ws, const pawl__scan *scan,
        bool done, uint64_t seq)
{
        const unsigned char *goal = done && !p->plan.in_part ? p->plan.target_tree : p->plan.now;
        const pawl__directories directories = pawl__contents_directories(ws->contents);
        const pawl__directories beside = pawl__scan_directories(scan);
        having h = {ws->contents, false};
        pawl_error ignored = PAWL_ERROR_INIT;

        pawl__contents_overlay(ws->contents, &beside);
        pawl_status status = pawl__contents_has(&h.all, ws->contents, scan->tree, &ignored);
        if (!status && memcmp(goal, scan->tree, 32) != 0) {
                h.all = true;
                status =
                        pawl__diff_trees(&directories, goal, scan->tree, has_content, &h, &ignored);
        }
        pawl__contents_overlay(ws->contents, NULL);
        if (!status && h.all)
                pawl__workspace_keep_index(ws, scan, seq);
}

pawl_status pawl__rollback_end(pawl_rollback_plan *p, pawl__workspace *ws, const pawl__scan *scan,
        bool done, pawl_error *err)
{
        pawl__batch batch = PAWL__BATCH_INIT;
        uint64_t seq = 0;
        pawl_status status = add_end(&batch, p, ws, done, err);

        if (!status && done)
                status = pawl__rollback_decisions(&batch, p, ws, err);
        if (!status && done && p->run_id.data)
                status = pawl__batch_release(&batch, p->run_id, err);
        if (!status)
                status = pawl__log_failed(
                        ws->log, pawl__log_commit(ws->log, &batch, done ? p->fence : 0, &seq), err);
        pawl__batch_free(&batch);
        if (status)
                return status;
        if (done)
                p->fence = 0; /* its run is released */
        p->info.current = done && !p->plan.in_part;
        if (p->info.current) /* it is on the way again */
                p->info.given_up = (pawl_text){NULL, 0};
        if (!pawl__workspace_locate(ws, err)) /* it is done: without an index, and no less so */
                keep_index(p, ws, scan, done,
                        done && !p->plan.in_part ? seq
                                                 : (uint64_t)ws->newest.v[PAWL__WCP_SEQ].integer);
        return PAWL_OK;
}
