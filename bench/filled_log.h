/**
 * @file bench/filled_log.h
 * @brief A log filled with so many events of missions: steps that are checked, checkpointed, asked
 *        about, answered and completed, payloads of about 600 bytes on average, its state tables
 * kept in step.
 *
 * Whatever its size, its last FILLED_OPEN steps are blocked, each by one conflict that is open: the
 * conflict of the n-th step is "c-N".
 */
#pragma once

#include "bench/measure.h"
#include "events/log.h"
#include "state/state.h"

/* FILLED_STEP_EVENTS: of a step, beside its terms. */
enum {
        FILLED_STEPS = 400,
        FILLED_OPEN = 20,
        FILLED_SAMPLES = 128,
        FILLED_TERMS = 2,
        FILLED_STEP_EVENTS = 6
};

/** A step and the token of its checkpoint. */
typedef struct filled_sample {
        char run[32], step[32], token[37];
} filled_sample;

typedef struct filled_log {
        pawl_log *log;
        pawl__state *state;
        size_t steps, terms, open; /* so far; TermCandidateObserved a step; blocked ones */
        size_t every;              /* one step of so many is a sample */
        filled_sample sample[FILLED_SAMPLES]; /* spread over the whole log */
        size_t n_sample;
        uint64_t events;
        char text[600]; /* context that findings quote */
} filled_log;

/** Fill a new log at @p path with @p events (somewhat more), @p terms of each step being
 *  TermCandidateObserved, which change no table: FILLED_TERMS is usual. Closed by the caller. */
void filled_open(filled_log *f, const char *path, size_t events, size_t terms);
/** The same with so many steps that are blocked. */
void filled_open_blocked(filled_log *f, const char *path, size_t events, size_t terms, size_t open);
