/**
 * @file service/execute.h
 * @brief Running commands of the registry for a request.
 */
#ifndef SERVICE_EXECUTE_H
#define SERVICE_EXECUTE_H

#include "command/registry.h"
#include "service/route.h"

#define SERVICE_OUTPUT_MAX (32 * 1024 * 1024) /* bytes that a command may print for a request */

/** The result of a command. Zero-initialised is none; service_outcome_free(). */
typedef struct service_outcome {
        int code;           /**< its exit code */
        pawl_error failure; /**< PAWL_OK: it did not fail */
        pawl__buf output;   /**< one JSON value; empty: it printed nothing */
} service_outcome;

/**
 * Run the command of this name in this call: with its log, workspace and actor.
 *
 * @return PAWL_OK when it ran, whatever its result. Otherwise it did not start: PAWL_ENOTFOUND for
 *         what is no command or not served, PAWL_EREADONLY for one that changes under --read-only,
 *         PAWL_EINVAL for one that needs a workspace where there is none, PAWL_ENOMEM.
 */
PAWL_MUST_CHECK pawl_status service_execute(service_outcome *outcome, service_call *call,
        const char *name, const char *const *args, size_t n, pawl_error *err);
void service_outcome_free(service_outcome *outcome);

/** The routes. */
void service_execute_command(service_answer *answer, service_call *call);
void service_list_commands(service_answer *answer, service_call *call);

#endif
