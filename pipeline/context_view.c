/* What a user's layer reads of a context. */
#include "base/error.h"
#include "pipeline/gate.h"

pawl_text pawl_context_mission_id(const pawl_context *ctx)
{
        return ctx->mission_id;
}

pawl_text pawl_context_run_id(const pawl_context *ctx)
{
        return ctx->run_id;
}

pawl_text pawl_context_step_id(const pawl_context *ctx)
{
        return ctx->step_id;
}

const char *pawl_context_strictness(const pawl_context *ctx)
{
        return pawl__strictness_name(pawl__context_effective(ctx));
}

pawl_status pawl_context_scopes(pawl_scopes *out, pawl_context *ctx)
{
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

/* The id of its conflict, if it holds the step back. */
static pawl_text id_of(const pawl_context *ctx, const pawl__finding *finding)
{
        for (size_t i = 0; ctx->verdicts && i < ctx->verdicts->n; i++)
                if (ctx->verdicts->held[i].finding == finding)
                        return ctx->verdicts->held[i].conflict_id;
        return (pawl_text){NULL, 0};
}

static bool show_candidates(pawl_conflict *to, const pawl__finding *finding, pawl__arena *arena)
{
        pawl_sense *senses = pawl__arena_array(arena, finding->n_candidates, sizeof *senses);

        for (size_t i = 0; i < finding->n_candidates && senses; i++) {
                const pawl__sense *sense = &finding->candidates[i];
                senses[i] = (pawl_sense){sense->surface, pawl__text(pawl__scope_name(sense->scope)),
                        sense->definition, sense->confidence};
        }
        to->candidates = senses;
        to->n_candidates = finding->n_candidates;
        return senses != NULL;
}

pawl_status pawl_context_findings(pawl_findings *out, pawl_context *ctx)
{
        const size_t n = ctx->findings.n;
        pawl_finding *items = pawl__arena_array(&ctx->pass, n, sizeof *items);
        bool ok = items != NULL;

        for (size_t i = 0; i < n && ok; i++) {
                const pawl__finding *finding = &ctx->findings.items[i];
                items[i] = (pawl_finding){.original = finding->original};
                items[i].conflict = (pawl_conflict){.conflict_id = id_of(ctx, finding),
                        .term = finding->term,
                        .conflict_type = pawl__text(pawl__conflict_type_name(finding->type)),
                        .severity = pawl__text(pawl__severity_name(finding->severity)),
                        .context = finding->context,
                        .confidence = finding->confidence};
                ok = show_candidates(&items[i].conflict, finding, &ctx->pass);
        }
        if (!ok)
                return pawl__nomem(&ctx->error);
        *out = (pawl_findings){items, n};
        return PAWL_OK;
}
