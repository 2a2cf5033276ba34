/* Layer 1: the terms of the inputs, or of the output, by glossary/extract.h. They are kept for
 * layer 2; those that do not resolve are recorded as observed. */
#include "base/error.h"
#include "pipeline/context.h"
#include "pipeline/layers.h"

static pawl_status observe(pawl_context *ctx, const pawl__term *term)
{
        pawl__json_writer *w = pawl__context_payload(ctx);

        pawl__json_member_text(w, "actor_id", ctx->actor);
        pawl__json_member_number(w, "confidence", term->confidence);
        pawl__json_member_text(w, "context", term->context.data ? term->context : pawl__text(""));
        pawl__json_member_string(w, "extraction_method", pawl__source_name(term->source));
        pawl__json_member_text(w, "source_step", ctx->step_id);
        pawl__json_member_text(w, "term", term->surface);
        return pawl__context_emit(ctx, PAWL__TERM_OBSERVED);
}

/* Is its context needed? A term that resolves is not observed, and is a finding only if the output
 * contradicts it. */
static bool is_asked_for(const pawl_context *ctx, const pawl__term *term)
{
        return ctx->phase == PAWL__ON_OUTPUT || !ctx->glossary ||
               !pawl__resolves(pawl__term_resolve(ctx->glossary, term));
}

/* Copy the terms, which end with the extraction. */
static pawl_status keep(pawl_context *ctx, const pawl__terms *terms)
{
        pawl__buf buf = PAWL__BUF_INIT;
        pawl__term *items = pawl__arena_array(&ctx->pass, terms->n, sizeof *items);
        bool ok = items != NULL;

        for (size_t i = 0; i < terms->n && ok; i++) {
                items[i] = terms->items[i];
                items[i].surface = pawl__context_keep(ctx, items[i].surface, &ok);
                items[i].original = pawl__context_keep(ctx, items[i].original, &ok);
                items[i].within = (pawl_text){NULL, 0};
                if (ok && is_asked_for(ctx, &terms->items[i]))
                        ok = !pawl__term_context(
                                &items[i].context, &ctx->pass, &buf, &terms->items[i]);
        }
        pawl__buf_free(&buf);
        if (!ok)
                return pawl__nomem(&ctx->error);
        ctx->terms = (pawl__terms){items, terms->n};
        return PAWL_OK;
}

static pawl_status extract(pawl_context *ctx, const pawl__json_tree *tree)
{
        pawl__extraction *extraction;
        pawl__terms terms;
        pawl_status status =
                pawl__extraction_new(&extraction, ctx->glossary, &ctx->metadata, &ctx->error);

        if (status)
                return status;
        status = pawl__extraction_json(extraction, tree, &ctx->error);
        if (!status)
                status = pawl__extraction_terms(&terms, extraction, &ctx->error);
        if (!status)
                status = keep(ctx, &terms);
        pawl__extraction_free(extraction);
        return status;
}

static pawl_status process(const pawl_layer *layer, pawl_context *ctx)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl_text text = ctx->phase == PAWL__ON_OUTPUT ? ctx->output : ctx->inputs;

        (void)layer;
        ctx->terms = (pawl__terms){NULL, 0};
        if (!pawl__context_checks(ctx))
                return PAWL_OK;
        pawl_status status = pawl__json_tree_read(&tree, text.data, text.len, &ctx->error);
        if (!status)
                status = extract(ctx, &tree);
        pawl__json_tree_free(&tree);
        for (size_t i = 0; i < ctx->terms.n && !status; i++) {
                const pawl__term *term = &ctx->terms.items[i];
                if (!ctx->glossary || !pawl__resolves(pawl__term_resolve(ctx->glossary, term)))
                        status = observe(ctx, term);
        }
        return status;
}

const pawl_layer pawl__layer_extraction = {"extraction", process, NULL};
