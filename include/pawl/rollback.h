/**
 * @file pawl/rollback.h
 * @brief Going back to a checkpoint of the workspace, undoing that, and ending what was
 * interrupted.
 *
 * A rollback is a plan that is done: decided from the checkpoint, the workspace as it is and what
 * checkpoints recorded, kept in the log beside a safety copy of the workspace before the first file
 * is touched, and found there again by whoever comes after a process that was killed on the way.
 *
 * Paths are bytes relative to the root. Errors: PAWL_OK or a failure with its message in @p err
 * (may be NULL).
 */
#ifndef PAWL_ROLLBACK_H
#define PAWL_ROLLBACK_H

#include <pawl/workspace.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Plans ----------------------------------------------------------------------------------- */

/** Opaque. Free with pawl_rollback_plan_free(). */
typedef struct pawl_rollback_plan pawl_rollback_plan;

/** Told of a plan, which lasts for the call. */
typedef void pawl_rollback_planned_fn(const pawl_rollback_plan *plan, void *user);

/** The paths that a tool call names, relative to the root or absolute; others than in the root are
 *  passed over. What the call made there goes although no checkpoint recorded it, and so does what
 *  the next checkpoint has, a safety copy too. Nothing else goes, and what is ignored there is left
 *  and listed. */
typedef struct pawl_rollback_call {
        const char *const *paths;
        size_t n_paths;
} pawl_rollback_call;

/** How to go back. Start from PAWL_ROLLBACK_OPTIONS_INIT. */
typedef struct pawl_rollback_options {
        unsigned version;    /**< PAWL_ROLLBACK_OPTIONS_VERSION */
        bool git;            /**< move the branch back to the commit where it stood, too */
        bool drop_decisions; /**< answers given since are asked again; else they are kept */
        const char *reason;  /**< in the actor's words; NULL: none */
        const char *expect;  /**< the hash that the plan must have, 64 hex digits; NULL: any */
        bool clean;          /**< also remove what no checkpoint recorded; never what is ignored */
        bool here;           /**< a checkpoint of another work tree may be brought here: its files
                                  alone */
        pawl_rollback_planned_fn *planned; /**< called with the plan when the safety copy is taken,
                                                before the first file is touched; NULL: nobody */
        void *planned_user;
        bool redo;   /**< of pawl_workspace_plan() without a checkpoint: plan a redo, not an undo */
        bool finish; /**< and so: plan what pawl_workspace_finish() would do */
        const pawl_rollback_call *call; /**< the tool call that is taken back; NULL: none is */
} pawl_rollback_options;

#define PAWL_ROLLBACK_OPTIONS_VERSION 1
#define PAWL_ROLLBACK_OPTIONS_INIT                                                                 \
        {                                                                                          \
                PAWL_ROLLBACK_OPTIONS_VERSION, false, false, NULL, NULL, false, false, NULL, NULL, \
                        false, false, NULL                                                         \
        }

typedef enum pawl_rollback_plan_action {
        PAWL_PLAN_WRITE,  /**< a file, directory or link comes there, in place of what is there
                           */
        PAWL_PLAN_REMOVE, /**< what is there goes */
        PAWL_PLAN_MODE,   /**< its mode is set */
        PAWL_PLAN_LEAVE   /**< it is left alone, though the checkpoint has something else there, or
                               nothing */
} pawl_rollback_plan_action;

/** One path of a plan. Texts live as long as the plan. */
typedef struct pawl_rollback_plan_item {
        pawl_rollback_plan_action action;
        pawl_text path;
        char kind;       /**< 'f', 'd' or 'l': what is written, removed or set; 0 for LEAVE */
        uint64_t size;   /**< bytes, of a file that is written */
        bool wanted;     /**< of LEAVE: the checkpoint has something there */
        bool lost;       /**< of LEAVE: what was there then can't be brought back, as the checkpoint
                              did not capture it */
        bool missed;     /**< of LEAVE: what the checkpoint has there could not be put back, as
                              something is in the way that is not to be replaced, or as it
                              could not be written */
        bool unwritten;  /**< and it is that: pawl_workspace_finish() tries it again */
        const char *why; /**< of LEAVE; else NULL */
        const char *fix; /**< what ends an obstacle, such as "free some space"; NULL: not known */
        pawl_text run_id; /**< another run than the checkpoint's, if one changed the path last,
                             since the way to the checkpoint was left; else absent */
        pawl_text agent;  /**< the actor of tool calls, if an agent changed it last: in a turn, from
                               the checkpoint before its first call on; else absent */
        bool by_hand; /**< neither Pawl, a step nor an agent changed it: none was at work between
                           the checkpoints that it changed between, nor since the last one */
} pawl_rollback_plan_item;

/** How many of each. */
typedef struct pawl_rollback_plan_counts {
        uint64_t writes, bytes, removes, modes, left, lost,
                missed; /**< left: the lost and the missed ones too */
} pawl_rollback_plan_counts;

/** A step that is given up: pending again, so that `pawl resume` runs it again. */
typedef struct pawl_given_up {
        pawl_text run_id, step_id;
} pawl_given_up;

/** Where git goes. */
typedef struct pawl_rollback_plan_git {
        pawl_text branch;
        char from[41], to[41]; /**< the commits, 40 hex digits */
        uint64_t commits;      /**< that the branch gives up; none when it goes forward again */
} pawl_rollback_plan_git;

/** A step that is again what it was at the checkpoint's place in the log. */
typedef struct pawl_put_back {
        pawl_text run_id, step_id;
        pawl_text status; /**< blocked, completed or failed */
} pawl_put_back;

/** Somebody else's work that is replaced. */
typedef struct pawl_rollback_plan_other {
        pawl_text run_id; /**< its steps stay as they are; absent: an agent's work, or by hand */
        pawl_text agent;  /**< the actor of its tool calls; absent: a run's work, or by hand */
        uint64_t paths;   /**< how many paths of the plan */
} pawl_rollback_plan_other;

/** What it does beside the files. Lasts as long as the plan. */
typedef struct pawl_rollback_plan_effect {
        bool in_part;         /**< it is of some paths alone: no step and no checkpoint changes */
        pawl_text run_id;     /**< the run whose steps change; absent: none do */
        pawl_text run_status; /**< what that run is then: interrupted, blocked, failed, completed;
                                   cancelled, if it is now: that has ended for good */
        pawl_text own_run;    /**< the run that the checkpoint is of; absent: none */
        const pawl_put_back *back;
        size_t n_back;
        const uint64_t *given_up; /**< checkpoints that are not on the way any more */
        size_t n_given_up;
        const uint64_t *taken_up; /**< and those that are again */
        size_t n_taken_up;
        const pawl_rollback_plan_other *others;
        size_t n_others;
} pawl_rollback_plan_effect;

/** What a plan says as it is. What it points to lasts as long as the plan. */
typedef struct pawl_rollback_plan_view {
        const char *hash; /**< 64 hex digits */
        const pawl_workspace_checkpoint_info *target;
        uint64_t safety; /**< the number of the safety copy; 0: it has not been done */
        bool undo;       /**< it reverses a rollback, a restore or an undo */
        bool redo;       /**< and that is an undo */
        bool abandons;   /**< it was interrupted, and its files go back to where it began */
        bool exact;      /**< it was done, and every file is as the checkpoint has it: nothing was
                              left alone, and no mode is another */
        uint64_t reverses, reversed_target; /**< the seq of what it reverses, and the number of the
                                                 checkpoint that went to; 0: nothing */
        const char *reversed;               /**< "rollback", "undo" or "redo"; NULL: nothing */
        const pawl_rollback_plan_item *items; /**< every path, in the order of a walk: first what is
                                                   done, then what is left alone */
        size_t n_items;
        pawl_rollback_plan_counts counts;
        const pawl_given_up *steps; /**< that are to be run again */
        size_t n_steps;
        pawl_rollback_plan_effect effect;
        const pawl_rollback_plan_git *git; /**< NULL: git stays where it is */
} pawl_rollback_plan_view;

PAWL_EXTERN pawl_rollback_plan_view pawl_rollback_plan_look(const pawl_rollback_plan *plan);
PAWL_EXTERN void pawl_rollback_plan_free(pawl_rollback_plan *plan);

/* ---- Going back ------------------------------------------------------------------------------ */

/**
 * What going back would do. Reads the workspace and writes nothing. The plan's hash covers the
 * target, the workspace as it is, and the log's head: pass it as options.expect to have that plan
 * or none.
 * @param which  a checkpoint, as for pawl_workspace_checkpoint_find(); NULL: what an undo (with
 * options.redo: a redo) would do; while one is interrupted, what pawl_workspace_give_up() would do.
 * @return as pawl_workspace_rollback() or pawl_workspace_undo().
 */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_workspace_plan(pawl_rollback_plan **out, pawl_log *log,
        const char *which, const pawl_rollback_options *options,
        const pawl_workspace_options *workspace, pawl_error *err);

/**
 * Go to a checkpoint, an earlier or a later one, one that was given up, or a safety copy: verify
 * what it writes, take a safety copy of the workspace, put the files back, and record it. The steps
 * of its run are what they were at its place in the log; checkpoints that are not on the way to it
 * are given up. Removed is only what some checkpoint recorded, unless options.clean; what else is
 * there stays. With workspace.paths it is of these paths alone: files, and nothing else. A path
 * that cannot be written does not stop the rest: it is an item that is missed, with the system's
 * reason, and pawl_workspace_finish() tries it again.
 * @param[out] done  what was done; NULL: not wanted.
 * @return PAWL_ESTATE for one that was pruned, while another rollback is half done, where git
 * cannot move, and where the plan is not options.expect; PAWL_ENOTFOUND, also for a path that is in
 *         neither; PAWL_EINVAL for a path outside of the root, and for options.git with paths;
 *         PAWL_EHELD while a live process holds its run or the newest one's, or is
 *         at a rollback of the workspace;
 *         PAWL_EDAMAGED for one that does not verify: then nothing was changed. After any failure
 *         pawl_workspace_pending() says whether the files are half-way.
 */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_workspace_rollback(pawl_rollback_plan **done,
        pawl_log *log, const char *which, const pawl_rollback_options *options,
        const pawl_workspace_options *workspace, pawl_error *err);

/**
 * Reverse the newest rollback or restore that is not reversed yet, by going to its safety copy: the
 * files are as they were before it, steps and checkpoints too, and git is where it stood. The next
 * undo reverses the one before. What came since is in a safety copy of its own, which a redo
 * brings back.
 * @return as above; PAWL_ENOTFOUND if nothing is left to undo.
 */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_workspace_undo(pawl_rollback_plan **done,
        pawl_log *log, const pawl_rollback_options *options,
        const pawl_workspace_options *workspace, pawl_error *err);

/**
 * Reverse the newest undo that is not reversed yet: the files are as they were before it. A
 * rollback or restore since that undo leaves nothing to redo; checkpoints and edits do not.
 * @return as above; PAWL_ENOTFOUND if nothing is left to redo.
 */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_workspace_redo(pawl_rollback_plan **done,
        pawl_log *log, const pawl_rollback_options *options,
        const pawl_workspace_options *workspace, pawl_error *err);

/** One of the past. */
typedef struct pawl_rollback_info {
        uint64_t seq;            /**< of its WorkspaceRollbackStarted */
        uint64_t target, safety; /**< numbers of checkpoints */
        bool undo, in_part;
        bool redo;          /**< an undo of an undo */
        pawl_text status;   /**< started, done, abandoned, undone */
        uint64_t ended_seq; /**< of its WorkspaceRolledBack; 0: it is under way */
        int64_t started_us;
        pawl_text actor, reason;  /**< absent: none */
        const uint64_t *given_up; /**< checkpoints */
        size_t n_given_up;
        const pawl_given_up *steps; /**< that were to be run again */
        size_t n_steps;
} pawl_rollback_info;

typedef struct pawl_rollbacks {
        const pawl_rollback_info *items; /**< texts live as long as the list */
        size_t n;
} pawl_rollbacks;

/** Every one, oldest first. Free with pawl_rollbacks_free(). */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_rollback_list(
        pawl_rollbacks **out, pawl_log *log, pawl_error *err);
PAWL_EXTERN void pawl_rollbacks_free(pawl_rollbacks *list);

/** A rollback that was interrupted. */
typedef struct pawl_pending_rollback {
        uint64_t target, safety; /**< numbers of checkpoints */
        bool undo;               /**< it reverses another */
        bool redo;               /**< and that is an undo */
        uint64_t seq;            /**< of its WorkspaceRollbackStarted */
} pawl_pending_rollback;

/** PAWL_ENOTFOUND, without a message: there is none. */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_workspace_pending(
        pawl_pending_rollback *out, pawl_log *log, pawl_error *err);
/** End it by going on to its target. If none was interrupted, write the paths that the newest one
 * could not write. A path that cannot be written, or that somebody changed meanwhile, does not stop
 * the rest: it is an item that is missed, and the next call tries it again. PAWL_ENOTFOUND: there
 * are none. PAWL_EHELD: somebody else is at it. */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_workspace_finish(pawl_rollback_plan **done,
        pawl_log *log, const pawl_workspace_options *workspace, pawl_error *err);
/** End it by going back to where it began; otherwise as pawl_workspace_finish(). */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_workspace_give_up(pawl_rollback_plan **done,
        pawl_log *log, const pawl_workspace_options *workspace, pawl_error *err);

/**
 * Put the files of a checkpoint into a directory of their own, absolute, which is empty or not
 * there: also those of a work tree that was removed. The log and the workspace stay as they are.
 * @param which    as for pawl_workspace_checkpoint_find().
 * @param options  NULL: the defaults; the root is not looked at.
 * @return PAWL_EINVAL for a directory with something in it; PAWL_ENOTFOUND, PAWL_ESTATE and
 *         PAWL_EDAMAGED for a checkpoint that is not there, was pruned or is damaged; PAWL_EACCESS
 * and PAWL_EIO for files that cannot be written. What was written by then stays.
 */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_workspace_extract(pawl_log *log, const char *which,
        const char *directory, const pawl_workspace_options *options, pawl_error *err);

#ifdef __cplusplus
}
#endif

#endif
