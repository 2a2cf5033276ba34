#include "session/retry.h"
#include "base/json_tree.h"
#include "base/sources.h"
#include "events/types.h"
#include "state/undone.h"
#include <inttypes.h>
#include <stdio.h>

typedef struct walk {
        pawl__retry *out;
        pawl_text run_id, step_id;
        pawl__json_tree tree;
        pawl_error *err;
} walk;

static int64_t integer_of(const walk *w, const char *name)
{
        const pawl__node node = pawl__json_get(&w->tree, 0, name);
        int64_t value;

        return node != PAWL__NO_NODE && pawl__json_int(pawl__json_at(&w->tree, node), &value)
                       ? value
                       : 0;
}

/* PAWL_DONE: nothing before it matters. */
static pawl_status take(walk *w, const pawl_event *event)
{
        int64_t due_us;

        if (!pawl__text_eq(event->run_id, w->run_id))
                return PAWL_OK;
        switch (pawl__event_type_of(event->type)) {
        case PAWL__STEP_ATTEMPT_FAILED:
                break;
        case PAWL__RUN_STARTED:
        case PAWL__RUN_MISSION_CHANGED:
                return PAWL_DONE;
        case PAWL__STEP_COMPLETED:
        case PAWL__STEP_FAILED:
                return pawl__text_eq(event->step_id, w->step_id) ? PAWL_DONE : PAWL_OK;
        default:
                return PAWL_OK;
        }
        if (!pawl__text_eq(event->step_id, w->step_id) || !event->payload.data)
                return PAWL_OK;
        pawl_status status =
                pawl__json_tree_read(&w->tree, event->payload.data, event->payload.len, w->err);
        if (status)
                return status;
        if (!pawl__time_parse(&due_us, pawl__json_get_text(&w->tree, 0, "retry_at")))
                return PAWL_OK; /* it was cut off */
        *w->out = (pawl__retry){
                integer_of(w, "tries"), integer_of(w, "of"), due_us, due_us - event->time_us};
        return PAWL_DONE;
}

pawl_status pawl__retry_read(pawl__retry *out, pawl_log *log, const pawl__row *run,
        pawl_text step_id, uint64_t most, pawl_error *err)
{
        walk w = {.out = out,
                .run_id = run->v[PAWL__RUN_ID].text,
                .step_id = step_id,
                .tree = PAWL__JSON_TREE_INIT,
                .err = err};
        const uint64_t first = (uint64_t)run->v[PAWL__RUN_STARTED_SEQ].integer;
        uint64_t seq = (uint64_t)run->v[PAWL__RUN_UPDATED_SEQ].integer;
        pawl__arena arena = PAWL__ARENA_INIT, kept = PAWL__ARENA_INIT;
        pawl__undone undone = {NULL, 0};
        pawl__state *state;
        pawl_status status = pawl__state_of(&state, log, err);

        *out = (pawl__retry){0};
        if (!status)
                status = pawl__undone_read(&undone, log, state, w.run_id, seq, &kept, err);
        for (uint64_t n = 0; seq >= first && seq && (!most || n < most) && !status; seq--, n++) {
                pawl_event event;
                if (pawl__is_undone(&undone, seq)) /* of attempts that were rolled back */
                        continue;
                pawl__arena_clear(&arena);
                status = pawl__log_failed(log, pawl__log_event(&event, &arena, log, seq), err);
                if (!status)
                        status = take(&w, &event);
        }
        pawl__json_tree_free(&w.tree);
        pawl__arena_free(&arena);
        pawl__arena_free(&kept);
        return status == PAWL_DONE ? PAWL_OK : status;
}

int64_t pawl__retry_left_us(const pawl__retry *retry, int64_t now_us)
{
        const int64_t left = retry->due_us - now_us;

        if (!retry->tries || left <= 0)
                return 0;
        return left < retry->delay_us ? left : retry->delay_us;
}

void pawl__retry_say(char out[64], const pawl__retry *retry, int64_t now_us)
{
        const int64_t left = pawl__retry_left_us(retry, now_us);
        int n = 0;

        out[0] = '\0';
        if (retry->tries)
                n = snprintf(
                        out, 64, "attempt %" PRId64 " of %" PRId64, retry->tries + 1, retry->of);
        if (left && n > 0 && n < 40)
                snprintf(out + n, 64 - (size_t)n, ", next in %" PRId64 " s",
                        (left + 999999) / 1000000);
}
