/**
 * @file tests/support/toolcalls.h
 * @brief A workspace with a log, to which batches of tool calls are given, beside a directory for
 * their documents.
 */
#pragma once

#include "support/event_log.h"
#include <pawl/toolcalls.h>

typedef struct toolcalls {
        event_log *f;  /* its directory is the root; a.txt holds "one" */
        char *outside; /* a directory beside the workspace */
        pawl_toolcalls_options options;
        pawl_toolcalls *batch; /* the last one */
        pawl_toolcall *call;   /* the last one that was restored */
        pawl_error err;
} toolcalls;

int toolcalls_setup(void **state);
int toolcalls_teardown(void **state);

#define TOOLCALLS_TEST(name) UNIT_TEST_WITH(name, toolcalls *t, toolcalls_setup, toolcalls_teardown)

/** Write WORKSPACE/NAME, or read it whole, malloc'd. */
void toolcalls_write(toolcalls *t, const char *name, const char *text);
char *toolcalls_text(toolcalls *t, const char *name);

/** Give it a batch, into t->batch. */
pawl_status toolcalls_try(toolcalls *t, const char *json);
/** The same, which must succeed for each call. */
void toolcalls_take(toolcalls *t, const char *json);
/** The name of the document of a call of the last batch; fails the test if it has none. */
const char *toolcalls_name(toolcalls *t, size_t index);

/** Restore a name, into t->call; from options.files, if that is set. */
pawl_status toolcalls_restore(toolcalls *t, const char *name);

/** The names of a directory's entries, sorted, each followed by a space; malloc'd. */
char *toolcalls_directory(const char *path);
