/**
 * @file bindings/node/src/threads.h
 * @brief Threads of graph runners, beside call(): values go to and fro as they are, not as JSON.
 */
#pragma once

#include "task.h"

typedef struct node_threads {
        pawl_log *log;
        pawl_threads *threads;
} node_threads;

/* A call. */
typedef struct block {
        struct block *next;
        char data[];
} block;

typedef struct job {
        node_threads *on;
        napi_ref keeps; /* the handle */
        napi_async_work work;
        napi_deferred deferred;
        block *memory;
        pawl_thread_checkpoint *items; /* NULL: it lists */
        size_t n;
        pawl_thread_filter filter;
        bool plain;
        pawl_thread_checkpoint after;
        pawl_thread_checkpoints *list;
        pawl_status status;
        pawl_error err;
} job;

/* Memory of the call; zeroed, and a byte more. */
void *job_alloc(job *j, size_t size);
/* A string, or a Uint8Array; what is neither is absent. */
bool get_at(pawl_text *out, napi_env env, job *j, napi_value array, uint32_t at);
/* What is to be put: see items.c. */
bool get_items(napi_env env, job *j, napi_value array);

/* threadsPut(handle, items, now) and threadsList(handle, filter, now): see threads.c. */
napi_value threads_put(napi_env env, napi_callback_info info);
napi_value threads_list(napi_env env, napi_callback_info info);
/* What a handle of them points to. */
void close_threads(void *pointer);

/* The promise's or the exception's error. */
napi_value make_error(napi_env env, pawl_status status, const pawl_error *err);
