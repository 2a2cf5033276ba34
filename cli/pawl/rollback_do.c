#include "cli/pawl/rollback_do.h"
#include "base/error.h"
#include "cli/pawl/agree.h"
#include "cli/pawl/plan.h"
#include "cli/pawl/workspace.h"
#include <inttypes.h>

static void show_planned(const pawl_rollback_plan *plan, void *user)
{
        cli_plan_print(user, plan);
}

pawl_status cli_rollback_begin(cli_rollback *g, const cli_call *cli, pawl_log *log, pawl_error *err)
{
        *g = (cli_rollback){
                .cli = cli, .log = log, .options = PAWL_ROLLBACK_OPTIONS_INIT, .err = err};
        g->options.reason = cli_value(cli, "reason");
        return cli_workspace_options(&g->workspace, cli, err);
}

/* Its hash goes into the options: that plan is done, or none. Where it was agreed to before, it is
 * shown when it is known. */
static pawl_status agree(cli_rollback *g, const char *which)
{
        const bool asks = cli_can_ask(g->cli);
        pawl_rollback_plan *plan;

        g->options.expect = cli_value(g->cli, "apply");
        if (cli_given(g->cli, "yes") || g->options.expect || (!asks && g->without_asking)) {
                if (!cli_given(g->cli, "json")) {
                        g->options.planned = show_planned;
                        g->options.planned_user = g->cli->in->out;
                }
                return PAWL_OK;
        }
        pawl_status status =
                pawl_workspace_plan(&plan, g->log, which, &g->options, &g->workspace, g->err);
        if (status)
                return status;
        if (!asks) {
                status = pawl__fail(g->err, PAWL_ESTATE,
                        "%s to checkpoint %" PRIu64
                        ": there is nobody to ask; look with --plan, then say --yes, or --apply HASH",
                        g->name, pawl_rollback_plan_look(plan).target->n);
        } else {
                cli_plan_print(g->cli->in->err, plan);
                snprintf(g->hash, sizeof g->hash, "%s", pawl_rollback_plan_look(plan).hash);
                g->options.expect = g->hash;
                if (!cli_agrees(g->question))
                        status = pawl__fail(g->err, PAWL_ESTATE,
                                "%s: nothing was changed; answer y to do it", g->name);
        }
        pawl_rollback_plan_free(plan);
        return status;
}

pawl_status cli_rollback_do(pawl_rollback_plan **out, cli_rollback *g, const char *which)
{
        if (cli_given(g->cli, "plan"))
                return pawl_workspace_plan(out, g->log, which, &g->options, &g->workspace, g->err);
        TRY(agree(g, which));
        if (which)
                return pawl_workspace_rollback(
                        out, g->log, which, &g->options, &g->workspace, g->err);
        return g->options.redo
                       ? pawl_workspace_redo(out, g->log, &g->options, &g->workspace, g->err)
                       : pawl_workspace_undo(out, g->log, &g->options, &g->workspace, g->err);
}
