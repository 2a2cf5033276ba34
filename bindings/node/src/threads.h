/* Threads of graph runners, beside call(): values go to and fro as they are, and not as JSON. */
#ifndef PAWL_NODE_THREADS_H
#define PAWL_NODE_THREADS_H

#include "task.h"

/* threadsPut(handle, items, now) and threadsList(handle, filter, now): see threads.c. */
napi_value threads_put(napi_env env, napi_callback_info info);
napi_value threads_list(napi_env env, napi_callback_info info);
/* What a handle of them points to. */
void close_threads(void *pointer);

/* The promise's or the exception's error. */
napi_value make_error(napi_env env, pawl_status status, const pawl_error *err);

#endif
