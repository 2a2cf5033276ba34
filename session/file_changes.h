/**
 * @file session/file_changes.h
 * @brief Files that differ between two checkpoints, and what rollbacks made of them.
 */
#pragma once

#include "session/handoff.h"
#include "workspace/store/tree.h"

/** A file on its way from one tree to the other. A kind of 0: it is not there. */
typedef struct pawl__file_change {
        pawl_text path;
        pawl__entry from, to;
} pawl__file_change;

/** In the order of a walk. */
typedef struct pawl__file_changes {
        pawl__arena *arena; /**< paths and targets of links */
        pawl__file_change *list;
        size_t n, cap;
        bool unknown; /**< contents were pruned or are damaged */
} pawl__file_changes;

/** The files that differ between two checkpoints. */
PAWL_MUST_CHECK pawl_status pawl__file_changes_between(pawl__file_changes *out, pawl_log *log,
        const pawl__row *from, const pawl__row *to, pawl_error *err);

/** Let @p changes follow the rollbacks of a work tree that ended at @p since or later, which are of
 *  some paths or left some out, and list all rollbacks since the session of @p out began in it. */
PAWL_MUST_CHECK pawl_status pawl__file_changes_rolled_back(pawl__file_changes *changes,
        pawl__handoff *out, pawl_log *log, pawl__state *state, pawl_text worktree, int64_t since,
        pawl_error *err);

/** NULL: that path does not differ. */
pawl__file_change *pawl__file_changes_find(const pawl__file_changes *changes, pawl_text path);

/** "added", "changed" or "removed"; NULL: it is no file, or as it was. */
const char *pawl__file_change_how(const pawl__file_change *change);
