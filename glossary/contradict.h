/**
 * @file glossary/contradict.h
 * @brief Does a text contradict what terms mean (rules, layer 2: inconsistent)?
 *
 * A text contradicts a definition where it says of the term, in its singular or plural and in any
 * case, one of two things:
 * - "is not a KEYWORD" (or are, isn't, aren't, "is no"; a, an, the or no article), with a key word
 *   of the definition;
 * - "means X", "refers to X", "is a X", "is an X" or "are X", where X, up to the sentence's end,
 * has words but under 30 % of the definition's key words. Key words are the definition's words of
 * three letters or more, by normal form, without common words and the term itself. A sentence ends
 * at . ! or ? before white space or the end, at an ideographic full stop, and at a blank line.
 */
#pragma once

#include "base/text.h"

/** A term, as its normal form, what it means, and where to say whether that is contradicted. */
typedef struct pawl__definition_check {
        pawl_text term, definition;
        bool *contradicted;
} pawl__definition_check;

/** Set *contradicted of each claim that @p text contradicts; leave the others alone. The terms
 *  differ. One pass over the text, however many claims. PAWL_ENOMEM, PAWL_ETOOBIG. */
PAWL_MUST_CHECK pawl_status pawl__contradictions(
        pawl_text text, const pawl__definition_check *claims, size_t n);
