/**
 * @file tests/support/shapes.h
 * @brief Checkpoints written down as letters, one a file, in a log of their own.
 */
#pragma once

#include "state/state.h"
#include "support/event_log.h"
#include "workspace/store/contents.h"
#include <pawl/space.h>

enum { SHAPE_FILES = 6 };

typedef struct shapes {
        event_log *f;
        pawl__state *state;
        pawl__contents *contents;
        pawl__hasher *hasher;
        int64_t n;
        uint64_t fence; /* of run-1 */
        pawl_error err;
} shapes;

int shapes_setup(void **state);
/** On a file system that syncs nothing, and so is quick; for faults in it, too. */
int shapes_setup_memory(void **state);
int shapes_teardown(void **state);
#define SHAPES_TEST(name) UNIT_TEST_WITH(name, shapes *t, shapes_setup, shapes_teardown)

/** A root with a directory "in": file i has the content that its letter says; '-': there is none.
 * The first three stand in the directory. */
typedef struct shape {
        shapes *t;
        const char *files;
        const char *more; /* members of the event */
        const char *run;
} shape;
/** The content that a letter says; its length. */
size_t shapes_text(char out[64], char letter);
/** A directory of its files from..to, and one in it, if that is not NULL. */
pawl_status shapes_put_directory(unsigned char hash[32], const shape *s, int from, int to,
        const unsigned char *inner, bool put, pawl_error *err);
/** Its hash; its contents go into the log if @p put says so, within a fill. */
pawl_status shapes_put_tree(unsigned char tree[32], const shape *s, bool put, pawl_error *err);
/** The next checkpoint, of these files; more members of its event, and its run, may be NULL. */
void shapes_take_as(shapes *t, const char *files, const char *more, const char *run);

void shapes_take(shapes *t, const char *files);
/** An event, under the fence of its run. */
void shapes_append(shapes *t, const char *type, const char *run, const char *payload);
/** The last seq. */
uint64_t shapes_head(shapes *t);
/** A rollback to a checkpoint of these files; its safety copy is of @p now. */
void shapes_start_rollback(shapes *t, int target, const char *files, const char *now, bool undo);
void shapes_end_rollback(shapes *t, const char *outcome);
/** Let go all but @p keep, or only say so; pawl_workspace_prune_free() it. */
pawl_workspace_prune_report *shapes_prune(shapes *t, size_t keep, bool dry_run);
/** All that a checkpoint of these files holds can be read. */
void shapes_check_there(shapes *t, const char *files);
/** pawl_usage_free() it. */
pawl_usage *shapes_usage(shapes *t);
