/**
 * @file state/answer_way.h
 * @brief How a conflict is answered, as every message and every list of pawl says it.
 */
#pragma once

#include "state/state.h"

/** What the command that answers a conflict has to name. */
typedef struct pawl__answer_way {
        pawl_text id;       /**< of the conflict, as it is to be shown */
        const char *option; /**< "--pick N", "--answer TEXT" or "--define TEXT" */
        pawl_text actor; /**< the first of those who may answer a question; absent: everybody may */
        bool is_signed;  /**< its run takes signed answers alone */
} pawl__answer_way;

const char *pawl__answer_option(bool is_question, bool can_pick);
/** What a log that lost the mission of the run requires is not known. Texts live in the row and the
 *  arena. @p other: of another conflict of the run, or NULL. */
PAWL_MUST_CHECK pawl_status pawl__answer_way_of(pawl__answer_way *out, pawl_log *log,
        const pawl__row *conflict, const pawl__answer_way *other, pawl__arena *arena,
        pawl_error *err);

/** Append "pawl resolve ID --pick N", with who answers and how it is signed where that is needed.
 *  @p named: pawl__state_named(), or "". */
void pawl__answer_add(pawl__buf *out, const pawl__answer_way *way, const char *named);

enum { PAWL__ANSWER_MAX = 1200 };
/** The same for "%s". */
const char *pawl__answer_command(char out[PAWL__ANSWER_MAX], const pawl__answer_way *way);
#define PAWL__ANSWER_COMMAND(way) pawl__answer_command((char[PAWL__ANSWER_MAX]){""}, way)
