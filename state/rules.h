/**
 * @file state/rules.h
 * @brief Which event may follow which: the rules of docs/reference/event-log.md, checked before an
 * event is applied.
 */
#pragma once

#include "state/apply_ctx.h"

/**
 * Check the rules about runs, steps and conflicts for one event, and keep the rows of its run and
 * step in the context. Rules that an apply function checks anyway (one start, one answer, the order
 * of checkpoints) stay there.
 * @return PAWL_ESTATE "seq 7 (StepCompleted): rule RULE: WHAT" for an event that breaks a rule;
 *         PAWL_EDAMAGED for an event of a run that has an illegal one.
 */
PAWL_MUST_CHECK pawl_status pawl__rules_check(pawl__apply_ctx *a, pawl__event_type type);

/** Refuse the event by a rule: PAWL_ESTATE. */
pawl_status pawl__rules_refuse(const pawl__apply_ctx *a, const char *rule, const char *format, ...)
        PAWL_PRINTF(3, 4);
