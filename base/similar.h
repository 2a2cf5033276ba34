/**
 * @file base/similar.h
 * @brief "did you mean ...?": the known name that a mistyped one is nearest to.
 */
#pragma once

#include "base/text.h"

/** A search among the names that are given to pawl__similar_try(). */
typedef struct pawl__similar {
        pawl_text typed;
        /** Words that are used elsewhere, each with the name that it has here; ended by NULL.
         *  May be NULL. */
        const char *const (*synonyms)[2];
        const char *found; /**< the nearest so far, the first of several; NULL: none is near */
        size_t distance;   /**< of it, if there is one */
} pawl__similar;

/**
 * Look at a known name, which is borrowed.
 *
 * Near are a synonym; a name that differs in a third of its letters at most, where each letter that
 * is added, left out, changed, or swapped with the next one counts (the distance of Damerau and
 * Levenshtein in its restricted form); and a name that begins with what was typed, three letters or
 * more. In this order.
 */
void pawl__similar_try(pawl__similar *search, const char *name);
