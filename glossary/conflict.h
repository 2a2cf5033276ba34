/**
 * @file glossary/conflict.h
 * @brief Layer 2's rules: is a term a conflict, of which type, and how severe.
 */
#pragma once

#include "base/json_write.h"
#include "glossary/extract.h"
#include <pawl/pipeline.h>

typedef enum pawl__conflict_type {
        PAWL__UNKNOWN,
        PAWL__AMBIGUOUS,
        PAWL__INCONSISTENT,
        PAWL__UNRESOLVED_CRITICAL,
        PAWL__QUESTION /**< about no term: pipeline/question.h */
} pawl__conflict_type;

/** A severity that is not known is read as PAWL__SEVERITY_HIGH. */
typedef enum pawl__severity {
        PAWL__SEVERITY_NONE,
        PAWL__SEVERITY_LOW,
        PAWL__SEVERITY_MEDIUM,
        PAWL__SEVERITY_HIGH
} pawl__severity;

const char *pawl__conflict_type_name(pawl__conflict_type type);
bool pawl__conflict_type_of(pawl__conflict_type *out, pawl_text name);
const char *pawl__severity_name(
        pawl__severity severity);                 /* "none", "low", "medium"; any other: "high" */
pawl__severity pawl__severity_of(pawl_text name); /* any other name: high */

/** One finding. Candidates are copies of the senses, by scope precedence, then confidence. */
typedef struct pawl__finding {
        pawl_text term; /**< the normal form */
        pawl_text original, context;
        pawl__conflict_type type;
        pawl__severity severity;
        double confidence;
        pawl__sense *candidates;
        size_t n_candidates;
} pawl__finding;

typedef struct pawl__findings {
        pawl__finding *items;
        size_t n;
} pawl__findings;

/**
 * The findings over @p terms, in their order. @p output (absent for inputs) is where `inconsistent`
 * is looked for: all texts of the output, one after the other, a blank line between (see
 * glossary/contradict.h). Everything is copied into @p arena.
 */
PAWL_MUST_CHECK pawl_status pawl__findings_make(pawl__findings *out, pawl__arena *arena,
        const pawl__glossary *glossary, const pawl__terms *terms, bool critical, pawl_text output,
        pawl_error *err);

pawl__severity pawl__findings_severity(const pawl__findings *findings); /**< the highest */

/** Re-evaluate findings by the present glossary. `inconsistent` ones stay open; the others do
 * unless their term now has exactly one active sense in its deciding scope. Open findings get the
 * present candidates; one whose term has become ambiguous, or is no longer, changes its type. None
 * becomes less severe. */
PAWL_MUST_CHECK pawl_status pawl__findings_reevaluate(pawl__findings *out, pawl__arena *arena,
        const pawl__glossary *glossary, const pawl__findings *recorded, pawl_error *err);

/* ---- JSON: the one place that knows how senses, candidates and findings are written ---------- */

/** A sense as callers see it; borrows its texts. */
pawl_sense pawl__sense_public(const pawl__sense *sense);
/** {"confidence","definition","scope","surface"}. */
void pawl__sense_write(pawl__json_writer *w, const pawl_sense *sense);
/** An array of those, in the order that a pick counts, copied into the arena. What is missing is
 *  absent, a confidence 1: the log's events were checked when they were appended. */
PAWL_MUST_CHECK pawl_status pawl__candidates_read(
        pawl_sense **out, size_t *n, pawl__arena *arena, pawl_text json, pawl_error *err);

/** One finding, as in the arrays below; with @p conflict_id, unless that is absent. */
void pawl__finding_write(pawl__json_writer *w, const pawl__finding *finding, pawl_text conflict_id);
/** The findings array of SemanticCheckEvaluated and conflicts of GenerationBlocked..., and back:
 *  PAWL_EINVAL "finding N: FIELD: ..." for a missing or malformed field (N counts from 1). A text
 *  that is absent is null; of `original` and `context` null is read as absent, and a missing
 *  `original` too. Unknown members are ignored, an unknown severity is high. */
void pawl__findings_write(pawl__json_writer *w, const pawl__findings *findings);
PAWL_MUST_CHECK pawl_status pawl__findings_read(pawl__findings *out, pawl__arena *arena,
        const pawl__json_tree *tree, pawl__node array, pawl_error *err);
