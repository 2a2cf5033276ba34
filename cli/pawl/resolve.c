/* pawl resolve: answer a conflict, from any session. */
#include "base/error.h"
#include "cli/pawl/actor.h"
#include "cli/pawl/commands.h"
#include "command/find.h"
#include "command/json.h"
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

static void write_json(pawl__json_writer *w, const pawl__row *row, size_t n_open)
{
        pawl__json_open_object(w);
        pawl__json_member_text(w, "conflict_id", row->v[PAWL__CON_ID].text);
        pawl__json_member_text(w, "term", row->v[PAWL__CON_TERM].text);
        pawl__json_member_text(w, "run_id", row->v[PAWL__CON_RUN].text);
        pawl__json_member_text(w, "step_id", row->v[PAWL__CON_STEP].text);
        pawl__json_member_text(w, "retry_token", row->v[PAWL__CON_TOKEN].text);
        pawl__json_member_integer(w, "open", (int64_t)n_open);
        pawl__json_close_object(w);
}

/* What to do next: the token to resume with, or how many more answers the step needs. */
static int tell_next(const cli_call *cli, pawl_log *log)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        pawl__row found, *open;
        pawl__state *state;
        size_t n_open = 0;
        int code = CLI_DONE;

        pawl_status status = pawl__state_of(&state, log, &err);
        if (!status)
                status = pawl__conflict_find(&found, state, pawl__text(cli->args[0]), &arena, &err);
        if (!status)
                status = pawl__state_conflicts(&open, &n_open, state, found.v[PAWL__CON_RUN].text,
                        found.v[PAWL__CON_STEP].text, true, &arena, &err);
        if (status) {
                code = cli_fail(cli, &err);
        } else if (cli_given(cli, "json")) {
                write_json(&w, &found, n_open);
                code = cli_print_json(cli, &w);
        } else {
                print_text(cli, &found, n_open);
        }
        pawl__arena_free(&arena);
        return code;
}

static int resolve(const cli_call *cli, const char *actor)
{
        pawl_answer answer = {
                .pick = (size_t)cli_number(cli, "pick", 0),
                .define = pawl__text(cli_value(cli, "define")),
                .scope = pawl__text(cli_value(cli, "scope")),
        };
        pawl_error err = PAWL_ERROR_INIT;
        pawl_log *log;

        if (cli_open_log(&log, cli, CLI_WRITE, &err))
                return cli_fail(cli, &err);
        int code = pawl_conflict_resolve(log, cli->args[0], &answer, actor, &err)
                           ? cli_fail(cli, &err)
                           : tell_next(cli, log);
        cli_close_log(cli, log);
        return code;
}

static int resolve_run(cli_call *cli)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl__buf actor = PAWL__BUF_INIT;
        int code = cli_actor(&actor, cli, &err) ? cli_fail(cli, &err) : resolve(cli, actor.data);

        pawl__buf_free(&actor);
        return code;
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
        .run = resolve_run,
};
