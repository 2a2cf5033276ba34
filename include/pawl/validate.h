/**
 * @file pawl/validate.h
 * @brief Do checkpoints of the workspace still hold all that they name? And getting back what is
 * gone.
 *
 * Errors: PAWL_OK or a failure with its message in @p err (may be NULL). That a checkpoint is
 * damaged is no failure of these calls, but what they find out.
 */
#ifndef PAWL_VALIDATE_H
#define PAWL_VALIDATE_H

#include <pawl/workspace.h>

#ifdef __cplusplus
extern "C" {
#endif

/** One column of the table that `pawl validate` prints. */
typedef enum pawl_check {
        PAWL_CHECK_NONE, /**< does not apply */
        PAWL_CHECK_GOOD,
        PAWL_CHECK_BAD
} pawl_check;

/** One checkpoint. Texts live as long as the validation. */
typedef struct pawl_validated {
        uint64_t n;
        pawl_text id;
        pawl_check files; /**< every directory and file is there */
        pawl_check hash;  /**< what is there, and the event, is what its hash says */
        pawl_check git;   /**< the commit that it names is in the repository around the root */
        pawl_check state; /**< state and outputs are there, and what their hashes say */
        bool good;        /**< all but git, which files do not need, is not bad */
        bool healed;      /**< it was marked as damaged, and is good again */
        bool valid;       /**< as the log has it now: not damaged, not given up by a rollback */
        pawl_text what;   /**< the first thing that is wrong, in a line; absent: nothing */
} pawl_validated;

/** Checkpoints by number. Free with pawl_validation_free(). */
typedef struct pawl_validation {
        const pawl_validated *items;
        size_t n;
        const pawl_validated *last; /**< the newest that is good and valid; NULL: there is none */
} pawl_validation;

/**
 * Read every content of one checkpoint, or of all that were not pruned, and hash it again. Of each
 * content that several have, once.
 * @param which  a number, an id or the start of one; NULL: all.
 * @param root   absolute; the directory around which git is looked for; NULL: git is not asked.
 * @param mark   append CheckpointInvalidated for those that are valid in the log and not good, and
 *               CheckpointUpdated for those that are marked as damaged and good again.
 * @param actor  who marks; NULL: "program".
 * @return PAWL_ENOTFOUND, PAWL_EINVAL: no checkpoint, or several, of that name.
 */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_workspace_validate(pawl_validation **out,
        pawl_log *log, const char *which, const char *root, bool mark, const char *actor,
        pawl_error *err);
PAWL_EXTERN void pawl_validation_free(pawl_validation *validation);

/** What a rebuilding came to. */
typedef struct pawl_rebuilt {
        uint64_t n;
        uint64_t from_git, from_workspace; /**< files whose contents came back, and from where */
        uint64_t missing;                  /**< files whose contents are still not there */
        bool good;                         /**< the checkpoint holds all that it names */
        bool valid;                        /**< and can be restored */
        uint64_t others; /**< other checkpoints that were damaged and are valid again by it */
} pawl_rebuilt;

/**
 * Bring back contents of a checkpoint's files that are gone or damaged, from the commit that it
 * names or the workspace as it is, wherever what has that path there has the very SHA-256; and
 * directories that are the same in the workspace.
 * Every checkpoint that was marked as damaged and is good again, this one or another that shares
 * those contents, is marked as valid again (CheckpointUpdated). The workspace is only read.
 * @return PAWL_ENOTFOUND, PAWL_EDAMAGED: a directory of it is gone, or its event: only an archive
 * or a copy of the log has that.
 */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_workspace_rebuild(pawl_rebuilt *out, pawl_log *log,
        const char *which, const pawl_workspace_options *options, pawl_error *err);

/** Would that leave nothing missing? Nothing is written. The same failures. */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_workspace_rebuildable(bool *all, pawl_log *log,
        const char *which, const pawl_workspace_options *options, pawl_error *err);

#ifdef __cplusplus
}
#endif

#endif
