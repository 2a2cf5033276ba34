/**
 * @file glossary/lint.h
 * @brief What is wrong with a glossary as a whole, though each of its senses is well formed.
 */
#pragma once

#include "glossary/glossary.h"

typedef enum pawl__lint_kind {
        PAWL__LINT_UNUSED,    /**< no run's inputs use the term */
        PAWL__LINT_DUPLICATE, /**< two terms that are one, or one that is two */
        PAWL__LINT_UNDEFINED, /**< a definition uses what looks like a term, and is none */
        PAWL__LINT_CIRCLE,    /**< terms that are defined by one another */
        PAWL__LINT_KINDS
} pawl__lint_kind;

const char *pawl__lint_kind_name(pawl__lint_kind kind);

typedef struct pawl__lint_sense {
        pawl_text surface, normal, definition;
        pawl__scope scope;
        pawl__sense_status status;
        bool used;      /**< or nothing is known of that */
        bool alias;     /**< its normal form is a further one of the sense of its surface */
        bool context;   /**< others are compared with it, it is not looked at itself */
        const char *at; /**< where it stands; NULL: in the log */
} pawl__lint_sense;

typedef struct pawl__lint_finding {
        pawl__lint_kind kind;
        const pawl__lint_sense *sense; /**< the first that it is about */
        pawl_text term;                /**< its surface; of PAWL__LINT_UNDEFINED the word */
        pawl_text *others;             /**< the other terms */
        size_t n_others;
        const char *why; /**< of two that are near: in which way */
} pawl__lint_finding;

typedef struct pawl__lint_findings {
        pawl__lint_finding *items;
        size_t n;
} pawl__lint_findings;

/**
 * Look at the active senses and drafts among @p senses, which must outlive the findings. They are
 * by kind, then in the order of the senses. Results live in the arena. PAWL_ENOMEM, PAWL_ETOOBIG.
 */
PAWL_MUST_CHECK pawl_status pawl__lint(pawl__lint_findings *out, pawl__arena *arena,
        const pawl__lint_sense *senses, size_t n, pawl_error *err);
