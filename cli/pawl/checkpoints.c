/* pawl checkpoints: the checkpoints of the workspace, oldest first. */
#include "base/error.h"
#include "cli/pawl/commands.h"
#include "cli/pawl/workspace.h"
#include "command/find.h"
#include <stdio.h>

typedef struct listing {
        pawl_workspace_checkpoints *all;
        pawl_workspace_checkpoint_info *items; /* those that are asked for */
        size_t n;
} listing;

/* The whole id that an option names; absent: it was not given. */
static pawl_status wanted(pawl_text *out, pawl__state *state, const cli_call *cli,
        const char *option, pawl__table table, pawl_error *err)
{
        *out = pawl__text(cli_value(cli, option));
        return out->data ? pawl__state_whole_id(out, state, &table, 1, option, cli->arena, err)
                         : PAWL_OK;
}

static bool is(pawl_text value, pawl_text asked)
{
        return !asked.data || (value.data && pawl__text_eq(value, asked));
}

/* Of a run or session (@p whose tells which) that has none of those listed: is it known at all? */
static pawl_status check_known(const listing *l, size_t whose, pawl_text id, pawl__state *state,
        const cli_call *cli, const char *option, pawl__table table, pawl_error *err)
{
        pawl__row row = {.v[0].text = id}; /* both tables have the id there */

        if (!id.data)
                return PAWL_OK;
        for (size_t i = 0; i < l->all->n; i++) /* an archive brings some of runs from elsewhere */
                if (is(*(const pawl_text *)((const char *)&l->all->items[i] + whose), id))
                        return PAWL_OK;
        pawl_status status = pawl__state_get(state, table, &row, cli->arena, err);
        return status == PAWL_ENOTFOUND
                       ? pawl__fail(err, status,
                                 "%s %s: is not in the log; `pawl %ss` lists those there are",
                                 option, cli_value(cli, option), option)
                       : status;
}

/* Of all the checkpoints, which it frees with the rest, those that are asked for. */
static pawl_status gather(listing *l, const cli_call *cli, pawl_log *log, pawl_error *err)
{
        pawl_text run, session, step = pawl__text(cli_value(cli, "step"));
        pawl__state *state;
        pawl_status status = pawl__state_of(&state, log, err);

        if (!status)
                status = wanted(&run, state, cli, "run", PAWL__RUNS, err);
        if (!status)
                status = wanted(&session, state, cli, "session", PAWL__SESSIONS, err);
        if (!status)
                status = pawl_workspace_checkpoint_list(&l->all, log, err);
        if (status)
                return status;
        l->items = pawl__arena_array(cli->arena, l->all->n + 1, sizeof *l->items);
        if (!l->items)
                return pawl__nomem(err);
        for (size_t i = 0; i < l->all->n; i++) {
                const pawl_workspace_checkpoint_info *info = &l->all->items[i];
                if (is(info->run_id, run) && is(info->session_id, session) &&
                        is(info->step_id, step))
                        l->items[l->n++] = *info;
        }
        if (l->n == 0)
                status = check_known(l, offsetof(pawl_workspace_checkpoint_info, run_id), run,
                        state, cli, "run", PAWL__RUNS, err);
        if (l->n == 0 && !status)
                status = check_known(l, offsetof(pawl_workspace_checkpoint_info, session_id),
                        session, state, cli, "session", PAWL__SESSIONS, err);
        return status;
}

static pawl_status checkpoints(cli_call *cli, pawl_log *log, pawl_error *err)
{
        listing l = {.n = 0};
        pawl_status status = gather(&l, cli, log, err);

        if (!status && l.all->n == 0 && !cli_given(cli, "json")) {
                cli_sayf(cli, cli->in->out,
                        "no checkpoints of the workspace; `pawl checkpoint` takes one, and `pawl "
                        "run` one after each step");
                fputc('\n', cli->in->out);
        } else if (!status) {
                status = cli_print_list(
                        cli, log, cli_checkpoint_fields, l.items, l.n, sizeof *l.items, err);
        }
        if (l.all)
                cli_say_failed_checkpoints(cli, log, l.all->n ? l.all->items[l.all->n - 1].seq : 0);
        pawl_workspace_checkpoints_free(l.all);
        return status;
}

static const cli_option checkpoints_options[] = {
        {"run", 0, 0, CLI_TEXT, "RUN", NULL, "those of this run"},
        {"session", 0, 0, CLI_TEXT, "SESSION", NULL, "those of this session"},
        {"step", 0, 0, CLI_TEXT, "STEP", NULL, "those of the step of this name, in any run"},
        {"json", 0, 0, CLI_FLAG, NULL, NULL, "print an array of objects"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd pawl_workspace_checkpoints_cmd = {
        .name = "checkpoints",
        .args = "",
        .traits = CLI_SERVED,
        .options = checkpoints_options,
        .help = "List the checkpoints of the workspace, oldest first",
        .on_log = checkpoints,
        .access = CLI_LOOK,
};
