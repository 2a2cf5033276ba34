/* Missions: running them, what they ask, and the conflicts that they leave. */
#include "task.h"
#include <fcntl.h>
#include <unistd.h>

static void write_sense_members(json_out *o, const pawl_sense *s)
{
        json_text(o, "surface", s->surface);
        json_text(o, "scope", s->scope);
        json_text(o, "definition", s->definition);
        json_number(o, "confidence", s->confidence);
}

static void write_sense(json_out *o, const pawl_sense *s)
{
        json_open(o, NULL, "{");
        write_sense_members(o, s);
        json_close(o, "}");
}

void write_conflict_members(json_out *o, const pawl_conflict *c)
{
        json_text(o, "conflictId", c->conflict_id);
        json_text(o, "term", c->term);
        json_text(o, "conflictType", c->conflict_type);
        json_text(o, "severity", c->severity);
        json_number(o, "confidence", c->confidence);
        json_text(o, "context", c->context);
        json_open(o, "candidates", "[");
        for (size_t i = 0; i < c->n_candidates; i++)
                write_sense(o, &c->candidates[i]);
        json_close(o, "]");
}

static void write_changes(
        json_out *o, const char *member, const pawl_mission_change *changes, size_t n)
{
        json_open(o, member, "[");
        for (size_t i = 0; i < n; i++) {
                json_open(o, NULL, "{");
                json_string(o, "stepId", changes[i].step_id);
                json_string(o, "change", changes[i].change);
                json_close(o, "}");
        }
        json_close(o, "]");
}

/* A member that was not there before, or is no more, is absent. */
static void write_changed_inputs(json_out *o, const pawl_changed_inputs *inputs)
{
        json_open(o, "inputsChanged", "{");
        json_string(o, "stepId", inputs->step_id);
        json_open(o, "changes", "[");
        for (size_t i = 0; i < inputs->n; i++) {
                json_open(o, NULL, "{");
                json_text(o, "path", inputs->items[i].path);
                if (inputs->items[i].before.data)
                        json_raw(o, "before", inputs->items[i].before);
                if (inputs->items[i].after.data)
                        json_raw(o, "after", inputs->items[i].after);
                json_close(o, "}");
        }
        json_close(o, "]");
        json_string(o, "checkpointHash", inputs->checkpoint_hash);
        json_string(o, "currentHash", inputs->current_hash);
        json_close(o, "}");
}

static void write_result(json_out *o, const pawl_run_result *r, const char *message)
{
        json_open(o, NULL, "{");
        json_string(o, "missionId", r->mission_id);
        json_string(o, "runId", r->run_id);
        json_string(o, "sessionId", r->session_id);
        json_string(o, "status", r->status);
        json_boolean(o, "cancelled", r->cancelled);
        json_string(o, "message", *message ? message : NULL);
        json_open(o, "steps", "[");
        for (size_t i = 0; i < r->n_steps; i++) {
                json_open(o, NULL, "{");
                json_string(o, "stepId", r->steps[i].step_id);
                json_string(o, "status", r->steps[i].status);
                json_string(o, "retryToken", r->steps[i].retry_token);
                json_string(o, "cursor", r->steps[i].cursor);
                json_boolean(o, "unfinished", r->steps[i].unfinished);
                json_boolean(o, "removed", r->steps[i].removed);
                json_close(o, "}");
        }
        json_close(o, "]");
        json_open(o, "conflicts", "[");
        for (size_t i = 0; i < r->n_conflicts; i++)
                json_string(o, NULL, r->conflicts[i].id);
        json_close(o, "]");
        write_changes(o, "missionChanged", r->changes, r->n_changes);
        if (r->inputs.step_id)
                write_changed_inputs(o, &r->inputs);
        else
                json_string(o, "inputsChanged", NULL);
        json_number(o, "signal", r->signal);
        json_close(o, "}");
}

void op_mission_load(task *t)
{
        pawl_mission *mission;

        t->status = pawl_mission_load(&mission, t->arg[0], &t->err);
        if (!t->status)
                task_make(t, MISSION, mission);
}

/* "pick N", "define TEXT" with the scope before it, "dismiss SCOPE", "answer TEXT", or nothing. */
pawl_status task_clarify(pawl_answer *answer, const pawl_conflict *conflict, void *user)
{
        task *t = user;
        question q = {.what = "clarify"};
        const char *said;

        json_open(&q.json, NULL, "{");
        write_conflict_members(&q.json, conflict);
        json_close(&q.json, "}");
        said = task_ask(t, &q);
        if (!said || strncmp(said, "throw", 5) == 0)
                return said ? PAWL_ESTATE : PAWL_OK;
        if (strncmp(said, "pick ", 5) == 0)
                answer->pick = strtoul(said + 5, NULL, 10);
        if (strncmp(said, "define ", 7) == 0) {
                const char *line = strchr(said, '\n');
                if (!line)
                        return PAWL_ESTATE;
                if (line > said + 7)
                        answer->scope = (pawl_text){said + 7, (size_t)(line - said - 7)};
                answer->define = (pawl_text){line + 1, q.len - (size_t)(line + 1 - said)};
        }
        if (strncmp(said, "dismiss ", 8) == 0) {
                answer->dismiss = true;
                if (q.len > 8)
                        answer->scope = (pawl_text){said + 8, q.len - 8};
        }
        if (strncmp(said, "answer ", 7) == 0)
                answer->answer = (pawl_text){said + 7, q.len - 7};
        return PAWL_OK;
}

pawl_status task_confirm(bool *yes, const pawl_input_change *change, void *user)
{
        question q = {.what = "confirm"};
        const char *said;

        json_open(&q.json, NULL, "{");
        json_string(&q.json, "diff", change->diff);
        json_string(&q.json, "checkpointHash", change->checkpoint_hash);
        json_string(&q.json, "currentHash", change->current_hash);
        json_close(&q.json, "}");
        said = task_ask(user, &q);
        *yes = said && strcmp(said, "yes") == 0;
        return said && strncmp(said, "throw", 5) == 0 ? PAWL_ESTATE : PAWL_OK;
}

static pawl_status confirm_mission(
        bool *yes, const pawl_mission_change *changes, size_t n, void *user)
{
        question q = {.what = "confirmMission"};
        const char *said;

        write_changes(&q.json, NULL, changes, n);
        said = task_ask(user, &q);
        *yes = said && strcmp(said, "yes") == 0;
        return said && strncmp(said, "throw", 5) == 0 ? PAWL_ESTATE : PAWL_OK;
}

/* Of a function whose answer the run does not take: what it throws ends the run. */
static void tell(task *t, question *q)
{
        const char *said = task_ask(t, q);

        if (said && strcmp(said, "throw") == 0)
                (void)end_run(t->on); /* which this thread alone ends otherwise */
}

static void notice(const char *line, void *user)
{
        question q = {.what = "notice"};

        json_string(&q.json, NULL, line);
        tell(user, &q);
}

static void progress(pawl_run_stage stage, const char *step_id, size_t n, size_t of, void *user)
{
        static const char *const stages[] = {[PAWL_STEP_CHECKING] = "checking",
                [PAWL_STEP_RUNNING] = "running",
                [PAWL_STEP_COMPLETED] = "completed",
                [PAWL_STEP_SKIPPED] = "skipped",
                [PAWL_STEP_BLOCKED] = "blocked",
                [PAWL_STEP_FAILED] = "failed",
                [PAWL_STEP_LEFT_OUT] = "left out"};
        question q = {.what = "progress"};

        json_open(&q.json, NULL, "{");
        json_string(&q.json, "stage", stages[stage]);
        json_string(&q.json, "stepId", step_id);
        json_number(&q.json, "number", (double)n);
        json_number(&q.json, "of", (double)of);
        json_close(&q.json, "}");
        tell(user, &q);
}

/* arg: 1 what, 2 actor, 3 strictness, 4 flags, 5 time limit, 6 which functions there are, 7 how
 * long to wait */
static pawl_run_options run_options(task *t)
{
        pawl_run_options options = PAWL_RUN_OPTIONS_INIT;
        const uint64_t flags = task_natural(t, 4), functions = task_natural(t, 6);

        options.actor = t->arg[2];
        options.strictness = t->arg[3];
        options.accept_changed_inputs = flags & 1;
        options.accept_changed_mission = flags & 2;
        options.rerun_changed = flags & 4;
        options.time_limit_ms = task_natural(t, 5);
        options.clarify = functions & 1 ? task_clarify : NULL;
        options.confirm = functions & 2 ? task_confirm : NULL;
        options.progress = functions & 4 ? progress : NULL;
        options.confirm_mission = functions & 8 ? confirm_mission : NULL;
        options.notice = functions & 16 ? notice : NULL;
        options.wait_ms = (unsigned)task_natural(t, 7);
        options.clarify_user = options.confirm_user = options.progress_user = t;
        options.confirm_mission_user = options.notice_user = t;
        return options;
}

static void set_run_fd(handle *log, int fd)
{
        pthread_mutex_lock(&log->lock);
        log->run_fd = fd;
        pthread_mutex_unlock(&log->lock);
}

/* The run has a pipe, by which interrupt() ends it. */
static bool begin_run(task *t, pawl_run_options *options, int fds[2])
{
        if (pipe2(fds, O_CLOEXEC | O_NONBLOCK) == 0) {
                options->signal_fd = fds[0];
                set_run_fd(t->on, fds[1]);
                return true;
        }
        t->status = PAWL_EIO;
        snprintf(t->err.message, sizeof t->err.message, "run: no pipe is left; close some files");
        return false;
}

static void finish_run(task *t, pawl_run_result *result, const int fds[2])
{
        set_run_fd(t->on, -1);
        close(fds[0]);
        close(fds[1]);
        const bool verdict = t->status == PAWL_BLOCKED || t->status == PAWL_ESTEP ||
                             t->status == PAWL_EINPUTS || t->status == PAWL_EINTERRUPTED;

        if (result && (t->status >= 0 || verdict)) {
                write_result(&t->json, result, t->status ? t->err.message : "");
                t->status = PAWL_OK;
        }
        pawl_run_result_free(result);
}

void op_run(task *t)
{
        pawl_run_options options = run_options(t);
        pawl_run_result *result = NULL;
        int fds[2];

        options.run_id = t->arg[1];
        if (!begin_run(t, &options, fds))
                return;
        t->status =
                pawl_mission_run(&result, task_second(t)->pointer, task_log(t), &options, &t->err);
        finish_run(t, result, fds);
}

void op_resume(task *t)
{
        pawl_run_options options = run_options(t);
        pawl_run_result *result = NULL;
        int fds[2];

        if (!begin_run(t, &options, fds))
                return;
        t->status = pawl_mission_resume(&result, task_log(t), t->arg[1], &options, &t->err);
        finish_run(t, result, fds);
}

/* arg: as run_options(), 1 the run's id, and the mission */
void op_submit(task *t)
{
        pawl_run_options options = run_options(t);
        char run_id[129];

        options.run_id = t->arg[1];
        t->status = pawl_mission_submit(
                run_id, task_second(t)->pointer, task_log(t), &options, &t->err);
        if (!t->status)
                json_string(&t->json, NULL, run_id);
}

/* arg: 0 run, 1 step, 2 output, 3 actor */
void op_skip(task *t)
{
        t->status = pawl_mission_skip(
                task_log(t), t->arg[0], t->arg[1], t->arg[2], t->len[2], t->arg[3], &t->err);
}

/* arg: 0 run, 1 actor */
void op_cancel(task *t)
{
        t->status = pawl_mission_cancel(task_log(t), t->arg[0], t->arg[1], &t->err);
}

void op_mission_look(task *t)
{
        const pawl_mission *mission = t->on->pointer;

        json_open(&t->json, NULL, "{");
        json_string(&t->json, "id", pawl_mission_id(mission));
        json_open(&t->json, "steps", "[");
        for (size_t i = 0; i < pawl_mission_steps(mission); i++)
                json_string(&t->json, NULL, pawl_mission_step_id(mission, i));
        json_close(&t->json, "]");
        json_close(&t->json, "}");
}

/* arg: 0 step, and the log, whose glossary is in force */
void op_mission_check(task *t)
{
        const handle *log = task_second(t);
        char *json;
        size_t len;

        t->status = pawl_mission_check(
                &json, &len, t->on->pointer, log ? log->pointer : NULL, t->arg[0], &t->err);
        if (t->status < 0)
                return;
        json_raw(&t->json, NULL, (pawl_text){json, len});
        pawl_free(json);
}

void op_mission_params(task *t)
{
        const pawl_mission_param *params;
        const size_t n = pawl_mission_params(t->on->pointer, &params);

        json_open(&t->json, NULL, "[");
        for (size_t i = 0; i < n; i++) {
                const char *value = params[i].value;
                json_open(&t->json, NULL, "{");
                json_string(&t->json, "name", params[i].name);
                json_string(&t->json, "type", params[i].type);
                json_string(&t->json, "description", params[i].description);
                if (value)
                        json_raw(&t->json, "value", (pawl_text){value, strlen(value)});
                json_close(&t->json, "}");
        }
        json_close(&t->json, "]");
}

/* arg: 0 name, 1 text; or without a name, 1 a file */
void op_mission_set(task *t)
{
        t->status = t->arg[0] ? pawl_mission_set_param(t->on->pointer, t->arg[0],
                                        t->arg[1] ? t->arg[1] : "", &t->err)
                              : pawl_mission_load_params(t->on->pointer, t->arg[1], &t->err);
}

void op_runs(task *t)
{
        pawl_runs *runs;

        t->status = pawl_run_list(&runs, task_log(t), t->arg[0], task_natural(t, 1), &t->err);
        if (t->status)
                return;
        json_open(&t->json, NULL, "[");
        for (size_t i = 0; i < runs->n; i++) {
                const pawl_run *r = &runs->items[i];
                json_open(&t->json, NULL, "{");
                json_text(&t->json, "runId", r->run_id);
                json_text(&t->json, "missionId", r->mission_id);
                json_text(&t->json, "sessionId", r->session_id);
                json_text(&t->json, "status", r->status);
                json_text(&t->json, "reason", r->reason);
                json_text(&t->json, "currentStep", r->current_step);
                json_text(&t->json, "retryToken", r->retry_token);
                json_number(&t->json, "stepsCompleted", (double)r->steps_completed);
                json_number(&t->json, "stepsTotal", (double)r->steps_total);
                json_number(&t->json, "openConflicts", (double)r->open_conflicts);
                json_number(&t->json, "startedSeq", (double)r->started_seq);
                json_number(&t->json, "updatedSeq", (double)r->updated_seq);
                json_number(&t->json, "startedUs", (double)r->started_us);
                json_number(&t->json, "updatedUs", (double)r->updated_us);
                json_number(&t->json, "ownerPid", (double)r->owner_pid);
                json_text(&t->json, "ownerHost", r->owner_host);
                json_close(&t->json, "}");
        }
        json_close(&t->json, "]");
        pawl_runs_free(runs);
}

void op_conflicts(task *t)
{
        pawl_conflicts *list;

        t->status = pawl_conflict_list(&list, task_log(t), t->arg[0], task_natural(t, 1), &t->err);
        if (t->status)
                return;
        json_open(&t->json, NULL, "[");
        for (size_t i = 0; i < list->n; i++) {
                const pawl_conflict_info *c = &list->items[i];
                json_open(&t->json, NULL, "{");
                write_conflict_members(&t->json, &c->conflict);
                json_text(&t->json, "missionId", c->mission_id);
                json_text(&t->json, "runId", c->run_id);
                json_text(&t->json, "stepId", c->step_id);
                json_text(&t->json, "retryToken", c->retry_token);
                json_text(&t->json, "status", c->status);
                json_number(&t->json, "requestedUs", (double)c->requested_us);
                json_number(&t->json, "resolvedSeq", (double)c->resolved_seq);
                json_text(&t->json, "answer", c->answer);
                json_text(&t->json, "otherwise", c->otherwise);
                json_number(&t->json, "dueUs", (double)c->due_us);
                json_close(&t->json, "}");
        }
        json_close(&t->json, "]");
        pawl_conflicts_free(list);
}

/* arg: 0 run, or none: the newest version of each scope */
void op_senses(task *t)
{
        pawl_senses *list;

        t->status = pawl_sense_list(&list, task_log(t), t->arg[0], &t->err);
        if (t->status)
                return;
        json_open(&t->json, NULL, "[");
        for (size_t i = 0; i < list->n; i++) {
                const pawl_sense_info *s = &list->items[i];
                json_open(&t->json, NULL, "{");
                write_sense_members(&t->json, &s->sense);
                json_text(&t->json, "status", s->status);
                json_text(&t->json, "source", s->source);
                json_text(&t->json, "actor", s->actor);
                json_number(&t->json, "seq", (double)s->seq);
                json_close(&t->json, "}");
        }
        json_close(&t->json, "]");
        pawl_senses_free(list);
}

/* arg: 0 retry token */
void op_step_checkpoint(task *t)
{
        pawl_step_checkpoint *c;

        t->status = pawl_step_checkpoint_load(&c, task_log(t), t->arg[0] ? t->arg[0] : "", &t->err);
        if (t->status)
                return;
        json_open(&t->json, NULL, "{");
        json_text(&t->json, "missionId", c->mission_id);
        json_text(&t->json, "runId", c->run_id);
        json_text(&t->json, "stepId", c->step_id);
        json_string(&t->json, "retryToken", c->retry_token);
        json_string(&t->json, "inputHash", c->input_hash);
        json_string(&t->json, "cursor", c->cursor);
        json_string(&t->json, "strictness", c->strictness);
        json_open(&t->json, "scopeRefs", "[");
        for (size_t i = 0; i < c->n_scope_refs; i++) {
                json_open(&t->json, NULL, "{");
                json_text(&t->json, "scope", c->scope_refs[i].scope);
                json_text(&t->json, "versionId", c->scope_refs[i].version_id);
                json_close(&t->json, "}");
        }
        json_close(&t->json, "]");
        json_number(&t->json, "seq", (double)c->seq);
        json_number(&t->json, "timeUs", (double)c->time_us);
        json_close(&t->json, "}");
        pawl_step_checkpoint_free(c);
}

/* arg: 0 conflict, 1 pick, 2 definition, 3 scope, 4 actor, 5 answer, 6 dismiss, 7 replace */
void op_resolve(task *t)
{
        const pawl_answer answer = {.pick = (size_t)task_natural(t, 1),
                .define = {t->arg[2], t->len[2]},
                .scope = {t->arg[3], t->len[3]},
                .answer = {t->arg[5], t->len[5]},
                .dismiss = task_natural(t, 6) != 0,
                .replace = task_natural(t, 7) != 0};

        t->status = pawl_conflict_resolve(task_log(t), t->arg[0], &answer, t->arg[4], &t->err);
}
