/**
 * @file workspace/checkpoint.h
 * @brief Taking a checkpoint, step by step, for those who have a commit of their own.
 *
 *   prepare -> arm a batch -> commit it -> settle
 *
 * prepare reads the workspace and takes no lock, except where there are many contents, which are
 * flushed to the log meanwhile.
 * The batch's commit then stores what the log does not have and appends the event, numbered inside
 * the transaction. A file that is no longer what prepare read fails the commit with PAWL_EINPUTS:
 * prepare anew, pawl__CHECKPOINT_TRIES times.
 */
#pragma once

#include "workspace/workspace.h"

#define PAWL__CHECKPOINT_TRIES 3
/** The description of an automatic one of the files as a session found them. */
#define PAWL__AT_SESSION_START "session start"

/** Called inside the transaction when the event is in the batch, whose number is @p n: adds the
 *  events that belong right after it. */
typedef pawl_status (*pawl__then_fn)(uint64_t n, pawl__batch *batch, void *user, pawl_error *err);

/** A step that is completed, but whose event waits in a batch still. Absent ids: there is none. */
typedef struct pawl__last_step {
        pawl_text step_id, input_hash, output_hash;
} pawl__last_step;

/** Set the first ten as they apply, zero the others. */
typedef struct pawl__taking {
        pawl__workspace *ws;
        const pawl_workspace_checkpoint_request *request;
        pawl_workspace_checkpoint_request of_no_run; /**< the request, if the log has not its run */
        bool safety;                                 /**< a rollback's own */
        bool begins;        /**< the same commit begins the run, which the log may not have yet */
        bool files_only;    /**< only_if_changed is about the files, and not the run's state */
        pawl__then_fn then; /**< NULL: nothing comes after it */
        void *then_user;
        pawl__last_step last; /**< of the run; absent: none waits */
        const pawl_text
                *running; /**< steps that are at work meanwhile; they live until the commit */
        size_t n_running;

        pawl__scan *scan; /**< what prepare read; the taking's */
        pawl__arena arena;
        pawl_text state, outputs; /**< canonical; absent: none was given */
        pawl_text description;    /**< without secrets; absent: none */
        unsigned char state_hash[32], outputs_hash[32], git_rules_hash[32];
        pawl__git_head git;
        bool has_git;
        uint64_t n;    /**< its number, once the batch is committed */
        pawl__row row; /**< as the tables will have it, but for its seq; lives as the workspace */
} pawl__taking;

/** PAWL_DONE: the request is for a change, and there is none. What was prepared before is freed. */
PAWL_MUST_CHECK pawl_status pawl__checkpoint_prepare(pawl__taking *taking, pawl_error *err);
/** Let the next commit of @p batch take it, right after the events that wait there now. The taking
 * must live until then. */
void pawl__checkpoint_arm(pawl__taking *taking, pawl__batch *batch);
/** Does one wait for the batch's commit? */
bool pawl__checkpoint_armed(const pawl__batch *batch);
/** Let the batch be committed without it after all. */
void pawl__checkpoint_disarm(pawl__batch *batch);
/** After the commit: the index stands for it, and the workspace knows where it stands. */
void pawl__checkpoint_settle(pawl__taking *taking);
void pawl__taking_free(pawl__taking *taking);

/** All of it, in a commit of its own under @p fence; prepared anew where files change meanwhile.
 *  PAWL_DONE as above. */
PAWL_MUST_CHECK pawl_status pawl__checkpoint_take(
        pawl__taking *taking, uint64_t fence, pawl_error *err);
