/* What a user's layer reads of a context. */
#include "base/error.h"
#include "glossary/terms.h"
#include "pipeline/gate.h"

pawl_text pawl_context_mission_id(const pawl_context *ctx)
{
        return ctx ? ctx->mission_id : (pawl_text){NULL, 0};
}

pawl_text pawl_context_run_id(const pawl_context *ctx)
{
        return ctx ? ctx->run_id : (pawl_text){NULL, 0};
}

pawl_text pawl_context_step_id(const pawl_context *ctx)
{
        return ctx ? ctx->step_id : (pawl_text){NULL, 0};
}

const char *pawl_context_strictness(const pawl_context *ctx)
{
        return ctx ? pawl__strictness_name(pawl__context_effective(ctx)) : NULL;
}

pawl_status pawl_context_scopes(pawl_scopes *out, pawl_context *ctx)
{
        TRY(pawl__context_usable(ctx, NULL));

        const size_t n = ctx->n_scope_refs;
        pawl_scope_ref *items = pawl__arena_array(&ctx->pass, n, sizeof *items);

        if (!items)
                return pawl__nomem(&ctx->error);
        for (size_t i = 0; i < n; i++)
                items[i] =
                        (pawl_scope_ref){ctx->scope_refs[i].scope, ctx->scope_refs[i].version_id};
        *out = (pawl_scopes){items, n};
        return PAWL_OK;
}

pawl_status pawl_context_extracted_terms(pawl_terms *out, pawl_context *ctx)
{
        TRY(pawl__context_usable(ctx, NULL));

        const size_t n = ctx->terms.n;
        pawl_term *items = pawl__arena_array(&ctx->pass, n, sizeof *items);

        if (!items)
                return pawl__nomem(&ctx->error);
        for (size_t i = 0; i < n; i++) {
                const pawl__term *term = &ctx->terms.items[i];
                items[i] = (pawl_term){term->surface, term->original,
                        pawl__source_name(term->source), term->confidence};
        }
        *out = (pawl_terms){items, n};
        return PAWL_OK;
}

/* The id of its conflict, if it blocks the step. */
static pawl_text id_of(const pawl_context *ctx, const pawl__finding *finding)
{
        for (size_t i = 0; ctx->verdicts && i < ctx->verdicts->n; i++)
                if (ctx->verdicts->blockers[i].finding == finding)
                        return ctx->verdicts->blockers[i].conflict_id;
        return (pawl_text){NULL, 0};
}

pawl_status pawl_context_findings(pawl_findings *out, pawl_context *ctx)
{
        TRY(pawl__context_usable(ctx, NULL));

        const size_t n = ctx->findings.n;
        pawl_finding *items = pawl__arena_array(&ctx->pass, n, sizeof *items);

        if (!items)
                return pawl__nomem(&ctx->error);
        for (size_t i = 0; i < n; i++) {
                const pawl__finding *finding = &ctx->findings.items[i];
                items[i].original = finding->original;
                pawl_status status = pawl__conflict_public(
                        &items[i].conflict, ctx, finding, id_of(ctx, finding));
                if (status)
                        return status;
        }
        *out = (pawl_findings){items, n};
        return PAWL_OK;
}

pawl_status pawl_context_terms(pawl_glossary_terms *out, pawl_context *ctx)
{
        TRY(pawl__context_usable(ctx, NULL));

        const bool found = ctx->phase == PAWL__ON_INPUTS && ctx->terms.n > 0;
        const pawl__terms_query q = {.log = ctx->log,
                .state = ctx->state,
                .glossary = ctx->state ? ctx->glossary : NULL,
                .metadata = &ctx->metadata,
                .run_id = ctx->run_id,
                .step_id = ctx->step_id,
                .found = found ? &ctx->terms : NULL,
                .inputs = ctx->inputs};

        return pawl__terms_decided(out, &ctx->pass, &q, &ctx->error);
}
