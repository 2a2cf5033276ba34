/**
 * @file glossary/terms.h
 * @brief What a step is told of the glossary: the terms that its inputs use, and the answers given
 * for it, each with the sense that decides.
 */
#pragma once

#include "base/json_write.h"
#include "glossary/extract.h"
#include <pawl/pipeline.h>

/** Which step, and where its terms are looked for. */
typedef struct pawl__terms_query {
        pawl_log *log;
        pawl__state *state;
        pawl__glossary *glossary;
        const pawl__metadata *metadata; /**< NULL: it has none */
        pawl_text run_id, step_id;
        const pawl__terms *found; /**< those of the inputs; NULL: look for them */
        pawl_text inputs;         /**< canonical; absent: they are not kept */
} pawl__terms_query;

/** Sorted by term; texts and items lie in the arena. A term that is ambiguous, or that the glossary
 *  does not define, has no sense that decides, and is left out. */
PAWL_MUST_CHECK pawl_status pawl__terms_decided(
        pawl_glossary_terms *out, pawl__arena *arena, const pawl__terms_query *q, pawl_error *err);

/** As an array of {"term","definition","scope","confidence","source","conflict_id"}. */
void pawl__terms_write(pawl__json_writer *w, const pawl_glossary_terms *terms);
/** As Markdown: "- **term**: definition", a line each. */
PAWL_MUST_CHECK pawl_status pawl__terms_markdown(
        pawl__buf *out, const pawl_glossary_terms *terms, pawl_error *err);

/** Steps of a run, for readers of the log. */
typedef struct pawl__steps_query {
        const pawl__row *run, *steps; /**< rows of the state tables */
        size_t n;
        const pawl__metadata *metadata; /**< beside the steps; NULL: it is not looked at */
        bool now;                       /**< all of them by the glossary as it is */
} pawl__steps_query;

/** What each is told; *out has one item a step. One that runs or has completed: what it was told,
 * by the glossary as it was when its command started (of a step that a fork has from another run:
 * there); another: by the glossary as it is. Of a step that has no inputs yet, or whose inputs are
 * not kept, only the answers. */
PAWL_MUST_CHECK pawl_status pawl__terms_of_steps(pawl_glossary_terms **out, pawl__arena *arena,
        pawl_log *log, const pawl__steps_query *of, pawl_error *err);
