/**
 * @file cli/pawl/senses.h
 * @brief The senses in force: what the glossary says now, or said at an earlier seq.
 *
 * In force are the senses of no seed version (clarified, imported), and those of the version of
 * each scope's seed that was used last.
 */
#pragma once

#include "command/command.h"
#include "glossary/glossary.h"

/** Rows of PAWL__SENSES, in the table's order. Texts live in the arena. */
typedef struct cli_senses {
        pawl__arena arena;
        pawl__row *rows;
        size_t n, cap;
} cli_senses;

/** @p at: as the glossary was after that event, by a replay; 0: now, by the state tables. */
PAWL_MUST_CHECK pawl_status cli_senses_read(
        cli_senses *out, pawl_log *log, uint64_t at, pawl_error *err);
void cli_senses_free(cli_senses *senses);

/** The normal form of the term that the first argument is; it lives in the call's arena. */
PAWL_MUST_CHECK pawl_status cli_term_read(pawl_text *normal, const cli_call *cli, pawl_error *err);

/** Add the senses in force by the log that is found, if there is one; one that was named must be
 * there. */
PAWL_MUST_CHECK pawl_status cli_glossary_load(
        pawl__glossary *glossary, const cli_call *cli, pawl_error *err);

/** A step that completed with a sense that holds no more. Texts live in the call's arena. */
typedef struct cli_affected_step {
        pawl_text run_id, mission_id, step_id;
        bool rerun; /**< `pawl resume RUN --rerun-changed` runs it again */
} cli_affected_step;

/** Zero-initialised is none; items is to be freed. */
typedef struct cli_affected_steps {
        cli_affected_step *items;
        size_t n, cap;
} cli_affected_steps;

/** Add, once, the steps that completed when this sense, a row as it was before it changed, decided
 *  what its term means to them. @p mission: of this mission alone, or empty. */
PAWL_MUST_CHECK pawl_status cli_affected_add(cli_affected_steps *out, const cli_call *cli,
        pawl_log *log, const cli_senses *senses, const pawl__row *sense, pawl_text mission,
        pawl_error *err);
