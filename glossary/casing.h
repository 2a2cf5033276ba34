/**
 * @file glossary/casing.h
 * @brief Classifies a word by the case of its letters: an acronym, or an identifier.
 *
 * Marks belong to their letter, so that composed and decomposed words are classified alike.
 */
#pragma once

#include "base/text.h"

/** Bits of what a word is. */
enum {
        PAWL__IS_ACRONYM = 1,         /**< 2 to 5 capital letters and nothing else */
        PAWL__IS_PATTERN = 2,         /**< snake_case, SCREAMING_SNAKE, camelCase or PascalCase */
        PAWL__IS_SEGMENT = 4,         /**< lower-case letters and digits: a part of kebab-case */
        PAWL__STARTS_LOWER = 8,       /**< its first character is a lower-case letter */
        PAWL__IS_PLURAL_ACRONYM = 64, /**< two capitals or more and an s */
        PAWL__IS_CAPITALS = 128       /**< two capitals or more and no other letter */
};

/** @p word: letters, digits, marks and underscores. */
unsigned pawl__casing(pawl_text word);
