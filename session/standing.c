#include "session/standing.h"
#include "base/error.h"
#include "events/types.h"
#include "state/run_way.h"
#include "state/undone.h"
#include "workspace/worktree.h"
#include <stdio.h>

/* ---- Steps ----------------------------------------------------------------------------------- */

void pawl__step_stand(pawl__row *step, bool at_work)
{
        pawl_text *status = &step->v[PAWL__STEP_STATUS].text;

        if (!at_work && pawl__text_is(*status, "running"))
                *status = pawl__text(PAWL__STEP_UNFINISHED);
}

pawl_text pawl__step_status_word(pawl_text status)
{
        return pawl__text_is(status, PAWL__STEP_UNFINISHED) ? pawl__text("pending") : status;
}

static bool is_at_hand(pawl_text status)
{
        return pawl__text_is(status, "running") || pawl__text_is(status, "blocked") ||
               pawl__text_is(status, "failed");
}

/* Is it one of its steps, if none began last? */
static bool has_current(const pawl__row *run)
{
        const pawl__value *v = run->v;

        return !v[PAWL__RUN_CURRENT].text.data && v[PAWL__RUN_DONE].integer &&
               v[PAWL__RUN_DONE].integer < v[PAWL__RUN_STEPS].integer &&
               !pawl__text_is(v[PAWL__RUN_STATUS].text, "cancelled");
}

static pawl_text find_current(const pawl__row *run, const pawl__row *steps, size_t n)
{
        const pawl_text status = run->v[PAWL__RUN_STATUS].text;
        pawl_text current = run->v[PAWL__RUN_CURRENT].text;

        for (size_t i = 0; has_current(run) && i < n; i++) {
                const pawl_text is = steps[i].v[PAWL__STEP_STATUS].text;
                if (pawl__text_eq(is, status))
                        return steps[i].v[PAWL__STEP_ID].text;
                if (is_at_hand(is) && !current.data)
                        current = steps[i].v[PAWL__STEP_ID].text;
        }
        return current;
}

pawl_status pawl__run_steps_read(pawl__run_steps *out, pawl__state *state, const pawl__row *run,
        bool at_work, pawl__arena *arena, pawl_error *err)
{
        *out = (pawl__run_steps){.n = 0};
        TRY(pawl__state_steps(&out->rows, &out->n, state, run->v[PAWL__RUN_ID].text, arena, err));
        out->current = find_current(run, out->rows, out->n);
        for (size_t i = 0; i < out->n; i++)
                pawl__step_stand(&out->rows[i], at_work);
        return PAWL_OK;
}

pawl_status pawl__run_current(pawl_text *out, pawl__state *state, const pawl__row *run,
        pawl__arena *arena, pawl_error *err)
{
        pawl__row *steps = NULL;
        size_t n = 0;

        if (has_current(run))
                TRY(pawl__state_steps(&steps, &n, state, run->v[PAWL__RUN_ID].text, arena, err));
        *out = find_current(run, steps, n);
        return PAWL_OK;
}

/* ---- Why they are so ------------------------------------------------------------------------- */

static pawl_status take_failure(pawl__run_steps *steps, size_t at, const pawl_event *event,
        pawl__arena *arena, pawl_error *err)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl_status status =
                pawl__json_tree_read(&tree, event->payload.data, event->payload.len, err);

        if (!status) {
                const pawl__node code = pawl__json_get(&tree, 0, "exit_code");
                steps->why[at].reason =
                        pawl__arena_copy(arena, pawl__json_get_text(&tree, 0, "reason"));
                if (code != PAWL__NO_NODE)
                        (void)pawl__json_int(pawl__json_at(&tree, code),
                                &steps->rows[at].v[PAWL__STEP_EXIT_CODE].integer);
                status = pawl__arena_check(arena, err);
        }
        pawl__json_tree_free(&tree);
        return status;
}

/* Steps that failed, by their places among all. */
typedef struct failures {
        size_t *places, n;
} failures;

/* The one that the event is the newest of; n: it is of none. */
static size_t failure_of(const failures *f, const pawl__run_steps *steps, const pawl_event *event)
{
        size_t k = 0;

        while (k < f->n && (steps->why[f->places[k]].reason.data ||
                                   !pawl__text_eq(steps->rows[f->places[k]].v[PAWL__STEP_ID].text,
                                           event->step_id)))
                k++;
        return k;
}

static pawl_status read_back(pawl__run_steps *steps, const failures *f, pawl_log *log,
        pawl_cursor *cursor, const pawl__undone *undone, pawl__arena *arena, pawl_error *err)
{
        pawl_event event;

        for (size_t found = 0; found < f->n;) {
                const pawl_status status = pawl_cursor_next(cursor, &event);
                if (status)
                        return status == PAWL_DONE ? PAWL_OK : pawl__log_failed(log, status, err);
                const size_t k = failure_of(f, steps, &event);
                if (k == f->n || !event.payload.data || pawl__is_undone(undone, event.seq))
                        continue;
                TRY(take_failure(steps, f->places[k], &event, arena, err));
                found++;
        }
        return PAWL_OK;
}

static pawl_status read_reasons(pawl__run_steps *steps, const failures *f, pawl_log *log,
        const pawl__row *run, pawl__arena *arena, pawl_error *err)
{
        const uint64_t last = (uint64_t)run->v[PAWL__RUN_UPDATED_SEQ].integer;
        const pawl__event_filter filter = {.since = (uint64_t)run->v[PAWL__RUN_STARTED_SEQ].integer,
                .before = last + 1,
                .type = pawl__text(pawl__event_def_of(PAWL__STEP_FAILED)->name),
                .run_id = run->v[PAWL__RUN_ID].text,
                .back = true};
        pawl__undone undone = {NULL, 0};
        pawl_cursor *cursor = NULL;
        pawl__state *state;

        TRY(pawl__state_of(&state, log, err));
        TRY(pawl__undone_read(&undone, log, state, filter.run_id, last, arena, err));
        TRY(pawl__log_failed(log, pawl__cursor_find(&cursor, log, &filter), err));
        const pawl_status status = read_back(steps, f, log, cursor, &undone, arena, err);
        pawl_cursor_close(cursor);
        return status;
}

pawl_status pawl__run_steps_why(pawl__run_steps *steps, pawl_log *log, const pawl__row *run,
        pawl__arena *arena, pawl_error *err)
{
        failures failed = {pawl__arena_array(arena, steps->n, sizeof(size_t)), 0};

        steps->why = pawl__arena_array(arena, steps->n, sizeof *steps->why);
        if (!steps->why || !failed.places)
                return pawl__nomem(err);
        for (size_t i = 0; i < steps->n; i++) {
                const pawl__value *v = steps->rows[i].v;
                if (pawl__text_is(v[PAWL__STEP_STATUS].text, "running") ||
                        pawl__text_is(v[PAWL__STEP_STATUS].text, PAWL__STEP_UNFINISHED))
                        TRY(pawl__retry_read(&steps->why[i].retry, log, run, v[PAWL__STEP_ID].text,
                                PAWL__RETRY_LOOK, err));
                if (pawl__text_is(v[PAWL__STEP_STATUS].text, "failed"))
                        failed.places[failed.n++] = i;
        }
        return failed.n ? read_reasons(steps, &failed, log, run, arena, err) : PAWL_OK;
}

/* ---- What continues it ----------------------------------------------------------------------- */

const char *pawl__run_advice(
        char out[PAWL__WAY_MAX], pawl_log *log, const pawl__row *run, pawl_text shown)
{
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__buf command = PAWL__BUF_INIT;
        pawl__worktree_place place = {.elsewhere = {NULL, 0}};
        pawl__state *state = NULL;

        if (!pawl__state_of(&state, log, NULL))
                pawl__worktrees_follow(state);
        if (state && pawl__state_run_place(&place, state, run, &arena, NULL))
                place.elsewhere.data = NULL;
        pawl__run_command_add(&command,
                &(pawl__run_next){.run = run, .shown = shown, .place = &place, .named = ""});
        if (command.len)
                snprintf(out, PAWL__WAY_MAX, "`%s`", command.data);
        else if (place.gone)
                snprintf(out, PAWL__WAY_MAX, "`pawl cancel %s`, as its work tree %.*s was removed",
                        PAWL__WORD(shown), PAWL__FMT(place.root));
        else
                snprintf(out, PAWL__WAY_MAX, "the program that began it");
        pawl__buf_free(&command);
        pawl__arena_free(&arena);
        return out;
}
