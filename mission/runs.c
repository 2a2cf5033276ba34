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

static bool is_unfinished(pawl_text status)
{
        return !pawl__text_is(status, "completed") && !pawl__text_is(status, "cancelled");
}

/* What its first event says of the time, and of where it was forked; its payload may be gone, its
 * envelope never is. */
static pawl_status look_at_start(pawl__run_view *out, const looking *l)
{
        pawl_event event;
        pawl_status status = pawl__log_event(
                &event, l->arena, l->log, (uint64_t)out->row.v[PAWL__RUN_STARTED_SEQ].integer);

        if (status)
                return pawl__log_failed(l->log, status, l->err);
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

pawl_status pawl__run_stand(pawl__run_view *out, pawl_log *log, const pawl__row *run,
        pawl__arena *arena, pawl_error *err)
{
        const pawl_text id = run->v[PAWL__RUN_ID].text, status = run->v[PAWL__RUN_STATUS].text;

        *out = (pawl__run_view){.row = *run, .status = status};
        if (!is_unfinished(status))
                return PAWL_OK;
        if (!pawl__text_is(status, "failed")) /* that of a failure before */
                out->row.v[PAWL__RUN_REASON].text = pawl__text(NULL);
        TRY(pawl__log_failed(log, pawl__log_holder(&out->held, &out->owner, log, id), err));
        if (!out->held) {
                if (pawl__text_is(status, "running"))
                        out->status = pawl__text("interrupted");
                return pawl__log_failed(log, pawl__log_holder_died(&out->died, log, id), err);
        }
        out->status = pawl__text("running");
        out->owner.host = pawl__arena_copy(arena, out->owner.host);
        return pawl__arena_check(arena, err);
}

/* @p steps NULL: they were not read. */
static pawl_status fill(pawl__run_view *out, const looking *l, const pawl__run_steps *steps)
{
        pawl__row *conflicts;
        pawl_status status = look_at_start(out, l);

        if (!status)
                status = pawl__state_run_place(&out->place, l->state, &out->row, l->arena, l->err);
        if (!status && !pawl__text_is(out->status, "completed"))
                status = pawl__state_conflicts(&conflicts, &out->conflicts_open, l->state,
                        out->row.v[PAWL__RUN_ID].text, (pawl_text){NULL, 0}, true, l->arena,
                        l->err);
        if (!status && steps)
                out->row.v[PAWL__RUN_CURRENT].text = steps->current;
        else if (!status)
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
                return is_unfinished(status);
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
                        status = pawl__run_stand(&run, log, &rows[i], &arena, err);
                        if (status || !is_wanted(run.status, wanted))
                                continue;
                        more = shown == limit;
                        if (more)
                                break;
                        status = fill(&run, &l, NULL);
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

pawl_status pawl__runs_unfinished(uint64_t *n, pawl_log *log, uint64_t before, pawl_error *err)
{
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__row *rows = NULL;
        pawl__state *state;
        size_t read = BATCH;
        pawl_status status = pawl__state_of(&state, log, err);

        for (*n = 0; !status && read == BATCH;) {
                pawl__arena_clear(&arena);
                status = pawl__state_runs(
                        &rows, &read, state, PAWL__RUNS_UNFINISHED, before, BATCH, &arena, err);
                for (size_t i = 0; i < read && !status; i++) {
                        before = (uint64_t)rows[i].v[PAWL__RUN_STARTED_SEQ].integer;
                        *n += is_unfinished(rows[i].v[PAWL__RUN_STATUS].text);
                }
        }
        pawl__arena_free(&arena);
        return status;
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

pawl_status pawl__run_get(pawl__run_view *out, pawl__run_steps *steps, pawl_log *log,
        pawl_text run_id, pawl__arena *arena, pawl_error *err)
{
        const pawl__table table = PAWL__RUNS;
        pawl__row row;
        looking l;

        TRY(begin(&l, log, arena, err));
        TRY(pawl__state_whole_id(&run_id, l.state, &table, 1, "run", arena, err));
        row = (pawl__row){.v[PAWL__RUN_ID].text = run_id};
        const pawl_status status = pawl__state_get(l.state, PAWL__RUNS, &row, arena, err);
        if (status == PAWL_ENOTFOUND)
                return pawl__fail(err, PAWL_ENOTFOUND,
                        "run %.*s: is not in this log; `pawl runs` lists them", PAWL__FMT(run_id));
        TRY(status);
        TRY(pawl__run_stand(out, log, &row, arena, err));
        if (steps)
                TRY(pawl__run_steps_read(steps, l.state, &row, out->held, arena, err));
        TRY(fill(out, &l, steps));
        return pawl__step_retry(&out->retry, log, out, out->row.v[PAWL__RUN_CURRENT].text, err);
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
