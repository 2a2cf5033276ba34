/* Which strictness holds, and whether the check runs: rules, layers 2 and 3. */
#include "pipeline/context.h"

pawl__strictness pawl__context_effective(const pawl_context *ctx)
{
        const pawl__strictness by_precedence[] = {ctx->effective, ctx->runtime_strictness,
                ctx->step_strictness, ctx->mission_strictness, ctx->project_strictness,
                PAWL__STRICTNESS_MEDIUM};
        size_t i = 0;

        while (by_precedence[i] == PAWL__STRICTNESS_UNSET)
                i++;
        return by_precedence[i];
}

void pawl__context_decide(pawl_context *ctx)
{
        ctx->effective = pawl__context_effective(ctx);
}

bool pawl__context_checks(pawl_context *ctx)
{
        pawl__context_decide(ctx);
        return !ctx->check_disabled &&
               (ctx->effective != PAWL__STRICTNESS_OFF || ctx->check_forced);
}
