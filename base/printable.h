/**
 * @file base/printable.h
 * @brief Text from outside, escaped so that it cannot change how a terminal shows other text.
 *
 * Control characters (C0, DEL, C1), line separators, bidirectional controls, invisible tag
 * characters and bytes that are not UTF-8 appear as escapes: \x1b for a byte, \u202e for a
 * character.
 */
#pragma once

#include "base/text.h"

/** Room for one escape and its NUL. */
#define PAWL__ESCAPE_MAX 16

/** Must this character be escaped before a terminal sees it? */
bool pawl__unprintable(uint32_t codepoint);

/** How many bytes from the start of the text are shown as they are. Where something is left,
 *  @p escape replaces its first *skip bytes. */
size_t pawl__printable_span(pawl_text text, char escape[PAWL__ESCAPE_MAX], size_t *skip);

/** Is it a word of a command line as it stands, into which no shell reads more? */
bool pawl__is_plain_word(pawl_text text);

enum { PAWL__WORD_MAX = 4 * 200 + 3 };
/** Such a word in @p out, in quotes where it has to be: of at most 200 bytes of the text, for
 *  messages. @return @p out. */
const char *pawl__word(char out[PAWL__WORD_MAX], pawl_text text);
/** The same for "%s". */
#define PAWL__WORD(text) pawl__word((char[PAWL__WORD_MAX]){""}, text)

/** Append all of the text as such a word, escaped. */
pawl_status pawl__word_add(pawl__buf *out, pawl_text text);

/** Append @p text to @p out, escaped. */
pawl_status pawl__printable(pawl__buf *out, pawl_text text);
