/**
 * @file toolcalls/directory.h
 * @brief The directory of documents: a document appears in it whole and on disk, or not at all,
 * under a name that nothing had; and is read from it without following a link.
 *
 * The directory is opened once, and its files reached by that handle. While a document is on its
 * way it lies under ".NAME.part", which also reserves its name: who makes that file, alone, has the
 * name. It is locked (flock) while its writer is at it, so that what a process left that died can
 * be told from what another one is writing.
 */
#pragma once

#include "toolcalls/name.h"

typedef struct pawl__doc_directory {
        int fd;           /**< -1: not open */
        const char *path; /**< for messages; the caller's */
} pawl__doc_directory;

/** Open it. @p make: the last directory of the path, 0700, where it is not there.
 *  PAWL_ENOTFOUND, PAWL_EACCESS, PAWL_EINVAL (no directory), PAWL_EIO. */
PAWL_MUST_CHECK pawl_status pawl__doc_directory_open(
        pawl__doc_directory *out, const char *path, bool make, pawl_error *err);
void pawl__doc_directory_close(pawl__doc_directory *directory);

/** A document on its way. Zeroed but for fd -1 there is none. */
typedef struct pawl__doc_file {
        int fd; /**< -1: none */
        char name[PAWL__TOOLCALL_NAME_MAX];
} pawl__doc_file;

/** Take the name for this document. PAWL_EEXISTS, without a message: it is taken. */
PAWL_MUST_CHECK pawl_status pawl__doc_reserve(pawl__doc_file *out,
        const pawl__doc_directory *directory, const char *name, pawl_error *err);
/** Write it, and bring it to disk. PAWL_EFULL, PAWL_EIO. */
PAWL_MUST_CHECK pawl_status pawl__doc_write(pawl__doc_file *file,
        const pawl__doc_directory *directory, pawl_text text, pawl_error *err);
/** Give it its name, in place of nothing, and bring the directory to disk; the file is closed.
 *  PAWL_EEXISTS: another program made one of that name meanwhile. */
PAWL_MUST_CHECK pawl_status pawl__doc_publish(
        pawl__doc_file *file, const pawl__doc_directory *directory, pawl_error *err);
/** Let go of it, where it is not published. */
void pawl__doc_drop(pawl__doc_file *file, const pawl__doc_directory *directory);

/** What a process that died left on its way: called for each, reserved; whoever is called publishes
 *  or drops it. Anything but PAWL_OK ends it and is passed on. */
typedef pawl_status (*pawl__doc_left_fn)(
        pawl__doc_file *file, const pawl__doc_directory *directory, void *user, pawl_error *err);
PAWL_MUST_CHECK pawl_status pawl__doc_left(
        const pawl__doc_directory *directory, pawl__doc_left_fn fn, void *user, pawl_error *err);

/** Append the file of that name, a good one (toolcalls/name.h), at most @p max bytes.
 *  PAWL_ENOTFOUND; PAWL_EINVAL for a link and whatever else is no regular file; PAWL_ETOOBIG,
 *  PAWL_EACCESS, PAWL_EIO. */
PAWL_MUST_CHECK pawl_status pawl__doc_read(pawl__buf *out, const pawl__doc_directory *directory,
        const char *name, size_t max, pawl_error *err);

/** Called for each regular file with a good name, in no order. */
typedef pawl_status (*pawl__doc_name_fn)(const char *name, void *user, pawl_error *err);
PAWL_MUST_CHECK pawl_status pawl__doc_names(
        const pawl__doc_directory *directory, pawl__doc_name_fn fn, void *user, pawl_error *err);
