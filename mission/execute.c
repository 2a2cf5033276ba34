/* Running the command of a step, while the lease is kept up, and judging how it ended. */
#include "base/error.h"
#include "base/printable.h"
#include "mission/command_io.h"
#include "mission/runner.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* A command at work, and what its tick works with. */
struct pawl__work {
        pawl__step_run *p;
        pawl__child *child;
        pawl__command command;
        pawl__command_waits waits;
        int64_t timeout_at; /* by the boot clock; 0: never */
        pawl__arena arena;  /* its environment */
        pawl__step_terms terms;
        pawl_error error; /* why its tick ended it */
};

enum { TIMEOUT_KILL_MS = 10000 }; /* from TERM to KILL for a command that took too long */
enum { LOOK_EVERY_MS = 1000 };    /* whether the run was cancelled */
enum { SHOWN_AFTER_MS = 200 };    /* a command that runs longer is one that somebody may look at */

static unsigned look_ms(const pawl__runner *r)
{
        const unsigned third = pawl__log_lease_ms(r->log) / 3;

        return third < LOOK_EVERY_MS ? third : LOOK_EVERY_MS;
}

pawl_status pawl__runner_keep_claim(pawl__runner *r)
{
        const unsigned third = pawl__log_lease_ms(r->log) / 3;

        const int64_t now = pawl__boot_ms(r->log);

        if (!r->renew_at) {
                r->renew_at = now + third;
                r->look_at = now + look_ms(r);
        }
        if (now < r->look_at)
                return PAWL_OK;
        r->look_at = now + look_ms(r);
        const bool due = now >= r->renew_at;
        if (due)
                r->renew_at = now + third;
        if ((due ? pawl_log_renew(r->log, r->run_id.data, r->fence)
                 : pawl__log_holds(r->log, r->run_id, r->fence)) != PAWL_EFENCED)
                return PAWL_OK;
        r->error = *pawl__log_error(r->log);
        return PAWL_EFENCED;
}

static unsigned tick_ms(const struct pawl__work *w)
{
        const pawl__runner *r = w->p->r;
        const int64_t now = pawl__boot_ms(r->log);
        int64_t ms = r->look_at - now;

        if (w->timeout_at && w->timeout_at - now < ms)
                ms = w->timeout_at - now;
        if (r->deadline_ms && r->deadline_ms - now < ms)
                ms = r->deadline_ms - now;
        return ms > 0 ? (unsigned)ms : 1;
}

/* Only a newer claim ends the command. A log that can't be written just now may be by the next
 * renewal or by the commit, and whoever takes the run meanwhile is seen at the next one. */
static pawl_status tick(void *user)
{
        struct pawl__work *w = user;
        pawl__runner *r = w->p->r;

        pawl__step_log_show(w->p);
        const pawl_status status = pawl__runner_keep_claim(r);
        w->child->command.tick_ms = tick_ms(w);
        if (status) {
                w->error = r->error;
                return status;
        }
        if (pawl__runner_in_time(r))
                return PAWL_EINTERRUPTED;
        if (!w->timeout_at || pawl__boot_ms(r->log) < w->timeout_at)
                return PAWL_OK;
        w->waits.term = TIMEOUT_KILL_MS;
        return PAWL_ESTEP;
}

static void signalled(void *user)
{
        const struct pawl__work *w = user;

        pawl__log_hurry(w->p->r->log);
}

static const char *variable(pawl__arena *arena, const char *name, const char *value)
{
        size_t size = strlen(name) + strlen(value) + 2;
        char *text = pawl__arena_alloc(arena, size);

        if (text)
                snprintf(text, size, "%s=%s", name, value);
        return text;
}

static bool has_variable(const pawl__env *env, const char *name)
{
        for (size_t i = 0; i < env->n; i++)
                if (strcmp(env->items[i].name, name) == 0)
                        return true;
        return false;
}

enum { VARIABLES = 13, OWN = 10 }; /* the others, without a value, stay as they are */

/* Switched off in the environment that the command gets, they stay off, whatever a mission says. */
static const char *tool_checkpoints_of(const pawl_mission *mission)
{
        for (char **entry = environ; entry && *entry; entry++)
                if (strcmp(*entry, "PAWL_TOOL_CHECKPOINTS=off") == 0)
                        return "off";
        return mission->tool_checkpoints;
}

/* Of a run that this one is a step of, a command is told nothing. PAWL_ENOMEM. */
static pawl_status make_env(const char *const **out, pawl__arena *arena, const pawl__step_run *p,
        const pawl__step_terms *terms)
{
        pawl__runner *r = p->r;
        const pawl__env *given[] = {&r->mission->env, &p->step->how->env};
        const char **env =
                pawl__arena_array(arena, VARIABLES + given[0]->n + given[1]->n + 1, sizeof *env);
        const struct {
                const char *name, *value;
        } all[VARIABLES] = {
                {"PAWL_MISSION_ID", pawl_mission_id(r->mission)},
                {"PAWL_RUN_ID", r->run_id.data},
                {"PAWL_STEP_ID", pawl_mission_step_id(r->mission, p->index)},
                {"PAWL_RETRY_TOKEN", pawl_context_retry_token(p->ctx)},
                {"PAWL_DB", pawl__log_path(r->log)},
                {"PAWL_SESSION_ID", r->session_id.data},
                {"PAWL_RESUME_CONTEXT", pawl__runner_context(r, arena)},
                {"PAWL_GLOSSARY", terms->json.data},
                {"PAWL_GLOSSARY_TEXT", terms->markdown.data},
                {"PAWL_SECRETS", r->secrets.names.len ? r->secrets.names.data : NULL},
                {"PAWL_TOOL_CHECKPOINTS", tool_checkpoints_of(r->mission)},
                {"PAWL_EDIT_TOOLS", r->mission->edit_tools},
                {"PAWL_TOOL_CHECKPOINT_FILES", r->mission->tool_files},
        };
        size_t n = 0;

        for (size_t i = 0; env && i < 2; i++)
                for (size_t k = 0; k < given[i]->n; k++) {
                        const pawl__variable *one = &given[i]->items[k];
                        if (i == 0 && has_variable(given[1], one->name))
                                continue;
                        env[n] = variable(arena, one->name, one->value);
                        if (!env[n++])
                                return PAWL_ENOMEM;
                }
        for (size_t i = 0; env && i < VARIABLES; i++) {
                if (!all[i].value && i >= OWN)
                        continue;
                env[n] = all[i].value ? variable(arena, all[i].name, all[i].value) : all[i].name;
                if (!env[n++])
                        return PAWL_ENOMEM;
        }
        *out = env; /* which ends with a NULL */
        return env ? PAWL_OK : PAWL_ENOMEM;
}

static pawl_status attempt_failed(pawl__step_run *p, int exit_code, const char *why)
{
        return pawl__retry_due(p, exit_code) ? pawl__retry_note(p, exit_code, why)
                                             : pawl__step_run_failed(p, exit_code, why);
}

static pawl_status timed_out(pawl__step_run *p)
{
        char reason[80];

        snprintf(reason, sizeof reason, "timed out after %.40s", p->step->how->timeout);
        return attempt_failed(p, -1, reason);
}

static pawl_status judge_exit(pawl__step_run *p, const pawl__command_result *result)
{
        char reason[64], name[32];
        pawl_text output = pawl__buf_text(&result->output);
        size_t valid = pawl__utf8_span(output.data, output.len);

        if (result->killed_by) {
                pawl__signal_name(name, result->killed_by);
                snprintf(reason, sizeof reason, "killed by %s", name);
                return attempt_failed(p, result->exit_code, reason);
        }
        if (result->exit_code) {
                snprintf(reason, sizeof reason, "exit code %d", result->exit_code);
                return attempt_failed(p, result->exit_code, reason);
        }
        if (valid != output.len) {
                snprintf(reason, sizeof reason, "output is not UTF-8 from byte %zu on", valid);
                return attempt_failed(p, result->exit_code, reason);
        }
        return pawl__step_run_output(p, output);
}

static pawl_status interrupted(const pawl__step_run *p, int signal, int exit_code)
{
        char name[32], why[64] = "time limit reached";
        const bool timed_out = p->r->timed_out;

        pawl__signal_name(name, signal);
        if (p->r->stopped)
                snprintf(why, sizeof why, "the run was stopped");
        else if (!timed_out)
                snprintf(why, sizeof why, "interrupted by %s", name);
        pawl_status status = pawl__step_run_cut_off(p, &p->ctx->attempt, exit_code, why);
        if (status)
                return status;
        if (timed_out)
                return pawl__runner_in_time(p->r);
        if (p->r->stopped)
                return PAWL_EINTERRUPTED;
        p->r->signal = signal;
        return pawl__fail(&p->r->error, PAWL_EINTERRUPTED,
                "step %.*s: interrupted by %s; go on with `pawl resume %s`", PAWL__FMT(p->step->id),
                name, PAWL__WORD(p->r->run_id));
}

static void free_work(struct pawl__work *w)
{
        w->p->work = NULL;
        pawl__step_terms_end(&w->terms, w->p->r);
        pawl__arena_free(&w->arena);
        free(w);
}

/* What the attempt came to: @p status of its command, with @p error. */
static pawl_status judge(
        pawl__step_run *p, pawl__command_result *result, pawl_status status, pawl_error *error)
{
        pawl__runner *r = p->r;

        if (pawl__step_log_end(p))
                status = r->error.status, *error = r->error;
        if (!status && !result->exit_code &&
                pawl__secrets_mask_output(&r->secrets.mask, &result->output, error))
                status = PAWL_ENOMEM;
        switch (status) {
        case PAWL_OK:
                return judge_exit(p, result);
        case PAWL_ENOTFOUND:
        case PAWL_EACCESS:
                return attempt_failed(p, -1, error->message);
        case PAWL_ETOOBIG:
                return attempt_failed(p, result->exit_code, error->message);
        case PAWL_ESTEP:
                return timed_out(p);
        case PAWL_EINTERRUPTED:
                return interrupted(p, result->interrupted_by, result->exit_code);
        default:
                r->error = *error;
                return status;
        }
}

static pawl_status start_command(struct pawl__work *w)
{
        pawl__step_run *p = w->p;
        pawl__runner *r = p->r;
        const char *const *env;
        pawl_status status = pawl__step_terms_begin(&w->terms, p);

        if (!status)
                status = pawl__runner_keep_claim(r);
        if (!status && make_env(&env, &w->arena, p, &w->terms))
                status = pawl__nomem(&r->error);
        if (!status)
                status = pawl__step_log_begin(p);
        if (status) {
                free_work(w);
                return status;
        }
        w->waits = pawl__command_waits_usual;
        w->timeout_at =
                p->step->how->timeout_ms ? pawl__boot_ms(r->log) + p->step->how->timeout_ms : 0;
        w->command = (pawl__command){.argv = p->step->argv,
                .directory = r->mission->directory,
                .cwd = p->step->how->cwd,
                .env = env,
                .input = pawl_context_inputs(p->ctx),
                .output_max = p->step->settings.output_max,
                .tick_ms = tick_ms(w) < SHOWN_AFTER_MS ? tick_ms(w) : SHOWN_AFTER_MS,
                .tick = tick,
                .signalled = signalled,
                .tick_user = w,
                .waits = &w->waits,
                .lock_fd = pawl__log_lock_fd(r->log, r->run_id),
                .watchers = &r->watchers,
                .log = pawl__step_log_take,
                .log_user = p};
        pawl__step_run_progress(p, PAWL_STEP_RUNNING);
        status = pawl__command_start(&w->child, &w->command, &w->error);
        if (!status)
                return PAWL_OK;
        pawl__command_result none = {.exit_code = -1, .output = PAWL__BUF_INIT};
        pawl_error error = w->error;
        free_work(w);
        return judge(p, &none, status, &error);
}

static pawl_status attempt(pawl__step_run *p)
{
        p->work = calloc(1, sizeof *p->work);
        if (!p->work)
                return pawl__nomem(&p->r->error);
        p->work->p = p;
        p->work->error = (pawl_error)PAWL_ERROR_INIT;
        return start_command(p->work);
}

pawl__child *pawl__step_run_child(const pawl__step_run *p)
{
        return p->work ? p->work->child : NULL;
}

pawl_status pawl__step_run_ended(pawl__step_run *p)
{
        struct pawl__work *w = p->work;
        pawl__command_result result;
        pawl_error error = PAWL_ERROR_INIT;
        pawl_status status = pawl__command_end(&result, w->child, &error);

        if (status == PAWL_EFENCED)
                error = w->error;
        free_work(w);
        status = judge(p, &result, status, &error);
        pawl__buf_free(&result.output);
        return status ? status : pawl__step_run_go_on(p);
}

/* Time has passed since the last commit: the log may be gone, and the run cancelled. */
static pawl_status look_again(pawl__runner *r)
{
        const pawl_status status = pawl_log_renew(r->log, r->run_id.data, r->fence);

        if (status)
                r->error = *pawl__log_error(r->log);
        return status;
}

pawl_status pawl__step_run_go_on(pawl__step_run *p)
{
        pawl_status status = PAWL_OK;

        while (!status && p->again && !p->work && pawl__boot_ms(p->r->log) >= p->due_ms) {
                p->again = false;
                status = p->retry.tries ? look_again(p->r) : PAWL_OK;
                if (!status)
                        status = attempt(p);
        }
        return status;
}

pawl_status pawl__step_run_execute(pawl__step_run *p)
{
        pawl_status status = pawl__retry_take_up(p);

        p->again = true;
        return status ? status : pawl__step_run_go_on(p);
}
