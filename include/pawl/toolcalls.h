/**
 * @file pawl/toolcalls.h
 * @brief Tool calls that can be taken back: a checkpoint of the workspace before each edit, and the
 *        way back to it.
 *
 * An agent changes files by calling tools. Before a tool runs that edits files, a checkpoint of the
 * workspace is taken, and a document is kept that says which call it is before. Its name is
 * given back to the agent; by that name the files are put back, and the call is told again, for its
 * caller to decide on. Nothing here runs a tool.
 *
 * The document is JSON: {history?, clientHistory?, commitHash?, messageId?, toolCall: {name,
 * args}}. commitHash is the checkpoint's id. Members that are not known stay in it, at any depth.
 * It is kept in the log and, where programs read files, in a directory too.
 *
 * Errors: PAWL_OK or a failure with its message in @p err (may be NULL).
 */
#ifndef PAWL_TOOLCALLS_H
#define PAWL_TOOLCALLS_H

#include <pawl/rollback.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The most bytes that a document, or a batch of calls, may have. */
#define PAWL_TOOLCALL_MAX ((size_t)64 << 20)

/* ---- Before the tools run -------------------------------------------------------------------- */

/** Which calls get a checkpoint, and whose they are. Start from PAWL_TOOLCALLS_OPTIONS_INIT. */
typedef struct pawl_toolcalls_options {
        unsigned version; /**< PAWL_TOOLCALLS_OPTIONS_VERSION */
        bool off;         /**< nothing is taken and nothing written; the log may be NULL */
        const char *const *edit_tools; /**< names of the tools that edit; NULL: "replace" and
                                            "write_file" */
        size_t n_edit_tools;
        const char
                *files; /**< a directory that gets each document as a file, too, made if its parent
                             is there; what lies in it is no part of the workspace. NULL: none */
        const char *mission_id, *run_id, *step_id, *session_id; /**< NULL: do not apply */
        const pawl_workspace_options *workspace; /**< NULL: as the newest checkpoint says */
        bool only_if_changed; /**< a call before which nothing changed since the current checkpoint
                                   gets none */
} pawl_toolcalls_options;

#define PAWL_TOOLCALLS_OPTIONS_VERSION 1
#define PAWL_TOOLCALLS_OPTIONS_INIT                                                                \
        {                                                                                          \
                PAWL_TOOLCALLS_OPTIONS_VERSION, false, NULL, 0, NULL, NULL, NULL, NULL, NULL,      \
                        NULL, false                                                                \
        }

/** What came of one call. Texts live as long as the batch. */
typedef struct pawl_toolcall_outcome {
        pawl_text call_id, tool; /**< as the call has them; may hold any character */
        bool edits;              /**< its tool is one of the edit tools */
        const char *checkpoint;  /**< the name of its document, which is in the log, on disk, right
                                    behind the checkpoint; NULL: there is none */
        uint64_t n;              /**< the checkpoint's number, with only_if_changed that of the
                                    one that nothing changed since; 0: there is none */
        uint64_t over_budget;    /**< files and directories that the time budget left out of it */
        pawl_status status;      /**< PAWL_OK, or why it has no checkpoint, or no file */
        const char *error;       /**< the message of a failure; NULL: none */
} pawl_toolcall_outcome;

typedef struct pawl_toolcalls pawl_toolcalls; /**< Opaque. Free with pawl_toolcalls_free(). */

/**
 * Take a checkpoint for each call of a batch whose tool edits files, one after the other: a
 * checkpoint of the workspace and ToolCallCheckpointed, in one durable commit a call. A call whose
 * checkpoint fails says so in its outcome and stops no other. The document's file is written whole,
 * under another name, before the commit, and gets its name right after it; where that last step
 * fails the checkpoint stands all the same, in the log, and the outcome has both its name and the
 * error.
 *
 * @param json  an array of calls {callId, name, args, ...}, or an object {calls: [...], history?,
 *              clientHistory?, messageId?, ...} whose other members go into each document. A call
 *              may lack args; a member `checkpoint` of it is not looked at.
 * @param log   may be NULL with options.off.
 * @return a failure where nothing was done at all: PAWL_EPARSE for text that is no JSON,
 *         PAWL_EINVAL naming the member ("calls[2].name: is missing; ...") or the option,
 *         PAWL_ETOOBIG, PAWL_ENOMEM. What fails for calls is told by their outcomes.
 */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_toolcalls_checkpoint(pawl_toolcalls **out,
        pawl_log *log, const char *json, size_t len, const pawl_toolcalls_options *options,
        pawl_error *err);
/** How many calls the batch has, and how many of them failed. */
PAWL_EXTERN size_t pawl_toolcalls_count(const pawl_toolcalls *batch);
PAWL_EXTERN size_t pawl_toolcalls_failed(const pawl_toolcalls *batch);
PAWL_EXTERN const pawl_toolcall_outcome *pawl_toolcalls_at(
        const pawl_toolcalls *batch, size_t index);
/**
 * The batch as the agent gets it back: {"calls": [each call as it came; its `checkpoint` is the
 * document's name, and is there only with a checkpoint], "errors": [{"callId", "error"}]}.
 * @param[out] json  the caller's, ended by a NUL that len does not count; pawl_free().
 */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_toolcalls_json(
        char **json, size_t *len, const pawl_toolcalls *batch, pawl_error *err);
PAWL_EXTERN void pawl_toolcalls_free(pawl_toolcalls *batch);

/* ---- The document ---------------------------------------------------------------------------- */

/** What a document says. Texts live as long as it; those that are absent have no data. */
typedef struct pawl_toolcall_info {
        pawl_text tool;                    /**< toolCall.name */
        pawl_text args;                    /**< toolCall.args: JSON, an object, as written */
        pawl_text tool_call;               /**< toolCall: JSON, with its other members */
        pawl_text history, client_history; /**< JSON, arrays, as written */
        pawl_text commit_hash, message_id;
        pawl_rollback_call named; /**< the paths that its arguments name */
        /* after a search, or a restore: */
        const char *name;          /**< of the document; NULL: it was not searched for */
        uint64_t checkpoint;       /**< the number of the one before the call; 0:
                                        the document names none, and no file was touched */
        const char *checkpoint_id; /**< NULL: none */
        uint64_t safety;           /**< the number of the safety copy; 0: none */
} pawl_toolcall_info;

typedef struct pawl_toolcall pawl_toolcall; /**< Opaque. Free with pawl_toolcall_free(). */

/** Read a document, of whatever program. PAWL_EPARSE; PAWL_EINVAL naming the member
 *  ("toolCall.name: is missing; it must be text"); PAWL_ETOOBIG. */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_toolcall_read(
        pawl_toolcall **out, const char *json, size_t len, pawl_error *err);
PAWL_EXTERN const pawl_toolcall_info *pawl_toolcall_told(const pawl_toolcall *call);
/** The document again, with all that it held.
 *  @param commit_hash  in place of its own; NULL: its own, if it has one
 *  @param[out] json  the caller's, ended by a NUL that len does not count; pawl_free(). */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_toolcall_write(char **json, size_t *len,
        const pawl_toolcall *call, const char *commit_hash, pawl_error *err);
/** What the restore did; NULL where no file was touched. Lives as long as the call. */
PAWL_EXTERN const pawl_rollback_plan *pawl_toolcall_plan(const pawl_toolcall *call);
PAWL_EXTERN void pawl_toolcall_free(pawl_toolcall *call);

/* ---- Taking one back ------------------------------------------------------------------------- */

/** Free with pawl_toolcall_names_free(). */
typedef struct pawl_toolcall_names {
        const char *const *items;
        size_t n;
} pawl_toolcall_names;

/**
 * The names of documents, in the order of their bytes. Names begin with a time, so that of one
 * program's the newest is the last.
 * @param log    may be NULL where @p files is given.
 * @param files  the directory whose regular files with names that end in .json are listed; what a
 *               restore would refuse by its name is left out. A directory that is not there has
 * none. NULL: those that the log knows.
 */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_toolcalls_list(
        pawl_toolcall_names **out, pawl_log *log, const char *files, pawl_error *err);
PAWL_EXTERN void pawl_toolcall_names_free(pawl_toolcall_names *names);

/**
 * Find the document of a tool call, and its checkpoint. No file is touched.
 * @param name   of the document, a text with a length; its .json may be left out. One that holds a
 *               separator, ".." or a NUL is refused before anything is read.
 * @param files  the directory to read it from: a regular file, no link, of at most
 *               PAWL_TOOLCALL_MAX bytes. NULL: from the log.
 * @param repository  the git repository, bare or with a work tree, that has the commit which a
 *               document of another program names as its commitHash, 40 hex digits: its files
 *               become a checkpoint. NULL: the one around the workspace.
 * @return PAWL_EINVAL for the name, or a file that is no such document; PAWL_ENOTFOUND: no such
 *         document, or its commitHash is the whole id of no checkpoint of this log, and of no
 *         commit of the repository; PAWL_EPARSE, PAWL_ETOOBIG, PAWL_EACCESS, PAWL_EIO of the file;
 *         PAWL_EACCESS: the repository is somebody else's; PAWL_ETOOBIG: the commit is beyond the
 *         bounds of the workspace.
 */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_toolcalls_find(pawl_toolcall **out, pawl_log *log,
        pawl_text name, const char *files, const char *repository,
        const pawl_workspace_options *workspace, pawl_error *err);

/**
 * Put the files back as they were before a tool call, and tell the call: find it, then roll back
 * with its `named` as options.call, with a safety copy to undo it. A document without commitHash is
 * told, and no file is touched. The arguments are those of pawl_toolcalls_find().
 * @return as pawl_toolcalls_find() and pawl_workspace_rollback().
 */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_toolcalls_restore(pawl_toolcall **out, pawl_log *log,
        pawl_text name, const char *files, const char *repository,
        const pawl_workspace_options *workspace, pawl_error *err);

#ifdef __cplusplus
}
#endif

#endif
