/**
 * @file workspace/rolling.h
 * @brief A rollback at work, in its pieces: what it goes to, what it decides, what the log says of
 *        it, and the files.
 *
 *   target -> plan -> start (the safety copy and WorkspaceRollbackStarted, one transaction)
 *          -> files -> check -> end (WorkspaceRolledBack)
 *
 * One that was interrupted between start and end is found by its row, and read back from the log.
 */
#ifndef PAWL_WORKSPACE_ROLLING_H
#define PAWL_WORKSPACE_ROLLING_H

#include "workspace/checkpoint.h"
#include "workspace/restore.h"
#include <pawl/rollback.h>

struct pawl_plan {
        pawl__arena arena; /* of what the members point to */
        pawl__plan plan;
        pawl__buf encoded; /* its encoding */
        char hash[65];
        pawl__row target;         /* the checkpoint it goes to */
        pawl__row undone;         /* of an undo: the rollback that it undoes */
        pawl__row started;        /* its own, once it has started */
        pawl__contents *contents; /* of the log */
        pawl_text actor;
        pawl_text reason;             /* absent: none */
        pawl_text run_id, mission_id; /* the run whose steps it changes; absent: none */
        pawl_text answers_of;         /* the mission whose answers may be dropped; absent: none */
        pawl_given_up *steps;         /* that it gives up */
        size_t n_steps;
        bool steps_back;       /* an undo: steps come back */
        pawl_plan_git git;     /* no branch: git stays */
        pawl_plan_item *items; /* the plan, as the public header shows it */
        size_t n_items;
        pawl_plan_counts counts;
        pawl_checkpoint_info info; /* of the target */
        uint64_t fence;            /* of the claim on run_id; 0: not claimed */
};

/* ---- rolling.c: what it goes to -------------------------------------------------------------- */

/** The checkpoint that @p which names, if it can be gone back to. PAWL_ESTATE, PAWL_ENOTFOUND. */
PAWL_MUST_CHECK pawl_status pawl__rolling_target(
        pawl_plan *p, pawl__workspace *ws, const char *which, pawl_error *err);
/** The safety copy of the newest rollback that can be undone. */
PAWL_MUST_CHECK pawl_status pawl__rolling_undone(
        pawl_plan *p, pawl__workspace *ws, pawl_error *err);
/** Read every folder and content of the target, so that what does not verify is refused before
 *  anything is done. PAWL_EDAMAGED. */
PAWL_MUST_CHECK pawl_status pawl__rolling_verify(
        pawl_plan *p, pawl__workspace *ws, pawl_error *err);
/** The steps that were at work since the target was taken (or, of an undo, since the rollback). */
PAWL_MUST_CHECK pawl_status pawl__rolling_steps(pawl_plan *p, pawl__workspace *ws, pawl_error *err);
/** PAWL_EHELD naming the live process that holds the run of the target or of the newest checkpoint.
 */
PAWL_MUST_CHECK pawl_status pawl__rolling_not_held(
        pawl_plan *p, pawl__workspace *ws, pawl_error *err);
/** Where git is to go. */
PAWL_MUST_CHECK pawl_status pawl__rolling_git(
        pawl_plan *p, pawl__workspace *ws, bool wanted, pawl_error *err);

/* ---- rolling_files.c: files and git ------------------------------------------------------- */

/** Decide, from what @p scan saw. */
PAWL_MUST_CHECK pawl_status pawl__rolling_plan(
        pawl_plan *p, pawl__workspace *ws, const pawl__scan *scan, pawl_error *err);
/** Do it: forwards or @p back; then read the workspace again and check. The scan is the caller's.
 */
PAWL_MUST_CHECK pawl_status pawl__rolling_do(pawl__scan **scan, pawl_plan *p, pawl__workspace *ws,
        bool back, bool again, pawl_error *err);

/* ---- rolling_log.c: what the log says of it ----------------------------------------------- */

/** A checkpoint_prepare's `then`: the plan's blob and WorkspaceRollbackStarted. @p user is the
 *  pawl_plan. */
PAWL_MUST_CHECK pawl_status pawl__rolling_started(
        uint64_t safety, pawl__batch *batch, void *user, pawl_error *err);
/** Hold the run whose steps change, if there is one. */
PAWL_MUST_CHECK pawl_status pawl__rolling_claim(pawl_plan *p, pawl__workspace *ws, pawl_error *err);
/** And let go of it, after a failure. */
void pawl__rolling_release(pawl_plan *p, pawl__workspace *ws);
/** WorkspaceRolledBack; the index stands for what @p scan saw. */
PAWL_MUST_CHECK pawl_status pawl__rolling_end(
        pawl_plan *p, pawl__workspace *ws, const pawl__scan *scan, bool done, pawl_error *err);
/** After it: the answers that are dropped, or come back. (rolling_decisions.c) */
PAWL_MUST_CHECK pawl_status pawl__rolling_decisions(
        pawl__batch *batch, pawl_plan *p, pawl__workspace *ws, pawl_error *err);
/** The plan of a rollback in the log. */
PAWL_MUST_CHECK pawl_status pawl__rolling_read(pawl__plan *out, pawl__buf *encoded,
        pawl__workspace *ws, const pawl__row *rollback, pawl_error *err);

/* ---- rolling_told.c ----------------------------------------------------------------------- */

/** Fill in what the public accessors show. */
PAWL_MUST_CHECK pawl_status pawl__rolling_tell(pawl_plan *p, pawl__workspace *ws, pawl_error *err);

#endif
