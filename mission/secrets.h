/**
 * @file mission/secrets.h
 * @brief Secrets of a mission: variables of this process that its commands get, and that are struck
 * out of what is kept of them.
 *
 * Struck out, with "***" in their place, are a value as it is, as a string of JSON has it, and in
 * base64 (either alphabet, whatever is before and after it, line breaks in between, those that a
 * string of JSON has too); of a value of many lines also with CR LF as its line ends.
 */
#pragma once

#include "mission/mission.h"

typedef struct pawl__secrets {
        pawl_text *forms; /**< what is looked for */
        size_t n;
        bool starts[256]; /**< does one start with this byte? */
} pawl__secrets;

/** Their values now. PAWL_EINVAL naming the first that is not set, or has fewer than 4 bytes.
 *  Everything lives in the arena. */
PAWL_MUST_CHECK pawl_status pawl__secrets_load(
        pawl__secrets *out, pawl__arena *arena, const pawl_mission *mission, pawl_error *err);

/** Strike them out, in place. The text does not grow. */
void pawl__secrets_strike(const pawl__secrets *secrets, pawl__buf *text);
/** The same of a text that goes on, unless @p ended: what may be the beginning of a secret stays as
 *  it is at its end.
 *  @return how many bytes before that can be taken away */
size_t pawl__secrets_strike_begun(const pawl__secrets *secrets, pawl__buf *text, bool ended);
/** The same of a C string. */
void pawl__secrets_strike_string(const pawl__secrets *secrets, char *string);
/** The same of a command's output, in the canonical form too where it is JSON. */
PAWL_MUST_CHECK pawl_status pawl__secrets_strike_output(
        const pawl__secrets *secrets, pawl__buf *output, pawl_error *err);
