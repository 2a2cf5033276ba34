/**
 * @file state/state.h
 * @brief What is, kept in step with a log: attach, query, replay, check.
 */
#pragma once

#include "state/versions.h"

typedef struct pawl__state pawl__state;

/**
 * The state of a log: the one that is attached, or else a new one, which is attached as the log's
 * projector and brought up to the log's head if others appended without it (not when read-only).
 * The log owns it and frees it when it is closed.
 * @return PAWL_ESTATE for a read-only log whose tables are behind it, PAWL_EDAMAGED if they are
 *         ahead of its end (its tail was cut), PAWL_EINVAL or PAWL_ENEWER for an event that cannot
 * be folded: then nothing is attached.
 */
PAWL_MUST_CHECK pawl_status pawl__state_of(pawl__state **out, pawl_log *log, pawl_error *err);

/**
 * Empty the state tables and fold the log into them again, in one transaction: after a migration,
 * or if replay --check found a difference. It takes the log, since pawl__state_of() refuses tables
 * that are ahead of the log's end. PAWL_EREADONLY.
 */
PAWL_MUST_CHECK pawl_status pawl__state_rebuild(pawl_log *log, pawl_error *err);

/* ---- Queries. Rows are copied into the caller's arena. -------------------------------------- */

/** pawl__state_get() of what this handle knows, without asking the tables, as it was at the event
 * @p at (pawl__log_assumed()). PAWL_DONE: not known. */
PAWL_MUST_CHECK pawl_status pawl__state_known(pawl__state *state, uint64_t at, pawl__table table,
        pawl__row *row, pawl__arena *arena, pawl_error *err);

/** One row by key (the key columns of *row are set). PAWL_ENOTFOUND without a message. */
PAWL_MUST_CHECK pawl_status pawl__state_get(
        pawl__state *state, pawl__table table, pawl__row *row, pawl__arena *arena, pawl_error *err);

/** Every row of a table in its listing order; texts are valid during the call. */
PAWL_MUST_CHECK pawl_status pawl__state_each(
        pawl__state *state, pawl__table table, pawl__row_fn fn, void *user, pawl_error *err);

/** The steps of a run, in mission order. */
PAWL_MUST_CHECK pawl_status pawl__state_steps(pawl__row **rows, size_t *n, pawl__state *state,
        pawl_text run_id, pawl__arena *arena, pawl_error *err);
/** The same, one after the other; texts are valid during the call. @p in_order: a database sorts
 *  them first, and needs memory for it. */
PAWL_MUST_CHECK pawl_status pawl__state_each_step(pawl__state *state, pawl_text run_id,
        bool in_order, pawl__row_fn fn, void *user, pawl_error *err);

/**
 * A run and its steps, in mission order, as they were right after the event @p seq (UINT64_MAX: as
 * they are now). Reads the tables where nothing has changed since, else the run's events from its
 * start to there (of the whole log up to there where a rollback ended in between).
 * The run's session, fence and status do not know of claims and sessions that are older than it.
 * @return PAWL_ENOTFOUND, without a message, if there was no such run yet.
 */
PAWL_MUST_CHECK pawl_status pawl__state_steps_at(pawl__row *run, pawl__row **steps, size_t *n,
        pawl__state *state, pawl_text run_id, uint64_t seq, pawl__arena *arena, pawl_error *err);

/** Called after an event of the run was folded into @p store. */
typedef pawl_status (*pawl__folded_fn)(
        const pawl_event *event, pawl__store *store, void *user, pawl_error *err);

/** The fold behind it: into @p store, an empty one, up to the event @p until; @p fn may be NULL.
 *  PAWL_ENOTFOUND as above. */
PAWL_MUST_CHECK pawl_status pawl__state_fold_run(pawl__store *store, pawl__state *state,
        pawl_text run_id, uint64_t until, pawl__folded_fn fn, void *user, pawl_error *err);

/** Is a conflict without an answer among those by which the gate blocked the step? */
PAWL_MUST_CHECK pawl_status pawl__state_step_blocked(
        bool *blocked, pawl__state *state, const pawl__row *step, pawl_error *err);

/** Did the step complete after that seq, and a rollback put it back since? */
PAWL_MUST_CHECK pawl_status pawl__state_completed_since(
        bool *yes, pawl__state *state, const pawl__row *step, int64_t seq, pawl_error *err);

/** Conflicts of a run and step in the order of their requests; absent run: of all; open_only: those
 *  that block their step as it is now. */
PAWL_MUST_CHECK pawl_status pawl__state_conflicts(pawl__row **rows, size_t *n, pawl__state *state,
        pawl_text run_id, pawl_text step_id, bool open_only, pawl__arena *arena, pawl_error *err);

enum {
        PAWL__CANDIDATES = 4, /* rows that a prefix gives, at most */
        PAWL__PREFIX_MIN = 4, /* characters of an id that name it, if nothing else begins so */
        PAWL__SHORT_ID = 8    /* characters of an id that people are shown */
};

/** The rows (of PAWL__RUNS, _CHECKPOINTS, _CONFLICTS, _SESSIONS or _WORKSPACE) whose id starts with
 * @p prefix; one whose whole id it is comes first. */
PAWL_MUST_CHECK pawl_status pawl__state_by_prefix(pawl__row rows[PAWL__CANDIDATES], size_t *n,
        pawl__state *state, pawl__table table, pawl_text prefix, pawl__arena *arena,
        pawl_error *err);

/**
 * Complete *id to the only id of these tables that begins with it. It stays as it is if it is an
 * id itself, if no id begins with it, or if it has less than PAWL__PREFIX_MIN characters. @p what
 * names the kind.
 * @return PAWL_EINVAL, naming candidates, if several do.
 */
PAWL_MUST_CHECK pawl_status pawl__state_whole_id(pawl_text *id, pawl__state *state,
        const pawl__table *tables, size_t n_tables, const char *what, pawl__arena *arena,
        pawl_error *err);

/** The reverse, for display: the first PAWL__SHORT_ID characters of a UUID or of a conflict's id
 *  ("cp-04" of a workspace checkpoint), or as many as make it unique in the table. A name that
 *  a person gave stays whole. */
PAWL_MUST_CHECK pawl_status pawl__state_short_id(
        pawl_text *id, pawl__state *state, pawl__table table, pawl__arena *arena, pawl_error *err);

/** What steps ask people, and that is open and blocks them. */
PAWL_MUST_CHECK pawl_status pawl__state_questions(
        pawl__row **rows, size_t *n, pawl__state *state, pawl__arena *arena, pawl_error *err);

/** The completed steps of all runs of a mission (absent: of any), those of a run together. */
PAWL_MUST_CHECK pawl_status pawl__state_completed(pawl__row **rows, size_t *n, pawl__state *state,
        pawl_text mission_id, pawl__arena *arena, pawl_error *err);

/** Of a list: those before this seq (of checkpoints of the workspace: n; 0: from the newest on),
 * and at most so many (0: all). Zero-initialised is the whole list. */
typedef struct pawl__page {
        uint64_t before;
        size_t limit;
} pawl__page;

/** Sessions, newest first: of a mission (absent: of any) and of a work tree (NULL: of any). Those
 *  that were pruned are left out. */
PAWL_MUST_CHECK pawl_status pawl__state_sessions(pawl__row **rows, size_t *n, pawl__state *state,
        pawl_text mission_id, const char *worktree, const pawl__page *page, pawl__arena *arena,
        pawl_error *err);

/** Conflicts of all runs, those requested last first; open_only as above. Costs what a page has:
 *  open ones have an index, and others are found by a walk back over 16,384 events at most; where
 *  that does not fill the page, by one over the table of conflicts. */
PAWL_MUST_CHECK pawl_status pawl__state_conflicts_page(pawl__row **rows, size_t *n,
        pawl__state *state, bool open_only, const pawl__page *page, pawl__arena *arena,
        pawl_error *err);

/** Which runs: those that are not completed are a listing of their own, as they have an index. */
typedef enum pawl__runs_which {
        PAWL__RUNS_ALL,
        PAWL__RUNS_COMPLETED,
        PAWL__RUNS_UNFINISHED /**< running, blocked, interrupted and failed */
} pawl__runs_which;

/** Runs, those that started last first: before the event @p before (0: from the newest on),
 *  @p limit at most (0: all). Costs what a page has where runs are many, and a walk over them
 *  where they are few; at most a walk over 16,384 events and one over the table of runs. */
PAWL_MUST_CHECK pawl_status pawl__state_runs(pawl__row **rows, size_t *n, pawl__state *state,
        pawl__runs_which which, uint64_t before, size_t limit, pawl__arena *arena, pawl_error *err);

/** Submitted runs that wait for a worker: queued, interrupted, or blocked with their answers in; by
 *  turns of their missions, each mission's in the order they were submitted, @p limit at most. Some
 *  may be held already. */
PAWL_MUST_CHECK pawl_status pawl__state_in_line(pawl__row **rows, size_t *n, pawl__state *state,
        size_t limit, pawl__arena *arena, pawl_error *err);

/** The newest session of a mission that has notes. PAWL_ENOTFOUND without a message. */
PAWL_MUST_CHECK pawl_status pawl__state_noted_session(pawl__row *session, pawl__state *state,
        pawl_text mission_id, pawl__arena *arena, pawl_error *err);

/** The sessions that have not ended, oldest first. */
PAWL_MUST_CHECK pawl_status pawl__state_active_sessions(
        pawl__row **rows, size_t *n, pawl__state *state, pawl__arena *arena, pawl_error *err);

/** The newest run (by first event) of a mission file, begun in the state's work tree, that is
 * blocked, interrupted, failed or running. PAWL_ENOTFOUND without a message. */
PAWL_MUST_CHECK pawl_status pawl__state_unfinished(pawl__row *run, pawl__state *state,
        pawl_text mission_id, pawl__arena *arena, pawl_error *err);

/** The mission's runs with an end that is still to be told of. */
PAWL_MUST_CHECK pawl_status pawl__state_not_notified(pawl__row **rows, size_t *n,
        pawl__state *state, pawl_text mission_id, pawl__arena *arena, pawl_error *err);

/* Checkpoints of the workspace (PAWL__WORKSPACE, whose key is n) and rollbacks (PAWL__ROLLBACKS).
 */

/** From now on, the workspace's own checkpoints and its rollbacks are those of the work tree of
 * this id, whose top is @p root; "" and NULL: of the workspace that the log lies in, as at first.
 *  PAWL_ENOMEM: it stays as it was. */
PAWL_MUST_CHECK pawl_status pawl__state_set_worktree(
        pawl__state *state, const char *id, const char *root, pawl_error *err);
/** What commands that a document suggests are to end with so that they find this log, such as
 *  " --db FILE". PAWL_ENOMEM: it stays as it was. */
PAWL_MUST_CHECK pawl_status pawl__state_set_named(
        pawl__state *state, pawl_text options, pawl_error *err);
const char *pawl__state_named(const pawl__state *state);
/** Is it that of a row? Schemas before 6 have none. */
static inline bool pawl__same_worktree(pawl_text kept, const char *id)
{
        return kept.data ? pawl__text_is(kept, id) : !*id;
}
/** Its id, and its top or NULL; valid until it is set again. */
const char *pawl__state_worktree(const pawl__state *state, const char **root);
/** Where a session or a run is at work. Texts live in rows, the arena and the log. */
typedef struct pawl__worktree_place {
        pawl_text worktree, root; /**< a linked work tree and its top; absent: the log's own */
        pawl_text was;            /**< its top when the session began */
        pawl_text elsewhere;      /**< the top of it where it is not the state's; absent: it is */
        bool gone;                /**< it was removed: its top is the last one that is known */
} pawl__worktree_place;

/** Appends to @p top where the work tree of that id, which was at @p root, is now; false: it was
 *  removed. Nothing is appended where it is not known whether it was moved. */
typedef bool (*pawl__worktree_find_fn)(
        pawl__buf *top, const pawl_log *log, const char *id, const char *root);
/** Let places be looked up; without it they are where they were when a session began. */
void pawl__state_find_worktrees(pawl__state *state, pawl__worktree_find_fn find);

pawl__worktree_place pawl__state_place(
        const pawl__state *state, pawl_text worktree, pawl_text root, pawl__arena *arena);
/** Its top: for the log's own, the directory that holds .pawl. */
pawl_text pawl__state_top(const pawl__state *state, const pawl__worktree_place *place);
/** That of a run's files: of its session, else of its newest checkpoint. Nowhere else for one in a
 *  directory of its own. */
PAWL_MUST_CHECK pawl_status pawl__state_run_place(pawl__worktree_place *out, pawl__state *state,
        const pawl__row *run, pawl__arena *arena, pawl_error *err);

/** The run's mission file, which moves with its work tree; absent: it has none. */
PAWL_MUST_CHECK pawl_status pawl__run_mission_path(pawl_text *out, pawl__state *state,
        const pawl__row *run, pawl__arena *arena, pawl_error *err);

/** The one with the highest n: of the work tree; of all. PAWL_ENOTFOUND without a message. */
PAWL_MUST_CHECK pawl_status pawl__state_workspace_newest_own(
        pawl__row *row, pawl__state *state, pawl__arena *arena, pawl_error *err);
PAWL_MUST_CHECK pawl_status pawl__state_workspace_newest(
        pawl__row *row, pawl__state *state, pawl__arena *arena, pawl_error *err);
/** All, n ascending, those that are invalid or pruned too. */
PAWL_MUST_CHECK pawl_status pawl__state_workspace_all(
        pawl__row **rows, size_t *n, pawl__state *state, pawl__arena *arena, pawl_error *err);
/** Those of these ids (absent: of any), and of them a page; n descending. */
typedef struct pawl__checkpoint_filter {
        pawl_text run_id, session_id, step_id, worktree;
        pawl__page page;
        const struct pawl_workspace_options
                *options; /**< those that changed its paths; NULL: all */
} pawl__checkpoint_filter;

PAWL_MUST_CHECK pawl_status pawl__state_workspace_page(pawl__row **rows, size_t *n,
        pawl__state *state, const pawl__checkpoint_filter *filter, pawl__arena *arena,
        pawl_error *err);
/** Rollbacks and undos of a page, newest first. */
PAWL_MUST_CHECK pawl_status pawl__state_rollbacks_page(pawl__row **rows, size_t *n,
        pawl__state *state, const pawl__page *page, pawl__arena *arena, pawl_error *err);
/** The one before number @p n: of the run (@p run_id, in a directory of its own), else of the work
 *  tree. PAWL_ENOTFOUND without a message. */
PAWL_MUST_CHECK pawl_status pawl__state_workspace_before(pawl__row *row, pawl__state *state,
        uint64_t n, pawl_text run_id, pawl_text worktree, pawl__arena *arena, pawl_error *err);
/** The newest session that has turns. PAWL_ENOTFOUND without a message. */
PAWL_MUST_CHECK pawl_status pawl__state_session_of_turns(
        pawl__row *row, pawl__state *state, pawl__arena *arena, pawl_error *err);
/** Whose state it is. */
pawl_log *pawl__state_log(const pawl__state *state);
/** The newest of a step, of whichever run, that the log took itself: of its own workspace, or else
 *  of a directory that a run has for itself. PAWL_ENOTFOUND without a message. */
PAWL_MUST_CHECK pawl_status pawl__state_workspace_of_step(
        pawl__row *row, pawl__state *state, pawl_text step_id, pawl__arena *arena, pawl_error *err);
/** The newest that a worker took of the run, in a directory of its own. PAWL_ENOTFOUND without a
 *  message. */
PAWL_MUST_CHECK pawl_status pawl__state_workspace_of_run(
        pawl__row *row, pawl__state *state, pawl_text run_id, pawl__arena *arena, pawl_error *err);
/** The rollback that was started and has not ended. PAWL_ENOTFOUND without a message. */
PAWL_MUST_CHECK pawl_status pawl__state_rollback_pending(
        pawl__row *row, pawl__state *state, pawl__arena *arena, pawl_error *err);
/** The newest one of all paths that was done, an undo or not, undone since or not. PAWL_ENOTFOUND
 *  without a message. */
PAWL_MUST_CHECK pawl_status pawl__state_rollback_last(
        pawl__row *row, pawl__state *state, pawl__arena *arena, pawl_error *err);

/**
 * The senses that hold for a mission: the mission_local ones that it was answered, those of no seed
 * version, and those of the seed versions named (pairs of scope and version; of mission_local, the
 * mission's own) with what they have from the versions that they rest on. Absent mission: no
 * mission_local.
 * In order of seq. Texts are valid during the call of fn.
 * @param[out] cost  what reading those of versions took, as a number of rows; may be NULL.
 */
typedef struct pawl__scope_ref {
        pawl_text scope, version_id;
} pawl__scope_ref;

PAWL_MUST_CHECK pawl_status pawl__state_senses(size_t *cost, pawl__state *state,
        pawl_text mission_id, const pawl__scope_ref *refs, size_t n_refs, pawl__row_fn fn,
        void *user, pawl_error *err);

/** What is ignored in a scope other than mission_local, by a person or by any seed version. */
PAWL_MUST_CHECK pawl_status pawl__state_ignored(pawl__row **rows, size_t *n, pawl__state *state,
        pawl_text scope, pawl__arena *arena, pawl_error *err);

/** The version of a scope that was used last. PAWL_ENOTFOUND without a message. */
PAWL_MUST_CHECK pawl_status pawl__state_scope_in_force(
        pawl__row *row, pawl__state *state, pawl_text scope, pawl__arena *arena, pawl_error *err);
/** pawl__versions_in_force() by the state tables. */
PAWL_MUST_CHECK pawl_status pawl__state_versions_in_force(
        pawl__versions *versions, pawl__state *state, pawl_error *err);

/* ---- Replay ---------------------------------------------------------------------------------- */

/** Only events with these ids, up to this seq, are folded; absent and 0: all. Glossary events are
 * always folded. */
typedef struct pawl__replay_filter {
        pawl_text mission_id, run_id, step_id;
        uint64_t until; /**< last seq; 0: the head */
} pawl__replay_filter;

/** Fold the log, from nothing, into a store in memory, or, of many events, in a temporary file.
 * *head_seq and head_hash: the last event folded or passed over. The chain is not verified here:
 * pawl_log_verify() does that. */
PAWL_MUST_CHECK pawl_status pawl__replay(pawl__store **out, uint64_t *head_seq,
        unsigned char head_hash[32], pawl_log *log, const pawl__replay_filter *filter,
        pawl_error *err);

/** Is a row of PAWL__SENSES one of an alias (pawl__sense_is_alias())? */
typedef pawl_status (*pawl__alias_fn)(
        bool *is, pawl__buf *buf, const pawl__row *row, pawl_error *err);

/** Called with the JSON object of each element of an array, after once without one as the array
 * begins. The members of an element are in a stated order. */
typedef pawl_status (*pawl__element_fn)(
        const char *array, pawl_text element, void *user, pawl_error *err);

/** A fold (of pawl__replay(), of @p log), element by element, none of which stays in memory:
 * "head", which is no array, then the arrays, in their tables' order. The steps of a run, of the
 * array "steps", follow it.
 * @param alias  what marks senses that stand for an alias; NULL: nothing does. */
PAWL_MUST_CHECK pawl_status pawl__replay_each(pawl__store *store, pawl_log *log, uint64_t head_seq,
        const unsigned char head_hash[32], pawl__alias_fn alias, pawl__element_fn fn, void *user,
        pawl_error *err);

/** The object that `eventlog replay --json` prints, in the making; no newline. */
typedef struct pawl__replay_object {
        pawl__buf *out; /**< may be emptied between calls */
        bool in_array, in_run;
        uint64_t elements, steps; /**< so far: of the array, of the run */
} pawl__replay_object;

/** A pawl__element_fn: add it to the object, @p user. Without @p array, the object ends. */
PAWL_MUST_CHECK pawl_status pawl__replay_add(
        const char *array, pawl_text element, void *user, pawl_error *err);

/** Compare a fold of everything with the state tables. PAWL_EDAMAGED naming table, key, column and
 *  both values of the first difference. */
PAWL_MUST_CHECK pawl_status pawl__replay_check(pawl_log *log, pawl_error *err);
