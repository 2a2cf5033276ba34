/**
 * @file workspace/scan/scan.h
 * @brief The workspace as it is: every file, directory and link below a root, by content.
 *
 *   run -> (a batch's prepare hook) store -> the commit -> keep the index
 *
 * A scan reads and changes nothing, except that it may flush its spool of contents. It goes through
 * the handles of directories and follows no link; a mounted file system is gone into like any
 * directory, as git does. What is in it:
 *
 * - every file, directory and symbolic link, with its permission bits, whatever its name;
 * - FIFOs, sockets and devices, second names of the log's own files, files larger than max_file,
 * what cannot be read or changed each time it was read, directories whose rules cannot be read, and
 * the .git of a repository within, what else is called .git or .pawl in any writing:
 * by name and reason alone (not_captured);
 * - not at all: what .gitignore and .pawlignore say (in each directory the latter goes before the
 *   former, and a deeper directory before the one that holds it), also of the directories above the
 * root up to the top of its git work tree; then info/exclude of that repository; then
 * core.excludesFile; the exclude list goes before all of them. But what git tracks is taken
 * whatever git's own lists say: only .pawlignore and the exclude list leave it out. Where git's
 * lists leave the root itself out, or there is no repository, git tracks nothing. Never: the
 * root's .git and .pawl, what begins with .pawl-tmp- (a restore's), the directory that holds the
 * log, and its own files (events/own_files.h). What the rules leave out is counted (ignored): a
 * directory as one.
 *
 * Hard links are files like any other.
 */
#pragma once

#include "workspace/store/contents.h"
#include "workspace/store/paths.h"
#include "workspace/store/tree.h"
#include <pawl/workspace.h>

/** What max_file 0 means. */
#define PAWL__SCAN_MAX_FILE ((uint64_t)64 << 20)

/** In a directory: the id of the run that it is the root of. If the log knows it so, it is no part
 * of what lies above it. */
#define PAWL__OWN_ROOT_MARK ".pawl/root"
/** Beside it: the name of the log that it is of. */
#define PAWL__OWN_ROOT_LOG ".pawl/log"

typedef struct pawl__scan_options {
        const char *root;     /**< absolute; a link in it is followed */
        const char *log_path; /**< absolute; the index lies beside it */
        bool index_in_root;   /**< the index lies in the root's directory .pawl instead */
        const char *worktree; /**< names the index of a linked work tree; NULL or "": none */
        /** Is the directory at that absolute path where the log has a fork of this run? */
        bool (*is_fork)(const char *path, pawl_text run_id, void *user);
        void *is_fork_user;
        const pawl_text *exclude; /**< patterns as in .gitignore, in the root */
        size_t n_exclude;
        const pawl__paths *also;   /**< files and links that are taken whatever the rules say, and
                                      of the directories above them nothing else that these leave
                                      out; exact. NULL: none */
        uint64_t max_file;         /**< bytes; 0: PAWL__SCAN_MAX_FILE */
        bool force_root;           /**< the root may be / or home */
        const char *home;          /**< NULL: not known */
        const char *config_home;   /**< where git's configuration of the user is; NULL: ~/.config */
        const unsigned char *base; /**< 32 bytes: hash of the event whose tree the index must be,
                                      and whose contents are all in the log; NULL: no index */
        bool flush_spool; /**< what waits packed and fills its room goes into the log at once, each
                             time in a commit of its own, so that others can write in between; until
                             a checkpoint names them, a prune lets such contents go */
        bool looks;       /**< the scan is not stored: nothing is packed for it */
        uint64_t max_files, max_bytes; /**< a root with more is refused; 0: any is taken */
        int64_t deadline_ms;   /**< by the log's clock: after it nothing is read that is not known,
                                  but   listed (PAWL__SKIP_BUDGET); 0: there is none */
        pawl_scan_fn progress; /**< NULL: silent */
        void *progress_user;
} pawl__scan_options;

typedef struct pawl__not_captured {
        pawl_text path; /**< relative to the root */
        pawl__skip why;
        int error; /**< errno, or 0 */
} pawl__not_captured;

typedef struct pawl__scan {
        unsigned char tree[32]; /**< the root directory's hash: of all that is below */
        uint64_t files, bytes;  /**< in the tree */
        uint64_t captured;      /**< files that are new or changed since the base */
        uint64_t unchanged;     /**< all others */
        uint64_t ignored, too_large, unreadable, special, changing, repositories, over_budget,
                reserved, workspaces; /**< the last: directories that are workspaces of their own */
        pawl__not_captured *not_captured; /**< in the order of their paths' bytes */
        size_t n_not_captured;
        pawl_text git_rules; /**< git's lists that are no files of it (git_rules.h); absent: none */
        struct pawl__scan_inside *inside;
} pawl__scan;

/**
 * Scan the workspace.
 *
 * A file that changes while it is read is read again, three times in all. Files that a former scan
 * by the same @p contents could not store, twice, are taken for changing without being read.
 * @return PAWL_EACCESS, PAWL_EIO, PAWL_EPARSE where the root's rules, or git's, cannot be read;
 * PAWL_EINVAL for a root that
 * is "/" or home without force_root; PAWL_ETOOBIG for one beyond max_files or max_bytes, where
 * there is no index before anything was read; PAWL_ENOTFOUND, PAWL_EACCESS for one that cannot be
 * opened; PAWL_EINPUTS when directories were moved each time while they were gone through; PAWL_EIO
 * (too many open files); PAWL_ENOMEM.
 */
PAWL_MUST_CHECK pawl_status pawl__scan_run(pawl__scan **out, pawl__contents *contents,
        const pawl__scan_options *options, pawl_error *err);

/** Did it meet contents that the log has damaged? pawl__scan_store() replaces them. */
bool pawl__scan_heals(const pawl__scan *scan);

/**
 * Inside a batch's prepare hook: put what the log lacks, or has damaged. What does not wait packed
 * is read again.
 * @return PAWL_EINPUTS when files, the first of which is named, are no longer what was scanned, or
 *         the base was pruned: the prepare hook must fail, and may succeed with another scan.
 */
PAWL_MUST_CHECK pawl_status pawl__scan_store(
        pawl__scan *scan, pawl__contents *contents, pawl_error *err);

/** After the commit: let the next scan know what this one saw, by the hash of the event that has
 * its tree. A failure costs only time. */
PAWL_MUST_CHECK pawl_status pawl__scan_keep_index(
        const pawl__scan *scan, const unsigned char event_hash[32], pawl_error *err);

/** The directories of the scan, which no log need have, for pawl__contents_overlay(). They live as
 * long as the scan. */
pawl__directories pawl__scan_directories(const pawl__scan *scan);

void pawl__scan_free(pawl__scan *scan); /**< NULL is allowed. */
