/**
 * @file service/execute.h
 * @brief One command of the registry, run for a request: at once, or as a stream of its lines.
 */
#pragma once

#include "service/long_call.h"

#define SERVICE_ARGS_MAX   256
#define SERVICE_OUTPUT_MAX (32 * 1024 * 1024) /* bytes that a command may print, or of a line */

/** A command and what became of it. It stays where it is. */
typedef struct service_execution {
        service_long_call base; /**< of one that is streamed */
        const char *name;
        const char *args[SERVICE_ARGS_MAX];
        size_t n;
        pawl__arena arena; /**< of name and args, and of what a stream needs beside them */
        cli_context in;
        cli_call cli;
        int code;           /**< its exit code; before that, the one of reading its arguments */
        pawl_error failure; /**< PAWL_OK: it did not fail */
        pawl__buf output;   /**< one JSON value; empty: it printed nothing */
} service_execution;

void service_execution_free(service_execution *of);

/** Is it one JSON value? */
bool service_is_json(pawl_text text);
/** The failure of a command that ended with a code and told none: a verdict, such as a block. */
void service_execution_note(service_execution *of);

/** Does the command print lines, and change nothing? Then it can be streamed. */
bool service_execution_streams(const service_execution *of);
/**
 * Run it in a thread of its own; each line that it prints is an event. @p of, made by malloc(), is
 * the stream's from then on, unless this fails, as service_long_call_start() does.
 */
PAWL_MUST_CHECK pawl_status service_execution_stream(
        service_answer *answer, service_execution *of, const service_call *call, pawl_error *err);
