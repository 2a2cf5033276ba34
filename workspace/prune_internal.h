/** @file workspace/prune_internal.h @brief Shared by workspace/prune.c and workspace/retention.c.
 */
#pragma once

#include "state/undo_stacks.h"
#include "workspace/retention.h"
#include "workspace/store/mark.h"

/* What a caller gets, and its memory. */
typedef struct own_report {
        pawl_workspace_prune_report shown;
        pawl__arena arena;
        pawl_pruned_checkpoint *list;
} own_report;

typedef struct pruning {
        const pawl_workspace_prune_options *options;
        const pawl__retention *retention; /* NULL: options alone */
        int64_t now_us;                   /* for it */
        own_report *report;
        pawl_log *log;
        pawl__state *state;
        pawl__contents *contents;
        pawl__row *rows; /* n ascending */
        size_t n_rows;
        const char **stays; /* by row */
        bool *current;      /* by row: the one that a work tree is at */
        int64_t *submitted; /* the numbers with which unfinished runs were submitted */
        size_t n_submitted;
        pawl__undo_stacks stacks;
        pawl__map newest; /* the runs of which a newer one was judged */
        pawl__mark *reach;
        pawl_error *err;
} pruning;

/** Judge, and let go what does not stay; or with options->dry_run only find out. *out is freed with
 * pawl_workspace_prune_free(). */
PAWL_MUST_CHECK pawl_status pawl__prune(pawl_workspace_prune_report **out, pruning *p);
/** The hash of a checkpoint's tree. PAWL_EDAMAGED. */
PAWL_MUST_CHECK pawl_status pawl__prune_tree(
        unsigned char tree[32], const pruning *p, const pawl__row *row);

/** Say of each row that may go why it stays, if the limits let it. */
PAWL_MUST_CHECK pawl_status pawl__retention_choose(pruning *p);
