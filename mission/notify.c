/* Telling by the mission's own command that a run is blocked, has failed or is completed. The run's
 * row has the event that is still to be told; it is told of again by who goes on with the run, or
 * runs the mission, until the command has ended with 0. */
#include "mission/notify.h"
#include "base/error.h"
#include "events/mask.h"
#include "mission/command.h"
#include "mission/runner.h"
#include <stdio.h>

enum {
        GIVE_UP_MS = 10000,
        KILL_MS = 100,        /* from TERM to KILL for one that is given up */
        OUTPUT_MAX = 1 << 20, /* bytes, which are dropped */
        NEAR = 64             /* events, of which a run's end is one */
};

/* A command at work. */
typedef struct telling {
        const pawl__notify_command *t;
        int64_t until_ms; /* by the boot clock */
        pawl__command_waits waits;
        pawl__mask_stream masked; /* its standard error */
} telling;

static pawl_status tick(void *user)
{
        telling *w = user;

        if (w->t->stops && w->t->stops(w->t->user))
                return PAWL_EINTERRUPTED;
        if (pawl__boot_ms(w->t->log) < w->until_ms)
                return PAWL_OK;
        w->waits.term = KILL_MS;
        return PAWL_EBUSY;
}

static pawl_status mask_errors(pawl_text *shown, const char *data, size_t len, void *user)
{
        telling *w = user;

        return pawl__mask_stream_next(
                shown, &w->masked, pawl__log_mask(w->t->log), pawl__text_n(data, len));
}

static pawl_status run_command(
        const pawl__notify_command *t, const char *const *env, pawl_text line, pawl_error *err)
{
        pawl__command_result result = {.output = PAWL__BUF_INIT};
        telling w = {.t = t,
                .until_ms = pawl__boot_ms(t->log) + GIVE_UP_MS,
                .waits = pawl__command_waits_usual};
        const pawl__command command = {.argv = t->argv,
                .directory = t->directory,
                .env = env,
                .input = line,
                .output_max = OUTPUT_MAX,
                .signal_fd = -1,
                .tick_ms = 100,
                .tick = tick,
                .tick_user = &w,
                .log = mask_errors,
                .log_user = &w,
                .waits = &w.waits};

        w.waits.silence = w.waits.left_open = 0; /* nobody reads what it leaves open */
        pawl_status status = pawl__command_run(&result, &command, err);
        if (status == PAWL_EBUSY)
                pawl__fail(err, status, "%s: took longer than 10 s; let it do its work later",
                        t->argv[0]);
        else if (!status && result.exit_code)
                status = pawl__fail(err, PAWL_ESTEP, "%s: ended with exit code %d", t->argv[0],
                        result.exit_code);
        pawl__buf_free(&result.output);
        pawl__mask_stream_free(&w.masked);
        return status;
}

/* The event as a line of `eventlog export`, and the variables that tell of it. */
static pawl_status run_for(const pawl__notify_command *t, const pawl_event *event, pawl_error *err)
{
        enum { LINE, RUN, MISSION, LOG, TEXTS };
        pawl__buf texts[TEXTS] = {PAWL__BUF_INIT, PAWL__BUF_INIT, PAWL__BUF_INIT, PAWL__BUF_INIT};
        pawl_status status = pawl__log_event_json(&texts[LINE], t->log, event, err);

        pawl__buf_addc(&texts[LINE], '\n');
        pawl__buf_addf(&texts[RUN], "PAWL_RUN_ID=%.*s", PAWL__FMT(event->run_id));
        pawl__buf_addf(&texts[MISSION], "PAWL_MISSION_ID=%.*s", PAWL__FMT(event->mission_id));
        pawl__buf_addf(&texts[LOG], "PAWL_DB=%s", pawl__log_path(t->log));
        for (size_t i = 0; i < TEXTS && !status; i++)
                status = pawl__buf_check(&texts[i], err);
        const char *const env[] = {texts[RUN].data, texts[MISSION].data, texts[LOG].data, NULL};
        if (!status)
                status = run_command(t, env, pawl__buf_text(&texts[LINE]), err);
        for (size_t i = 0; i < TEXTS; i++)
                pawl__buf_free(&texts[i]);
        return status;
}

pawl_status pawl__notify_run(const pawl__notify_command *t, uint64_t seq, pawl_error *err)
{
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl_event event;
        pawl_status status = pawl__log_event(&event, &arena, t->log, seq);

        status = status ? pawl__log_failed(t->log, status, err) : run_for(t, &event, err);
        pawl__arena_free(&arena);
        return status;
}

/* ---- Of a run ------------------------------------------------------------------------------- */

static pawl_status record(pawl__runner *r, const pawl__row *run, int64_t seq, pawl_error *err)
{
        const pawl_event like = {.mission_id = run->v[PAWL__RUN_MISSION].text,
                .run_id = run->v[PAWL__RUN_ID].text,
                .session_id = run->v[PAWL__RUN_SESSION].text,
                .actor = r->actor};
        pawl__batch batch = PAWL__BATCH_INIT;
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        pawl__json_open_object(&w);
        pawl__json_member_integer(&w, "seq", seq);
        pawl_status status = pawl__batch_emit(&batch, PAWL__RUN_NOTIFIED, &like, &w, err);
        if (!status && (status = pawl__log_commit(r->log, &batch, 0, NULL)) != PAWL_OK)
                status = pawl__log_failed(r->log, status, err);
        pawl__batch_free(&batch);
        return status;
}

static void tell(pawl__runner *r, const pawl__row *run, int64_t seq)
{
        const pawl__notify_command teller = {
                .log = r->log, .argv = r->mission->notify, .directory = r->mission->directory};
        pawl_error err = PAWL_ERROR_INIT;
        char line[PAWL_ERROR_MAX + 80];

        if (!pawl__notify_run(&teller, (uint64_t)seq, &err) && !record(r, run, seq, &err))
                return;
        snprintf(line, sizeof line,
                "notify: %s; it is told again when the run or the mission goes on", err.message);
        pawl__runner_notice(r, line);
}

/* The newest of these events of the run, among those near @p from; 0: there is none. */
static pawl_status find_event(int64_t *seq, pawl__runner *r, int64_t from, bool blocked)
{
        pawl_cursor *cursor = NULL;
        pawl_event event;
        pawl_status status =
                pawl__cursor_open(&cursor, r->log, (uint64_t)(from > 0 ? from : 0), NEAR);

        while (!status && (status = pawl_cursor_next(cursor, &event)) == PAWL_OK) {
                const pawl__event_type type = pawl__event_type_of(event.type);
                const bool ends = type == PAWL__RUN_COMPLETED || type == PAWL__RUN_FAILED;
                if (pawl__text_eq(event.run_id, r->run_id) &&
                        (blocked ? type == PAWL__GENERATION_BLOCKED : ends))
                        *seq = (int64_t)event.seq;
        }
        pawl_cursor_close(cursor);
        return status == PAWL_DONE ? PAWL_OK : pawl__log_failed(r->log, status, &r->error);
}

/* Of a run that began without a command to tell, which its mission has now. */
static pawl_status find_end(int64_t *seq, pawl__runner *r, const pawl__row *run, bool blocked)
{
        int64_t from = run->v[PAWL__RUN_UPDATED_SEQ].integer - NEAR;
        pawl__row *steps;
        size_t n = 0;

        if (!blocked)
                return find_event(seq, r, from, false);
        from = 0;
        pawl_status status =
                pawl__state_steps(&steps, &n, r->state, r->run_id, &r->arena, &r->error);
        for (size_t i = 0; i < n; i++)
                if (pawl__text_is(steps[i].v[PAWL__STEP_STATUS].text, "blocked") &&
                        steps[i].v[PAWL__STEP_CHECKPOINT_SEQ].integer > from)
                        from = steps[i].v[PAWL__STEP_CHECKPOINT_SEQ].integer;
        return status || !from ? status : find_event(seq, r, from, true);
}

void pawl__runner_notify(pawl__runner *r, pawl_status verdict)
{
        pawl__row run = {.v[PAWL__RUN_ID].text = r->run_id};

        if (!r->mission->notify ||
                (verdict != PAWL_OK && verdict != PAWL_ESTEP && verdict != PAWL_BLOCKED))
                return;
        pawl_status status = pawl__state_get(r->state, PAWL__RUNS, &run, &r->arena, &r->error);
        int64_t seq = status ? 0 : run.v[PAWL__RUN_UNTOLD].integer;
        if (!status && seq <= 0)
                status = find_end(&seq, r, &run, verdict == PAWL_BLOCKED);
        if (status)
                pawl__runner_notice(r, r->error.message);
        else if (seq > 0)
                tell(r, &run, seq);
}

void pawl__runner_notify_left(pawl__runner *r)
{
        const int64_t until_ms = pawl__boot_ms(r->log) + GIVE_UP_MS;
        pawl_error err = PAWL_ERROR_INIT;
        pawl__row *runs;
        size_t n = 0;

        if (!r->mission->notify)
                return;
        if (pawl__state_not_notified(&runs, &n, r->state, r->mission->id, &r->arena, &err))
                pawl__runner_notice(r, err.message);
        /* one that hangs is no reason to wait for it as often as there are runs */
        for (size_t i = 0; i < n && pawl__boot_ms(r->log) < until_ms; i++) {
                pawl_owner owner;
                bool held = true;
                /* whoever holds it tells by himself */
                if (!pawl__log_holder(&held, &owner, r->log, runs[i].v[PAWL__RUN_ID].text) && !held)
                        tell(r, &runs[i], runs[i].v[PAWL__RUN_UNTOLD].integer);
        }
}
