/**
 * @file pipeline/gate.h
 * @brief Which findings block a step: the one answer for all layers.
 */
#pragma once

#include "pipeline/context.h"

/** Does a finding of this severity block? off never; medium any high; max any. An output is
 *  blocked at max only. */
bool pawl__gate_blocks(pawl__phase phase, pawl__strictness effective, pawl__severity severity);

/** "inputs" or "output". Static. */
const char *pawl__phase_name(pawl__phase phase);

/** A finding that blocks the step, and the id of its conflict. */
typedef struct pawl__blocker {
        const pawl__finding *finding;
        pawl_text conflict_id;
} pawl__blocker;

/** The blockers among some findings: kept, so that the check and the gate after it query the state
 * once. */
struct pawl__verdicts {
        pawl__findings of; /**< the findings that were evaluated */
        pawl__blocker *blockers;
        size_t n;
};

/** Those of ctx->findings that block and whose conflict is not resolved yet, by severity, high
 * first, else in their order. In the context's pass arena. */
PAWL_MUST_CHECK pawl_status pawl__gate_blockers(pawl__blocker **out, size_t *n, pawl_context *ctx);

/** Has somebody answered this conflict? Without state (ctx->state NULL) nobody has. */
PAWL_MUST_CHECK pawl_status pawl__conflict_resolved(
        bool *resolved, pawl_context *ctx, pawl_text conflict_id);

/** GenerationBlockedBySemanticConflict of no conflict: a program's own layer of that name blocks
 * the step. @p reason: in its words; NULL: it gave none. */
PAWL_MUST_CHECK pawl_status pawl__gate_blocked_by(
        pawl_context *ctx, const char *layer, const char *reason);

/** StepCheckpointed at @p cursor, with a fresh token, or that of the checkpoint that the pass
 * resumed from if that one is held at the same cursor; it is ctx->checkpoint then. */
PAWL_MUST_CHECK pawl_status pawl__gate_checkpoint(pawl_context *ctx, pawl__cursor_at cursor);

/** A finding as callers see it. Its senses are in the context's pass arena. */
PAWL_MUST_CHECK pawl_status pawl__conflict_public(
        pawl_conflict *out, pawl_context *ctx, const pawl__finding *finding, pawl_text conflict_id);

/** A step that was blocked is to pass since the glossary, or its mission, changed, and not by an
 * answer to each conflict: record a SemanticCheckEvaluated that says so. Nothing for a step that
 * asks, or is evaluated in this pass. */
PAWL_MUST_CHECK pawl_status pawl__check_change(pawl_context *ctx);
