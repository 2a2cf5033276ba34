/**
 * @file glossary/propose.h
 * @brief What documents would put into a glossary, best first.
 */
#pragma once

#include "glossary/definitions.h"
#include "glossary/extract.h"

/** Where something stands. */
typedef struct pawl__cited {
        pawl_text text;   /**< on one line; absent: none */
        size_t document;  /**< its number */
        uint64_t line;    /**< from 1 */
        const char *form; /**< how a definition is written */
} pawl__cited;

typedef struct pawl__proposal {
        pawl_text surface, normal;
        const char *source;        /**< the rule of layer 1 that finds it; else "definition" */
        uint64_t count, documents; /**< times in prose, and in so many documents */
        pawl__cited first;         /**< where it is first, with the words around it */
        pawl__cited *definitions;  /**< the surest first */
        size_t n_definitions;
} pawl__proposal;

typedef struct pawl__proposals {
        pawl__proposal *items;
        size_t n;
} pawl__proposals;

/**
 * The terms of documents (valid UTF-8) that the glossary (NULL: none) does not know: those that the
 * documents define, and of what layer 1 finds what is frequent enough. Ranked by how often, in how
 * many documents and in which form they are written, and how they are defined; then by normal form.
 * Results live in the arena. PAWL_ENOMEM, PAWL_ETOOBIG.
 */
PAWL_MUST_CHECK pawl_status pawl__propose(pawl__proposals *out, pawl__arena *arena,
        pawl__glossary *glossary, const pawl_text *documents, size_t n, pawl_error *err);
