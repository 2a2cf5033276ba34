/* pawl resolve: answer a conflict, from any session. */
#include "base/error.h"
#include "cli/pawl/actor.h"
#include "cli/pawl/commands.h"
#include "command/fields.h"
#include "command/find.h"
#include "command/printable.h"
#include "pipeline/answer.h"
#include <pawl/pipeline.h>
#include <stdio.h>

static void print_text(const cli_call *cli, const pawl__row *row, size_t n_open)
{
        FILE *out = cli->in->out;

        cli_put(out, row->v[PAWL__CON_ID].text);
        fputs(": \"", out);
        cli_put(out, row->v[PAWL__CON_TERM].text);
        fputs("\" is answered; ", out);
        if (n_open > 0) {
                fputs("step ", out);
                cli_put(out, row->v[PAWL__CON_STEP].text);
                cli_sayf(cli, out, " has %zu more (see `pawl conflicts`)", n_open);
        } else {
                cli_sayf(cli, out, "go on with `pawl resume %.*s`",
                        PAWL__FMT(row->v[PAWL__CON_TOKEN].text));
        }
        fputc('\n', out);
}

typedef struct answered {
        pawl__row row;
        size_t n_open; /* conflicts of its step that are left */
} answered;

#define COLUMN(name) CLI_AT(answered, row.v[name].text)

static const cli_field fields[] = {
        {"conflict_id", CLI_AS_TEXT, COLUMN(PAWL__CON_ID)},
        {"term", CLI_AS_TEXT, COLUMN(PAWL__CON_TERM)},
        {"run_id", CLI_AS_TEXT, COLUMN(PAWL__CON_RUN)},
        {"step_id", CLI_AS_TEXT, COLUMN(PAWL__CON_STEP)},
        {"retry_token", CLI_AS_TEXT, COLUMN(PAWL__CON_TOKEN)},
        {"open", CLI_AS_INTEGER, CLI_AT(answered, n_open)},
        CLI_NO_FIELD,
};

/* What to do next: the token to resume with, or how many more answers the step needs. */
static pawl_status tell_next(const cli_call *cli, pawl_log *log, pawl_error *err)
{
        answered found = {.n_open = 0};
        pawl__row *open;
        pawl__state *state;
        pawl_status status = pawl__state_of(&state, log, err);

        if (!status)
                status = pawl__conflict_find(
                        &found.row, state, pawl__text(cli->args[0]), cli->arena, err);
        if (!status)
                status = pawl__state_conflicts(&open, &found.n_open, state,
                        found.row.v[PAWL__CON_RUN].text, found.row.v[PAWL__CON_STEP].text, true,
                        cli->arena, err);
        if (!status && cli_given(cli, "json"))
                status = cli_print_object(cli, fields, &found, err);
        else if (!status)
                print_text(cli, &found.row, found.n_open);
        return status;
}

static pawl_status resolve(cli_call *cli, pawl_log *log, pawl_error *err)
{
        pawl_answer answer = {
                .pick = (size_t)cli_number(cli, "pick", 0),
                .define = pawl__text(cli_value(cli, "define")),
                .scope = pawl__text(cli_value(cli, "scope")),
        };
        const char *actor;
        pawl_status status = cli_actor(&actor, cli, err);

        if (!status)
                status = pawl_conflict_resolve(log, cli->args[0], &answer, actor, err);
        return status ? status : tell_next(cli, log, err);
}

static const cli_option resolve_options[] = {
        {"pick", 0, 'a', CLI_NUMBER, "N", NULL, "the candidate sense of this number"},
        {"define", 0, 'a', CLI_TEXT, "TEXT", NULL, "a definition of your own"},
        {"scope", 0, 0, CLI_CHOICE, "SCOPE",
                "mission_local|team_domain|audience_domain|core|spec_kitty_core",
                "where the definition goes (default: team_domain)"},
        {"actor", 0, 0, CLI_TEXT, "ACTOR", NULL, "who answers (default: user:NAME)"},
        {"json", 0, 0, CLI_FLAG, NULL, NULL, "print one object"},
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
        .on_log = resolve,
        .access = CLI_WRITE,
};
