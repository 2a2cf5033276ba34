/**
 * @file session/retry.h
 * @brief What the log says of a step whose attempts failed and that is to be tried again.
 */
#pragma once

#include "state/state.h"

/** Of a step that is at work, or was when its pawl ended. */
typedef struct pawl__retry {
        int64_t tries;    /**< attempts that failed so far, one after the other; 0: none */
        int64_t of;       /**< so many there are */
        int64_t due_us;   /**< when the next one is due, by the wall clock */
        int64_t delay_us; /**< how long after the last one's failure that is */
} pawl__retry;

#define PAWL__RETRY_LOOK 4096 /* events, for who only shows it */

/** The newest of the run's events, @p most of them (0: all), say it. Nothing of a step that has
 *  failed or completed since. */
PAWL_MUST_CHECK pawl_status pawl__retry_read(pawl__retry *out, pawl_log *log, const pawl__row *run,
        pawl_text step_id, uint64_t most, pawl_error *err);

/** How long is still to be waited: never longer than the delay, however the wall clock was set. */
int64_t pawl__retry_left_us(const pawl__retry *retry, int64_t now_us);

/** "attempt 2 of 3, next in 40 s", or without what comes behind the comma; "" for tries 0. */
void pawl__retry_say(char out[64], const pawl__retry *retry, int64_t now_us);
