/**
 * @file cli/pawl/changed.h
 * @brief What a command changes of the glossary: the senses as they are from then on, those that
 * hold no more, and which steps completed with those.
 */
#pragma once

#include "cli/pawl/senses.h"
#include "command/table.h"
#include "glossary/seed.h"

typedef struct cli_changed cli_changed;

/** Add the events of the change to the batch; @p user is the command's own. The senses in force are
 *  changed->senses. */
typedef pawl_status cli_change_fn(cli_changed *changed, pawl__batch *batch, pawl_error *err);

/** A sense that changes, or that holds no more. */
typedef struct cli_changed_sense {
        pawl_text scope, surface, alias, definition, status, mission;
        double confidence;
} cli_changed_sense;

/** The row of one that holds no more, and for which mission; empty: for all. */
typedef struct cli_retired_sense {
        const pawl__row *row;
        pawl_text mission;
} cli_retired_sense;

/** Zero-initialise, set the first four. All texts live in the call's arena. */
struct cli_changed {
        const cli_call *cli;
        pawl_log *log;
        cli_change_fn *make;
        void *user;

        cli_senses senses; /**< as they were, while it is made and afterwards */
        pawl__state *state;
        uint64_t seq; /**< of the last event; 0: there is none */
        bool changed; /**< there is, or would be with --dry-run, an event */
        bool dry_run;
        cli_changed_sense *now, *former;
        size_t n_now, n_former, cap_now, cap_former;
        cli_retired_sense *retired; /**< beside former */
        size_t cap_retired;
        cli_affected_steps affected;
};

/** Make the change in one transaction, which sees the log as it is then; with --dry-run only look
 *  what it would be. Then find the steps. */
PAWL_MUST_CHECK pawl_status cli_change(cli_changed *changed, pawl_error *err);
void cli_changed_free(cli_changed *changed);

/** A row that holds no more for that mission, or for any (empty), beside those that the events
 *  retire; while it is made. */
PAWL_MUST_CHECK pawl_status cli_changed_retire(
        cli_changed *changed, const pawl__row *row, pawl_text mission, pawl_error *err);

/** Print one JSON object: the members of @p item by its table, and those of the change. */
PAWL_MUST_CHECK pawl_status cli_changed_json(
        const cli_changed *changed, const cli_field *fields, const void *item, pawl_error *err);
/** For people, the end of a line that says what was done: that it was not. */
const char *cli_changed_note(const cli_changed *changed);
/** For people: which steps completed with what holds no more. */
void cli_changed_print_steps(const cli_changed *changed);
