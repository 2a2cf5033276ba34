/**
 * @file workspace/scan/glob.h
 * @brief One pattern of a .gitignore against one path, byte by byte, in time that no pattern can
 *        blow up.
 *
 * A pattern is a chain of parts, and matching follows all the places in it at once where the text
 * so far may have led (Thompson's simulation): at most parts times bytes, without going back.
 *
 *     *        any bytes but '/'
 *     ?        any byte but '/'
 *     [a-z]    one of these, but not '/'; [!a-z] and [^a-z] one that is none of them; a ']' that
 *              is first is one of them; [:alpha:] and the other classes of POSIX, of ASCII
 *     \x       the byte x
 *     **       between slashes, or at an end: any number of directories
 *
 * Where letters are folded, those of ASCII are one in either case, as git does it with
 * core.ignoreCase: in the text, in what stands for itself, in ranges and in classes; but a capital
 * that is alone in a bracket, or behind a backslash, matches nothing.
 *
 * A pattern that is malformed (a bracket that is not closed, an unknown class, a backslash at its
 * end) matches nothing. Where the manual of git is silent, what git does is the measure: so "**"
 * stands for directories also where all that is before it is plain: "a**" and "/b" matches
 * "ax/y/b".
 */
#pragma once

#include "base/text.h"

typedef struct pawl__glob_part pawl__glob_part;

/** A pattern, compiled. Zero-initialised is empty: it matches the empty text. */
typedef struct pawl__glob {
        pawl__glob_part *parts;
        size_t n;
        unsigned char (*sets)[32]; /* of brackets, a bit a byte */
        size_t n_sets;
        uint64_t *places; /* two rows, each a bit a part and one for the end */
        bool never;       /* malformed */
        bool fold;
} pawl__glob;

/** A capital of ASCII as its small letter, any other byte as it is. */
static inline char pawl__glob_small(char c)
{
        return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}
/** How many of its bytes, from the first on, stand for themselves. */
size_t pawl__glob_plain(pawl_text pattern);
/** Compile a pattern, from its first byte on that does not stand for itself. @p fold: letters are
 * folded. PAWL_ENOMEM leaves *out as it was. */
PAWL_MUST_CHECK pawl_status pawl__glob_compile(pawl__glob *out, pawl_text pattern, bool fold);
/** Does the whole text match? (It uses room within the pattern: one thread at a time.) */
bool pawl__glob_match(pawl__glob *glob, pawl_text text);
void pawl__glob_free(pawl__glob *glob);
