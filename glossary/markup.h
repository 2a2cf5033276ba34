/**
 * @file glossary/markup.h
 * @brief What of a text is no prose: Markdown's front matter and fenced code, link targets, URLs,
 * HTML tags; and inline code.
 */
#pragma once

#include "base/text.h"

typedef enum pawl__markup_kind {
        PAWL__NOT_PROSE,  /**< no new term is in it */
        PAWL__IDENTIFIER, /**< inline code that has the form of one; without its backticks and "()"
                           */
        PAWL__INLINE_CODE /**< other inline code: no quotation is in it */
} pawl__markup_kind;

typedef struct pawl__markup {
        pawl__markup_kind kind;
        size_t start, end;
} pawl__markup;

typedef struct pawl__markups {
        pawl__markup *items;
        size_t n, cap;
} pawl__markups;

/** Those of a text in order, in place of what the list held; none overlaps another. PAWL_ENOMEM. */
PAWL_MUST_CHECK pawl_status pawl__markups_find(pawl__markups *out, pawl_text text);
