/**
 * @file glossary/normal.h
 * @brief The normal form of a term: what makes two surfaces one.
 */
#pragma once

#include "base/text.h"

/**
 * Append the normal form of @p surface: NFC, case-folded, trimmed, inner white space a single
 * space, and the last word's plural made singular where that is safe (glossary/plural.h). Names are
 * not cut: identifiers, words in capitals, and what a hyphen joins. Valid UTF-8 in, valid UTF-8
 * out; empty for a surface of white space.
 */
PAWL_MUST_CHECK pawl_status pawl__normal_form(pawl__buf *out, pawl_text surface);

/** The same, with a plural left as it is: of a normal form, itself. */
PAWL_MUST_CHECK pawl_status pawl__folded_form(pawl__buf *out, pawl_text surface);

/** Is the last word an identifier or in capitals, so that its last s is part of it? */
bool pawl__is_name(pawl_text surface);

/** Only the folding (NFC and case), for text that is searched. */
PAWL_MUST_CHECK pawl_status pawl__fold(pawl__buf *out, pawl_text text);

/** Is a folded word an ordinary one of English prose (glossary/ordinary_words.txt)? */
bool pawl__common_word(pawl_text word);
/** Is it that, or what people write in capitals though it is no acronym? */
bool pawl__stress_word(pawl_text word);
/** Is it a verb or an adverb of English, and no noun (glossary/verbs.txt)? */
bool pawl__verb(pawl_text word);
/** Is it an adjective, and seldom or never a noun (glossary/adjectives.txt)? */
bool pawl__adjective(pawl_text word);
/** Is it a noun, and seldom a verb or an adjective (glossary/nouns.txt)? */
bool pawl__noun(pawl_text word);
