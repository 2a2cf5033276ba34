/**
 * @file workspace/workspace.h
 * @brief One workspace at work: its log, its root, how it is read, and where it stands.
 */
#pragma once

#include "state/state.h"
#include "workspace/git/git.h"
#include "workspace/scan/scan.h"
#include "workspace/store/contents.h"
#include "workspace/store/paths.h"
#include <pawl/rollback.h>
#include <pawl/workspace.h>

/** Of a root, unless a checkpoint said otherwise. */
#define PAWL__WORKSPACE_MAX_FILES ((uint64_t)200000)
#define PAWL__WORKSPACE_MAX_BYTES ((uint64_t)10 << 30)

typedef struct pawl__workspace {
        pawl_log *log;
        pawl__state *state;
        pawl__contents *contents;
        pawl__arena arena; /**< what the members below point to; lives as long as this */
        pawl_text actor;   /**< NUL-ended */
        const char *root;  /**< absolute */
        pawl_text
                root_name; /**< as events say it: relative to the directory that holds the log's */
        const char *home, *config_home; /**< NULL: not known */
        bool force_root;
        bool looks; /**< scans are not stored: see pawl__scan_options */
        const pawl_text *exclude;
        size_t n_exclude;
        const pawl_text *include; /**< patterns that go before all others, but for a directory that
                                     is left out */
        size_t n_include;
        uint64_t max_file, max_files, max_bytes;
        int64_t deadline_ms; /**< of a checkpoint's reading; 0: there is none */
        bool bounded;        /**< readings obey these: they are for a checkpoint */
        pawl_scan_fn progress;
        void *progress_user;
        pawl_text *part; /**< the paths that a rollback or a comparison is of; NULL: all */
        size_t n_part;
        pawl__paths paths;   /**< the same, to be asked */
        pawl__paths also;    /**< what a reading takes whatever the rules say; exact */
        uint64_t last;       /**< the highest number of a checkpoint; 0: there is none */
        pawl__arena located; /**< what the rows below point to, until they are asked for again */
        bool any;            /**< some are not imported: the two rows below are set */
        pawl__row newest;    /**< of those, the one with the highest number */
        pawl__row current;   /**< the one that the workspace was last taken at, or put back to */
        pawl__row by;        /**< the rollback that put it back there ... */
        bool put_back;       /**< ... if one did */
        pawl__git *git;      /**< NULL: not asked for yet, or there is none */
        bool git_asked;
        pawl_text
                git_unread; /**< why there is none though a repository is there; absent: none is */
        const char *worktree; /**< the id of a linked work tree; "": the log's own workspace */
        pawl_text run_id; /**< its root is a worker's, and is this run's alone; absent: the log's */
        const unsigned char *base; /**< the event that its index is of; NULL: the one it is at */
        uint64_t from;             /**< then the number of the checkpoint that the run began with */
        int owned;                 /**< the root, locked: pawl__workspace_own(); -1 */
} pawl__workspace;

/** One that belongs to a run alone: in @p options.root, whose own checkpoints it is at, the
 *  first of them number @p from. As below. */
PAWL_MUST_CHECK pawl_status pawl__workspace_open_run(pawl__workspace *ws, pawl_log *log,
        pawl_text run_id, uint64_t from, const pawl_workspace_options *options, pawl_error *err);

/**
 * Find root, rules and place. @p options NULL: as the newest checkpoint says.
 * @return PAWL_EINVAL for options that are none and for a root that is not the log's.
 *         After a failure nothing is to be closed.
 */
PAWL_MUST_CHECK pawl_status pawl__workspace_open(
        pawl__workspace *ws, pawl_log *log, const pawl_workspace_options *options, pawl_error *err);
void pawl__workspace_close(pawl__workspace *ws);

/** Keep the id where the work tree has it from now on. */
PAWL_MUST_CHECK pawl_status pawl__workspace_keep_id(pawl__workspace *ws, pawl_error *err);

/** Until it is closed, let nobody else on this host put files back in it: a lock on the root, which
 *  a process that dies lets go. PAWL_EHELD while somebody else does. Where the file system has no
 *  such locks, everybody owns it. */
PAWL_MUST_CHECK pawl_status pawl__workspace_own(pawl__workspace *ws, pawl_error *err);

/** Does the log lie in a directory `.pawl`, whose own directory is the root until a checkpoint says
 *  another? */
bool pawl__workspace_has_place(const pawl_log *log);

/** Let a directory be no part of it from now on, as if `exclude` named it, where it lies below the
 * root: checkpoints that are taken then say so, and later ones inherit it. A directory that is not
 * there, but whose parent is, may come. PAWL_EINVAL for the root itself, and a path that no rule
 * can name. */
PAWL_MUST_CHECK pawl_status pawl__workspace_leave_out(
        pawl__workspace *ws, const char *directory, pawl_error *err);

/** The rules that the options give, and those of the newest checkpoint for what they leave open. */
PAWL_MUST_CHECK pawl_status pawl__workspace_set_rules(
        pawl__workspace *ws, const pawl_workspace_options *options, pawl_error *err);

/** Where does the workspace stand in the log now? Sets last, any, newest, current, by, put_back. */
PAWL_MUST_CHECK pawl_status pawl__workspace_locate(pawl__workspace *ws, pawl_error *err);

/** What a checkpoint was taken with: patterns, as `include` and `exclude` of the settings, and
 * git's lists that are no files of its tree (workspace/scan/git_rules.h), absent where there were
 * none. */
typedef struct pawl__workspace_lists {
        const pawl_text *include, *exclude;
        size_t n_include, n_exclude;
        pawl_text git_rules;
} pawl__workspace_lists;
/** Those of the checkpoint whose event that is, in the arena; none where the event was pruned. */
PAWL_MUST_CHECK pawl_status pawl__workspace_lists_of(pawl__workspace_lists *out, pawl_log *log,
        uint64_t seq, pawl__arena *arena, pawl_error *err);
/** Did the checkpoint come out of an archive? */
PAWL_MUST_CHECK pawl_status pawl__workspace_imported(
        bool *imported, pawl__workspace *ws, const pawl__row *row, pawl_error *err);

/** Is the checkpoint marked as damaged, not abandoned by a rollback, and not pruned? */
bool pawl__checkpoint_damaged(const pawl__row *row);

/** Read the workspace as it is, by the index if that is of the current checkpoint and none of its
 * contents is known to be damaged: then each file is read, and what the log has of it verified. @p
 * flush_spool: see pawl__scan_options; false: nothing is written. */
PAWL_MUST_CHECK pawl_status pawl__workspace_scan(
        pawl__scan **out, pawl__workspace *ws, bool flush_spool, pawl_error *err);

/** Let the index, from now on, stand for the event that put the workspace where @p scan saw it. */
void pawl__workspace_keep_index(pawl__workspace *ws, const pawl__scan *scan, uint64_t seq);

/**
 * Where git stands around the root; the branch's name lies in @p arena. PAWL_DONE: nowhere (no
 * repository, one that belongs to somebody else, or libgit2 is not there).
 */
PAWL_MUST_CHECK pawl_status pawl__workspace_git(
        pawl__git_head *out, pawl__workspace *ws, pawl__arena *arena, pawl_error *err);

/** The same, without libgit2 where git's own files say it plainly. */
PAWL_MUST_CHECK pawl_status pawl__workspace_head(
        pawl__git_head *out, pawl__workspace *ws, pawl__arena *arena, pawl_error *err);

/** PAWL_ESTATE, naming what to do, while a rollback is half done; PAWL_EHELD while somebody else is
 *  at it. */
PAWL_MUST_CHECK pawl_status pawl__workspace_check_idle(pawl__workspace *ws, pawl_error *err);

/** The checkpoint that @p which names: a number, an id or the start of one, "current",
 *  "@STEP", "@turn:N", "@turn:SESSION:N", a tool call's.
 *  PAWL_ENOTFOUND, PAWL_EINVAL. */
PAWL_MUST_CHECK pawl_status pawl__workspace_find(
        pawl__row *out, pawl__state *state, const char *which, pawl__arena *arena, pawl_error *err);
/** The one that the workspace is at. PAWL_ENOTFOUND without a message: there is none. */
PAWL_MUST_CHECK pawl_status pawl__workspace_current(pawl__row *out, pawl__row *by, bool *put_back,
        pawl__state *state, pawl__arena *arena, pawl_error *err);
/** The same, where the newest checkpoint of the workspace's own is known. */
PAWL_MUST_CHECK pawl_status pawl__workspace_current_of(pawl__row *out, pawl__row *by,
        bool *put_back, const pawl__row *newest, pawl__state *state, pawl__arena *arena,
        pawl_error *err);

/** A failure to read what a checkpoint holds: where somebody pruned it since its row was read, that
 * is what it means (PAWL_ENOTFOUND), else it is handed on. */
PAWL_MUST_CHECK pawl_status pawl__workspace_or_pruned(
        pawl_status status, pawl__state *state, const pawl__row *checkpoint, pawl_error *err);

/** A row as the public header shows it; texts as in the row. */
pawl_workspace_checkpoint_info pawl__checkpoint_info(const pawl__row *row, uint64_t current);

/** pawl_workspace_checkpoint_list() of these: the newest of a page, oldest first. */
PAWL_MUST_CHECK pawl_status pawl__checkpoint_list(pawl_workspace_checkpoints **out, pawl_log *log,
        const pawl__checkpoint_filter *filter, pawl_error *err);
/** pawl_rollback_list() of a page, oldest first. */
PAWL_MUST_CHECK pawl_status pawl__rollback_list(
        pawl_rollbacks **out, pawl_log *log, const pawl__page *page, pawl_error *err);
