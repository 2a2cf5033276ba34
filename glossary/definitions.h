/**
 * @file glossary/definitions.h
 * @brief Where a document itself says what a term means.
 *
 * Read are Markdown's tables whose columns are called so ("term", "meaning"), definition lists
 * (PHP Markdown Extra's ": " and AsciiDoc's "::"), paragraphs and items that begin with a term in
 * bold or as code ("**X**: ...", "- `X` - ..."), and sentences ("An X is a ...", "X means ...").
 * Fenced code and front matter are passed over. Text is valid UTF-8.
 */
#pragma once

#include "base/text.h"
#include "glossary/markup.h"

/** How a definition is written, the surest first. */
typedef enum pawl__definition_form {
        PAWL__IN_TABLE,
        PAWL__IN_LIST,
        PAWL__AS_BOLD,
        PAWL__BY_MEANS,
        PAWL__BY_IS,
        PAWL__AS_CODE,
        PAWL__DEFINITION_FORMS
} pawl__definition_form;

const char *pawl__definition_form_name(pawl__definition_form form);

typedef struct pawl__definition {
        pawl_text term; /**< as written, without markup */
        pawl_text text; /**< on one line, without markup, up to PAWL__DEFINITION_MAX bytes */
        size_t at;      /**< where in the document its paragraph or row begins */
        pawl__definition_form form;
} pawl__definition;

enum { PAWL__DEFINITION_MAX = 400 };

/** The texts are valid during the call. Any status but PAWL_OK ends the search and is its result.
 */
typedef pawl_status (*pawl__definition_fn)(const pawl__definition *found, void *user);

/** Every definition of a document, in order. PAWL_ENOMEM. */
PAWL_MUST_CHECK pawl_status pawl__definitions_find(
        pawl_text document, const pawl__markups *markups, pawl__definition_fn fn, void *user);
