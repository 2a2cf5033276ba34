/**
 * @file tests/support/event_samples.h
 * @brief Well-formed events: together, in their order, the story of a run.
 */
#pragma once

#include "events/types.h"

#define SAMPLE_TOKEN   "00000000-0000-4000-8000-000000000001"
#define SAMPLE_VERSION "cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc"

enum { EVENT_SAMPLES = 32 };

/** The story, each event with the ids and the payload that it needs, unchained: mission-1, run-1
 *  with the steps one and two, session-1, conflict-1. The last ones name
 *  the seq that one of them has as the story's 23rd event. Static. */
extern const pawl_event event_samples[EVENT_SAMPLES];
