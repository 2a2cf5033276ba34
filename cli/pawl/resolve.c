/* pawl resolve: answer a conflict, from any session. */
#include "base/error.h"
#include "cli/pawl/actor.h"
#include "cli/pawl/commands.h"
#include "command/find.h"
#include "command/printable.h"
#include "state/state.h"
#include <pawl/pipeline.h>
#include <stdio.h>

/* What to do next: the token to resume with, or how many more answers the step needs. */
static pawl_status print_next(FILE *out, pawl_log *log, pawl_text prefix, pawl_error *err)
{
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__row found[2], *open;
        pawl__state *state;
        size_t n, n_open;

        pawl_status status = pawl__state_of(&state, log, err);
        if (!status)
                status = pawl__state_conflict_by_prefix(found, &n, state, prefix, &arena, err);
        if (!status && n == 1)
                status =
                        pawl__state_conflicts(&open, &n_open, state, found[0].v[PAWL__CON_RUN].text,
                                found[0].v[PAWL__CON_STEP].text, true, &arena, err);
        if (!status && n == 1) {
                cli_put(out, found[0].v[PAWL__CON_ID].text);
                fputs(": \"", out);
                cli_put(out, found[0].v[PAWL__CON_TERM].text);
                fputs("\" is answered; ", out);
                if (n_open > 0) {
                        fprintf(out, "step ");
                        cli_put(out, found[0].v[PAWL__CON_STEP].text);
                        fprintf(out, " has %zu more (see `pawl conflicts`)\n", n_open);
                } else {
                        fputs("go on with `pawl resume ", out);
                        cli_put(out, found[0].v[PAWL__CON_TOKEN].text);
                        fputs("`\n", out);
                }
        }
        pawl__arena_free(&arena);
        return status;
}

static pawl_status resolve(const cli_call *cli, const char *actor, pawl_error *err)
{
        pawl_answer answer = {
                .pick = (size_t)cli_number(cli, "pick", 0),
                .define = pawl__text(cli_value(cli, "define")),
                .scope = pawl__text(cli_value(cli, "scope")),
        };
        pawl_log *log;

        pawl_status status = cli_open_log(&log, cli, CLI_WRITE, err);
        if (status)
                return status;
        status = pawl_conflict_resolve(log, cli->args[0], &answer, actor, err);
        if (!status)
                status = print_next(cli->in->out, log, pawl__text(cli->args[0]), err);
        cli_close_log(cli, log);
        return status;
}

static int resolve_run(cli_call *cli)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl__buf actor = PAWL__BUF_INIT;

        pawl_status status = cli_actor(&actor, cli, &err);
        if (!status)
                status = resolve(cli, actor.data, &err);
        pawl__buf_free(&actor);
        return status ? cli_fail(cli, &err) : CLI_DONE;
}

static const cli_option resolve_options[] = {
        {"pick", 0, 'a', CLI_NUMBER, "N", NULL, "the candidate sense of this number"},
        {"define", 0, 'a', CLI_TEXT, "TEXT", NULL, "a definition of your own"},
        {"scope", 0, 0, CLI_CHOICE, "SCOPE",
                "mission_local|team_domain|audience_domain|core|spec_kitty_core",
                "where the definition goes (default: team_domain)"},
        {"actor", 0, 0, CLI_TEXT, "ACTOR", NULL, "who answers (default: user:NAME)"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd pawl_resolve_cmd = {
        .name = "resolve",
        .args = "CONFLICT",
        .min_args = 1,
        .max_args = 1,
        .arg_help = {"the conflict: its id, or 4 digits or more of it"},
        .traits = CLI_SERVED | CLI_CHANGES,
        .options = resolve_options,
        .help = "Answer a conflict, named by its id or by 4 digits or more of it",
        .run = resolve_run,
};
