/*
 * The library for Node, by Node-API: one function, call(operation, handle, arguments, ask), which
 * does its work on a thread of Node's pool and promises JSON. What a program sees is in index.js.
 *
 * A handle has one call at a time: index.js sees to that. Questions of a run are put to JavaScript
 * by a thread-safe function; the run's thread waits for the answer.
 */
#include "task.h"
#include "threads.h"
#include <signal.h>
#include <unistd.h>

pawl_log *task_log(task *t)
{
        return t->on->pointer;
}

void task_from_log(task *t)
{
        if (t->status < 0)
                snprintf(t->err.message, sizeof t->err.message, "%s", pawl_log_errmsg(task_log(t)));
}

uint64_t task_natural(const task *t, int i)
{
        return t->arg[i] ? strtoull(t->arg[i], NULL, 10) : 0;
}

void task_make(task *t, kind kind, void *pointer)
{
        t->made = calloc(1, sizeof *t->made);
        if (t->made) {
                *t->made = (handle){.kind = kind,
                        .pointer = pointer,
                        .lock = PTHREAD_MUTEX_INITIALIZER,
                        .run_fd = -1};
                return;
        }
        close_handle(
                &(handle){.kind = kind, .pointer = pointer, .lock = PTHREAD_MUTEX_INITIALIZER});
        t->status = PAWL_ENOMEM;
}

void close_handle(handle *h)
{
        pthread_mutex_lock(&h->lock);
        void *pointer = h->pointer;
        h->pointer = NULL;
        pthread_mutex_unlock(&h->lock);
        if (!pointer)
                return;
        switch (h->kind) {
        case LOG:
                pawl_log_close(pointer);
                break;
        case MISSION:
                pawl_mission_free(pointer);
                break;
        case THREADS:
                close_threads(pointer);
                break;
        case PIPELINE:
                close_pipeline(pointer);
                break;
        case CONTEXT:
                pawl_context_free(pointer);
                break;
        }
}

void drop_handle(handle *h)
{
        h->dropped = true;
        if (h->users)
                return;
        close_handle(h);
        free(h);
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
        {"missionParams", MISSION, op_mission_params},
        {"missionSet", MISSION, op_mission_set},
        {"missionCheck", MISSION, op_mission_check},
        {"missionClose", MISSION, op_close},
        {"logClose", LOG, op_close},
        {"run", LOG, op_run},
        {"resume", LOG, op_resume},
        {"submit", LOG, op_submit},
        {"skip", LOG, op_skip},
        {"cancel", LOG, op_cancel},
        {"head", LOG, op_head},
        {"events", LOG, op_events},
        {"verify", LOG, op_verify},
        {"runs", LOG, op_runs},
        {"conflicts", LOG, op_conflicts},
        {"resolve", LOG, op_resolve},
        {"sessions", LOG, op_sessions},
        {"sessionStart", LOG, op_session_start},
        {"sessionUpdate", LOG, op_session_update},
        {"sessionCheckpoint", LOG, op_session_checkpoint},
        {"sessionEnd", LOG, op_session_end},
        {"handoff", LOG, op_handoff},
        {"handoffJson", LOG, op_handoff_json},
        {"handoffParse", 0, op_handoff_parse},
        {"runFind", LOG, op_run_find},
        {"session", LOG, op_session},
        {"stepCheckpointLatest", LOG, op_step_checkpoint_latest},
        {"stepCheckpointParse", 0, op_step_checkpoint_parse},
        {"steps", LOG, op_steps},
        {"checkpoint", LOG, op_checkpoint},
        {"checkpoints", LOG, op_checkpoints},
        {"rollback", LOG, op_rollback},
        {"diff", LOG, op_diff},
        {"pin", LOG, op_pin},
        {"senses", LOG, op_senses},
        {"stepCheckpoint", LOG, op_step_checkpoint},
        {"backup", LOG, op_backup},
        {"append", LOG, op_append},
        {"pipelineOpen", LOG, op_pipeline_open},
        {"contextNew", 0, op_context_new},
        {"contextInputChange", CONTEXT, op_context_input_change},
        {"contextClose", CONTEXT, op_close},
        {"pipelineSeed", PIPELINE, op_pipeline_seed},
        {"pipelineRun", PIPELINE, op_pipeline_run},
        {"pipelineComplete", PIPELINE, op_pipeline_complete},
        {"pipelineFailed", PIPELINE, op_pipeline_failed},
        {"pipelineRenew", PIPELINE, op_pipeline_renew},
        {"pipelineEndRun", PIPELINE, op_pipeline_end_run},
        {"pipelineClose", PIPELINE, op_close},
        {"threadsOpen", 0, op_threads_open},
        {"threadsDelete", THREADS, op_threads_delete},
        {"threadsClose", THREADS, op_close},
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
        drop_handle(data);
}

napi_value make_error(napi_env env, pawl_status status, const pawl_error *err)
{
        napi_value message, error, value;

        napi_create_string_utf8(env, err->message, NAPI_AUTO_LENGTH, &message);
        napi_create_error(env, NULL, message, &error);
        napi_create_string_utf8(env, pawl_status_name(status), NAPI_AUTO_LENGTH, &value);
        napi_set_named_property(env, error, "status", value);
        napi_create_int32(env, (int)status, &value);
        napi_set_named_property(env, error, "code", value);
        return error;
}

static void free_task(napi_env env, task *t)
{
        for (int i = 0; i < 2; i++)
                if (t->keeps[i])
                        napi_delete_reference(env, t->keeps[i]);
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
        if (status == napi_ok && t->status >= 0 && !t->made &&
                napi_create_string_utf8(env, t->json.data ? t->json.data : "null",
                        t->json.data ? t->json.len : 4, &value) != napi_ok) {
                t->status = PAWL_ENOMEM;
                snprintf(t->err.message, sizeof t->err.message,
                        "the answer is too large for a string; ask for less at a time");
        }
        if (status == napi_ok && t->status >= 0) {
                if (t->made && napi_create_external(env, t->made, finalize_handle, NULL, &value) ==
                                       napi_ok)
                        t->made = NULL;
                else if (t->made)
                        napi_get_undefined(env, &value);
                napi_resolve_deferred(env, t->deferred, value);
        } else {
                napi_reject_deferred(env, t->deferred, make_error(env, t->status, &t->err));
        }
        free_task(env, t);
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

/* Texts, null for what is absent, and among them at most one other handle. */
static const char *take_arguments(napi_env env, task *t, napi_value array)
{
        uint32_t n;

        if (napi_get_array_length(env, array, &n) != napi_ok || n > ARGS)
                return "arguments: is not an array";
        for (uint32_t i = 0; i < n; i++) {
                napi_value value;
                if (napi_get_element(env, array, i, &value) != napi_ok)
                        return "arguments: cannot be read";
                if (is(env, value, napi_external)) {
                        napi_get_value_external(env, value, (void **)&t->second);
                        if (!t->second->pointer)
                                return "the other handle is closed";
                        if (t->keeps[1] ||
                                napi_create_reference(env, value, 1, &t->keeps[1]) != napi_ok)
                                return "arguments: one other handle at most";
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
                return "is not a handle";
        t->on = data;
        if (t->on->kind != on)
                return "is a handle of something else";
        if (!t->on->pointer)
                return "is closed";
        return napi_create_reference(env, value, 1, &t->keeps[0]) == napi_ok ? NULL
                                                                             : "out of memory";
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
                        put_question, &t->ask) != napi_ok)
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

bool end_run(handle *h)
{
        const char signal = SIGINT;

        return h->run_fd >= 0 && write(h->run_fd, &signal, 1) != 0; /* it may be full of them */
}

/* While another call is at work, too. */
static napi_value interrupt(napi_env env, napi_callback_info info)
{
        napi_value argv[2];
        size_t argc = 2;
        void *data;
        bool on;

        if (napi_get_cb_info(env, info, &argc, argv, NULL, NULL) != napi_ok || argc != 2 ||
                !is(env, argv[0], napi_external) ||
                napi_get_value_external(env, argv[0], &data) != napi_ok ||
                napi_get_value_bool(env, argv[1], &on) != napi_ok)
                return NULL;
        handle *h = data;
        if (h->kind != LOG)
                return NULL;
        pthread_mutex_lock(&h->lock);
        if (h->pointer && !(on && end_run(h)))
                pawl_log_interrupt(h->pointer, on);
        pthread_mutex_unlock(&h->lock);
        return NULL;
}

/* leave(handle): its call, if one is at work, is not to wait for what JavaScript has not seen yet.
 */
static napi_value leave(napi_env env, napi_callback_info info)
{
        napi_value argument;
        size_t argc = 1;
        void *data;

        if (napi_get_cb_info(env, info, &argc, &argument, NULL, NULL) != napi_ok || argc != 1 ||
                !is(env, argument, napi_external) ||
                napi_get_value_external(env, argument, &data) != napi_ok)
                return NULL;
        handle *h = data;
        pthread_mutex_lock(&h->lock);
        h->leaving = true;
        if (h->asks) {
                pthread_mutex_lock(&h->asks->lock);
                h->asks->leaving = true;
                pthread_cond_signal(&h->asks->answered);
                pthread_mutex_unlock(&h->asks->lock);
        }
        pthread_mutex_unlock(&h->lock);
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
        if (napi_create_function(env, "leave", NAPI_AUTO_LENGTH, leave, NULL, &function) == napi_ok)
                napi_set_named_property(env, exports, "leave", function);
        if (napi_create_function(
                    env, "threadsPut", NAPI_AUTO_LENGTH, threads_put, NULL, &function) == napi_ok)
                napi_set_named_property(env, exports, "threadsPut", function);
        if (napi_create_function(
                    env, "threadsList", NAPI_AUTO_LENGTH, threads_list, NULL, &function) == napi_ok)
                napi_set_named_property(env, exports, "threadsList", function);
        napi_create_string_utf8(env, pawl_version(), NAPI_AUTO_LENGTH, &function);
        napi_set_named_property(env, exports, "version", function);
        return exports;
}
