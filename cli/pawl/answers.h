/**
 * @file cli/pawl/answers.h
 * @brief Answers to many conflicts as JSON: objects as `pawl conflicts --json` prints them, with
 * the answer beside.
 */
#ifndef CLI_PAWL_ANSWERS_H
#define CLI_PAWL_ANSWERS_H

#include "base/text.h"
#include <pawl/pipeline.h>

typedef struct cli_answers {
        const char *name; /**< of the file, for messages */
        pawl_conflict_answer *items;
        size_t *places; /**< beside them: a line of JSON Lines, an element of an array from 1 */
        size_t n;
        bool array;
} cli_answers;

/** From JSON Lines, or one array of the same objects. Each has a conflict_id and one of pick,
 *  define and dismiss; one that has none is passed over. PAWL_EPARSE, PAWL_EINVAL name the line.
 *  All of it lives in @p arena. */
PAWL_MUST_CHECK pawl_status cli_answers_read(
        cli_answers *out, const char *name, pawl_text text, pawl__arena *arena, pawl_error *err);

/** Say of which of them a failure is: "FILE: line 3: ...". */
pawl_status cli_answers_failed(
        const cli_answers *answers, size_t i, pawl_status status, pawl_error *err);

#endif
