/**
 * @file events/own_files.h
 * @brief Which files are the log's own, wherever it lies: no checkpoint reads them, no rollback
 *        writes them, and no log that was found is used where somebody else may.
 *
 * Names are compared as file systems do that know no case, or normalise: what one of these would
 * take for the log's file is never made.
 */
#pragma once

#include "base/text.h"
#include <sys/stat.h>

/** Is this the name of one of them in the directory of a log that is called @p log there? */
bool pawl__own_file_name(pawl_text log, pawl_text name);

/** Is it ".git" or ".pawl", which say what programs run, in any writing? */
bool pawl__reserved_name(pawl_text name);

enum { PAWL__OWN_FILES_MAX = 16 };

/** As seen from one root, whose files are to be read or written. */
typedef struct pawl__own_files {
        pawl_text log; /**< the log's own name; absent: nothing is known */
        bool in_root;  /**< the log lies in the root itself */
        struct {
                dev_t device;
                ino_t inode;
        } directory,
                files[PAWL__OWN_FILES_MAX]; /**< the log's directory; the files that are there */
        size_t n_files;
} pawl__own_files;

/** Look for those of the log at @p log_path, an absolute path that must live as long as @p out.
 *  0 or errno, with nothing known. */
int pawl__own_files_find(pawl__own_files *out, const char *log_path, int root);
/** Is @p path, relative to the root, one of them by its name, or reserved, or within such? @p own
 *  NULL: none is known. */
bool pawl__own_files_named(const pawl__own_files *own, pawl_text path);
/** Is this the log's directory, or one of the files by another name? */
bool pawl__own_files_is(const pawl__own_files *own, const struct stat *st);

/** Is @p path another file than those of the log at @p log_path, where it is to be written or
 *  replaced? PAWL_EEXISTS: it is one of them by its name, or by a hard or symbolic link. */
PAWL_MUST_CHECK pawl_status pawl__own_files_spare(
        const char *log_path, const char *path, pawl_error *err);
/** The same of a log that is to be made at @p path, absolute and without links: it is none of the
 *  files of another log in its directory. PAWL_EEXISTS. */
PAWL_MUST_CHECK pawl_status pawl__own_files_spare_others(const char *path, pawl_error *err);
