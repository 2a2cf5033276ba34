#include "session/standing.h"
#include "base/error.h"
#include "events/types.h"
#include "state/undone.h"

/* ---- The current step ------------------------------------------------------------------------ */

static bool is_at_hand(pawl_text status)
{
        return pawl__text_is(status, "running") || pawl__text_is(status, "blocked") ||
               pawl__text_is(status, "failed");
}

pawl_status pawl__run_current(pawl_text *out, pawl__state *state, const pawl__row *run,
        pawl__arena *arena, pawl_error *err)
{
        const pawl__value *v = run->v;
        const pawl_text status = v[PAWL__RUN_STATUS].text;
        pawl__row *steps;
        size_t n = 0;

        *out = v[PAWL__RUN_CURRENT].text;
        if (out->data || !v[PAWL__RUN_DONE].integer ||
                v[PAWL__RUN_DONE].integer >= v[PAWL__RUN_STEPS].integer ||
                pawl__text_is(status, "cancelled"))
                return PAWL_OK;
        TRY(pawl__state_steps(&steps, &n, state, v[PAWL__RUN_ID].text, arena, err));
        for (size_t i = 0; i < n; i++) {
                const pawl_text is = steps[i].v[PAWL__STEP_STATUS].text;
                const bool same = pawl__text_eq(is, status);
                if (same || (is_at_hand(is) && !out->data))
                        *out = steps[i].v[PAWL__STEP_ID].text;
                if (same)
                        break;
        }
        return PAWL_OK;
}

/* ---- Failures -------------------------------------------------------------------------------- */

static pawl_status take_failure(
        pawl__step_failure *to, const pawl_event *event, pawl__arena *arena, pawl_error *err)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl_status status =
                pawl__json_tree_read(&tree, event->payload.data, event->payload.len, err);

        if (!status) {
                const pawl__node code = pawl__json_get(&tree, 0, "exit_code");
                to->reason = pawl__arena_copy(arena, pawl__json_get_text(&tree, 0, "reason"));
                if (code != PAWL__NO_NODE)
                        (void)pawl__json_int(pawl__json_at(&tree, code), &to->exit_code);
                status = pawl__arena_check(arena, err);
        }
        pawl__json_tree_free(&tree);
        return status;
}

/* The entry that the event is the newest of; NULL: none. */
static pawl__step_failure *entry_of(pawl__step_failure *list, size_t n, const pawl_event *event)
{
        for (size_t i = 0; i < n; i++)
                if (!list[i].reason.data && pawl__text_eq(list[i].step_id, event->step_id))
                        return &list[i];
        return NULL;
}

static pawl_status read_back(pawl__step_failure *list, size_t n, pawl_log *log, pawl_cursor *cursor,
        const pawl__undone *undone, pawl__arena *arena, pawl_error *err)
{
        pawl_event event;

        for (size_t found = 0; found < n;) {
                const pawl_status status = pawl_cursor_next(cursor, &event);
                if (status)
                        return status == PAWL_DONE ? PAWL_OK : pawl__log_failed(log, status, err);
                pawl__step_failure *const entry = entry_of(list, n, &event);
                if (!entry || !event.payload.data || pawl__is_undone(undone, event.seq))
                        continue;
                TRY(take_failure(entry, &event, arena, err));
                found++;
        }
        return PAWL_OK;
}

static pawl_status read_reasons(pawl__step_failure *list, size_t n, pawl_log *log,
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

        if (!n)
                return PAWL_OK;
        TRY(pawl__state_of(&state, log, err));
        TRY(pawl__undone_read(&undone, log, state, filter.run_id, last, arena, err));
        TRY(pawl__log_failed(log, pawl__cursor_find(&cursor, log, &filter), err));
        const pawl_status status = read_back(list, n, log, cursor, &undone, arena, err);
        pawl_cursor_close(cursor);
        return status;
}

pawl_status pawl__run_failures(pawl__step_failure **out, size_t *n, pawl_log *log,
        const pawl__row *run, pawl__arena *arena, pawl_error *err)
{
        pawl__row *steps;
        size_t n_steps = 0, failed = 0;
        pawl__state *state;

        *n = 0;
        TRY(pawl__state_of(&state, log, err));
        TRY(pawl__state_steps(&steps, &n_steps, state, run->v[PAWL__RUN_ID].text, arena, err));
        *out = pawl__arena_array(arena, n_steps, sizeof **out);
        if (!*out)
                return pawl__nomem(err);
        for (size_t i = 0; i < n_steps; i++)
                if (pawl__text_is(steps[i].v[PAWL__STEP_STATUS].text, "failed"))
                        (*out)[failed++] =
                                (pawl__step_failure){.step_id = steps[i].v[PAWL__STEP_ID].text,
                                        .exit_code = steps[i].v[PAWL__STEP_EXIT_CODE].integer};
        *n = failed;
        return read_reasons(*out, failed, log, run, arena, err);
}
