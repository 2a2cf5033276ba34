/**
 * @file tests/support/power.h
 * @brief The power is cut after every operation of a recording, in every way that a seed gives, and
 *        each disk that is left is looked at.
 */
#pragma once

#include "support/crash.h"

typedef enum power_verdict {
        POWER_SOUND,
        POWER_LOST, /**< what was promised is not there */
        POWER_WRONG /**< anything else that may not be */
} power_verdict;

/** One disk to be looked at, by the process that opens it next. */
typedef struct power_state {
        const recording *r;
        size_t n_ops;
        const char *directory;      /**< where it was written, in place of the recording's */
        uint64_t number;            /**< differs from state to state */
        const recorder_head *heads; /**< those that the log may end at */
        size_t n_heads;
        const recorder_head *promised; /**< what must be there; NULL: nothing yet */
        char why[1024];                /**< why it is not sound */
} power_state;

typedef struct power_sweep {
        const recording *r;
        size_t from, stride; /**< the first number of operations, and how many more each time */
        size_t singles;      /**< so many unsynced operations are left out, and kept, one by one */
        size_t seeds;        /**< of some and of torn writes, each */
        power_verdict (*check)(power_state *state, const void *user);
        const void *user;
} power_sweep;

/** What came of it. */
typedef struct power_result {
        long states; /**< that differed */
        long lost, wrong;
        char first[1400]; /**< about one of those; "" when there are none */
} power_result;

/** In as many processes as there are processors. */
power_result power_cut(const power_sweep *sweep);
