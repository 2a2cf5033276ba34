/**
 * @file cli/eventlog/rows.h
 * @brief Events one a line: as a table, or as JSON Lines of envelopes.
 */
#pragma once

#include "base/digest.h"
#include "base/text.h"
#include "command/table.h"
#include <pawl/events.h>

/** Zero-initialise, set out, json and log, then cli_rows_open(). */
typedef struct cli_rows {
        FILE *out;
        bool json;
        pawl_log *log;    /**< that the events are from */
        cli_table *table; /**< NULL for JSON */
        pawl__buf line;   /**< scratch */
        pawl__arena arena;
        pawl_text run_id, shown; /**< of the row before; in the arena */
} cli_rows;

PAWL_MUST_CHECK pawl_status cli_rows_open(cli_rows *rows, pawl_error *err);
/** A cli_event_fn, whose @p user is the cli_rows. */
PAWL_MUST_CHECK pawl_status cli_rows_event(const pawl_event *event, void *user, pawl_error *err);
/** Print what waits for its column widths. */
PAWL_MUST_CHECK pawl_status cli_rows_flush(cli_rows *rows, pawl_error *err);
void cli_rows_close(cli_rows *rows);

/** Print one envelope, and a newline; @p line is scratch. */
PAWL_MUST_CHECK pawl_status cli_print_envelope(
        FILE *out, pawl__buf *line, pawl_log *log, const pawl_event *event, pawl_error *err);

/** Which events: absent texts and 0 let all pass; the run by its id or its beginning. */
typedef struct cli_event_filter {
        pawl_text type, run_id, step_id, mission_id;
        uint64_t since; /**< the first seq */
        uint64_t until; /**< the last seq; 0: the head */
        bool newest;    /**< only some of those that pass, */
        uint64_t last;  /**< so many of the newest */
} cli_event_filter;

typedef pawl_status (*cli_event_fn)(const pawl_event *event, void *user, pawl_error *err);

/** Call @p fn for each event that passes, in seq order. *head (may be NULL): the last seq there
 * was. */
PAWL_MUST_CHECK pawl_status cli_each_event(uint64_t *head, pawl_log *log,
        const cli_event_filter *filter, cli_event_fn fn, void *user, pawl_error *err);

/** seq and hash, in hex, of the last event. */
typedef struct cli_head {
        uint64_t seq;
        char hex[2 * PAWL__HASH_LEN + 1];
} cli_head;

extern const cli_field cli_head_fields[];

PAWL_MUST_CHECK pawl_status cli_read_head(cli_head *out, pawl_log *log, pawl_error *err);
