/**
 * @file base/ids.h
 * @brief The form of ids that come from outside: missions, runs, steps, sessions, actors, terms.
 */
#pragma once

#include <pawl/base.h>

/** Longest id, bytes. Two of these, with everything else at its longest, keep a checkpoint under
 *  1,024 bytes. */
#define PAWL__ID_MAX 128

/**
 * A mission, run, step, session, actor or conflict id: 1 to 128 bytes of valid UTF-8 without
 * control characters, white space at either end, '/' or '\'. It is not "." or "..", and does not
 * begin with '-': commands take it as it is.
 *
 * @param what  what it is, for the message: "step id".
 * @return PAWL_EINVAL naming what is wrong and what is allowed.
 */
PAWL_MUST_CHECK pawl_status pawl__id_check(pawl_text id, const char *what, pawl_error *err);
