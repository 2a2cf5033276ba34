/**
 * @file pawl/workspace.h
 * @brief Checkpoints of a mission's files: take one, look at it, go back to it, come back again.
 *
 * A workspace checkpoint is every file under a root directory, the mission's state and outputs, and
 * where git stood, as one event of the log that exists whole or not at all. One log knows one root.
 *
 * Paths are bytes relative to the root, '/' between names, without "." and "..".
 * Errors: PAWL_OK or a failure with its message in @p err (may be NULL). A call that failed has
 * changed nothing in the log.
 */
#ifndef PAWL_WORKSPACE_H
#define PAWL_WORKSPACE_H

#include <pawl/events.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Told now and then while the workspace is read: how much of it there is so far. */
typedef void (*pawl_scan_fn)(uint64_t files, uint64_t bytes, void *user);

/** Which workspace, and how it is read. Start from PAWL_WORKSPACE_OPTIONS_INIT. */
typedef struct pawl_workspace_options {
        unsigned version; /**< PAWL_WORKSPACE_OPTIONS_VERSION */
        const char *root; /**< NULL: that of the log's checkpoints; before the first, the directory
                             that holds the log's directory `.pawl` */
        const char *home; /**< the user's: refused as a root, like "/"; git's configuration in it is
                               heeded; NULL: not known */
        bool force_root;  /**< take those two all the same */
        const char *const *exclude; /**< patterns as in a .gitignore of the root; NULL: those of the
                                         newest checkpoint */
        size_t n_exclude;
        uint64_t max_file; /**< bytes; a larger file is listed, not captured; 0: as for the newest
                                checkpoint, and 64 MiB for the first */
        const char *actor; /**< "user:ana"; NULL: "program" */
        const char *config_home;  /**< where the user's configuration of git is, what
                                       $XDG_CONFIG_HOME says; NULL: below home */
        const char *const *paths; /**< a rollback or a comparison is of these alone, with all that
                                     is in them: relative to the root, or absolute; NULL: of all */
        size_t n_paths;
        uint64_t max_files, max_bytes; /**< a checkpoint of a root with more is refused, but for a
                                            rollback's safety copy; 0: as for the newest checkpoint,
                                            and 200,000 and 10 GiB for the first */
        uint64_t budget_ms;            /**< after this time, from when the workspace is opened, a
                                            checkpoint reads no more: what is as it was known is in
                                            it, what would have to be read is listed; 0: it takes
                                            what it takes */
        pawl_scan_fn progress;         /**< of its readings; NULL: silent */
        void *progress_user;
        const char *const *include; /**< patterns as in a .gitignore of the root, of what is
                                       captured although other rules leave it out; NULL: those of
                                       the newest checkpoint */
        size_t n_include;
} pawl_workspace_options;

#define PAWL_WORKSPACE_OPTIONS_VERSION 1
#define PAWL_WORKSPACE_OPTIONS_INIT                                                                \
        {                                                                                          \
                PAWL_WORKSPACE_OPTIONS_VERSION, NULL, NULL, false, NULL, 0, 0, NULL, NULL, NULL,   \
                        0, 0, 0, 0, NULL, NULL, NULL, 0                                            \
        }

/* ---- Taking one ------------------------------------------------------------------------------ */

/** What a checkpoint is taken of, beside the files. Start from PAWL_CHECKPOINT_REQUEST_INIT. */
typedef struct pawl_workspace_checkpoint_request {
        unsigned version;        /**< PAWL_CHECKPOINT_REQUEST_VERSION */
        const char *description; /**< in the taker's words; NULL: none */
        bool automatic;          /**< the trigger is "auto", not "manual" */
        /** NULL: do not apply. Run and step are left out if the log has no such run that has
         * started. */
        const char *mission_id, *run_id, *step_id, *session_id;
        pawl_text state;      /**< the mission's state, JSON; absent: none */
        pawl_text outputs;    /**< its outputs, JSON; absent: none */
        bool only_if_changed; /**< not where files, state and outputs are those of the current one
                               */
} pawl_workspace_checkpoint_request;

#define PAWL_CHECKPOINT_REQUEST_VERSION 1
#define PAWL_CHECKPOINT_REQUEST_INIT                                                               \
        {                                                                                          \
                PAWL_CHECKPOINT_REQUEST_VERSION, NULL, false, NULL, NULL, NULL, NULL, {NULL, 0},   \
                        {NULL, 0}, false                                                           \
        }

/** A checkpoint as the log has it. Texts live as long as the list or the capture. */
typedef struct pawl_workspace_checkpoint_info {
        uint64_t n, seq; /**< its number, from 1 up; that of its event */
        pawl_text id;    /**< "cp-04-implement-20260120-143000" */
        pawl_text mission_id, run_id, step_id, session_id;
        pawl_text trigger; /**< auto or manual */
        pawl_text description;
        pawl_text root;        /**< relative to the directory that holds the log's, or absolute;
                                    absent: it was imported */
        pawl_text tree;        /**< 64 hex digits: what all files and directories hash to */
        uint64_t files, bytes; /**< captured */
        uint64_t not_captured; /**< listed, but not captured */
        pawl_text state_hash, outputs_hash, git_head, git_branch; /**< absent: there is none */
        int64_t created_us;
        uint64_t base; /**< the one that was current when it was taken; 0: none */
        bool valid;    /**< its contents are there, so that it can be gone back to; false: it is
                            damaged, or was pruned */
        bool current;  /**< the one that the workspace was last taken at, or put back to */
        bool safety;   /**< taken by a rollback, to undo it */
        bool pinned;   /**< prune leaves it alone */
        bool pruned;   /**< its contents are gone */
        bool imported; /**< it came out of an archive; its step and time are those it had there */
        pawl_text why_invalid; /**< absent: nothing is wrong with it that is known */
        pawl_text given_up;    /**< "rolled back to 1": it is not on the way to where the workspace
                                    stands; absent: it is */
        pawl_text worktree;    /**< the id of the linked work tree that it is of, whose top is root,
                                    absolute; absent: it is of the log's own workspace */
        bool has_changed; /**< the three below are known: there is one before it, of its work tree
                               (or its run, in a directory of its own), and both have contents */
        uint64_t added, removed, modified; /**< files, since the one before */
        uint64_t turn;          /**< of the agent's session, from 1 up: it was taken in it, or at
                                     its end; 0: in none that has ended */
        pawl_text turn_session; /**< its session; absent: turn is 0 */
        pawl_text turn_text;    /**< what the agent said at its end, at most 300 bytes; or absent */
} pawl_workspace_checkpoint_info;

/** What a reading of the workspace met. */
typedef struct pawl_workspace_capture_counts {
        uint64_t files, bytes;        /**< in the checkpoint */
        uint64_t captured, unchanged; /**< files that were read, and those known from before */
        uint64_t ignored; /**< names that the rules leave out; a directory counts once */
        uint64_t too_large, unreadable, special, changing, repositories, over_budget, reserved,
                workspaces; /**< not captured */
} pawl_workspace_capture_counts;

/** Something that is there and was not captured. */
typedef struct pawl_not_captured {
        pawl_text path;  /**< bytes */
        const char *why; /**< "too large", "unreadable", "special", "changing", "unreadable rules"
                            (a directory), "repository" (the .git of one within) or "time budget"
                            (a directory: with all that is in it) */
} pawl_not_captured;

/** What came of taking a checkpoint. Free with pawl_workspace_capture_free(). */
typedef struct pawl_workspace_capture {
        pawl_workspace_checkpoint_info info;
        pawl_workspace_capture_counts counts;
        const pawl_not_captured *missed; /**< by path */
        size_t n_missed;
        pawl_text git_unread; /**< why no commit is known though a repository is there; absent: none
                                   is, or one is known */
} pawl_workspace_capture;

/**
 * Take a checkpoint: read the workspace, keep what the log does not have, append the event; one
 * durable commit. Files that are as the index beside the log knows them are not read again.
 * @param[out] out  what came of it.
 * @return PAWL_ETOOBIG beyond max_files or max_bytes: nothing was written, of a first one nothing
 *         was read. PAWL_DONE where only_if_changed and nothing has: nothing was written, *out
 * tells the current one. PAWL_EINVAL for a root that is refused or another than the log's, or text
 *         that is no JSON; PAWL_ESTATE while a rollback is half done.
 */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_workspace_checkpoint(pawl_workspace_capture **out,
        pawl_log *log, const pawl_workspace_checkpoint_request *request,
        const pawl_workspace_options *options, pawl_error *err);
PAWL_EXTERN void pawl_workspace_capture_free(pawl_workspace_capture *capture);

/* ---- Looking --------------------------------------------------------------------------------- */

typedef struct pawl_workspace_checkpoints {
        const pawl_workspace_checkpoint_info *items;
        size_t n;
} pawl_workspace_checkpoints; /**< Free with pawl_workspace_checkpoints_free(). */

/** Every checkpoint, oldest first. */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_workspace_checkpoint_list(
        pawl_workspace_checkpoints **out, pawl_log *log, pawl_error *err);
/** One: @p which is its number, its id or the unambiguous start of it, "current", "@STEP": the
 *  newest of that step that was not imported, "@turn:N": where the workspace was at the end of turn
 *  N of the newest session that has turns, "@turn:SESSION:N", or the name of a tool call.
 *  PAWL_ENOTFOUND; PAWL_EINVAL for a start that several have. */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_workspace_checkpoint_find(
        pawl_workspace_checkpoints **out, pawl_log *log, const char *which, pawl_error *err);
PAWL_EXTERN void pawl_workspace_checkpoints_free(pawl_workspace_checkpoints *list);

/** What a checkpoint met and did not capture. Free with pawl_missed_free(). */
typedef struct pawl_missed {
        const pawl_not_captured *items;
        size_t n;
} pawl_missed;
/** By path; @p which as for pawl_workspace_checkpoint_find(). PAWL_ENOTFOUND: no such checkpoint,
 * or its contents are gone; PAWL_EDAMAGED. */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_workspace_checkpoint_missed(
        pawl_missed **out, pawl_log *log, const char *which, pawl_error *err);
PAWL_EXTERN void pawl_missed_free(pawl_missed *missed);

/** The JSON document that was kept with a checkpoint, @p name "state" or "outputs"; those of a run
 *  are the log's own.
 *  @param[out] json  the caller's, ended by a NUL that len does not count; pawl_free().
 *  @return PAWL_ENOTFOUND where it has none, or no longer. */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_workspace_checkpoint_document(char **json, size_t *len,
        pawl_log *log, const char *which, const char *name, pawl_error *err);

/** The first line of the message of the commit at which git stood; any bytes.
 *  @param[out] out  the caller's, ended by a NUL that len does not count; pawl_free().
 *  @return PAWL_ENOTFOUND where there was none, or it is no longer in the repository. */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_workspace_checkpoint_subject(
        char **out, size_t *len, pawl_log *log, const char *which, pawl_error *err);

/* ---- Comparing ------------------------------------------------------------------------------- */

/** One path that differs. Texts live as long as the comparison. */
typedef struct pawl_file_change {
        pawl_text path;
        char what; /**< 'A' added, 'D' removed, 'M' modified (content, target or mode), 'T' is
                        something else now */
        char kind_before, kind_after;        /**< 'f' file, 'd' directory, 'l' link; 0: nothing */
        uint32_t mode_before, mode_after;    /**< permission bits; 0 for a link and nothing */
        uint64_t size_before, size_after;    /**< bytes, of files */
        uint64_t lines_added, lines_removed; /**< 0 where binary */
        bool binary;
} pawl_file_change;

/** A path that one side captured and the other did not: whether it differs is not known. */
typedef struct pawl_unknown_file {
        pawl_text path;      /**< bytes; a directory: with all that is in it */
        const char *why;     /**< as in pawl_not_captured */
        uint64_t checkpoint; /**< the one that did not capture it; 0: the workspace */
} pawl_unknown_file;

/** One member of state or outputs that differs. */
typedef struct pawl_member_change {
        pawl_text path;          /**< "state.steps.implement.status" */
        pawl_text before, after; /**< canonical JSON; absent: added, removed */
} pawl_member_change;

/** A commit of git that lies between. */
typedef struct pawl_git_commit {
        const char *id;    /**< 40 hex digits */
        pawl_text subject; /**< the message's first paragraph, any bytes */
} pawl_git_commit;

/** What git says of the commits at which the two sides stood. */
typedef struct pawl_git_between {
        const char *from, *to;         /**< the commits, 40 hex digits; NULL: not known */
        uint64_t commits;              /**< that `to` has and `from` has not */
        uint64_t given_up;             /**< that `from` has and `to` has not */
        const pawl_git_commit *newest; /**< of `commits`, newest first; ten at most */
        size_t n_newest;
        uint64_t files, lines_added, lines_removed; /**< that differ between the two commits */
} pawl_git_between;

/** Gets a patch, piece by piece. Anything but PAWL_OK ends the comparison and is passed on. */
typedef pawl_status (*pawl_patch_fn)(const char *data, size_t len, void *user);

/** What lies between two sides. Free with pawl_comparison_free(). */
typedef struct pawl_comparison {
        const pawl_workspace_checkpoint_info *a;
        const pawl_workspace_checkpoint_info *b; /**< NULL: the workspace */
        const pawl_file_change *files;
        size_t n_files;
        const pawl_member_change *members;
        size_t n_members;
        const pawl_git_between *git; /**< NULL: one side has no commit, they are the same, or they
                                          are no longer in the repository */
        const pawl_unknown_file *unknown; /**< by path; in no patch and no count */
        size_t n_unknown;
} pawl_comparison;

/**
 * What lies between checkpoint @p a and checkpoint @p b, or the workspace as it is (@p b NULL).
 * A path that a side did not capture is no difference: it is in `unknown`. Changes come in the
 * order of their paths. With options.paths it is of files alone: members and git are left out.
 * @param patch  gets a unified diff as `git apply` and `patch -p1` read it; NULL: only counts.
 */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_workspace_compare(pawl_comparison **out, pawl_log *log,
        const char *a, const char *b, const pawl_workspace_options *options, pawl_patch_fn patch,
        void *patch_user, pawl_error *err);
PAWL_EXTERN void pawl_comparison_free(pawl_comparison *comparison);

/** Keep a checkpoint from being pruned, or no longer. PAWL_ENOTFOUND. */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_workspace_checkpoint_pin(
        pawl_log *log, const char *which, bool pinned, const char *actor, pawl_error *err);

/* ---- Carrying them to another machine -------------------------------------------------------- */

/** What an export or an import came to. */
typedef struct pawl_archive_result {
        uint64_t bytes;  /**< of the file */
        char sha256[65]; /**< of the file, in hex */
        char digest[65]; /**< of what its checkpoints are: the same wherever they are exported again
                          */
        uint64_t checkpoints; /**< written; on import, those that are new in the log */
        uint64_t known;       /**< on import: those that the log had already */
        uint64_t contents;    /**< files, directories and documents in it, each once */
        uint64_t healed;      /**< on import: contents that were damaged in the log and replaced */
} pawl_archive_result;

/**
 * Write checkpoints, with all that they hold and the part of the log's chain since the first of
 * them, into an archive (docs/reference/checkpoint-archive.md). The same log and checkpoints make
 * the same bytes. The file is there whole or not at all; one of that name is replaced.
 * @param which  each as for pawl_workspace_checkpoint_find(); @p n 0: all that are valid, without
 * the safety copies of rollbacks.
 * @return PAWL_ENOTFOUND: no such checkpoint, it was pruned, or a content of it is gone;
 *         PAWL_EDAMAGED; PAWL_EFULL, PAWL_EACCESS, PAWL_EIO of the file; PAWL_ETOOBIG beyond what
 * an archive can hold.
 */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_workspace_export(pawl_archive_result *out,
        pawl_log *log, const char *const *which, size_t n, const char *path, pawl_error *err);

/**
 * Take the checkpoints of an archive into the log, under new numbers, in one transaction. All of
 * the archive is checked first; what is no archive, was changed or holds anything else is refused
 * and nothing is written. A checkpoint that the log has already, from there or from an earlier
 * import, is not added again; contents of it that are gone or damaged come back. Neither rules
 * (exclude, max_file) nor where the workspace stands change; what was imported is to be rolled back
 * to.
 * @param actor  NULL: "program"
 * @return PAWL_EFORMAT, PAWL_ENEWER, PAWL_ETOOBIG: the archive is refused; PAWL_ENOTFOUND,
 *         PAWL_EACCESS, PAWL_EIO: the file cannot be read; as pawl_log_append() otherwise.
 */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_workspace_import(pawl_archive_result *out,
        pawl_log *log, const char *path, const char *actor, pawl_error *err);

#ifdef __cplusplus
}
#endif

#endif
