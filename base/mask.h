/**
 * @file base/mask.h
 * @brief Values that must not be kept or shown, and their replacement by "***".
 *
 * A value is found as it is, without the white space around it, in JSON's escapes, and in base64:
 * in either alphabet and whatever precedes it. Each of its lines of 8 characters or more is found
 * on its own. Line breaks within a value may be missing, added, or written in another way.
 *
 * How it works: both the values and the text are read in one plain form, in which JSON's escapes
 * stand for their characters, and backslashes and line breaks are left out. So one comparison finds
 * a value however often it was escaped: `a"b` also as `a\"b`, `a\u0022b` and `a\\\"b`. The time
 * is linear in the text. It depends on the text alone, so that the same output is masked alike in
 * each attempt.
 */
#pragma once

#include "base/memory.h"

enum {
        PAWL__MASK_LEAST = 4, /**< bytes of a value; fewer could not be told from other text */
        PAWL__MASK_LINE = 8   /**< characters of a line that is masked on its own */
};

/** Zero-initialised it masks nothing. */
typedef struct pawl__mask {
        struct pawl__mask_form *forms; /**< sorted */
        size_t n, cap;
        size_t first[257]; /**< the first form that begins with this byte */
        pawl__arena arena;
} pawl__mask;

/** Add a value. PAWL_EINVAL: it has too few bytes; PAWL_ENOMEM. */
PAWL_MUST_CHECK pawl_status pawl__mask_add(pawl__mask *mask, pawl_text value);
void pawl__mask_free(pawl__mask *mask);

/** Mask a text in place. It does not grow. @p mask may be NULL: it masks nothing. */
void pawl__mask_buf(const pawl__mask *mask, pawl__buf *text);
/** As pawl__mask_buf(), of a text that continues unless @p ended: what may be the beginning of a
 *  value stays as it is at its end.
 *  @return how many bytes before that are final */
size_t pawl__mask_begun(const pawl__mask *mask, pawl__buf *text, bool ended);
/** A text that is masked as it comes. Zero-initialised it has none yet. */
typedef struct pawl__mask_stream {
        pawl__buf pending; /**< what was returned last, then what is not final */
        size_t final;      /**< bytes of the former */
} pawl__mask_stream;

/** Add the next bytes of the text; none are its end.
 *  @param final  those that are final now, masked; valid until the next call */
PAWL_MUST_CHECK pawl_status pawl__mask_stream_next(
        pawl_text *final, pawl__mask_stream *stream, const pawl__mask *mask, pawl_text next);
void pawl__mask_stream_free(pawl__mask_stream *stream);
/** As pawl__mask_buf(), of a C string. */
void pawl__mask_string(const pawl__mask *mask, char *string);
/** As pawl__mask_buf(), of a copy in the arena where there is something to mask. */
PAWL_MUST_CHECK pawl_status pawl__mask_text(
        pawl_text *text, const pawl__mask *mask, pawl__arena *arena);
