/**
 * @file pipeline/context.h
 * @brief The execution context that the layers read and fill.
 */
#pragma once

#include "base/json_write.h"
#include "checkpoint/checkpoint.h"
#include "events/types.h"
#include "glossary/conflict.h"
#include <pawl/pipeline.h>

/** Room for the last line of what a command wrote to standard error, and a NUL. */
#define PAWL__LAST_LINE_MAX 301

/** Which text a pass is about. */
typedef enum pawl__phase { PAWL__ON_INPUTS, PAWL__ON_OUTPUT } pawl__phase;

typedef struct pawl__question pawl__question; /* pipeline/question.h */

/** A command that was started for a step, and what it wrote to standard error. */
typedef struct pawl__attempt {
        uint64_t number;                     /**< from 1 in a run; 0: there was no command */
        uint64_t log_bytes;                  /**< all that it wrote */
        char log_hash[65];                   /**< of what is kept of it; "": nothing is */
        char last_line[PAWL__LAST_LINE_MAX]; /**< printable; "": none */
} pawl__attempt;

/** The state of a conflict of this pass in the clarification layer. */
typedef enum pawl__prompt_state {
        PAWL__NOT_ASKED,
        PAWL__DEFERRED,
        PAWL__ANSWERED
} pawl__prompt_state;

struct pawl_context {
        pid_t process;     /* that made it: no other may use it */
        pawl__arena arena; /**< lives as long as the context */
        pawl__arena pass;  /**< memory of a pass; cleared when the next begins */
        pawl_error error;
        pawl__hasher *hasher;
        pawl__json_writer writer; /**< its memory is used again from event to event */

        pawl_text mission_id, run_id, step_id, session_id, actor;

        /* what was set before the pass */
        pawl__buf inputs_buf;
        pawl_text inputs; /**< canonical; in inputs_buf */
        pawl__metadata metadata;
        pawl__strictness runtime_strictness, step_strictness, mission_strictness,
                project_strictness;
        bool critical;
        bool check_disabled; /**< glossary_check: disabled */
        bool check_forced;   /**< glossary_check: enabled on the step itself */
        bool store_inputs;
        char input_hash[65];
        char token[37];                 /**< to resume with; "": a fresh execution */
        const pawl__question *question; /**< that the step asks, and lives on; NULL: none */

        /* attached by the pipeline for the pass */
        pawl_log *log;
        pawl__state *state;
        pawl__glossary *glossary;
        pawl__batch *batch;
        pawl_status (*wait)(pawl_context *ctx); /**< commit the batch, before a wait */
        void *wait_user;
        /** load the senses of ctx->scope_refs, and what other sessions added since */
        pawl_status (*reload)(pawl_context *ctx);
        const pawl__scope_ref *scope_refs;
        size_t n_scope_refs;
        pawl_clarify_fn clarify;
        pawl_clarify_terms_fn clarify_terms;
        void *clarify_user;
        pawl_confirm_fn confirm;
        void *confirm_user;
        const pawl_sources *sources;
        struct pawl__trust *trust; /**< which answers count; NULL: all do */

        /* the layers' results */
        pawl__terms terms;
        pawl__findings findings;
        struct pawl__verdicts *verdicts; /**< of findings; see gate.h */
        pawl__buf output_buf;
        pawl_text output;            /**< canonical; absent until there is one; in output_buf */
        pawl__checkpoint checkpoint; /**< the newest of this pass; retry_token "": none yet */
        pawl__checkpoint committed;  /**< the newest that is in the log */
        pawl__checkpoint asked_for;  /**< the one that token names; retry_token "": not loaded */
        pawl_conflict *conflicts;    /**< open ones that block the step */
        size_t n_conflicts;
        pawl__prompt_state *prompts; /**< one a conflict */
        size_t questions;            /**< asked in this burst */
        pawl__buf diff;
        pawl_input_change change;
        pawl__phase phase;
        pawl__strictness effective; /**< PAWL__STRICTNESS_UNSET: not decided yet */
        pawl__strictness least;     /**< with which a step that is resumed started */
        pawl__cursor_at cursor;     /**< where a PAWL_JUMP goes on */
        pawl__cursor_at resumed_at; /**< where, when resumed */
        bool resumed;
        bool reevaluated; /**< findings are recorded ones, re-evaluated */
        bool reruns;      /**< the step has completed with other inputs, and runs again */
        bool evaluated;   /**< this pass recorded an evaluation, or an answer to each blocker */
        bool is_new;      /**< the log knows nothing of the step */
        bool token_used;  /**< the resume layer has resumed from asked_for */
        bool token_spent; /**< the step completed under asked_for's token, before a rollback */
        bool blocked;     /**< the gate blocks, and has not evaluated again since */
        bool requested;   /**< their GlossaryClarificationRequested are written */
        bool checkpoint_waits; /**< checkpoint is in the batch, not committed yet */
        bool answer_waits;     /**< an answer is in the batch, not committed yet */
        bool answered;         /**< all are: go on from checkpoint, which is in memory */
        bool passing;          /**< a pass over it is under way */
        bool may_generate;     /**< the pass ended well, its output has not come yet */
        uint64_t fence;        /**< of the claim that it may generate under */
        uint64_t failures;     /**< of the claim's steps, when the pass ended */
        bool accepts;          /**< changed inputs are accepted without being asked about */
        bool inputs_changed;   /**< change is filled */
        bool asked;            /**< its question was asked in this pass */
        bool expired;          /**< nobody answered its question in time */
        bool has_output;       /**< output is one that was held, to be checked behind the gate */
        pawl_error distrust;   /**< why the first answer that does not count does not; message "":
                                    all do */
        pawl_text reply;       /**< the answer to its question; absent: none yet */
        char output_hash[65];
        char checkpoint_hash[65];
        pawl__attempt attempt; /**< of its command, by who started one */
};

/** The first line of every public function that takes a context and can fail: PAWL_EINVAL for NULL,
 *  PAWL_ESTATE in another process than the one that made it. @p err NULL: the context's own. */
PAWL_MUST_CHECK pawl_status pawl__context_usable(pawl_context *ctx, pawl_error *err);

/** The envelope of an event of this context, payload absent. */
pawl_event pawl__context_event(const pawl_context *ctx, pawl__event_type type);

/** Begin an event's payload: an object that is open, in the context's one writer. */
pawl__json_writer *pawl__context_payload(pawl_context *ctx);

/** Close the payload that was begun, and put its event into the batch. */
PAWL_MUST_CHECK pawl_status pawl__context_emit(pawl_context *ctx, pawl__event_type type);
/** @p time_us: of the event; 0: the time when it is appended. */
PAWL_MUST_CHECK pawl_status pawl__context_emit_at(
        pawl_context *ctx, pawl__event_type type, int64_t time_us);

/** Put the inputs into the batch as a blob, if they are to be stored. */
PAWL_MUST_CHECK pawl_status pawl__context_keep_inputs(pawl_context *ctx);

/** An attempt as members of the event that ends it; none for number 0. */
void pawl__attempt_members(pawl__json_writer *w, const pawl__attempt *attempt);

/** Discard the results of the previous pass. */
void pawl__context_reset(pawl_context *ctx);

/** A text of the pass, copied into its arena; *ok turns false without memory. */
pawl_text pawl__context_keep(pawl_context *ctx, pawl_text text, bool *ok);

/** "step ID", for messages: the two arguments of "%.*s". */
#define PAWL__STEP(ctx) PAWL__FMT((ctx)->step_id)

/** The strictness that a checkpoint or pawl__context_decide() set, else runtime, else step, else
 *  mission, else project, else medium. */
pawl__strictness pawl__context_effective(const pawl_context *ctx);
/** Fix it for the pass. */
void pawl__context_decide(pawl_context *ctx);

/** Does layer 1 and 2 run (rules: strictness, glossary_check)? Decides ctx->effective first. */
bool pawl__context_checks(pawl_context *ctx);

/** 16 hex digits from SHA-256 over run, step, phase and term: the same conflict, asked again, keeps
 *  its id. */
PAWL_MUST_CHECK pawl_status pawl__conflict_id(
        char out[17], const pawl_context *ctx, pawl_text term);
/** The same of the step's question with the present inputs: with others it is another. */
PAWL_MUST_CHECK pawl_status pawl__question_id(char out[17], const pawl_context *ctx);
