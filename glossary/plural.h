/**
 * @file glossary/plural.h
 * @brief Plurals of English nouns: made from the singular, and back.
 *
 * Words are folded. Plurals are made generously: a form that is no word is never met in a text, and
 * costs nothing. Where one must be cut without knowing its singular, only what is safe is cut.
 */
#pragma once

#include "base/text.h"

/** Append every plural that a word may have, each ended by a NUL. */
void pawl__plurals(pawl__buf *out, pawl_text word);

/** Append every word whose plural this one may be, each ended by a NUL; itself is none of them. */
void pawl__singulars(pawl__buf *out, pawl_text word);

/** Cut a plural to its singular in place, where that is safe: of `ies` remains `y`; `es` goes after
 *  ss, x, ch, sh and the like; a final s goes unless the word has 3 letters or fewer or ends in ss,
 *  us, as, is or os. Returns the length. */
size_t pawl__singular(char *word, size_t len);
