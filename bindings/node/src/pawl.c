/*
 * The library for Node, by Node-API: one function, call(operation, handle, arguments, ask), which
 * does its work on a thread of Node's pool and promises JSON. What a program sees is in index.js.
 *
 * A handle has one call at a time: index.js sees to that. Questions of a run are put to JavaScript
 * by a thread-safe function; the run's thread waits for the answer.
 */
#define NAPI_VERSION 8
#include <node_api.h>
#include <pawl/pawl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARGS = 8 };

/* ---- JSON, written
 * ------------------------------------------------------------------------------- */

typedef struct out {
        char *data;
        size_t len, cap;
        bool failed, comma;
} out;

static void put(out *o, const char *data, size_t len)
{
        if (o->failed)
                return;
        if (o->cap - o->len < len + 1) {
                const size_t cap = 2 * (o->cap + len) + 64;
                char *grown = realloc(o->data, cap);
                if (!grown) {
                        o->failed = true;
                        return;
                }
                o->data = grown;
                o->cap = cap;
        }
        memcpy(o->data + o->len, data, len);
        o->len += len;
        o->data[o->len] = '\0';
}

static void puts_(out *o, const char *text)
{
        put(o, text, strlen(text));
}

/* Text that is UTF-8; what is none has U+FFFD for each wrong byte. */
static void quote(out *o, const char *data, size_t len)
{
        puts_(o, "\"");
        for (size_t i = 0; i < len;) {
                const unsigned char c = (unsigned char)data[i];
                const size_t n = c < 0x80                ? 1
                                 : c >= 0xc2 && c < 0xe0 ? 2
                                 : c >= 0xe0 && c < 0xf0 ? 3
                                 : c >= 0xf0 && c < 0xf5 ? 4
                                                         : 0;
                bool whole = n && i + n <= len;
                for (size_t k = 1; whole && k < n; k++)
                        whole = ((unsigned char)data[i + k] & 0xc0) == 0x80;
                if (!whole) {
                        puts_(o, "\\ufffd");
                        i++;
                        continue;
                }
                if (c < 0x20 || c == '"' || c == '\\') {
                        char escape[8];
                        snprintf(escape, sizeof escape, "\\u%04x", c);
                        puts_(o, escape);
                } else {
                        put(o, data + i, n);
                }
                i += n;
        }
        puts_(o, "\"");
}

static void name(out *o, const char *member)
{
        if (o->comma)
                puts_(o, ",");
        o->comma = true;
        if (member) {
                quote(o, member, strlen(member));
                puts_(o, ":");
        }
}

static void open(out *o, const char *member, const char *bracket)
{
        name(o, member);
        puts_(o, bracket);
        o->comma = false;
}

static void close_(out *o, const char *bracket)
{
        puts_(o, bracket);
        o->comma = true;
}

static void text(out *o, const char *member, pawl_text value)
{
        name(o, member);
        if (value.data)
                quote(o, value.data, value.len);
        else
                puts_(o, "null");
}

static void string(out *o, const char *member, const char *value)
{
        text(o, member, (pawl_text){value, value ? strlen(value) : 0});
}

static void number(out *o, const char *member, double value)
{
        char digits[40];

        snprintf(digits, sizeof digits, "%.17g", value);
        name(o, member);
        puts_(o, digits);
}

static void boolean(out *o, const char *member, bool value)
{
        name(o, member);
        puts_(o, value ? "true" : "false");
}

static void raw(out *o, const char *member, pawl_text json)
{
        name(o, member);
        put(o, json.data ? json.data : "null", json.data ? json.len : 4);
}

static void hex(out *o, const char *member, const unsigned char *bytes)
{
        char digits[65];

        for (int i = 0; i < 32; i++)
                snprintf(digits + 2 * i, 3, "%02x", bytes[i]);
        string(o, member, digits);
}

/* ---- What the library gives
 * ------------------------------------------------------------------------ */

static void write_sense(out *o, const pawl_sense *s)
{
        open(o, NULL, "{");
        text(o, "surface", s->surface);
        text(o, "scope", s->scope);
        text(o, "definition", s->definition);
        number(o, "confidence", s->confidence);
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

static void write_checkpoint(out *o, const char *member, const pawl_workspace_checkpoint_info *i)
{
        open(o, member, "{");
        number(o, "n", (double)i->n);
        text(o, "id", i->id);
        text(o, "missionId", i->mission_id);
        text(o, "runId", i->run_id);
        text(o, "stepId", i->step_id);
        text(o, "sessionId", i->session_id);
        text(o, "trigger", i->trigger);
        text(o, "description", i->description);
        number(o, "files", (double)i->files);
        number(o, "bytes", (double)i->bytes);
        number(o, "createdUs", (double)i->created_us);
        boolean(o, "valid", i->valid);
        boolean(o, "current", i->current);
        close_(o, "}");
}

static void write_event(out *o, const pawl_event *e)
{
        open(o, NULL, "{");
        number(o, "seq", (double)e->seq);
        text(o, "type", e->type);
        number(o, "v", e->v);
        number(o, "timeUs", (double)e->time_us);
        text(o, "missionId", e->mission_id);
        text(o, "runId", e->run_id);
        text(o, "stepId", e->step_id);
        text(o, "sessionId", e->session_id);
        text(o, "actor", e->actor);
        raw(o, "payload", e->payload);
        hex(o, "prev", e->prev);
        hex(o, "hash", e->hash);
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
                close_(o, "}");
        }
        close_(o, "]");
        open(o, "conflicts", "[");
        for (size_t i = 0; i < r->n_conflicts; i++)
                string(o, NULL, r->conflicts[i].id);
        close_(o, "]");
        close_(o, "}");
}

/* ---- A call
 * ---------------------------------------------------------------------------------------- */

typedef enum kind { LOG = 1, MISSION } kind;

typedef struct handle {
        kind kind;
        void *pointer; /* NULL: closed */
} handle;

/* A question, or progress, on its way to JavaScript and back. */
typedef struct question {
        const char *what;
        out json;
        char *answer; /* JSON of index.js's own: "pick N", "define SCOPE\0TEXT" and such; malloc'd
                       */
        size_t len;
        bool done;
        pthread_mutex_t lock;
        pthread_cond_t answered;
} question;

typedef struct task task;
struct task {
        napi_async_work work;
        napi_deferred deferred;
        napi_threadsafe_function ask; /* NULL: nobody answers */
        void (*run)(task *);
        handle *on;
        napi_ref keeps; /* the handle */
        handle *made;
        char *arg[ARGS];
        size_t len[ARGS];
        out json;
        pawl_status status;
        pawl_error err;
        char *answers; /* of the last question, valid until the next */
};

static pawl_log *log_of(task *t)
{
        return t->on->pointer;
}

static void from_log(task *t)
{
        if (t->status < 0)
                snprintf(t->err.message, sizeof t->err.message, "%s", pawl_log_errmsg(log_of(t)));
}

static uint64_t natural(const task *t, int i)
{
        return t->arg[i] ? strtoull(t->arg[i], NULL, 10) : 0;
}

static void make(task *t, kind kind, void *pointer)
{
        t->made = calloc(1, sizeof *t->made);
        if (t->made) {
                *t->made = (handle){kind, pointer};
                return;
        }
        if (kind == LOG)
                pawl_log_close(pointer);
        else
                pawl_mission_free(pointer);
        t->status = PAWL_ENOMEM;
}

static void close_handle(handle *h)
{
        if (h->pointer && h->kind == LOG)
                pawl_log_close(h->pointer);
        else if (h->pointer)
                pawl_mission_free(h->pointer);
        h->pointer = NULL;
}

/* Ask JavaScript and wait. NULL: there is no answer. */
static const char *ask(task *t, question *q)
{
        if (!t->ask || q->json.failed)
                return NULL;
        pthread_mutex_init(&q->lock, NULL);
        pthread_cond_init(&q->answered, NULL);
        if (napi_call_threadsafe_function(t->ask, q, napi_tsfn_blocking) == napi_ok) {
                pthread_mutex_lock(&q->lock);
                while (!q->done)
                        pthread_cond_wait(&q->answered, &q->lock);
                pthread_mutex_unlock(&q->lock);
        }
        pthread_cond_destroy(&q->answered);
        pthread_mutex_destroy(&q->lock);
        free(q->json.data);
        free(t->answers);
        t->answers = q->answer;
        return q->answer;
}

/* ---- The operations
 * -------------------------------------------------------------------------------- */

static void op_log_open(task *t)
{
        pawl_log_options options = PAWL_LOG_OPTIONS_INIT;
        pawl_log *log;

        options.flags = (unsigned)natural(t, 1);
        t->status = pawl_log_open(&log, t->arg[0], &options, &t->err);
        if (!t->status)
                make(t, LOG, log);
}

static void op_mission_load(task *t)
{
        pawl_mission *mission;

        t->status = pawl_mission_load(&mission, t->arg[0], &t->err);
        if (!t->status)
                make(t, MISSION, mission);
}

static void op_close(task *t)
{
        close_handle(t->on);
}

/* "pick N", "define TEXT" with the scope before it, "answer TEXT", or nothing. */
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

static void progress(pawl_run_stage stage, const char *step_id, size_t n, size_t of, void *user)
{
        static const char *const stages[] = {
                "checking", "running", "completed", "skipped", "blocked", "failed"};
        question q = {.what = "progress"};

        open(&q.json, NULL, "{");
        string(&q.json, "stage", stages[stage]);
        string(&q.json, "stepId", step_id);
        number(&q.json, "number", (double)n);
        number(&q.json, "of", (double)of);
        close_(&q.json, "}");
        (void)ask(user, &q);
}

/* arg: 1 what, 2 actor, 3 strictness, 4 flags, 5 time limit, 6 which functions there are */
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
        options.clarify_user = options.confirm_user = options.progress_user = t;
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

        memcpy(&h, t->arg[7], sizeof h);
        return h;
}

static void op_run(task *t)
{
        pawl_run_options options = run_options(t);
        pawl_run_result *result = NULL;

        options.run_id = t->arg[1];
        t->status = pawl_mission_run(&result, second(t)->pointer, log_of(t), &options, &t->err);
        finish_run(t, result);
}

static void op_resume(task *t)
{
        const pawl_run_options options = run_options(t);
        pawl_run_result *result = NULL;

        t->status = pawl_mission_resume(&result, log_of(t), t->arg[1], &options, &t->err);
        finish_run(t, result);
}

static void op_mission_look(task *t)
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

static void op_head(task *t)
{
        unsigned char hash[32];
        uint64_t seq;

        t->status = pawl_log_head(&seq, hash, log_of(t));
        from_log(t);
        if (t->status)
                return;
        open(&t->json, NULL, "{");
        number(&t->json, "seq", (double)seq);
        hex(&t->json, "hash", hash);
        close_(&t->json, "}");
}

/* arg: 0 after, 1 how many */
static void op_events(task *t)
{
        const uint64_t most = natural(t, 1);
        pawl_cursor *cursor;
        pawl_event event;

        t->status = pawl_cursor_open(&cursor, log_of(t), natural(t, 0));
        from_log(t);
        if (t->status)
                return;
        open(&t->json, NULL, "[");
        for (uint64_t n = 0; n < most && !t->status; n++) {
                t->status = pawl_cursor_next(cursor, &event);
                from_log(t);
                if (!t->status)
                        write_event(&t->json, &event);
        }
        close_(&t->json, "]");
        pawl_cursor_close(cursor);
        if (t->status == PAWL_DONE)
                t->status = PAWL_OK;
}

static void op_verify(task *t)
{
        pawl_verify_result result;

        t->status = pawl_log_verify(&result, log_of(t), 0, NULL);
        from_log(t);
        if (t->status)
                return;
        open(&t->json, NULL, "{");
        number(&t->json, "events", (double)result.events);
        close_(&t->json, "}");
}

static void op_runs(task *t)
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
                close_(&t->json, "}");
        }
        close_(&t->json, "]");
        pawl_runs_free(runs);
}

static void op_conflicts(task *t)
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
                text(&t->json, "answer", c->answer);
                close_(&t->json, "}");
        }
        close_(&t->json, "]");
        pawl_conflicts_free(list);
}

/* arg: 0 conflict, 1 pick, 2 definition, 3 scope, 4 actor, 5 answer */
static void op_resolve(task *t)
{
        const pawl_answer answer = {.pick = (size_t)natural(t, 1),
                .define = {t->arg[2], t->len[2]},
                .scope = {t->arg[3], t->len[3]},
                .answer = {t->arg[5], t->len[5]}};

        t->status = pawl_conflict_resolve(log_of(t), t->arg[0], &answer, t->arg[4], &t->err);
}

static void op_sessions(task *t)
{
        pawl_session_filter filter = PAWL_SESSION_FILTER_INIT;
        pawl_sessions *list;

        filter.mission_id = t->arg[0];
        filter.status = t->arg[1];
        filter.limit = (size_t)natural(t, 2);
        t->status = pawl_session_list(&list, log_of(t), &filter, &t->err);
        if (t->status)
                return;
        open(&t->json, NULL, "[");
        for (size_t i = 0; i < list->n; i++) {
                const pawl_session *s = &list->items[i];
                open(&t->json, NULL, "{");
                text(&t->json, "sessionId", s->session_id);
                text(&t->json, "missionId", s->mission_id);
                text(&t->json, "runId", s->run_id);
                text(&t->json, "actor", s->actor);
                text(&t->json, "status", s->status);
                text(&t->json, "reason", s->reason);
                text(&t->json, "currentStep", s->current_step);
                text(&t->json, "summary", s->summary);
                number(&t->json, "stepsCompleted", (double)s->steps_completed);
                number(&t->json, "stepsTotal", (double)s->steps_total);
                close_(&t->json, "}");
        }
        close_(&t->json, "]");
        pawl_sessions_free(list);
}

/* What an agent tells of its work: arg 3 the step, 4 a summary. */
static pawl_session_work work(const task *t)
{
        return (pawl_session_work){.current_step = t->arg[3], .summary = t->arg[4]};
}

/* arg: 0 mission, 1 actor, 2 take over */
static void op_session_start(task *t)
{
        pawl_session_options options = PAWL_SESSION_OPTIONS_INIT;
        const pawl_session_work told = work(t);
        char id[PAWL_SESSION_ID_MAX];

        options.actor = t->arg[1];
        options.take_over = natural(t, 2);
        t->status = pawl_session_start(id, log_of(t), t->arg[0], &told, &options, &t->err);
        if (!t->status)
                string(&t->json, NULL, id);
}

/* arg: 0 session, 1 actor, 2 reason */
static void op_session_checkpoint(task *t)
{
        const pawl_session_work told = work(t);
        uint64_t seq;

        t->status = pawl_session_checkpoint(&seq, log_of(t), t->arg[0], t->arg[1],
                t->arg[2] ? t->arg[2] : "manual", &told, &t->err);
        if (!t->status)
                number(&t->json, NULL, (double)seq);
}

/* arg: 0 session, 1 actor, 2 status */
static void op_session_end(task *t)
{
        const pawl_session_work told = work(t);

        t->status = pawl_session_end(log_of(t), t->arg[0], t->arg[1],
                t->arg[2] ? t->arg[2] : "completed", NULL, &told, &t->err);
}

static void op_handoff(task *t)
{
        char *document;
        size_t len;

        t->status = pawl_session_handoff(&document, &len, log_of(t), t->arg[0], 0, &t->err);
        if (t->status)
                return;
        text(&t->json, NULL, (pawl_text){document, len});
        pawl_free(document);
}

/* arg: 0 description, 1 only if changed, 2 root, 3 actor */
static void op_checkpoint(task *t)
{
        pawl_workspace_checkpoint_request request = PAWL_CHECKPOINT_REQUEST_INIT;
        pawl_workspace_options options = PAWL_WORKSPACE_OPTIONS_INIT;
        pawl_workspace_capture *capture;

        request.description = t->arg[0];
        request.only_if_changed = natural(t, 1);
        options.root = t->arg[2];
        options.actor = t->arg[3];
        t->status = pawl_workspace_checkpoint(&capture, log_of(t), &request, &options, &t->err);
        if (t->status < 0)
                return;
        open(&t->json, NULL, "{");
        write_checkpoint(&t->json, "info", &capture->info);
        boolean(&t->json, "taken", t->status == PAWL_OK);
        open(&t->json, "missed", "[");
        for (size_t i = 0; i < capture->n_missed; i++) {
                open(&t->json, NULL, "{");
                text(&t->json, "path", capture->missed[i].path);
                string(&t->json, "why", capture->missed[i].why);
                close_(&t->json, "}");
        }
        close_(&t->json, "]");
        close_(&t->json, "}");
        pawl_workspace_capture_free(capture);
        t->status = PAWL_OK;
}

static void op_checkpoints(task *t)
{
        pawl_workspace_checkpoints *list;

        t->status = pawl_workspace_checkpoint_list(&list, log_of(t), &t->err);
        if (t->status)
                return;
        open(&t->json, NULL, "[");
        for (size_t i = 0; i < list->n; i++)
                write_checkpoint(&t->json, NULL, &list->items[i]);
        close_(&t->json, "]");
        pawl_workspace_checkpoints_free(list);
}

/* arg: 0 which, 1 root, 2 actor; without which: undo */
static void op_rollback(task *t)
{
        pawl_workspace_options options = PAWL_WORKSPACE_OPTIONS_INIT;
        pawl_rollback_plan *plan;

        options.root = t->arg[1];
        options.actor = t->arg[2];
        t->status = t->arg[0] ? pawl_workspace_rollback(
                                        &plan, log_of(t), t->arg[0], NULL, &options, &t->err)
                              : pawl_workspace_undo(&plan, log_of(t), NULL, &options, &t->err);
        if (t->status)
                return;
        number(&t->json, NULL, (double)pawl_rollback_plan_look(plan).safety);
        pawl_rollback_plan_free(plan);
}

static void op_hash(task *t)
{
        char digits[65];

        t->status = pawl_json_hash(digits, t->arg[0], t->len[0], &t->err);
        if (!t->status)
                string(&t->json, NULL, digits);
}

static void op_canonical(task *t)
{
        char *canonical;
        size_t len;

        t->status = pawl_json_canonical(&canonical, &len, t->arg[0], t->len[0], &t->err);
        if (t->status)
                return;
        text(&t->json, NULL, (pawl_text){canonical, len});
        pawl_free(canonical);
}

static const struct {
        const char *name;
        kind on; /* 0: nothing */
        void (*run)(task *);
} operations[] = {
        {"logOpen", 0, op_log_open},
        {"missionLoad", 0, op_mission_load},
        {"hash", 0, op_hash},
        {"canonical", 0, op_canonical},
        {"missionLook", MISSION, op_mission_look},
        {"missionClose", MISSION, op_close},
        {"logClose", LOG, op_close},
        {"run", LOG, op_run},
        {"resume", LOG, op_resume},
        {"head", LOG, op_head},
        {"events", LOG, op_events},
        {"verify", LOG, op_verify},
        {"runs", LOG, op_runs},
        {"conflicts", LOG, op_conflicts},
        {"resolve", LOG, op_resolve},
        {"sessions", LOG, op_sessions},
        {"sessionStart", LOG, op_session_start},
        {"sessionCheckpoint", LOG, op_session_checkpoint},
        {"sessionEnd", LOG, op_session_end},
        {"handoff", LOG, op_handoff},
        {"checkpoint", LOG, op_checkpoint},
        {"checkpoints", LOG, op_checkpoints},
        {"rollback", LOG, op_rollback},
};

/* ---- Between the threads
 * ----------------------------------------------------------------------------- */

static void execute(napi_env env, void *data)
{
        task *t = data;

        (void)env;
        t->run(t);
        if (!t->status && t->json.failed) {
                t->status = PAWL_ENOMEM;
                snprintf(t->err.message, sizeof t->err.message, "out of memory");
        }
}

static void finalize_handle(napi_env env, void *data, void *hint)
{
        (void)env;
        (void)hint;
        close_handle(data);
        free(data);
}

static napi_value make_error(napi_env env, const task *t)
{
        napi_value message, error, value;

        napi_create_string_utf8(env, t->err.message, NAPI_AUTO_LENGTH, &message);
        napi_create_error(env, NULL, message, &error);
        napi_create_string_utf8(env, pawl_status_name(t->status), NAPI_AUTO_LENGTH, &value);
        napi_set_named_property(env, error, "status", value);
        napi_create_int32(env, (int)t->status, &value);
        napi_set_named_property(env, error, "code", value);
        return error;
}

static void free_task(napi_env env, task *t)
{
        if (t->keeps)
                napi_delete_reference(env, t->keeps);
        if (t->work)
                napi_delete_async_work(env, t->work);
        for (int i = 0; i < ARGS; i++)
                free(t->arg[i]);
        free(t->json.data);
        free(t->answers);
        free(t);
}

static void complete(napi_env env, napi_status status, void *data)
{
        task *t = data;
        napi_value value;

        if (t->ask)
                napi_release_threadsafe_function(t->ask, napi_tsfn_release);
        if (status == napi_ok && t->status >= 0) {
                if (t->made && napi_create_external(env, t->made, finalize_handle, NULL, &value) ==
                                       napi_ok)
                        t->made = NULL;
                else if (!t->made &&
                         napi_create_string_utf8(env, t->json.data ? t->json.data : "null",
                                 t->json.data ? t->json.len : 4, &value) != napi_ok)
                        napi_get_undefined(env, &value);
                napi_resolve_deferred(env, t->deferred, value);
        } else {
                napi_reject_deferred(env, t->deferred, make_error(env, t));
        }
        free_task(env, t);
}

/* The answer of JavaScript: answer(text). */
static napi_value take_answer(napi_env env, napi_callback_info info)
{
        napi_value argument;
        size_t argc = 1;
        void *data;
        question *q;

        if (napi_get_cb_info(env, info, &argc, &argument, NULL, &data) != napi_ok)
                return NULL;
        q = data;
        pthread_mutex_lock(&q->lock);
        if (argc && napi_get_value_string_utf8(env, argument, NULL, 0, &q->len) == napi_ok &&
                (q->answer = malloc(q->len + 1)))
                napi_get_value_string_utf8(env, argument, q->answer, q->len + 1, &q->len);
        q->done = true;
        pthread_cond_signal(&q->answered);
        pthread_mutex_unlock(&q->lock);
        return NULL;
}

static void call_ask(napi_env env, napi_value function, void *context, void *data)
{
        question *q = data;
        napi_value arguments[3], undefined;

        (void)context;
        if (env &&
                napi_create_string_utf8(env, q->what, NAPI_AUTO_LENGTH, &arguments[0]) == napi_ok &&
                napi_create_string_utf8(env, q->json.data, q->json.len, &arguments[1]) == napi_ok &&
                napi_create_function(env, NULL, 0, take_answer, q, &arguments[2]) == napi_ok &&
                napi_get_undefined(env, &undefined) == napi_ok &&
                napi_call_function(env, undefined, function, 3, arguments, NULL) == napi_ok)
                return; /* index.js answers in any case, once */
        pthread_mutex_lock(&q->lock);
        q->done = true;
        pthread_cond_signal(&q->answered);
        pthread_mutex_unlock(&q->lock);
}

/* ---- call(operation, handle, arguments, ask)
 * ----------------------------------------------------------- */

static bool is(napi_env env, napi_value value, napi_valuetype type)
{
        napi_valuetype of;

        return napi_typeof(env, value, &of) == napi_ok && of == type;
}

static bool take_text(napi_env env, task *t, int i, napi_value value)
{
        if (napi_get_value_string_utf8(env, value, NULL, 0, &t->len[i]) != napi_ok)
                return false;
        t->arg[i] = malloc(t->len[i] + 1);
        return t->arg[i] && napi_get_value_string_utf8(
                                    env, value, t->arg[i], t->len[i] + 1, &t->len[i]) == napi_ok;
}

/* Texts, null for what is absent, and at the last place another handle. */
static const char *take_arguments(napi_env env, task *t, napi_value array)
{
        uint32_t n;

        if (napi_get_array_length(env, array, &n) != napi_ok || n > ARGS)
                return "arguments: is no array";
        for (uint32_t i = 0; i < n; i++) {
                napi_value value;
                void *other;
                if (napi_get_element(env, array, i, &value) != napi_ok)
                        return "arguments: cannot be read";
                if (is(env, value, napi_external) && i == ARGS - 1) {
                        napi_get_value_external(env, value, &other);
                        if (!((handle *)other)->pointer)
                                return "the mission is closed";
                        t->arg[i] = malloc(sizeof other);
                        if (!t->arg[i])
                                return "out of memory";
                        memcpy(t->arg[i], &other, sizeof other);
                } else if (is(env, value, napi_string)) {
                        if (!take_text(env, t, (int)i, value))
                                return "out of memory";
                }
        }
        return NULL;
}

static const char *find_operation(task *t, kind *on, const char *wanted)
{
        for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
                if (strcmp(operations[i].name, wanted) == 0) {
                        t->run = operations[i].run;
                        *on = operations[i].on;
                        return NULL;
                }
        return "no such operation";
}

static const char *take_handle(napi_env env, task *t, kind on, napi_value value)
{
        void *data;

        if (!on)
                return NULL;
        if (!is(env, value, napi_external) || napi_get_value_external(env, value, &data) != napi_ok)
                return "is no handle";
        t->on = data;
        if (t->on->kind != on)
                return "is a handle of something else";
        if (!t->on->pointer)
                return "is closed";
        return napi_create_reference(env, value, 1, &t->keeps) == napi_ok ? NULL : "out of memory";
}

static napi_value call(napi_env env, napi_callback_info info)
{
        napi_value argv[4], promise, label;
        char wanted[32];
        size_t argc = 4, len;
        kind on = 0;
        task *t = calloc(1, sizeof *t);
        const char *wrong = t ? NULL : "out of memory";

        if (!wrong &&
                (napi_get_cb_info(env, info, &argc, argv, NULL, NULL) != napi_ok || argc < 3 ||
                        napi_get_value_string_utf8(env, argv[0], wanted, sizeof wanted, &len) !=
                                napi_ok))
                wrong = "wants an operation, a handle and arguments";
        if (!wrong)
                wrong = find_operation(t, &on, wanted);
        if (!wrong)
                wrong = take_handle(env, t, on, argv[1]);
        if (!wrong)
                wrong = take_arguments(env, t, argv[2]);
        if (!wrong && napi_create_string_utf8(env, "pawl", NAPI_AUTO_LENGTH, &label) != napi_ok)
                wrong = "out of memory";
        if (!wrong && argc > 3 && is(env, argv[3], napi_function) &&
                napi_create_threadsafe_function(env, argv[3], NULL, label, 0, 1, NULL, NULL, NULL,
                        call_ask, &t->ask) != napi_ok)
                wrong = "out of memory";
        if (!wrong && (napi_create_promise(env, &t->deferred, &promise) != napi_ok ||
                              napi_create_async_work(env, NULL, label, execute, complete, t,
                                      &t->work) != napi_ok ||
                              napi_queue_async_work(env, t->work) != napi_ok))
                wrong = "out of memory";
        if (!wrong)
                return promise;
        if (t)
                free_task(env, t);
        napi_throw_error(env, "PAWL_EINVAL", wrong);
        return NULL;
}

/* From any thread, while another call is at work. */
static napi_value interrupt(napi_env env, napi_callback_info info)
{
        napi_value argv[2];
        size_t argc = 2;
        void *data;
        bool on;

        if (napi_get_cb_info(env, info, &argc, argv, NULL, NULL) == napi_ok && argc == 2 &&
                is(env, argv[0], napi_external) &&
                napi_get_value_external(env, argv[0], &data) == napi_ok &&
                ((handle *)data)->kind == LOG && ((handle *)data)->pointer &&
                napi_get_value_bool(env, argv[1], &on) == napi_ok)
                pawl_log_interrupt(((handle *)data)->pointer, on);
        return NULL;
}

NAPI_MODULE_INIT()
{
        napi_value function;

        if (napi_create_function(env, "call", NAPI_AUTO_LENGTH, call, NULL, &function) == napi_ok)
                napi_set_named_property(env, exports, "call", function);
        if (napi_create_function(env, "interrupt", NAPI_AUTO_LENGTH, interrupt, NULL, &function) ==
                napi_ok)
                napi_set_named_property(env, exports, "interrupt", function);
        napi_create_string_utf8(env, pawl_version(), NAPI_AUTO_LENGTH, &function);
        napi_set_named_property(env, exports, "version", function);
        return exports;
}
