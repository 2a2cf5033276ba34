/**
 * @file pawl/workspace.h
 * @brief Checkpoints of a mission's files: take one, look at it, go back to it, come back again.
 *
 * A workspace checkpoint is every file under a root folder, the mission's state and outputs, and
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

/* ---- Carrying them to another machine ----------------------------------------------------------
 */

/** What an export or an import came to. */
typedef struct pawl_archive_result {
        uint64_t bytes;  /**< of the file */
        char sha256[65]; /**< of the file, in hex */
        char digest[65]; /**< of what its checkpoints are: the same wherever they are exported again
                          */
        uint64_t checkpoints; /**< written; on import, those that are new in the log */
        uint64_t known;       /**< on import: those that the log had already */
        uint64_t contents;    /**< files, folders and documents in it, each once */
} pawl_archive_result;

/**
 * Write checkpoints, with all that they hold and the part of the log's chain since the first of
 * them, into an archive (docs/reference/checkpoint-archive.md). The same log and checkpoints make
 * the same bytes. The file is there whole or not at all; one of that name is replaced.
 * @param which  numbers, ids or unambiguous starts of ids; @p n 0: all that are valid, without the
 *               safety copies of rollbacks.
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
 * import, is not added again; contents of it that are gone come back.
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
