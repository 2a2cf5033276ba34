/**
 * @file tests/support/workspace.h
 * @brief A workspace in a fresh directory, its log in .pawl, and its trees as text.
 */
#pragma once

#include "support/event_log.h"
#include "workspace/scan/scan.h"

typedef struct workspace {
        event_log *f; /* f->directory is the root */
        pawl__contents *contents;
        pawl__scan_options options;
        pawl__scan *scan; /* the last one */
        pawl_error err;
        unsigned char event[32]; /* of the checkpoint taken last */
        bool taken;
        pawl__buf text; /* what workspace_tree() made */
} workspace;

int workspace_setup(void **state);
int workspace_teardown(void **state);

#define WORKSPACE_TEST(name) UNIT_TEST_WITH(name, workspace *w, workspace_setup, workspace_teardown)

/** Write FOLDER/PATH, whose directories are made; its times are an hour ago, so that its status is
 *  trusted. */
void workspace_write(workspace *w, const char *path, const char *content);
void workspace_mkdir(workspace *w, const char *path);
/** Let a file's times be @p seconds ago. */
void workspace_age(workspace *w, const char *path, int seconds);
void workspace_remove(workspace *w, const char *path);
/** The root, opened; the caller closes it. */
int workspace_fd(workspace *w);

/** Scan, by the index of the last checkpoint; into w->scan. */
pawl_status workspace_scan(workspace *w);
/** Put w->scan into the log, with one event, and keep the index. */
pawl_status workspace_store(workspace *w);
/** Both, which must succeed. */
void workspace_take(workspace *w);

/**
 * The tree of w->scan, out of the log alone, as lines in the order of paths:
 *     "f 644 PATH=CONTENT"   "d 755 PATH"   "l PATH=TARGET"   "x WHY PATH"
 * Contents of more than 40 bytes as "SIZE bytes". Lives until the next call.
 */
const char *workspace_tree(workspace *w);
