/**
 * @file cli/pawl/answers.h
 * @brief Answers to many conflicts as JSON: objects as `pawl conflicts --json` prints them, with
 * the answer beside.
 */
#pragma once

#include "command/command.h"
#include "document/fields.h"
#include <pawl/pipeline.h>

/** One that is refused. */
typedef struct cli_wrong {
        size_t place;
        pawl_error why;
} cli_wrong;

typedef struct cli_answers {
        const char *name; /**< of the file, for messages */
        pawl_conflict_answer *items;
        size_t *places; /**< beside them: a line of JSON Lines, an element of an array from 1 */
        size_t n;
        size_t n_wrong;
        cli_wrong wrong[PAWL__PROBLEMS_MOST]; /**< the first of them, by their places */
        bool array;
        pawl__arena *arena;
} cli_answers;

/** From JSON Lines, or one array of the same objects. Each has a conflict_id and one of pick,
 *  define, dismiss and answer; one that has none is passed over, one that is no such object is
 * among the wrong ones. All of it lives in @p arena. PAWL_EPARSE: an array that does not end, or
 * such. */
PAWL_MUST_CHECK pawl_status cli_answers_read(
        cli_answers *out, const char *name, pawl_text text, pawl__arena *arena, pawl_error *err);

/** The answer number @p i is refused; @p user is the cli_answers. */
void cli_answers_refuse(size_t i, const pawl_error *why, void *user);
/** Tell which are wrong, in their order, ten at most, each by its place: "FILE: line 3: ..."; the
 *  last of them is the failure. PAWL_OK: none is. */
PAWL_MUST_CHECK pawl_status cli_answers_report(
        const cli_answers *answers, const cli_call *cli, pawl_error *err);
