/**
 * @file tests/support/rollbacks.h
 * @brief A workspace around a log, and going back in it.
 */
#pragma once

#include "support/event_log.h"
#include "support/trees.h"
#include <pawl/rollback.h>

/** The workspace is the directory that holds .pawl. */
typedef struct rollbacks {
        event_log *log;
        trees t;
        pawl_error err;
} rollbacks;

int rollbacks_setup(void **state);
int rollbacks_teardown(void **state);
#define ROLLBACKS_TEST(name) UNIT_TEST_WITH(name, rollbacks *f, rollbacks_setup, rollbacks_teardown)
/** Write a file, make a directory, remove a file: of the workspace. */
void rollbacks_put(rollbacks *f, const char *name, const char *data);
void rollbacks_mkdir(rollbacks *f, const char *name);
void rollbacks_drop(rollbacks *f, const char *name);
/** It holds this. */
void rollbacks_check_file(rollbacks *f, const char *name, const char *data);
/** The workspace as it is. */
tree_hash rollbacks_now(rollbacks *f);
void rollbacks_check_tree(rollbacks *f, tree_hash wanted);
/** Take one; its number. */
uint64_t rollbacks_checkpoint(rollbacks *f);
/** Files and directories, and checkpoint 1 of them; most of them changed, and checkpoint 2. The
 * workspace as it is then. */
tree_hash rollbacks_first(rollbacks *f);
tree_hash rollbacks_second(rollbacks *f);
/** The status is PAWL_OK; shows f->err otherwise. */
void rollbacks_must(rollbacks *f, pawl_status status);
/** Go back to it, which must succeed. */
void rollbacks_to(rollbacks *f, const char *which);
void rollbacks_undo(rollbacks *f);
void rollbacks_redo(rollbacks *f);
/** What the list says of checkpoint n. */
void rollbacks_check_info(rollbacks *f, uint64_t n, bool valid, bool current);
/** It is valid, and is given up or not. */
void rollbacks_check_given_up(rollbacks *f, uint64_t n, bool given_up);
/** No rollback was interrupted. */
void rollbacks_none_pending(rollbacks *f);
/** Going back is refused so, and neither files nor log are changed. */
void rollbacks_refused(rollbacks *f, const char *which, const pawl_rollback_options *options,
        pawl_status wanted, const char *said);
