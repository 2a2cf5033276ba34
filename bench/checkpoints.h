/**
 * @file bench/checkpoints.h
 * @brief A run of many started steps, and checkpoints of them: the event that resuming depends on,
 * with the rows of state that it writes.
 */
#pragma once

#include "bench/measure.h"
#include "events/log.h"
#include "state/state.h"

#define CHECKPOINTS_RUN "2f4c3a52-7f4e-4be0-a1c3-0d5d8a1d9b11"

enum { CHECKPOINTS_BATCH = 100 };

typedef struct checkpoints {
        pawl_log *log;
        pawl__state *state;
        uint64_t fence, seq; /* seq: the last event's */
        size_t step;         /* the last that got its checkpoint, from 1 */
        size_t scopes;       /* that the run and its checkpoints name, 1 to 3 */
        pawl_event events[CHECKPOINTS_BATCH];
        char ids[CHECKPOINTS_BATCH][32], payloads[CHECKPOINTS_BATCH][768];
} checkpoints;

/** A new log with a claimed run of so many started steps. */
void checkpoints_open(checkpoints *c, const char *path, size_t steps, size_t scopes);

/** The next @p n (at most CHECKPOINTS_BATCH) StepCheckpointed, in c->events. Tokens are spread as
 *  real ones are. */
void checkpoints_make(checkpoints *c, size_t n);

/** Append them; nanoseconds. */
double checkpoints_append_ns(checkpoints *c, size_t n);
