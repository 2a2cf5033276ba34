/**
 * @file cli/pawl/backoff.h
 * @brief Runs that a worker does not take again at once, since they could not be carried out.
 */
#pragma once

#include <pawl/base.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum cli_backoff_why {
        CLI_BACKOFF_BUSY,   /**< another worker has it */
        CLI_BACKOFF_KILLED, /**< its process was killed: it is in line */
        CLI_BACKOFF_FAILED
} cli_backoff_why;

typedef struct cli_backoff {
        char run_id[129];
        int64_t until_ms; /**< by the boot clock */
        unsigned times, kills;
        bool given_up; /**< it is not taken any more */
} cli_backoff;

/** Set once, the others zero. Free items. */
typedef struct cli_backoffs {
        cli_backoff *items;
        size_t n, cap;
        bool once; /**< of a worker that ends when nothing is in line: it gives runs up */
} cli_backoffs;

/** May the run be taken? */
bool cli_backoff_passed(const cli_backoffs *list, pawl_text run_id, int64_t now_ms);
/** It was carried out. */
void cli_backoff_forget(cli_backoffs *list, const char *run_id);
/** Let the run that was taken at @p since_ms be for a while: longer each time, unless this time
 *  took longer than that. *given_up: it is not taken any more. PAWL_ENOMEM. */
PAWL_MUST_CHECK pawl_status cli_backoff_put_off(bool *given_up, cli_backoffs *list,
        const char *run_id, int64_t since_ms, int64_t now_ms, cli_backoff_why why);
/** Is there one that is to be taken again: now, or, with @p later, after that? */
bool cli_backoff_any(const cli_backoffs *list, int64_t now_ms, bool later);
