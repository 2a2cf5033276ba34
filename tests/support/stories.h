/**
 * @file tests/support/stories.h
 * @brief One run at the points from which it goes on: its second step blocked, and answered. The
 * log of each is kept and can be put back.
 */
#pragma once

#include "support/mission.h"

enum story { STORY_BLOCKED, STORY_ANSWERED, STORIES };

struct stories {
        struct mission_fixture *f; /**< its log is closed */
        char *token, *conflict;    /**< of the step that is blocked, "specify" */
        struct {
                char *db, *wal;
                size_t db_len, wal_len;
        } kept[STORIES];
};

void stories_setup(struct stories *s);
void stories_teardown(struct stories *s);

/** The log is as it was then, and no command has run since. */
void stories_put_back(struct stories *s, enum story story);
/** With f->log open: "specify" ran only under a checkpoint, when its going on was in the log, and
 *  under one key. */
void stories_check_gate(struct stories *s);
