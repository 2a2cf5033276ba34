/* Missions: running them, what they ask, and the conflicts that they leave. */
#include "task.h"

static void write_sense_members(out *o, const pawl_sense *s)
{
        text(o, "surface", s->surface);
        text(o, "scope", s->scope);
        text(o, "definition", s->definition);
        number(o, "confidence", s->confidence);
}

static void write_sense(out *o, const pawl_sense *s)
{
        open(o, NULL, "{");
        write_sense_members(o, s);
        close_(o, "}");
}

static void write_conflict_members(out *o, const pawl_conflict *c)
{
        text(o, "conflictId", c->conflict_id);
        text(o, "term", c->term);
        text(o, "conflictType", c->conflict_type);
        text(o, "severity", c->severity);
        number(o, "confidence", c->confidence);
        text(o, "context", c->context);
        open(o, "candidates", "[");
        for (size_t i = 0; i < c->n_candidates; i++)
                write_sense(o, &c->candidates[i]);
        close_(o, "]");
}

static void write_changes(out *o, const char *member, const pawl_mission_change *changes, size_t n)
{
        open(o, member, "[");
        for (size_t i = 0; i < n; i++) {
                open(o, NULL, "{");
                string(o, "stepId", changes[i].step_id);
                string(o, "change", changes[i].change);
                close_(o, "}");
        }
        close_(o, "]");
}

/* A member that was not there before, or is no more, is absent. */
static void write_changed_inputs(out *o, const pawl_changed_inputs *inputs)
{
        open(o, "inputsChanged", "{");
        string(o, "stepId", inputs->step_id);
        open(o, "changes", "[");
        for (size_t i = 0; i < inputs->n; i++) {
                open(o, NULL, "{");
                text(o, "path", inputs->items[i].path);
                if (inputs->items[i].before.data)
                        raw(o, "before", inputs->items[i].before);
                if (inputs->items[i].after.data)
                        raw(o, "after", inputs->items[i].after);
                close_(o, "}");
        }
        close_(o, "]");
        string(o, "checkpointHash", inputs->checkpoint_hash);
        string(o, "currentHash", inputs->current_hash);
        close_(o, "}");
}

static void write_result(out *o, const pawl_run_result *r, const char *message)
{
        open(o, NULL, "{");
        string(o, "missionId", r->mission_id);
        string(o, "runId", r->run_id);
        string(o, "sessionId", r->session_id);
        string(o, "status", r->status);
        string(o, "message", *message ? message : NULL);
        open(o, "steps", "[");
        for (size_t i = 0; i < r->n_steps; i++) {
                open(o, NULL, "{");
                string(o, "stepId", r->steps[i].step_id);
                string(o, "status", r->steps[i].status);
                string(o, "retryToken", r->steps[i].retry_token);
                string(o, "cursor", r->steps[i].cursor);
                boolean(o, "unfinished", r->steps[i].unfinished);
                boolean(o, "removed", r->steps[i].removed);
                close_(o, "}");
        }
        close_(o, "]");
        open(o, "conflicts", "[");
        for (size_t i = 0; i < r->n_conflicts; i++)
                string(o, NULL, r->conflicts[i].id);
        close_(o, "]");
        write_changes(o, "missionChanged", r->changes, r->n_changes);
        if (r->inputs.step_id)
                write_changed_inputs(o, &r->inputs);
        else
                string(o, "inputsChanged", NULL);
        number(o, "signal", r->signal);
        close_(o, "}");
}

void op_mission_load(task *t)
{
        pawl_mission *mission;

        t->status = pawl_mission_load(&mission, t->arg[0], &t->err);
        if (!t->status)
                make(t, MISSION, mission);
}

/* "pick N", "define TEXT" with the scope before it, "dismiss SCOPE", "answer TEXT", or nothing. */
static pawl_status clarify(pawl_answer *answer, const pawl_conflict *conflict, void *user)
{
        task *t = user;
        question q = {.what = "clarify"};
        const char *said;

        open(&q.json, NULL, "{");
        write_conflict_members(&q.json, conflict);
        close_(&q.json, "}");
        said = ask(t, &q);
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

static pawl_status confirm(bool *yes, const pawl_input_change *change, void *user)
{
        question q = {.what = "confirm"};
        const char *said;

        open(&q.json, NULL, "{");
        string(&q.json, "diff", change->diff);
        string(&q.json, "checkpointHash", change->checkpoint_hash);
        string(&q.json, "currentHash", change->current_hash);
        close_(&q.json, "}");
        said = ask(user, &q);
        *yes = said && strcmp(said, "yes") == 0;
        return said && strncmp(said, "throw", 5) == 0 ? PAWL_ESTATE : PAWL_OK;
}

static pawl_status confirm_mission(
        bool *yes, const pawl_mission_change *changes, size_t n, void *user)
{
        question q = {.what = "confirmMission"};
        const char *said;

        write_changes(&q.json, NULL, changes, n);
        said = ask(user, &q);
        *yes = said && strcmp(said, "yes") == 0;
        return said && strncmp(said, "throw", 5) == 0 ? PAWL_ESTATE : PAWL_OK;
}

static void notice(const char *line, void *user)
{
        question q = {.what = "notice"};

        string(&q.json, NULL, line);
        (void)ask(user, &q);
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

        open(&q.json, NULL, "{");
        string(&q.json, "stage", stages[stage]);
        string(&q.json, "stepId", step_id);
        number(&q.json, "number", (double)n);
        number(&q.json, "of", (double)of);
        close_(&q.json, "}");
        (void)ask(user, &q);
}

/* arg: 1 what, 2 actor, 3 strictness, 4 flags, 5 time limit, 6 which functions there are, 7 how
 * long to wait */
static pawl_run_options run_options(task *t)
{
        pawl_run_options options = PAWL_RUN_OPTIONS_INIT;
        const uint64_t flags = natural(t, 4), functions = natural(t, 6);

        options.actor = t->arg[2];
        options.strictness = t->arg[3];
        options.accept_changed_inputs = flags & 1;
        options.accept_changed_mission = flags & 2;
        options.rerun_changed = flags & 4;
        options.time_limit_ms = natural(t, 5);
        options.clarify = functions & 1 ? clarify : NULL;
        options.confirm = functions & 2 ? confirm : NULL;
        options.progress = functions & 4 ? progress : NULL;
        options.confirm_mission = functions & 8 ? confirm_mission : NULL;
        options.notice = functions & 16 ? notice : NULL;
        options.wait_ms = (unsigned)natural(t, 7);
        options.clarify_user = options.confirm_user = options.progress_user = t;
        options.confirm_mission_user = options.notice_user = t;
        return options;
}

static void finish_run(task *t, pawl_run_result *result)
{
        const bool verdict = t->status == PAWL_BLOCKED || t->status == PAWL_ESTEP ||
                             t->status == PAWL_EINPUTS || t->status == PAWL_EINTERRUPTED;

        if (result && (t->status >= 0 || verdict)) {
                write_result(&t->json, result, t->status ? t->err.message : "");
                t->status = PAWL_OK;
        }
        pawl_run_result_free(result);
}

static handle *second(task *t)
{
        handle *h;

        if (!t->arg[ARGS - 1])
                return NULL;
        memcpy(&h, t->arg[ARGS - 1], sizeof h);
        return h;
}

void op_run(task *t)
{
        pawl_run_options options = run_options(t);
        pawl_run_result *result = NULL;

        options.run_id = t->arg[1];
        t->status = pawl_mission_run(&result, second(t)->pointer, log_of(t), &options, &t->err);
        finish_run(t, result);
}

void op_resume(task *t)
{
        const pawl_run_options options = run_options(t);
        pawl_run_result *result = NULL;

        t->status = pawl_mission_resume(&result, log_of(t), t->arg[1], &options, &t->err);
        finish_run(t, result);
}

void op_mission_look(task *t)
{
        const pawl_mission *mission = t->on->pointer;

        open(&t->json, NULL, "{");
        string(&t->json, "id", pawl_mission_id(mission));
        open(&t->json, "steps", "[");
        for (size_t i = 0; i < pawl_mission_steps(mission); i++)
                string(&t->json, NULL, pawl_mission_step_id(mission, i));
        close_(&t->json, "]");
        close_(&t->json, "}");
}

/* arg: 0 step, and the log, whose glossary is in force */
void op_mission_check(task *t)
{
        const handle *log = second(t);
        char *json;
        size_t len;

        t->status = pawl_mission_check(
                &json, &len, t->on->pointer, log ? log->pointer : NULL, t->arg[0], &t->err);
        if (t->status < 0)
                return;
        raw(&t->json, NULL, (pawl_text){json, len});
        pawl_free(json);
}

void op_mission_params(task *t)
{
        const pawl_mission_param *params;
        const size_t n = pawl_mission_params(t->on->pointer, &params);

        open(&t->json, NULL, "[");
        for (size_t i = 0; i < n; i++) {
                const char *value = params[i].value;
                open(&t->json, NULL, "{");
                string(&t->json, "name", params[i].name);
                string(&t->json, "type", params[i].type);
                string(&t->json, "description", params[i].description);
                if (value)
                        raw(&t->json, "value", (pawl_text){value, strlen(value)});
                close_(&t->json, "}");
        }
        close_(&t->json, "]");
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

        t->status = pawl_run_list(&runs, log_of(t), t->arg[0], natural(t, 1), &t->err);
        if (t->status)
                return;
        open(&t->json, NULL, "[");
        for (size_t i = 0; i < runs->n; i++) {
                const pawl_run *r = &runs->items[i];
                open(&t->json, NULL, "{");
                text(&t->json, "runId", r->run_id);
                text(&t->json, "missionId", r->mission_id);
                text(&t->json, "sessionId", r->session_id);
                text(&t->json, "status", r->status);
                text(&t->json, "reason", r->reason);
                text(&t->json, "currentStep", r->current_step);
                text(&t->json, "retryToken", r->retry_token);
                number(&t->json, "stepsCompleted", (double)r->steps_completed);
                number(&t->json, "stepsTotal", (double)r->steps_total);
                number(&t->json, "openConflicts", (double)r->open_conflicts);
                number(&t->json, "startedSeq", (double)r->started_seq);
                number(&t->json, "updatedSeq", (double)r->updated_seq);
                number(&t->json, "startedUs", (double)r->started_us);
                number(&t->json, "updatedUs", (double)r->updated_us);
                number(&t->json, "ownerPid", (double)r->owner_pid);
                text(&t->json, "ownerHost", r->owner_host);
                close_(&t->json, "}");
        }
        close_(&t->json, "]");
        pawl_runs_free(runs);
}

void op_conflicts(task *t)
{
        pawl_conflicts *list;

        t->status = pawl_conflict_list(&list, log_of(t), t->arg[0], natural(t, 1), &t->err);
        if (t->status)
                return;
        open(&t->json, NULL, "[");
        for (size_t i = 0; i < list->n; i++) {
                const pawl_conflict_info *c = &list->items[i];
                open(&t->json, NULL, "{");
                write_conflict_members(&t->json, &c->conflict);
                text(&t->json, "missionId", c->mission_id);
                text(&t->json, "runId", c->run_id);
                text(&t->json, "stepId", c->step_id);
                text(&t->json, "retryToken", c->retry_token);
                text(&t->json, "status", c->status);
                number(&t->json, "requestedUs", (double)c->requested_us);
                number(&t->json, "resolvedSeq", (double)c->resolved_seq);
                text(&t->json, "answer", c->answer);
                text(&t->json, "otherwise", c->otherwise);
                number(&t->json, "dueUs", (double)c->due_us);
                close_(&t->json, "}");
        }
        close_(&t->json, "]");
        pawl_conflicts_free(list);
}

/* arg: 0 run, or none: the newest version of each scope */
void op_senses(task *t)
{
        pawl_senses *list;

        t->status = pawl_sense_list(&list, log_of(t), t->arg[0], &t->err);
        if (t->status)
                return;
        open(&t->json, NULL, "[");
        for (size_t i = 0; i < list->n; i++) {
                const pawl_sense_info *s = &list->items[i];
                open(&t->json, NULL, "{");
                write_sense_members(&t->json, &s->sense);
                text(&t->json, "status", s->status);
                text(&t->json, "source", s->source);
                text(&t->json, "actor", s->actor);
                number(&t->json, "seq", (double)s->seq);
                close_(&t->json, "}");
        }
        close_(&t->json, "]");
        pawl_senses_free(list);
}

/* arg: 0 retry token */
void op_step_checkpoint(task *t)
{
        pawl_step_checkpoint *c;

        t->status = pawl_step_checkpoint_load(&c, log_of(t), t->arg[0] ? t->arg[0] : "", &t->err);
        if (t->status)
                return;
        open(&t->json, NULL, "{");
        text(&t->json, "missionId", c->mission_id);
        text(&t->json, "runId", c->run_id);
        text(&t->json, "stepId", c->step_id);
        string(&t->json, "retryToken", c->retry_token);
        string(&t->json, "inputHash", c->input_hash);
        string(&t->json, "cursor", c->cursor);
        string(&t->json, "strictness", c->strictness);
        open(&t->json, "scopeRefs", "[");
        for (size_t i = 0; i < c->n_scope_refs; i++) {
                open(&t->json, NULL, "{");
                text(&t->json, "scope", c->scope_refs[i].scope);
                text(&t->json, "versionId", c->scope_refs[i].version_id);
                close_(&t->json, "}");
        }
        close_(&t->json, "]");
        number(&t->json, "seq", (double)c->seq);
        number(&t->json, "timeUs", (double)c->time_us);
        close_(&t->json, "}");
        pawl_step_checkpoint_free(c);
}

/* arg: 0 conflict, 1 pick, 2 definition, 3 scope, 4 actor, 5 answer, 6 dismiss, 7 replace */
void op_resolve(task *t)
{
        const pawl_answer answer = {.pick = (size_t)natural(t, 1),
                .define = {t->arg[2], t->len[2]},
                .scope = {t->arg[3], t->len[3]},
                .answer = {t->arg[5], t->len[5]},
                .dismiss = natural(t, 6) != 0,
                .replace = natural(t, 7) != 0};

        t->status = pawl_conflict_resolve(log_of(t), t->arg[0], &answer, t->arg[4], &t->err);
}
