/**
 * @file workspace/store/tree_diff.h
 * @brief What lies between two trees, path by path; what is equal is passed over unread.
 */
#pragma once

#include "workspace/store/tree.h"

/** Where the encodings of directories come from: appended to @p out, of that hash. */
typedef struct pawl__directories {
        pawl_status (*get)(
                pawl__buf *out, const unsigned char hash[32], void *user, pawl_error *err);
        void *user;
} pawl__directories;

typedef enum pawl__change_kind {
        PAWL__CHANGE_ADDED,
        PAWL__CHANGE_REMOVED,
        PAWL__CHANGE_MODIFIED, /**< a file's content (and mode, perhaps), a link's target */
        PAWL__CHANGE_MODE,     /**< of a file or directory, and that alone */
        PAWL__CHANGE_KIND,     /**< a file where a directory was, and the like */
        PAWL__CHANGE_INSIDE /**< a directory that is itself as it was; changes within it follow */
} pawl__change_kind;

/** Valid during the call. A path is NUL-ended too. */
typedef struct pawl__change {
        pawl__change_kind kind;
        pawl_text path;
        const pawl__entry *from; /**< NULL: added */
        const pawl__entry *to;   /**< NULL: removed */
        bool unknown;            /**< one side did not capture it, or a directory that it is in */
} pawl__change;

typedef pawl_status (*pawl__change_fn)(const pawl__change *change, void *user, pawl_error *err);

/**
 * Each change on the way from one tree to the other: a directory before what is in it, names in
 * order of their bytes. A directory that comes or goes is one change, followed by one for each
 * entry in it. Entries that were not captured on either side are no change.
 *
 * @param from  hash of the topmost directory; NULL: nothing at all. @param to the same.
 * @return what @p fn returned, if that was not PAWL_OK; what @p directories failed with;
 * PAWL_EDAMAGED.
 */
PAWL_MUST_CHECK pawl_status pawl__diff_trees(const pawl__directories *directories,
        const unsigned char *from, const unsigned char *to, pawl__change_fn fn, void *user,
        pawl_error *err);

/** Is it a difference to list? A directory that comes or goes is seen in its files, unless it has
 * none. What a side did not capture is no difference that is known. @p buf is scratch. */
PAWL_MUST_CHECK pawl_status pawl__change_counts(bool *yes, const pawl__directories *directories,
        const pawl__change *change, pawl__buf *buf, pawl_error *err);
