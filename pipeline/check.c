/* Layer 2: which terms are conflicts, by the rules of glossary/conflict.h, recorded as one event.
 */
#include "base/error.h"
#include "pipeline/gate.h"
#include "pipeline/layers.h"

/* Every string of the output, a line each: what may contradict a definition. */
static pawl_status output_text(pawl__buf *out, pawl_context *ctx)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl_status status =
                pawl__json_tree_read(&tree, ctx->output.data, ctx->output.len, &ctx->error);

        for (pawl__node i = 0; i < tree.n && !status; i++) {
                const pawl__json_node *node = pawl__json_at(&tree, i);
                if (node->type != PAWL__JSON_STRING)
                        continue;
                status = pawl__buf_add(out, node->value.data, node->value.len);
                if (!status)
                        status = pawl__buf_addc(out, '\n');
                if (status)
                        pawl__nomem(&ctx->error);
        }
        pawl__json_tree_free(&tree);
        return status;
}

/* The confidence of the whole: the highest among the findings that make its severity. */
static double confidence_of(const pawl__findings *findings, pawl__severity overall)
{
        double highest = 0;

        if (findings->n == 0)
                return 1;
        for (size_t i = 0; i < findings->n; i++)
                if (findings->items[i].severity == overall &&
                        findings->items[i].confidence > highest)
                        highest = findings->items[i].confidence;
        return highest;
}

static pawl_status record(pawl_context *ctx)
{
        pawl__json_writer *w = pawl__context_payload(ctx);
        pawl__severity overall = pawl__findings_severity(&ctx->findings);
        pawl__blocker *blockers = NULL;
        size_t n_blockers = 0;
        pawl_status status = pawl__gate_blockers(&blockers, &n_blockers, ctx);

        if (status)
                return status;
        ctx->evaluated = true;
        pawl__json_member_bool(w, "blocked", n_blockers > 0);
        pawl__json_member_number(w, "confidence", confidence_of(&ctx->findings, overall));
        pawl__json_member_string(w, "effective_strictness", pawl__strictness_name(ctx->effective));
        pawl__json_name(w, "findings");
        pawl__findings_write(w, &ctx->findings);
        pawl__json_member_string(w, "overall_severity", pawl__severity_name(overall));
        pawl__json_member_string(w, "phase", pawl__phase_name(ctx->phase));
        pawl__json_member_string(w, "recommended_action",
                n_blockers        ? "block"
                : ctx->findings.n ? "warn"
                                  : "proceed");
        return pawl__context_emit(ctx, PAWL__CHECK_EVALUATED);
}

pawl_status pawl__check_change(pawl_context *ctx)
{
        pawl__row step = {
                .v[PAWL__STEP_RUN].text = ctx->run_id, .v[PAWL__STEP_ID].text = ctx->step_id};
        pawl__blocker *blockers;
        size_t n = 0;
        bool blocked = false;

        if (ctx->is_new || ctx->evaluated || ctx->question || !ctx->state)
                return PAWL_OK;
        pawl_status status = pawl__gate_blockers(&blockers, &n, ctx);
        if (!status && n == 0)
                status = pawl__state_get(ctx->state, PAWL__STEPS, &step, &ctx->pass, &ctx->error);
        if (status == PAWL_ENOTFOUND) /* it has not begun */
                return PAWL_OK;
        if (!status && n == 0)
                status = pawl__state_step_blocked(&blocked, ctx->state, &step, &ctx->error);
        return status || !blocked ? status : record(ctx);
}

static pawl_status process(const pawl_layer *layer, pawl_context *ctx)
{
        pawl__buf text = PAWL__BUF_INIT;
        pawl_text output = {NULL, 0};
        pawl_status status = PAWL_OK;

        (void)layer;
        ctx->findings = (pawl__findings){NULL, 0};
        ctx->reevaluated = false;
        if (!pawl__context_checks(ctx))
                return pawl__check_change(ctx);
        if (ctx->phase == PAWL__ON_OUTPUT) {
                status = output_text(&text, ctx);
                output = pawl__buf_text(&text);
        }
        if (!status)
                status = pawl__findings_make(&ctx->findings, &ctx->pass, ctx->glossary, &ctx->terms,
                        ctx->critical, output, &ctx->error);
        pawl__buf_free(&text);
        return status ? status : record(ctx);
}

const pawl_layer pawl__layer_check = {"semantic_check", process, NULL};
