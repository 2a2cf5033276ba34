/**
 * @file workspace/rollback/rollback_internal.h
 * @brief A rollback at work, in its pieces: what it goes to, what it decides, what the log says of
 *        it, and the files.
 *
 *   target -> plan -> start (the safety copy and WorkspaceRollbackStarted, one transaction)
 *          -> files -> check -> end (WorkspaceRolledBack)
 *
 * One that was interrupted between start and end is found by its row, and read back from the log.
 */
#pragma once

#include "state/undo_stacks.h"
#include "workspace/checkpoint.h"
#include "workspace/rollback/restore.h"
#include <pawl/rollback.h>

struct pawl_rollback_plan {
        pawl__arena arena; /* of what the members point to */
        pawl__plan plan;
        pawl__buf encoded; /* its encoding */
        char hash[65];
        pawl__row target;   /* the checkpoint it goes to */
        pawl__row undone;   /* of an undo: the rollback that it undoes */
        pawl__reversal is;  /* what it is itself */
        pawl__reversal was; /* and what it undoes */
        pawl__row finishes; /* the rollback whose paths it tries again; seq 0: none */
        size_t *retries;    /* the steps of that one's plan that could not be done */
        size_t n_retries;
        pawl__row started;        /* its own, once it has started */
        pawl__contents *contents; /* of the log */
        bool restore;             /* it takes a tool call back */
        pawl__paths named;        /* the paths that the call names */
        pawl_text *names;         /* the same, one by one */
        size_t n_names;
        bool reads_more; /* a path that a rule hides is to be read, too */
        bool whole;      /* the root is a run's alone: everything in it may go */
        bool clean;      /* what no checkpoint recorded goes, too */
        pawl_text actor;
        pawl_text reason;             /* absent: none */
        pawl_text run_id, mission_id; /* the run whose steps it changes; absent: none */
        pawl_text own_run;            /* the run that it is about, changed or not; absent: none */
        pawl_text answers_of;         /* the mission whose answers may be dropped; absent: none */
        pawl_given_up *steps;         /* that it gives up */
        size_t n_steps;
        pawl__row run_then; /* what the run becomes: as it was at the target's place in the log,
                               or cancelled */
        bool has_run_then;  /* false: it had not started by then, and is to be resumed */
        pawl__row *back;    /* the steps that are as they were then, and not given up */
        size_t n_back;
        uint64_t *given_up, *taken_up; /* checkpoints that are given up, or not any more */
        size_t n_given_up, n_taken_up;
        pawl_rollback_plan_git git;     /* no branch: git stays */
        const char *git_left, *git_fix; /* why it stays though it was to move, and what helps; NULL:
                                           it was not to, or did */
        pawl_text *work_of; /* of each step of the plan: the run or agent whose work it replaces */
        char *work;         /* 'r': another run's, 'a': an agent's, 'h': by hand, 'o': its own run's
                               or Pawl's, 0: nobody's since */
        pawl_rollback_plan_effect effect;
        pawl_rollback_plan_item *items; /* the plan, as the public header shows it */
        size_t n_items;
        pawl_rollback_plan_counts counts;
        int *unwritten; /* as pawl__restore has them; NULL: nothing was tried yet */
        size_t n_unwritten;
        bool abandons; /* it was interrupted, and goes back to where it began */
        pawl_workspace_checkpoint_info info; /* of the target */
        bool same_tree;                      /* it was done, and the workspace has its tree */
        uint64_t fence;                      /* of the claim on run_id; 0: not claimed */
};

/* ---- rollback_target.c: what it goes to
 * -------------------------------------------------------------- */

/** The checkpoint that @p which names, if it can be gone back to. PAWL_ESTATE, PAWL_ENOTFOUND. */
PAWL_MUST_CHECK pawl_status pawl__rollback_target(
        pawl_rollback_plan *p, pawl__workspace *ws, const char *which, bool here, pawl_error *err);
/** Is the target a checkpoint of another work tree? */
static inline bool pawl__rollback_from_elsewhere(
        const pawl_rollback_plan *p, const pawl__workspace *ws)
{
        return p->target.v[PAWL__WCP_ROOT].text.data &&
               !pawl__same_worktree(p->target.v[PAWL__WCP_WORKTREE].text, ws->worktree);
}
/** The safety copy of the rollback that an undo, or a redo, reverses next. */
PAWL_MUST_CHECK pawl_status pawl__rollback_undone(
        pawl_rollback_plan *p, pawl__workspace *ws, pawl__reversal by, pawl_error *err);
/** The newest rollback of the work tree that ended, if it could not write some paths: these are
 * tried again, towards its target, or, if it was abandoned, towards its safety copy.
 * PAWL_ENOTFOUND. */
PAWL_MUST_CHECK pawl_status pawl__rollback_unfinished(
        pawl_rollback_plan *p, pawl__workspace *ws, pawl_error *err);
/** PAWL_ENOTFOUND: there is nothing to finish. */
pawl_status pawl__rollback_none(const pawl__workspace *ws, pawl_error *err);
/** Read every directory of the target, so that one that does not verify is refused before anything
 *  is done. PAWL_EDAMAGED. */
PAWL_MUST_CHECK pawl_status pawl__rollback_verify_tree(
        pawl_rollback_plan *p, pawl__workspace *ws, pawl_error *err);
/** The same of each content that the plan writes: what the workspace has need not be read. */
PAWL_MUST_CHECK pawl_status pawl__rollback_verify_contents(
        pawl_rollback_plan *p, pawl__workspace *ws, pawl_error *err);
/** PAWL_EHELD naming the live process that holds the run of the target or of the newest checkpoint.
 */
PAWL_MUST_CHECK pawl_status pawl__rollback_runs_are_free(
        pawl_rollback_plan *p, pawl__workspace *ws, pawl_error *err);
/** The same of a run, which may be absent. */
PAWL_MUST_CHECK pawl_status pawl__rollback_run_is_free(
        pawl__workspace *ws, pawl_text run_id, pawl_error *err);
/** Where git is to go. */
PAWL_MUST_CHECK pawl_status pawl__rollback_git(
        pawl_rollback_plan *p, pawl__workspace *ws, bool wanted, pawl_error *err);

/* ---- rollback_steps.c: what it does to a run and to checkpoints ----------------------------- */

/** The run that it is about, and what becomes of its steps: what they were at the target's place in
 *  the log. One of some paths alone is about none. */
PAWL_MUST_CHECK pawl_status pawl__rollback_steps(
        pawl_rollback_plan *p, pawl__workspace *ws, pawl_error *err);
/** The checkpoints that are not on the way to where the workspace stands then, and were before; and
 *  the other way round. */
PAWL_MUST_CHECK pawl_status pawl__rollback_checkpoints(
        pawl_rollback_plan *p, pawl__workspace *ws, pawl_error *err);

/** All checkpoints, those of 1, 2, 3, ... */
typedef struct pawl__line {
        pawl__row *rows;
        size_t n;
} pawl__line;

/** NULL: there is none of that number, or it is not below @p above, from which it is found. */
const pawl__row *pawl__line_at(const pawl__line *all, int64_t n, int64_t above);
/** The one that the workspace was at before. NULL: none. */
const pawl__row *pawl__line_base(const pawl__line *all, const pawl__row *row);
/** [n]: it is on the way to number @p n, or that. NULL: no memory. */
bool *pawl__line_to(const pawl__line *all, int64_t n, pawl__arena *arena);

/* ---- rollback_others.c: whose work it replaces ----------------------------------------------- */

/** For each step of the plan, who changed the path last since the way to the target was left: a
 * run, an agent, or somebody by hand. */
PAWL_MUST_CHECK pawl_status pawl__rollback_others(pawl_rollback_plan *p, pawl__workspace *ws,
        const pawl__directories *directories, pawl_error *err);

/* ---- rollback_rights.c: what it may touch ---------------------------------------------------- */

/** What it may touch, and what that is read from. */
typedef struct pawl__rollback_rights {
        pawl__plan_rights rights;
        pawl__buf recorded, removable; /* trees, one after the other */
        pawl__map also;
        pawl__paths only;  /* of an undo or a retry: those that its plan touches */
        pawl__plan before; /* of the rollback that is undone or retried */
} pawl__rollback_rights;

#define PAWL__ROLLBACK_RIGHTS_INIT                                                                 \
        {                                                                                          \
                .recorded = PAWL__BUF_INIT, .removable = PAWL__BUF_INIT, .before = PAWL__PLAN_INIT \
        }
/** Set rights.own before. Free it, also after a failure. */
PAWL_MUST_CHECK pawl_status pawl__rollback_rights_find(pawl__rollback_rights *l,
        pawl_rollback_plan *p, pawl__workspace *ws, const pawl__directories *directories,
        pawl_error *err);
void pawl__rollback_rights_free(pawl__rollback_rights *l);

/* ---- rollback_files.c: files and git ------------------------------------------------------- */

/** Decide, from what @p scan saw. */
PAWL_MUST_CHECK pawl_status pawl__rollback_plan(
        pawl_rollback_plan *p, pawl__workspace *ws, const pawl__scan *scan, pawl_error *err);
/** The files that the plan leaves alone because a rule hides them, though the target has something
 * there, or the rollback that is undone wrote them, are to be read too, so that the safety copy has
 * them: they are in ws->also from now on.
 * @p more: some were not yet, so that workspace and plan are to be read anew. */
PAWL_MUST_CHECK pawl_status pawl__rollback_hidden(
        bool *more, const pawl_rollback_plan *p, pawl__workspace *ws, pawl_error *err);
/** Do it, or go back where it abandons; then read the workspace again and check. The scan is the
 *  caller's. @p scan NULL: only look which paths would be left as somebody's own work. */
PAWL_MUST_CHECK pawl_status pawl__rollback_do(
        pawl__scan **scan, pawl_rollback_plan *p, pawl__workspace *ws, bool again, pawl_error *err);

/* ---- rollback_log.c: what the log says of it ----------------------------------------------- */

/** A checkpoint_prepare's `then`: the plan's blob and WorkspaceRollbackStarted. @p user is the
 *  pawl_rollback_plan. */
PAWL_MUST_CHECK pawl_status pawl__rollback_started(
        uint64_t safety, pawl__batch *batch, void *user, pawl_error *err);
/** Hold the run whose steps change, if there is one. */
PAWL_MUST_CHECK pawl_status pawl__rollback_claim(
        pawl_rollback_plan *p, pawl__workspace *ws, pawl_error *err);
/** And let go of it, after a failure. */
void pawl__rollback_release(pawl_rollback_plan *p, pawl__workspace *ws);
/** A failure between start and end, with what to do about it. */
pawl_status pawl__rollback_half_way(
        pawl_status status, const pawl_rollback_plan *p, pawl_error *err);
/** WorkspaceRolledBack; the index stands for what @p scan saw. */
PAWL_MUST_CHECK pawl_status pawl__rollback_end(pawl_rollback_plan *p, pawl__workspace *ws,
        const pawl__scan *scan, bool done, pawl_error *err);
/** After it: the answers that are dropped, or come back. (rollback_decisions.c) */
PAWL_MUST_CHECK pawl_status pawl__rollback_decisions(
        pawl__batch *batch, pawl_rollback_plan *p, pawl__workspace *ws, pawl_error *err);
/** The one that was interrupted, as the log has it. PAWL_ENOTFOUND. (undo.c) */
PAWL_MUST_CHECK pawl_status pawl__rollback_read_back(
        pawl_rollback_plan *p, pawl__workspace *ws, pawl_error *err);
/** The plan of a rollback in the log. */
PAWL_MUST_CHECK pawl_status pawl__rollback_read(pawl__plan *out, pawl__buf *encoded,
        pawl__workspace *ws, const pawl__row *rollback, pawl_error *err);

/* ---- rollback_report.c ----------------------------------------------------------------------- */

/** Is the step an item? A directory that is only made writable for a while is nobody's concern. */
static inline bool pawl__rollback_shows(const pawl__plan_step *step)
{
        return step->from.kind != PAWL__ENTRY_DIRECTORY || step->to.kind != PAWL__ENTRY_DIRECTORY ||
               step->from.mode != step->to.mode;
}

/** Fill in what the public accessors show. */
PAWL_MUST_CHECK pawl_status pawl__rollback_report(
        pawl_rollback_plan *p, pawl__workspace *ws, pawl_error *err);
