/**
 * @file bindings/node/src/task.h
 * @brief A call that a thread of libuv makes: its arguments, its handle, its result.
 */
#pragma once

#define NAPI_VERSION 8
#include "fields.h"
#include <node_api.h>
#include <pthread.h>

enum { ARGS = 16 };

typedef enum kind { LOG = 1, MISSION, THREADS, PIPELINE, CONTEXT } kind;

typedef struct handle {
        kind kind;
        void *pointer;        /* NULL: closed */
        pthread_mutex_t lock; /* of the pointer and run_fd, for interrupt() from another thread */
        int run_fd; /* of a log: a byte here is a signal to the run that is under way; -1: none */
        unsigned lease_ms;     /* of a log: how long its claims hold without renewal */
        struct handle *log;    /* of a pipeline */
        unsigned users;        /* of a log: its pipelines */
        bool dropped;          /* nobody has it but they */
        struct question *asks; /* what its call waits for; under the lock, as is leaving */
        bool leaving;          /* JavaScript ends, and takes no more questions */
} handle;

/* A question, or progress, on its way to JavaScript and back. */
typedef struct question {
        const char *what;
        json_out json;
        char *answer; /* JSON of index.js's own: "pick N", "define SCOPE\0TEXT" and such; malloc'd
                       */
        size_t len;
        bool done, leaving; /* leaving: JavaScript ends, and may not have seen it */
        bool left;          /* nobody waits any more: it is the queue's, to JavaScript, alone */
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
        handle *second;    /* among the arguments; NULL: none */
        napi_ref keeps[2]; /* both */
        handle *made;
        char *arg[ARGS];
        size_t len[ARGS];
        json_out json;
        pawl_status status;
        pawl_error err;
        char *answers; /* of the last question, valid until the next */
};

pawl_log *task_log(task *t);
void task_from_log(task *t);
/* An argument as a number; 0 where it is absent. */
uint64_t task_natural(const task *t, int i);
/* A new handle is what the call gives. */
void task_make(task *t, kind kind, void *pointer);
void close_handle(handle *h);
/* End the run that is at work on a log, as by SIGINT. Is there one? */
bool end_run(handle *h);
/* Close and free it: a log that pipelines stand on with the last of them. */
void drop_handle(handle *h);
void close_pipeline(void *pointer);
/* Ask JavaScript and wait, also for its end; claims of the log are renewed meanwhile. NULL: there
 * is no answer. */
const char *task_ask(task *t, question *q);
/* Puts a question to JavaScript: what a thread-safe function calls on its thread. */
void put_question(napi_env env, napi_value function, void *context, void *data);
/* A conflict, and inputs that changed, as questions: pawl_clarify_fn and pawl_confirm_fn, whose
 * user is the task. */
pawl_status task_clarify(pawl_answer *answer, const pawl_conflict *conflict, void *user);
pawl_status task_confirm(bool *yes, const pawl_input_change *change, void *user);
void write_conflict(json_out *o, const pawl_conflict *c);
void write_conflict_members(json_out *o, const pawl_conflict *c);

/* The operations. */
void op_context_input_change(task *), op_handoff_json(task *), op_handoff_parse(task *),
        op_run_find(task *), op_session(task *), op_step_checkpoint_latest(task *),
        op_step_checkpoint_parse(task *), op_steps(task *);
void op_backup(task *), op_diff(task *), op_mission_check(task *), op_mission_params(task *),
        op_mission_set(task *), op_pin(task *), op_senses(task *), op_session_update(task *),
        op_step_checkpoint(task *);
void op_canonical(task *), op_checkpoint(task *), op_checkpoints(task *), op_close(task *),
        op_conflicts(task *), op_events(task *), op_handoff(task *), op_hash(task *),
        op_head(task *), op_log_open(task *), op_mission_load(task *), op_mission_look(task *),
        op_resolve(task *), op_resume(task *), op_rollback(task *), op_run(task *), op_runs(task *),
        op_session_checkpoint(task *), op_session_end(task *), op_session_start(task *),
        op_sessions(task *), op_verify(task *), op_threads_open(task *), op_threads_delete(task *);
void op_append(task *), op_cancel(task *), op_context_new(task *), op_skip(task *),
        op_submit(task *), op_pipeline_complete(task *), op_pipeline_end_run(task *),
        op_pipeline_failed(task *), op_pipeline_open(task *), op_pipeline_renew(task *),
        op_pipeline_run(task *), op_pipeline_seed(task *);
