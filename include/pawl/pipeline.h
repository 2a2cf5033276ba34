/**
 * @file pawl/pipeline.h
 * @brief The five layers over a step's execution context, and users' own layers among them.
 *
 *   pawl_pipeline_new(&chain, log, NULL, &err);
 *   pawl_context_new(&ctx, "refund-service", run_id, "specify", &err);
 *   pawl_context_set_inputs(ctx, json, len);
 *   switch (pawl_pipeline_run(chain, ctx)) {
 *   case PAWL_OK:      generate, then pawl_pipeline_complete(chain, ctx, output, len); break;
 *   case PAWL_BLOCKED: pawl_context_retry_token(ctx), pawl_context_conflict(ctx, i) ...; break;
 *   case PAWL_EINPUTS: pawl_context_input_diff(ctx); break;
 *   default:           pawl_pipeline_errmsg(chain);
 *   }
 *
 * Everything appended between two waits (a question, a step's command) is one transaction, on disk
 * before the wait begins. If the log cannot be written, generation does not happen.
 * Threads: a pipeline and its contexts belong to one thread at a time, as does their log.
 */
#ifndef PAWL_PIPELINE_H
#define PAWL_PIPELINE_H

#include <pawl/checkpoint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pawl_pipeline pawl_pipeline; /**< Opaque. Free with pawl_pipeline_free(). */
typedef struct pawl_context pawl_context;   /**< Opaque. Free with pawl_context_free(). */

/** A sense, as a candidate or as an answer. */
typedef struct pawl_sense {
        pawl_text surface, scope, definition;
        double confidence; /**< 0..1 */
} pawl_sense;

/** A conflict that blocks a step: about a term; or, of type "question", what a step asks people:
 *  term is the question then, and the candidates' definitions are the options. */
typedef struct pawl_conflict {
        pawl_text conflict_id, term, conflict_type, severity, context;
        double confidence;
        const pawl_sense *candidates; /**< in the order that an answer's pick counts, from 1 */
        size_t n_candidates;
} pawl_conflict;

/** What a person said. Zero-initialised is "defer". */
typedef struct pawl_answer {
        size_t pick;      /**< a candidate, from 1; 0: not picked */
        pawl_text define; /**< a new definition; absent: not defined */
        pawl_text scope; /**< where the sense, or the dismissal, goes; absent: team_domain, or where
                             the picked candidate is */
        bool dismiss;    /**< it is no term: nobody is asked about it again */
        bool replace; /**< also where it was answered, as long as no step has completed by that */
        pawl_text answer; /**< to a question: one of its options, or any text where it has none */
} pawl_answer;

/**
 * Ask about one conflict. Texts given in @p answer must live until the call after returns. Asking
 * that may take longer than the log's lease_ms calls pawl_log_renew_all() meanwhile.
 * @return PAWL_OK with *answer (left alone: deferred), or a failure that ends the pass.
 */
typedef pawl_status (*pawl_clarify_fn)(
        pawl_answer *answer, const pawl_conflict *conflict, void *user);

/**
 * The same about several terms that no glossary knows, as one question: those of the pass, the most
 * frequent first. *answers[i] is the one to conflicts[i]; all are committed together.
 */
typedef pawl_status (*pawl_clarify_terms_fn)(
        pawl_answer *answers, const pawl_conflict *conflicts, size_t n, void *user);

/** The inputs changed since the checkpoint. */
typedef struct pawl_input_change {
        const char *diff;            /**< a line a member, each ended by '\n'; "" when not kept */
        const char *checkpoint_hash; /**< 64 hex digits */
        const char *current_hash;    /**< 64 hex digits */
        pawl_text step_id;           /**< the step that has them */
} pawl_input_change;

/** Go on all the same? Set *yes; it comes in as false. */
typedef pawl_status (*pawl_confirm_fn)(bool *yes, const pawl_input_change *change, void *user);

/** Options for a pipeline. Start from PAWL_PIPELINE_OPTIONS_INIT. */
typedef struct pawl_pipeline_options {
        unsigned version;        /**< PAWL_PIPELINE_OPTIONS_VERSION */
        const char *actor;       /**< "user:ana"; NULL: "program" */
        pawl_clarify_fn clarify; /**< NULL: every conflict is deferred */
        void *clarify_user;
        pawl_confirm_fn confirm; /**< NULL: changed inputs are refused, unless accept_inputs */
        void *confirm_user;
        bool store_inputs;     /**< keep canonical inputs, so that a diff can be shown */
        bool defer_completion; /**< StepCompleted waits for the next commit of the pipeline */
        pawl_clarify_terms_fn clarify_terms; /**< given clarify_user, too; NULL: one by one */
        bool accept_inputs; /**< changed inputs are accepted; confirm is not called */
} pawl_pipeline_options;

#define PAWL_PIPELINE_OPTIONS_VERSION 1
#define PAWL_PIPELINE_OPTIONS_INIT                                                                 \
        {                                                                                          \
                PAWL_PIPELINE_OPTIONS_VERSION, NULL, NULL, NULL, NULL, NULL, true, false, NULL,    \
                        false                                                                      \
        }

/** A pipeline of the five standard layers over @p log, which must outlive it. */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_pipeline_new(
        pawl_pipeline **out, pawl_log *log, const pawl_pipeline_options *options, pawl_error *err);
PAWL_EXTERN void pawl_pipeline_free(pawl_pipeline *pipeline);
PAWL_EXTERN const char *pawl_pipeline_errmsg(const pawl_pipeline *pipeline);

/**
 * A layer. process() reads and fills the context and returns a verdict: PAWL_OK (go on),
 * PAWL_BLOCKED (say why with pawl_context_fail(ctx, PAWL_BLOCKED, why): the log records layer and
 * reason), PAWL_JUMP (go on where the context's cursor says; for the standard layers),
 * PAWL_DONE (the pass ends here, and nothing is generated or completed by it) or a failure, said
 * with pawl_context_fail(). It does no I/O: events go to the context's batch with
 * pawl_context_emit(). A pass may be made again, and what it emitted is dropped then, where
 * another writer of a log on a server was first.
 *
 * The layers run over the inputs, and after generation over the output: pawl_context_output() is
 * absent in the first case. A resume goes on at the standard gate layer itself, or right behind it:
 * layers before the gate are not run again (unless the inputs changed), those behind it always are.
 * So a layer behind the gate that gives PAWL_BLOCKED leaves a checkpoint and a retry token, and is
 * asked again on the resume; one before the gate leaves none: run the step again without a token.
 */
typedef struct pawl_layer {
        const char *name;
        pawl_status (*process)(const struct pawl_layer *layer, pawl_context *ctx);
        void *user;
} pawl_layer;

/** Names of the standard layers: "extraction", "semantic_check", "generation_gate",
 *  "clarification", "resume". The layer struct is copied. PAWL_ENOTFOUND, PAWL_EEXISTS (its name).
 */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_pipeline_add_before(
        pawl_pipeline *pipeline, const char *name, const pawl_layer *layer);
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_pipeline_add_after(
        pawl_pipeline *pipeline, const char *name, const pawl_layer *layer);

/** A seed file for a scope, read now (see docs/reference/mission-file.md). */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_pipeline_seed(
        pawl_pipeline *pipeline, const char *scope, const char *path);

/**
 * One step of one run. The ids are copied and checked (PAWL_EINVAL). The pipeline claims the run at
 * the first pass over a context of it, and writes RunStarted if the log has no such run.
 */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_context_new(pawl_context **out, const char *mission_id,
        const char *run_id, const char *step_id, pawl_error *err);
PAWL_EXTERN void pawl_context_free(pawl_context *ctx);

/*
 * The setters. During a pass, and from PAWL_OK until pawl_pipeline_complete() or
 * pawl_pipeline_failed(), a context is frozen: they return PAWL_ESTATE and change nothing.
 */

/** Any JSON value; made canonical and hashed here. A context without inputs has {}. PAWL_EPARSE for
 *  a text that RFC 8785 does not cover (pawl_json_canonical()). */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_context_set_inputs(
        pawl_context *ctx, const char *json, size_t len);
/** The step's glossary metadata, a JSON object. */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_context_set_metadata(
        pawl_context *ctx, const char *json, size_t len);
PAWL_EXTERN pawl_status pawl_context_set_critical(pawl_context *ctx, bool critical);
/** "off", "medium" or "max", over whatever mission and project say. */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_context_set_strictness(
        pawl_context *ctx, const char *strictness);
/** Resume from the checkpoint of this token, and not from the step's newest. */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_context_set_retry_token(
        pawl_context *ctx, const char *token);

/** Why the last call on this context, or a layer, failed. */
PAWL_EXTERN const char *pawl_context_errmsg(const pawl_context *ctx);
/** After a pass: the token to resume with, which is also the command's idempotency key. NULL: none.
 */
PAWL_EXTERN const char *pawl_context_retry_token(const pawl_context *ctx);
PAWL_EXTERN size_t pawl_context_conflicts(const pawl_context *ctx); /**< how many hold it back */
PAWL_EXTERN const pawl_conflict *pawl_context_conflict(const pawl_context *ctx, size_t index);
/** After PAWL_EINPUTS. Valid until the next call on the context. */
PAWL_EXTERN const pawl_input_change *pawl_context_input_diff(const pawl_context *ctx);
/** The canonical inputs and their hash; valid until they are set again. */
PAWL_EXTERN pawl_text pawl_context_inputs(const pawl_context *ctx);
PAWL_EXTERN const char *pawl_context_input_hash(const pawl_context *ctx);
/** Was this pass a resume? At which cursor ("" when not)? */
PAWL_EXTERN const char *pawl_context_cursor(const pawl_context *ctx);

/* What a layer finds. Ids live as long as the context, the others until its next pass. */

PAWL_EXTERN pawl_text pawl_context_mission_id(const pawl_context *ctx);
PAWL_EXTERN pawl_text pawl_context_run_id(const pawl_context *ctx);
PAWL_EXTERN pawl_text pawl_context_step_id(const pawl_context *ctx);
/** The effective one: "off", "medium" or "max". */
PAWL_EXTERN const char *pawl_context_strictness(const pawl_context *ctx);

/** A term that layer 1 found. */
typedef struct pawl_term {
        pawl_text surface;  /**< the normal form */
        pawl_text original; /**< as it was first written */
        const char *source; /**< such as "quoted_phrase"; static */
        double confidence;  /**< 0..1 */
} pawl_term;

/** What layer 2 found about a term. */
typedef struct pawl_finding {
        pawl_conflict
                conflict; /**< conflict_id absent: the gate has not looked yet, or does not block */
        pawl_text original; /**< as it was first written */
} pawl_finding;

typedef struct pawl_scopes {
        const pawl_scope_ref *items;
        size_t n;
} pawl_scopes;

typedef struct pawl_terms {
        const pawl_term *items;
        size_t n;
} pawl_terms;

typedef struct pawl_findings {
        const pawl_finding *items;
        size_t n;
} pawl_findings;

/** The glossary versions in force for the run. PAWL_ENOMEM, as the next two; pawl_context_errmsg().
 */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_context_scopes(pawl_scopes *out, pawl_context *ctx);
/** By confidence, highest first; none before layer 1, and where the check does not run. */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_context_extracted_terms(
        pawl_terms *out, pawl_context *ctx);
/** None before layer 2. */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_context_findings(
        pawl_findings *out, pawl_context *ctx);

/** A term of the glossary that a step's inputs use, or that was answered for it. */
typedef struct pawl_glossary_term {
        pawl_text term;        /**< as the glossary writes it */
        pawl_text definition;  /**< of the sense that decides */
        pawl_text scope;       /**< of that sense, such as "team_domain" */
        double confidence;     /**< 0..1 */
        const char *source;    /**< "seed", "answer" (somebody picked it) or "definition"
                                    (somebody wrote it); static */
        pawl_text conflict_id; /**< that was answered; absent: none was */
} pawl_glossary_term;

typedef struct pawl_glossary_terms {
        const pawl_glossary_term *items;
        size_t n;
} pawl_glossary_terms;

/** What the step's generation is to be told, after a pass over its inputs: each term once, sorted;
 *  whatever the strictness. Terms without one deciding sense are left out. Lives until the next
 *  pass. PAWL_ENOMEM and failures of the log; pawl_context_errmsg(). */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_context_terms(
        pawl_glossary_terms *out, pawl_context *ctx);

/** For layers: put an event of the context's ids into the batch. Payload: a JSON object. */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_context_emit(
        pawl_context *ctx, const char *type, const char *payload, size_t len);
/** For layers: say why, and give back @p status. */
PAWL_EXTERN pawl_status pawl_context_fail(pawl_context *ctx, pawl_status status, const char *why);

/**
 * Pass a context through the layers. A step that was interrupted, blocked or failed resumes from
 * its newest checkpoint, under the same retry token, unless the context names another token. The
 * token of a pass that lets the step generate is the idempotency key of its generation: it stays
 * the same, over crashes and failures, until the step completes or its inputs change.
 * @return PAWL_OK: generate; PAWL_BLOCKED; PAWL_DONE: the step completed before, its output is
 *         pawl_context_output(); PAWL_EINPUTS: the inputs are not those of the checkpoint, also of
 * a step that completed, and neither options.confirm nor options.accept_inputs accepts them;
 *         PAWL_ENOTFOUND: no such token; PAWL_EHELD; or another failure. On every failure nothing
 *         may be generated. Accepted inputs run a completed step again, unless its run has ended.
 */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_pipeline_run(
        pawl_pipeline *pipeline, pawl_context *ctx);

/**
 * The step's output, after PAWL_OK: JSON if it parses as one value, else a string. Runs the check,
 * and at strictness max the gate, over it. A step completes once, whichever context completes it.
 * @return PAWL_OK: StepCompleted is recorded; PAWL_BLOCKED: the output is kept, and blocked;
 *         PAWL_ESTATE: no pass let the step generate, or it has completed or failed since.
 */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_pipeline_complete(
        pawl_pipeline *pipeline, pawl_context *ctx, const char *output, size_t len);
/** The step failed: its exit code (128 + signal when killed) and why. */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_pipeline_failed(
        pawl_pipeline *pipeline, pawl_context *ctx, int exit_code, const char *why);
/** The canonical output; absent before the step completed. */
PAWL_EXTERN pawl_text pawl_context_output(const pawl_context *ctx);

/**
 * Keep the claim on a run while its generation takes long: a lease holds for
 * pawl_log_options.lease_ms (30 s by default), then any other process may take the run, though this
 * one lives. Every pass and every commit leaves it as it is, so call this from time to time between
 * pawl_pipeline_run() and pawl_pipeline_complete(), every third of the lease, say.
 * @return PAWL_EFENCED: another process has the run now; stop generating, its output would be
 * refused. PAWL_ESTATE: this pipeline has not claimed the run.
 */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_pipeline_renew(
        pawl_pipeline *pipeline, const char *run_id);

/** Commit what waits; needed only with defer_completion. */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_pipeline_flush(pawl_pipeline *pipeline);
/**
 * The run is done, or failed for @p reason (NULL: done). Claims the run if this pipeline has not,
 * so that a process started after a crash can end it, and releases it. Ending a run again in the
 * same way is PAWL_OK and records nothing.
 * @return PAWL_ESTATE: steps of it are open (pending, running, blocked or failed), which the
 * message names; or it ended in another way. PAWL_ENOTFOUND: no such run. PAWL_EHELD.
 */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_pipeline_end_run(
        pawl_pipeline *pipeline, const char *run_id, const char *reason);

/**
 * Answer a conflict from any session. One answer a conflict: a second is PAWL_EEXISTS and changes
 * nothing, unless it replaces the first (PAWL_ESTATE: a step has completed with that). @p
 * conflict_id may be a unique prefix of 4 digits or more.
 */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_conflict_resolve(pawl_log *log,
        const char *conflict_id, const pawl_answer *answer, const char *actor, pawl_error *err);

/** An answer, and to which conflict. */
typedef struct pawl_conflict_answer {
        const char *conflict_id;
        pawl_answer answer;
} pawl_conflict_answer;

/** Answer several in one commit: all of them, or, where one is refused, none. *@p refused (may be
 *  NULL) is then which one; n: it was not about one of them. */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_conflicts_resolve(pawl_log *log,
        const pawl_conflict_answer *answers, size_t n, const char *actor, size_t *refused,
        pawl_error *err);

#ifdef __cplusplus
}
#endif

#endif
