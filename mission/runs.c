#include "mission/runs.h"
#include "base/error.h"
#include "events/log.h"
#include "pipeline/question.h"
#include "session/session.h"
#include "session/standing.h"
#include "state/run_range.h"

enum { BATCH = 64 }; /* rows read at once */

typedef struct looking {
        pawl_log *log;
        pawl__state *state;
        pawl__arena *arena;
        pawl_error *err;
} looking;

static pawl_status log_failed(const looking *l, pawl_status status)
{
        return l->err ? pawl__log_failed(l->log, status, l->err) : status;
}

/* What its first event says of the time, and of where it was forked; its payload may be gone, its
 * envelope never is. */
static pawl_status look_at_start(pawl__run_view *out, const looking *l)
{
        pawl_event event;
        pawl_status status = pawl__log_event(
                &event, l->arena, l->log, (uint64_t)out->row.v[PAWL__RUN_STARTED_SEQ].integer);

        if (status)
                return log_failed(l, status);
        out->started_us = event.time_us;
        return pawl__forked_of(&out->forked, event.payload, l->arena, l->err);
}

static pawl_status token_of_current(pawl_text *token, const looking *l, const pawl__row *run)
{
        pawl__row step = {.v[PAWL__STEP_RUN].text = run->v[PAWL__RUN_ID].text};
        pawl_status status;

        step.v[PAWL__STEP_ID].text = run->v[PAWL__RUN_CURRENT].text;
        if (!step.v[PAWL__STEP_ID].text.data)
                return PAWL_OK;
        status = pawl__state_get(l->state, PAWL__STEPS, &step, l->arena, l->err);
        if (!status)
                *token = step.v[PAWL__STEP_TOKEN].text;
        return status == PAWL_ENOTFOUND ? PAWL_OK : status;
}

static pawl_status owner_of(pawl__run_view *out, const looking *l, pawl_text run_id)
{
        bool ok = true;
        pawl_status status = pawl__log_holder(&out->held, &out->owner, l->log, run_id);

        if (status)
                return log_failed(l, status);
        if (!out->held)
                return log_failed(l, pawl__log_holder_died(&out->died, l->log, run_id));
        out->owner.host = pawl__arena_text(l->arena, out->owner.host, &ok);
        return ok ? PAWL_OK : pawl__nomem(l->err);
}

/* What decides whether a run is looked for: nothing more than its row and who holds it. */
static pawl_status stand(pawl__run_view *out, const looking *l, const pawl__row *run)
{
        pawl_text status_text = run->v[PAWL__RUN_STATUS].text;
        pawl_status status;

        *out = (pawl__run_view){.row = *run, .status = status_text};
        if (pawl__text_is(status_text, "completed") || pawl__text_is(status_text, "cancelled"))
                return PAWL_OK;
        if (!pawl__text_is(status_text, "failed")) /* that of a failure before */
                out->row.v[PAWL__RUN_REASON].text = pawl__text(NULL);
        status = owner_of(out, l, run->v[PAWL__RUN_ID].text);
        if (!status && out->held)
                out->status = pawl__text("running");
        else if (!status && pawl__text_is(status_text, "running"))
                out->status = pawl__text("interrupted");
        return status;
}

static pawl_status fill(pawl__run_view *out, const looking *l)
{
        pawl__row *conflicts;
        pawl_status status = look_at_start(out, l);

        if (!status)
                status = pawl__state_run_place(&out->place, l->state, &out->row, l->arena, l->err);
        if (!status && !pawl__text_is(out->status, "completed"))
                status = pawl__state_conflicts(&conflicts, &out->conflicts_open, l->state,
                        out->row.v[PAWL__RUN_ID].text, (pawl_text){NULL, 0}, true, l->arena,
                        l->err);
        if (!status)
                status = pawl__run_current(
                        &out->row.v[PAWL__RUN_CURRENT].text, l->state, &out->row, l->arena, l->err);
        if (!status)
                status = token_of_current(&out->retry_token, l, &out->row);
        return status;
}

static pawl__runs_which which_have(pawl_text status)
{
        if (!status.data)
                return PAWL__RUNS_ALL;
        return pawl__text_is(status, "completed") ? PAWL__RUNS_COMPLETED : PAWL__RUNS_UNFINISHED;
}

static pawl_status begin(looking *l, pawl_log *log, pawl__arena *arena, pawl_error *err)
{
        *l = (looking){.log = log, .arena = arena, .err = err};
        pawl_status status = pawl__state_of(&l->state, log, err);

        if (!status)
                status = pawl__sessions_settle_if_room(log, l->state, err);
        if (status)
                return status;
        status = pawl__questions_settle(NULL, log, l->state, err);
        return status == PAWL_EFULL ? PAWL_OK : status; /* what there is, is told all the same */
}

static pawl_status check_status(pawl_text status, pawl_error *err)
{
        static const char *const known[] = {"queued", "running", "blocked", "interrupted",
                "completed", "failed", "cancelled", "unfinished"};

        if (!status.data)
                return PAWL_OK;
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
                if (pawl__text_is(status, known[i]))
                        return PAWL_OK;
        return pawl__fail(err, PAWL_EINVAL,
                "status %.*s: is not known; give queued, running, blocked, interrupted, "
                "completed, failed or cancelled",
                PAWL__FMT(status));
}

static bool is_wanted(pawl_text status, pawl_text wanted)
{
        if (pawl__text_is(wanted, "unfinished"))
                return !pawl__text_is(status, "completed") && !pawl__text_is(status, "cancelled");
        return !wanted.data || pawl__text_eq(status, wanted);
}

pawl_status pawl__runs_list(uint64_t *next, pawl_log *log, pawl_text wanted, uint64_t before,
        uint64_t limit, pawl__run_fn fn, void *user, pawl_error *err)
{
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__row *rows = NULL;
        pawl__run_view run;
        uint64_t shown = 0, last = 0;
        size_t n = 0;
        bool more = false;
        looking l;
        pawl_status status = check_status(wanted, err);

        if (!status)
                status = begin(&l, log, &arena, err);
        if (status)
                return status;
        do {
                pawl__arena_clear(&arena);
                status = pawl__state_runs(
                        &rows, &n, l.state, which_have(wanted), before, BATCH, &arena, err);
                for (size_t i = 0; i < n && !status && !more; i++) {
                        before = (uint64_t)rows[i].v[PAWL__RUN_STARTED_SEQ].integer;
                        status = stand(&run, &l, &rows[i]);
                        if (status || !is_wanted(run.status, wanted))
                                continue;
                        more = shown == limit;
                        if (more)
                                break;
                        status = fill(&run, &l);
                        if (!status)
                                status = fn(&run, user, err);
                        last = before;
                        shown++;
                }
        } while (!status && !more && n == BATCH);
        pawl__arena_free(&arena);
        if (!status)
                *next = more ? last : 0;
        return status;
}

pawl_status pawl__run_retry(
        pawl__retry *out, pawl_log *log, const pawl__run_view *run, pawl_error *err)
{
        return pawl__step_retry(out, log, run, run->row.v[PAWL__RUN_CURRENT].text, err);
}

pawl_status pawl__step_retry(
        pawl__retry *out, pawl_log *log, const pawl__run_view *run, pawl_text step, pawl_error *err)
{
        *out = (pawl__retry){0};
        if (!step.data || (!pawl__text_is(run->status, "running") &&
                                  !pawl__text_is(run->status, "interrupted")))
                return PAWL_OK;
        return pawl__retry_read(out, log, &run->row, step, PAWL__RETRY_LOOK, err);
}

/* A step that is at work for nobody was, when its process died or its run was cancelled. */
static void note_unfinished(pawl__row *steps, size_t n)
{
        for (size_t i = 0; i < n; i++)
                if (pawl__text_is(steps[i].v[PAWL__STEP_STATUS].text, "running"))
                        steps[i].v[PAWL__STEP_STATUS].text = pawl__text(PAWL__STEP_UNFINISHED);
}

pawl_status pawl__run_get(pawl__run_view *out, pawl__row **steps, size_t *n_steps, pawl_log *log,
        pawl_text run_id, pawl__arena *arena, pawl_error *err)
{
        const pawl__table table = PAWL__RUNS;
        pawl__row row;
        looking l;
        pawl_status status = begin(&l, log, arena, err);

        if (!status)
                status = pawl__state_whole_id(&run_id, l.state, &table, 1, "run", arena, err);
        row = (pawl__row){.v[PAWL__RUN_ID].text = run_id};
        if (!status)
                status = pawl__state_get(l.state, PAWL__RUNS, &row, arena, err);
        if (status == PAWL_ENOTFOUND)
                return pawl__fail(err, PAWL_ENOTFOUND,
                        "run %.*s: is not in this log; `pawl runs` lists them", PAWL__FMT(run_id));
        if (!status)
                status = stand(out, &l, &row);
        if (!status)
                status = fill(out, &l);
        if (!status)
                status = pawl__run_retry(&out->retry, log, out, err);
        if (!status)
                status = pawl__state_steps(steps, n_steps, l.state, run_id, arena, err);
        if (!status && !out->held)
                note_unfinished(*steps, *n_steps);
        return status;
}

pawl_status pawl__step_blocked_by(pawl_text *layer, pawl_text *reason, pawl_log *log,
        pawl_text run_id, pawl_text step_id, pawl__arena *arena, pawl_error *err)
{
        pawl__event_filter filter;
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl_cursor *cursor = NULL;
        pawl_event event = {.seq = 0};

        TRY(pawl__run_range(&filter, log, run_id, err));
        filter.type = pawl__text(pawl__event_def_of(PAWL__GENERATION_BLOCKED)->name);
        filter.step_id = step_id;
        filter.back = true;
        pawl_status status = pawl__cursor_find(&cursor, log, &filter);

        if (!status)
                status = pawl_cursor_next(cursor, &event);
        if (status < 0)
                status = pawl__log_failed(log, status, err);
        if (!status && event.payload.data)
                status = pawl__json_tree_read(&tree, event.payload.data, event.payload.len, err);
        if (!status && tree.n) {
                *layer = pawl__arena_copy(arena, pawl__json_get_text(&tree, 0, "layer"));
                *reason = pawl__arena_copy(arena, pawl__json_get_text(&tree, 0, "reason"));
                status = pawl__arena_check(arena, err);
        }
        pawl__json_tree_free(&tree);
        pawl_cursor_close(cursor);
        return status == PAWL_DONE ? PAWL_OK : status;
}
