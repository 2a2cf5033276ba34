/**
 * @file state/run_way.h
 * @brief How a run is continued, as every message and every list of pawl says it.
 */
#pragma once

#include "base/printable.h"
#include "state/state.h"

typedef enum pawl__run_way {
        PAWL__BY_RESUME,
        PAWL__BY_WORKER, /**< it was submitted, and has not failed: a worker takes it */
        PAWL__BY_PROGRAM /**< the log has no mission of it: the program that began it */
} pawl__run_way;

pawl__run_way pawl__run_way_of(const pawl__row *run);

/** How a run is continued from here. */
typedef struct pawl__run_next {
        const pawl__row *run;
        pawl_text shown; /**< its id, as it is to be shown */
        const pawl__worktree_place *place;
        bool at_work;      /**< some process has it */
        const char *named; /**< pawl__state_named(), or "" */
} pawl__run_next;

/** Append the command; nothing where there is none: the program that began it continues it, a
 * worker has it, or its work tree is gone. */
void pawl__run_command_add(pawl__buf *out, const pawl__run_next *next);
/** Append "cd DIR && " where it is to be continued in another work tree, which is there. */
void pawl__place_add(pawl__buf *out, const pawl__worktree_place *place);
/** Append a command for @p argument, so that one that begins with "-" is no option of it. */
void pawl__command_add(pawl__buf *out, const char *command, pawl_text argument, const char *named);

/** Behind "its ", for "%.*s", "%s": the last top of a work tree that was removed, and a run. */
#define PAWL__GONE "work tree %.*s was removed; `pawl cancel %s` ends it"
