/* Missions: running them, what they ask, and the conflicts that they leave. */
#include "task.h"
#include <fcntl.h>
#include <unistd.h>

static const json_field change_fields[] = {
        FIELD(pawl_mission_change, step_id), FIELD(pawl_mission_change, change)};
static const json_field changed_fields[] = {FIELD(pawl_changed_member, path),
        FIELD_AS(pawl_changed_member, before, FIELD_MEMBER),
        FIELD_AS(pawl_changed_member, after, FIELD_MEMBER)};
static const json_field changed_inputs_fields[] = {FIELD(pawl_changed_inputs, step_id),
        FIELD(pawl_changed_inputs, checkpoint_hash), FIELD(pawl_changed_inputs, current_hash)};
static const json_field step_fields[] = {FIELD(pawl_step_result, step_id),
        FIELD(pawl_step_result, status), FIELD(pawl_step_result, retry_token),
        FIELD(pawl_step_result, cursor), FIELD(pawl_step_result, unfinished),
        FIELD(pawl_step_result, removed)};
static const json_field result_fields[] = {FIELD(pawl_run_result, mission_id),
        FIELD(pawl_run_result, run_id), FIELD(pawl_run_result, session_id),
        FIELD(pawl_run_result, status), FIELD(pawl_run_result, cancelled),
        FIELD(pawl_run_result, steps_completed), FIELD(pawl_run_result, steps_total),
        FIELD(pawl_run_result, signal)};

static void write_changed_inputs(json_out *o, const pawl_changed_inputs *inputs)
{
        json_open(o, "inputsChanged", "{");
        JSON_FIELDS(o, changed_inputs_fields, inputs);
        JSON_ARRAY(o, "changes", changed_fields, inputs->items, inputs->n);
        json_close(o, "}");
}

static void write_result(json_out *o, const pawl_run_result *r, const char *message)
{
        json_open(o, NULL, "{");
        JSON_FIELDS(o, result_fields, r);
        json_string(o, "message", *message ? message : NULL);
        JSON_ARRAY(o, "steps", step_fields, r->steps, r->n_steps);
        json_open(o, "conflicts", "[");
        for (size_t i = 0; i < r->n_conflicts; i++)
                json_string(o, NULL, r->conflicts[i].id);
        json_close(o, "]");
        JSON_ARRAY(o, "missionChanged", change_fields, r->changes, r->n_changes);
        if (r->inputs.step_id)
                write_changed_inputs(o, &r->inputs);
        else
                json_string(o, "inputsChanged", NULL);
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

        write_conflict(&q.json, conflict);
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

static const json_field input_change_fields[] = {FIELD(pawl_input_change, diff),
        FIELD(pawl_input_change, checkpoint_hash), FIELD(pawl_input_change, current_hash),
        FIELD(pawl_input_change, step_id)};

pawl_status task_confirm(bool *yes, const pawl_input_change *change, void *user)
{
        question q = {.what = "confirm"};
        const char *said;

        JSON_OBJECT(&q.json, NULL, input_change_fields, change);
        said = task_ask(user, &q);
        *yes = said && strcmp(said, "yes") == 0;
        return said && strncmp(said, "throw", 5) == 0 ? PAWL_ESTATE : PAWL_OK;
}

/* null, but after a pass that failed since the inputs changed */
void op_context_input_change(task *t)
{
        const pawl_input_change *change = pawl_context_input_diff(t->on->pointer);

        if (change)
                JSON_OBJECT(&t->json, NULL, input_change_fields, change);
}

static pawl_status confirm_mission(
        bool *yes, const pawl_mission_change *changes, size_t n, void *user)
{
        question q = {.what = "confirmMission"};
        const char *said;

        JSON_ARRAY(&q.json, NULL, change_fields, changes, n);
        said = task_ask(user, &q);
        *yes = said && strcmp(said, "yes") == 0;
        return said && strncmp(said, "throw", 5) == 0 ? PAWL_ESTATE : PAWL_OK;
}

/* Call a function whose answer the run does not use; if it throws, the run ends. */
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

/* The arguments of a run, as in index.js. */
enum run_argument {
        WHAT, /* the run's id, or what is resumed */
        ACTOR,
        STRICTNESS,
        ACCEPT_CHANGED_INPUTS,
        ACCEPT_CHANGED_MISSION,
        RERUN_CHANGED,
        TIME_LIMIT_MS,
        WAIT_MS,
        HOME,
        CONFIG_HOME,
        DIRECTORY,
        ALONE,
        FUNCTIONS /* a bit for each that there is */
};

static pawl_run_options run_options(task *t)
{
        pawl_run_options options = PAWL_RUN_OPTIONS_INIT;
        const uint64_t functions = task_natural(t, FUNCTIONS);

        options.actor = t->arg[ACTOR];
        options.strictness = t->arg[STRICTNESS];
        options.accept_changed_inputs = task_natural(t, ACCEPT_CHANGED_INPUTS);
        options.accept_changed_mission = task_natural(t, ACCEPT_CHANGED_MISSION);
        options.rerun_changed = task_natural(t, RERUN_CHANGED);
        options.time_limit_ms = task_natural(t, TIME_LIMIT_MS);
        options.wait_ms = (unsigned)task_natural(t, WAIT_MS);
        options.home = t->arg[HOME];
        options.config_home = t->arg[CONFIG_HOME];
        options.directory = t->arg[DIRECTORY];
        options.alone = task_natural(t, ALONE);
        options.clarify = functions & 1 ? task_clarify : NULL;
        options.confirm = functions & 2 ? task_confirm : NULL;
        options.progress = functions & 4 ? progress : NULL;
        options.confirm_mission = functions & 8 ? confirm_mission : NULL;
        options.notice = functions & 16 ? notice : NULL;
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

/* The run has a pipe, with which interrupt() ends it. */
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

        options.run_id = t->arg[WHAT];
        if (!begin_run(t, &options, fds))
                return;
        t->status = pawl_mission_run(&result, t->second->pointer, task_log(t), &options, &t->err);
        finish_run(t, result, fds);
}

void op_resume(task *t)
{
        pawl_run_options options = run_options(t);
        pawl_run_result *result = NULL;
        int fds[2];

        if (!begin_run(t, &options, fds))
                return;
        t->status = pawl_mission_resume(&result, task_log(t), t->arg[WHAT], &options, &t->err);
        finish_run(t, result, fds);
}

/* arg: as run_options(), and the mission */
void op_submit(task *t)
{
        pawl_run_options options = run_options(t);
        char run_id[129];

        options.run_id = t->arg[WHAT];
        t->status = pawl_mission_submit(run_id, t->second->pointer, task_log(t), &options, &t->err);
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
        const handle *log = t->second;
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
