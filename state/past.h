/**
 * @file state/past.h
 * @brief What a rollback brings back, and what a fork takes over, held against the steps as they
 * were at that place in the log: rules for events that are in it already.
 */
#pragma once

#include "state/apply_ctx.h"

/**
 * restored: the steps of "restored" of a WorkspaceRolledBack, if it has that, are as they were when
 * its target was taken; PAWL_ESTATE by rule rollback-order. forked: a StepCompleted with "forked"
 * says what the run that it was forked from says; PAWL_ESTATE by rule fork-first.
 */
extern const pawl__past_rules pawl__past;
