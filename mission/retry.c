/* Between two attempts at a step: what the mission says of trying again, and the wait. */
#include "base/error.h"
#include "base/sources.h"
#include "mission/runner.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

pawl_status pawl__retry_take_up(pawl__step_run *p)
{
        pawl__runner *r = p->r;
        pawl__row run = {.v[PAWL__RUN_ID].text = r->run_id};

        if (p->step->how->retry.attempts < 2 ||
                !r->own_mission) /* a run that begins here has none */
                return PAWL_OK;
        pawl_status status = pawl__state_get(r->state, PAWL__RUNS, &run, &r->arena, &r->error);
        if (!status)
                status = pawl__retry_read(&p->retry, r->log, &run, p->step->id, 0, &r->error);
        p->due_ms = pawl__boot_ms(r->log) +
                    (pawl__retry_left_us(&p->retry, pawl__wall_us(r->log)) + 999) / 1000;
        return status;
}

bool pawl__retry_due(const pawl__step_run *p, int exit_code)
{
        const pawl__retry_rule *rule = &p->step->how->retry;

        if (p->retry.tries + 1 >= rule->attempts)
                return false;
        return rule->any || (exit_code > 0 && exit_code < 256 &&
                                    rule->on_exit[exit_code / 64] >> (exit_code % 64) & 1U);
}

/* Doubled with each attempt that failed, less up to a quarter by chance, so that many that failed
 * together do not come again together. */
static int64_t delay_ms(const pawl__step_run *p)
{
        const pawl_sources *sources = pawl__log_sources(p->r->log);
        const pawl__retry_rule *rule = &p->step->how->retry;
        int64_t ms = rule->delay_ms;
        char chance[37];

        for (int64_t i = 1; i < p->retry.tries && ms < rule->max_ms; i++)
                ms *= 2;
        if (ms > rule->max_ms)
                ms = rule->max_ms;
        sources->uuid(chance, sources->user);
        chance[4] = '\0';
        return ms - ms / 4 * (int64_t)strtol(chance, NULL, 16) / 65536;
}

pawl_status pawl__retry_note(pawl__step_run *p, int exit_code, const char *why)
{
        pawl__runner *r = p->r;
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;
        pawl_error reason;
        char at[28], line[PAWL_ERROR_MAX + 200];

        pawl__fail(&reason, PAWL_ESTEP, "%s", why);
        pawl__mask_string(&r->secrets.mask, reason.message);
        pawl__message_fix(reason.message);
        p->retry.tries++;
        const int64_t wait_ms = delay_ms(p);
        p->due_ms = pawl__boot_ms(r->log) + wait_ms;
        pawl__time_format(at, pawl__wall_us(r->log) + wait_ms * 1000);
        pawl__json_open_object(&w);
        pawl__json_member_integer(&w, "exit_code", exit_code);
        pawl__json_member_string(&w, "reason", reason.message);
        pawl__json_member_string(&w, "retry_at", at);
        pawl__json_member_integer(&w, "tries", p->retry.tries);
        pawl__json_member_integer(&w, "of", p->step->how->retry.attempts);
        pawl__attempt_members(&w, &p->ctx->attempt);
        pawl_status status = pawl__runner_emit(r, PAWL__STEP_ATTEMPT_FAILED, p->step->id, &w);
        if (status)
                return status;
        status = pawl_pipeline_flush(r->pipeline);
        if (status)
                return pawl__step_run_error(p, status);
        snprintf(line, sizeof line,
                "step %.*s: attempt %" PRId64 " of %d failed (%s); next in %.1f s",
                PAWL__FMT(p->step->id), p->retry.tries, p->step->how->retry.attempts,
                reason.message, (double)wait_ms / 1000);
        pawl__runner_notice(r, line);
        p->again = true;
        return PAWL_OK;
}
