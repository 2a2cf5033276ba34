/**
 * @file glossary/people.h
 * @brief Who speaks in documents, or is named as a writer of them.
 */
#pragma once

#include "base/map.h"
#include "glossary/tokens.h"

/** Look at the next word of a document; @p people keeps by normal form how sure it is that it is a
 *  name, in the arena. *byline is false at a line's start. PAWL_ENOMEM, or PAWL_ETOOBIG. */
PAWL_MUST_CHECK pawl_status pawl__people_take(pawl__map *people, pawl__arena *arena, pawl__buf *buf,
        pawl_text document, const pawl__token *word, bool *byline);

/** Is the normal form a person's name, or does it begin with one? */
bool pawl__people_has(const pawl__map *people, pawl_text normal);
