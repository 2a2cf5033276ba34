/**
 * @file agents/jsonc.h
 * @brief JSON that may have comments and trailing commas, looked at as spans of its text: for those
 *        who change a part and leave every other byte as it is.
 */
#pragma once

#include "base/text.h"

/** From the first byte of a value, or of a member with its name, to behind the last. */
typedef struct pawl__jsonc_span {
        const char *from, *to; /**< from NULL: there is none */
} pawl__jsonc_span;

extern const pawl__jsonc_span pawl__jsonc_none;

/** Past white space and comments. */
const char *pawl__jsonc_skip_blank(const char *p, const char *end);
/** Past the value that begins at @p p. NULL: it is none, or nested too deep. @p depth: 0. */
const char *pawl__jsonc_skip_value(const char *p, const char *end, unsigned depth);

bool pawl__jsonc_is_object(pawl__jsonc_span value);
bool pawl__jsonc_is_array(pawl__jsonc_span value);

/** One child of a container after another, of a text that was checked as a whole: begin with *p
 * just after the bracket. False: there is none left. */
bool pawl__jsonc_child(pawl__jsonc_span *name, pawl__jsonc_span *value, const char **p,
        pawl__jsonc_span container);
/** The member's value, of several of one name the last; *whole, unless NULL, is the member with its
 *  name. Of what is no object: none. */
pawl__jsonc_span pawl__jsonc_get(
        pawl__jsonc_span *whole, pawl__jsonc_span object, const char *wanted);
