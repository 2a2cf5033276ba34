/**
 * @file tests/support/rollback_events.h
 * @brief Events of checkpoints and rollbacks, appended to a history in short.
 */
#pragma once

#include "support/history.h"

#define TREE(digit) "000000000000000000000000000000000000000000000000000000000000000" #digit

#define CHECKPOINTED                                                                               \
        "{\"n\":%d,\"id\":\"cp-%02d-one\",\"trigger\":\"manual\",\"root\":\".\",\"tree\":"         \
        "\"" TREE(1) "\",\"files\":3,\"bytes\":0,\"skipped\":1%s}"

#define STARTED                                                                                    \
        "{\"target\":%d,\"safety\":%d,\"tree\":\"" TREE(1) "\",\"plan_hash\":\"" HASH_A            \
                                                           "\",\"undo\":%s%s}"

#define ENDED                                                                                      \
        "{\"started_seq\":%d,\"outcome\":\"%s\",\"invalidated\":[%s],\"revalidated\":[%s],"        \
        "\"steps\":[%s]}"

#define STEP(id) "{\"run_id\":\"run-1\",\"step_id\":\"" id "\"}"

/** A row by its number; fails the test when there is none. */
pawl__row history_row_of(struct history *h, pawl__table table, int64_t key);
/** The tables are what the log says. */
void history_check(struct history *h);
/** Checkpoint n, with more members. */
void history_take(struct history *h, int n, const char *more);
/** A rollback from here on: its safety copy n and its start. The seq of that. */
int history_roll_back(struct history *h, int target, int n, const char *undo);
/** Its end, with lists of numbers and steps as JSON. */
void history_rolled_back(struct history *h, int seq, const char *outcome, const char *invalidated,
        const char *revalidated, const char *steps);
/** A run of one, two and three, with a checkpoint after each: all done. */
void history_run_all(struct history *h);
