/* Which strictness holds, and whether the check runs: rules, layers 2 and 3. */
#include "pipeline/context.h"

void pawl__context_decide(pawl_context *ctx)
{
        const pawl__strictness by_precedence[] = {ctx->runtime_strictness, ctx->step_strictness,
                ctx->mission_strictness, ctx->project_strictness, PAWL__STRICTNESS_MEDIUM};

        for (size_t i = 0; ctx->effective == PAWL__STRICTNESS_UNSET; i++)
                ctx->effective = by_precedence[i];
}

bool pawl__context_checks(pawl_context *ctx)
{
        pawl__context_decide(ctx);
        return !ctx->check_disabled &&
               (ctx->effective != PAWL__STRICTNESS_OFF || ctx->check_forced);
}
