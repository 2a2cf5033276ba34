/**
 * @file state/past.h
 * @brief What a rollback brings back, and what a fork takes over, held against the steps as they
 * were at that place in the log: rules for events that are in it already.
 */
#pragma once

#include "state/apply_ctx.h"

/** A run as it was, kept for the next event that asks for it. */
typedef struct pawl__past pawl__past;

/** The steps of "restored" of a WorkspaceRolledBack, if it has that, are as they were when @p target was taken.
 * @return PAWL_ESTATE by rule rollback-order. */
PAWL_MUST_CHECK pawl_status pawl__past_restored(const pawl__apply_ctx *a, const pawl__row *target);

/** A StepCompleted with "forked" of the run in @p a says what the run that it was forked from says.
 * @return PAWL_ESTATE by rule fork-first. */
PAWL_MUST_CHECK pawl_status pawl__past_forked(const pawl__apply_ctx *a);

void pawl__past_free(pawl__past *past);
