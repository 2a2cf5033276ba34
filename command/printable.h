/**
 * @file command/printable.h
 * @brief Text from outside, made fit to be shown: it can colour, move, hide or reorder nothing.
 *
 * Ids, terms, definitions, paths and messages come from files and people: they are escaped as
 * base/printable.h says.
 */
#pragma once

#include "base/printable.h"
#include <stdio.h>

/** Write it to a stream, escaped; needs no memory. */
void cli_put(FILE *stream, pawl_text text);
void cli_puts(FILE *stream, const char *string);

/** As fprintf() prints, of %s, %.*s, %d, %zu and PRIu64 and PRId64; what strings put in goes
 * escaped. CLI_FMT() is the two arguments of a text. */
void cli_putf(FILE *stream, const char *format, ...) PAWL_PRINTF(2, 3);
#define CLI_FMT(text) ((int)(text).len), ((text).data ? (text).data : "")

/** The same of a text of lines: to a terminal all but line feeds and tabs goes escaped, elsewhere
 * it goes as it is. */
void cli_put_lines(FILE *stream, pawl_text text);

/** Write what is made of lines with breaks at words, none of which is wider than @p width: what
 *  follows a break is below the column that two spaces lead to, else is set in by two. Words in
 *  backquotes and in brackets stay together. */
void cli_put_wrapped(FILE *stream, const char *lines, size_t width);

typedef struct cli_wrap {
        FILE *out, *text;
        char *lines;
        size_t len, width;
} cli_wrap;
/** What to print lines to that are to reach @p out wrapped to its terminal; @p out itself where it
 *  is none. */
FILE *cli_wrap_begin(cli_wrap *wrap, FILE *out);
void cli_wrap_end(cli_wrap *wrap);

/** As a word of a command line: in quotes where a shell would read more into it. */
void cli_put_word(FILE *stream, pawl_text text);

/** A line of a listing, "name         value"; nothing where it is absent. */
void cli_put_line(FILE *stream, const char *name, pawl_text value);

/** The columns of a terminal that a text takes, where LC_CTYPE is C.UTF-8; *cut: the bytes of it
 * that take @p most at most. */
size_t cli_measure(pawl_text text, size_t most, size_t *cut);
/** What takes @p max columns of a terminal at most, with an ellipsis, which takes one more, where
 * some was left off. @return the columns that it takes */
size_t cli_put_cut(FILE *stream, pawl_text text, size_t max);

/** "4.2 MB": three digits at most, powers of 1,000. */
void cli_size_text(char out[32], uint64_t bytes);

/** Do people read it? What a service prints into is no terminal. */
bool cli_is_terminal(FILE *stream);
/** Its columns; 0: it is no terminal. */
size_t cli_terminal_width(FILE *stream);
/** Colours go to a terminal alone, and not under NO_COLOR or TERM=dumb. */
bool cli_colours(FILE *stream);
