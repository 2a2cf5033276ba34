/**
 * @file tests/support/pipeline.h
 * @brief A context with nothing around it, for a layer; and a log with a pipeline, for the chain.
 */
#pragma once

#include "pipeline/chain.h"
#include "pipeline/layers.h"
#include "support/test.h"

/** A clock that is at 2026-11-20T12:35:00Z and ids that count:
 * 00000000-0000-4000-8000-000000000001 is the first. */
struct counted {
        unsigned uuids;
        int64_t passed_ms; /**< by the boot clock, since the test began */
};
pawl_sources counted_sources(struct counted *counted);

/* ---- A context alone ------------------------------------------------------------------------ */

/** Scripted answers of a person: one a question, deferred past the end. */
struct script {
        const pawl_answer *answers;
        size_t n, asked;
        pawl_text terms[8];     /**< what was asked about; "" terms past the eighth */
        pawl_status status;     /**< given back in place of an answer, from question fail_at on */
        size_t fail_at;         /**< 0: never */
        void (*before)(void *); /**< called while the person thinks */
        void *before_user;
};
pawl_status script_answer(pawl_answer *answer, const pawl_conflict *conflict, void *user);

struct alone {
        struct counted counted;
        pawl_sources sources;
        pawl_context *ctx; /**< mission "m", run "r", step "s" */
        pawl__batch batch;
        pawl__glossary *glossary;
        size_t waits, reloads;
        char *committed;         /**< types of the events of each wait, "A B | C" */
        pawl_status wait_status; /**< what a wait comes to */
        struct script script;
};
int alone_setup(void **state);
int alone_teardown(void **state);
#define ALONE_TEST(name) UNIT_TEST_WITH(name, struct alone *a, alone_setup, alone_teardown)
void alone_sense(struct alone *a, const char *scope, const char *surface, const char *definition,
        double confidence);
void alone_inputs(struct alone *a, const char *json);
/** Types of the events that wait in the batch, "A B C"; valid until the next call. */
const char *alone_types(struct alone *a);
/** The payload of the n-th waiting event of that type (from 0), as its writer left it. */
pawl_text alone_payload(struct alone *a, const char *type, size_t n);
/** Layers 1 and 2 over the inputs. */
void alone_check(struct alone *a);

/** The text holds this. */
#define assert_holds(text, part) check_holds((text), (part), __FILE__, __LINE__)
void check_holds(pawl_text text, const char *part, const char *file, int line);

/* ---- A log and a pipeline ------------------------------------------------------------------- */

/* The events of a run's start, of a step that passes, and of one that blocks by one new conflict.
 */
#define TYPES_SEEDED                                                                               \
        "RunClaimed RunStarted GlossaryScopeActivated GlossarySenseUpdated GlossarySenseUpdated "  \
        "GlossarySenseUpdated "
#define TYPES_CHECKED "StepStarted SemanticCheckEvaluated StepCheckpointed"
#define TYPES_BLOCKED                                                                              \
        "StepStarted TermCandidateObserved SemanticCheckEvaluated StepCheckpointed "               \
        "GenerationBlockedBySemanticConflict GlossaryClarificationRequested"

struct piped {
        struct counted counted;
        char *directory, *db, *seed;
        pawl_log_options log_options;
        pawl_pipeline_options options;
        pawl_log *log;
        pawl_pipeline *pipeline;
        pawl_context *ctx;
        struct script script;
        char token[37]; /**< of the last pass */
        pawl_error err;
        char *text;   /**< what was given out last */
        bool damaged; /**< the log is not folded again in the end */
};
int piped_setup(void **state);
int piped_teardown(void **state);
#define PIPED_TEST(name) UNIT_TEST_WITH(name, struct piped *p, piped_setup, piped_teardown)
/** Close log and pipeline, and open them again, as another session would. */
void piped_reopen(struct piped *p);
/** A new pipeline over the same log, by p->options. */
void piped_pipeline(struct piped *p);
/** A fresh context of mission "m", run "r" and that step, with these inputs. */
pawl_context *piped_context(struct piped *p, const char *step, const char *inputs);
/** Pass p->ctx; its token is p->token afterwards, if it has one. */
pawl_status piped_run(struct piped *p);
/** A fresh context, resumed with p->token. */
pawl_status piped_resume(struct piped *p, const char *step, const char *inputs);
/** The same for a critical step, which an ambiguous term blocks. */
pawl_status piped_critical(struct piped *p, const char *step, const char *inputs);
pawl_status piped_critical_resume(struct piped *p, const char *step, const char *inputs);
/** Step "s" at strictness max, which any conflict blocks. */
pawl_status piped_at_max(struct piped *p, const char *inputs);
/** Complete p->ctx with this output. */
pawl_status piped_complete(struct piped *p, const char *output);
/** The types of the events after @p since, "A B C". */
const char *piped_types(struct piped *p, uint64_t since);
/** The payload of the n-th event of a type (from 0) after @p since; fails the test without one. */
const char *piped_payload(struct piped *p, const char *type, uint64_t since, size_t n);
uint64_t piped_head(struct piped *p);
/** The id of the n-th conflict of p->ctx. */
const char *piped_conflict(struct piped *p, size_t n);
/** Answer it from another handle of the log. */
pawl_status piped_define(struct piped *p, const char *conflict_id, const char *definition);
/** A step's status in the state. */
const char *piped_status(struct piped *p, const char *step);
/** The versions of the glossary that the run began with. */
size_t piped_refs(struct piped *p, pawl__scope_ref refs[PAWL__SCOPE_REFS_MAX], pawl__arena *arena);
/** Folding the log from nothing gives what the tables say. */
void piped_replays(struct piped *p);
