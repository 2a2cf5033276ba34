/**
 * @file cli/printable.h
 * @brief Text from outside, made fit to be shown: it can colour, move, hide or reorder nothing.
 *
 * Ids, terms, definitions, paths and messages come from files and people. Control characters (C0,
 * DEL, C1), line separators, bidirectional controls, invisible tag characters and bytes that are
 * not UTF-8 appear as escapes: \x1b for a byte, \u202e for a character.
 */
#ifndef CLI_PRINTABLE_H
#define CLI_PRINTABLE_H

#include "base/text.h"
#include <stdio.h>

/** Append @p text to @p out, escaped. */
PAWL_MUST_CHECK pawl_status cli_printable(pawl__buf *out, pawl_text text);
/** Write it to a stream, escaped; needs no memory. */
void cli_put(FILE *stream, pawl_text text);
void cli_puts(FILE *stream, const char *string);

/** At most @p max characters (bytes that start one), with an ellipsis where some were left off. */
void cli_put_cut(FILE *stream, pawl_text text, size_t max);

/** Must this character be escaped before a terminal sees it? */
bool cli_unsafe(uint32_t codepoint);

/** The character at the start of valid UTF-8 of at least a byte; *len its bytes. */
uint32_t cli_codepoint(const char *at, size_t *len);

/** Colours go to a terminal alone, and not under NO_COLOR or TERM=dumb. */
bool cli_colours(FILE *stream);

#endif
