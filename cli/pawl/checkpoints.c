/* pawl checkpoints: the checkpoints of the workspace, oldest first. */
#include "base/error.h"
#include "cli/pawl/commands.h"
#include "cli/pawl/workspace.h"
#include "command/find.h"
#include "command/fork_root.h"
#include "command/printable.h"
#include "workspace/workspace.h"
#include <stdio.h>

/* The whole id that an option names; absent: it was not given. */
static pawl_status wanted(pawl_text *out, pawl__state *state, const cli_call *cli,
        const char *option, pawl__table table, pawl_error *err)
{
        *out = pawl__text(cli_value(cli, option));
        return out->data ? pawl__state_whole_id(out, state, &table, 1, option, cli->arena, err)
                         : PAWL_OK;
}

/* Of a run or session that has none of those listed: is it known at all? An archive brings some of
 * runs from elsewhere. */
static pawl_status check_known(const pawl__checkpoint_filter *only, pawl__state *state,
        const cli_call *cli, const char *option, pawl__table table, pawl_error *err)
{
        const bool by_run = only->run_id.data != NULL;
        pawl__row row = {
                .v[0].text = by_run ? only->run_id : only->session_id}; /* in both tables */
        pawl__row *rows;
        size_t n = 0;

        if (!row.v[0].text.data)
                return PAWL_OK;
        pawl_status status = pawl__state_workspace_page(&rows, &n, state, only, cli->arena, err);
        if (status || n)
                return status;
        status = pawl__state_get(state, table, &row, cli->arena, err);
        return status == PAWL_ENOTFOUND
                       ? pawl__fail(err, status,
                                 "%s %s: is not in the log; `pawl %ss` lists those there are",
                                 option, cli_value(cli, option), option)
                       : status;
}

static pawl_status gather(pawl_workspace_checkpoints **out, const cli_call *cli, pawl_log *log,
        pawl__state *state, pawl_error *err)
{
        pawl__checkpoint_filter f = {.step_id = pawl__text(cli_value(cli, "step")),
                .page = {cli_number(cli, "before", 0), (size_t)cli_number(cli, "limit", 0)}};
        pawl_workspace_options options = PAWL_WORKSPACE_OPTIONS_INIT;
        if (cli->n_args) {
                options.root = cli->in->workspace;
                TRY(cli_take_paths(&options, cli, err));
                f.options = &options;
        }
        pawl_status status = wanted(&f.run_id, state, cli, "run", PAWL__RUNS, err);

        if (!status && !cli_given(cli, "all") && !f.run_id.data && !cli_given(cli, "session"))
                status = cli_fork_enter(&f.run_id, cli, log, err);
        if (!cli_given(cli, "all") && !f.run_id.data && !cli_given(cli, "session") &&
                !cli->in->served)
                f.worktree = pawl__text(pawl__state_worktree(state, NULL));
        if (!status)
                status = wanted(&f.session_id, state, cli, "session", PAWL__SESSIONS, err);
        if (!status)
                status = pawl__checkpoint_list(out, log, &f, err);
        if (status || (*out)->n)
                return status;
        const pawl__checkpoint_filter of_run = {.run_id = f.run_id, .page.limit = 1},
                                      of_session = {.session_id = f.session_id, .page.limit = 1};
        status = check_known(&of_run, state, cli, "run", PAWL__RUNS, err);
        return status ? status
                      : check_known(&of_session, state, cli, "session", PAWL__SESSIONS, err);
}

enum { NARROW = 100 }; /* columns of a terminal that has no room for all of these */

/* Columns of turns are for those that have some; what names a step goes before what counts it. */
static bool is_shown(const char *title, bool turns, bool narrow)
{
        const bool of_turn = strcmp(title, "turn") == 0 || strcmp(title, "said") == 0;
        const bool counts = strcmp(title, "trigger") == 0 || strcmp(title, "files") == 0;

        return (turns || !of_turn) && !(narrow && counts);
}

static const cli_field *choose_fields(
        const pawl_workspace_checkpoints *list, const cli_call *cli, pawl_error *err)
{
        const size_t width = cli_terminal_width(cli->in->out);
        bool turns = false;
        size_t n = 0;

        while (cli_checkpoint_fields[n++].type != CLI_AS_NOTHING)
                ;
        for (size_t i = 0; i < list->n; i++)
                turns |= list->items[i].turn != 0;
        cli_field *const fields = pawl__arena_array(cli->arena, n, sizeof *fields);
        if (!fields) {
                (void)pawl__nomem(err);
                return NULL;
        }
        memcpy(fields, cli_checkpoint_fields, n * sizeof *fields);
        for (size_t i = 0; i < n; i++)
                if (fields[i].title && !is_shown(fields[i].title, turns, width && width < NARROW))
                        fields[i].title = NULL;
        return fields;
}

static pawl_status checkpoints(cli_call *cli, pawl_log *log, pawl_error *err)
{
        pawl_workspace_checkpoints *list = NULL;
        pawl__state *state;
        pawl__row newest = {.v[PAWL__WCP_SEQ].integer = 0};
        pawl_status status = pawl__state_of(&state, log, err);

        if (!status)
                status = pawl__state_workspace_newest(&newest, state, cli->arena, err);
        const bool none = status == PAWL_ENOTFOUND;
        if (!status || none)
                status = gather(&list, cli, log, state, err);
        if (!status && none && !cli_given(cli, "json")) {
                cli_sayf(cli, cli->in->out,
                        "no checkpoints of the workspace; `pawl checkpoint` takes one, and `pawl "
                        "run MISSION` one after each step");
                fputc('\n', cli->in->out);
        } else if (!status) {
                const cli_field *const fields = choose_fields(list, cli, err);
                status = !fields ? PAWL_ENOMEM
                                 : cli_print_list(cli, log, fields, list->items, list->n,
                                           sizeof *list->items, err);
        }
        if (list)
                cli_say_failed_checkpoints(cli, log, (uint64_t)newest.v[PAWL__WCP_SEQ].integer);
        pawl_workspace_checkpoints_free(list);
        return status;
}

static int checkpoints_run(cli_call *cli)
{
        if (!cli->in->served && cli_before_paths(cli) > 0)
                return cli_usage(
                        cli, "one argument too many: \"%s\"; paths come after --", cli->args[0]);
        return cli_with_log(cli, CLI_LOOK, checkpoints);
}

static const cli_option checkpoints_options[] = {
        {"run", 0, 0, CLI_TEXT, "RUN", NULL, "those of this run"},
        {"session", 0, 0, CLI_TEXT, "SESSION", NULL, "those of this session"},
        {"step", 0, 0, CLI_TEXT, "STEP", NULL, "those of the step of this name, in any run"},
        {"limit", 'n', 0, CLI_NUMBER, "N", NULL, "the newest N"},
        {"before", 0, 0, CLI_NUMBER, "N", NULL, "those before the checkpoint of this number"},
        {"all", 'a', 0, CLI_FLAG, NULL, NULL, "those of all work trees, not of this one alone"},
        {"json", 0, 0, CLI_FLAG, NULL, NULL, "print an array of objects"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd pawl_workspace_checkpoints_cmd = {
        .name = "checkpoints",
        .args = "[PATH...]",
        .arg_help = {"after --: those that changed these files and directories"},
        .traits = CLI_SERVED,
        .options = checkpoints_options,
        .help = "List the checkpoints of the workspace, oldest first",
        .run = checkpoints_run,
};
