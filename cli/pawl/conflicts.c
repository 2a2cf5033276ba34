/* pawl conflicts: what is open, with the senses to pick from. */
#include "base/error.h"
#include "base/number.h"
#include "base/sources.h"
#include "cli/pawl/commands.h"
#include "command/find.h"
#include "command/json.h"
#include "command/printable.h"
#include "pipeline/answer.h"
#include "state/state.h"

static void write_candidates(pawl__json_writer *w, const pawl_conflict *conflict)
{
        pawl__json_open_array(w);
        for (size_t i = 0; i < conflict->n_candidates; i++) {
                const pawl_sense *sense = &conflict->candidates[i];
                pawl__json_open_object(w);
                pawl__json_member_integer(w, "n", (int64_t)i + 1);
                pawl__json_member_text(w, "scope", sense->scope);
                pawl__json_member_text(w, "definition", sense->definition);
                pawl__json_member_number(w, "confidence", sense->confidence);
                pawl__json_close_object(w);
        }
        pawl__json_close_array(w);
}

static const struct {
        const char *name;
        int column;
} members[] = {
        {"conflict_id", PAWL__CON_ID},
        {"run_id", PAWL__CON_RUN},
        {"step_id", PAWL__CON_STEP},
        {"retry_token", PAWL__CON_TOKEN},
        {"term", PAWL__CON_TERM},
        {"conflict_type", PAWL__CON_TYPE},
        {"severity", PAWL__CON_SEVERITY},
        {"confidence", PAWL__CON_CONFIDENCE},
        {"context", PAWL__CON_CONTEXT},
        {"candidates", PAWL__CON_CANDIDATES},
        {"status", PAWL__CON_STATUS},
        {"requested_at", PAWL__CON_REQUESTED_US},
        {"resolved_seq", PAWL__CON_RESOLVED_SEQ},
};

static pawl_status write_conflict(
        pawl__json_writer *w, const pawl__row *row, pawl__arena *arena, pawl_error *err)
{
        pawl_conflict conflict;
        char time[28];
        const pawl_status status = pawl__conflict_of(&conflict, arena, row, err);

        pawl__json_open_object(w);
        for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
                const pawl__value *value = &row->v[members[i].column];
                pawl__json_name(w, members[i].name);
                switch (members[i].column) {
                case PAWL__CON_CONFIDENCE:
                        pawl__json_number(w, value->real);
                        break;
                case PAWL__CON_REQUESTED_US:
                        pawl__time_format(time, value->integer);
                        pawl__json_string(w, time);
                        break;
                case PAWL__CON_RESOLVED_SEQ: /* of the event that answered it */
                        if (value->integer)
                                pawl__json_integer(w, value->integer);
                        else
                                pawl__json_null(w);
                        break;
                case PAWL__CON_CANDIDATES:
                        write_candidates(w, &conflict);
                        break;
                default:
                        pawl__json_text(w, value->text);
                }
        }
        pawl__json_close_object(w);
        return status;
}

/* An array of them; with --id, the one. */
static int print_json(const cli_call *cli, const pawl__row *rows, size_t n, pawl__arena *arena)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        pawl_status status = PAWL_OK;
        bool one = cli_given(cli, "id");

        if (!one)
                pawl__json_open_array(&w);
        for (size_t i = 0; !status && i < n; i++)
                status = write_conflict(&w, &rows[i], arena, &err);
        if (!one)
                pawl__json_close_array(&w);
        if (!status)
                return cli_print_json(cli, &w);
        pawl__json_writer_free(&w);
        return cli_fail(cli, &err);
}

static void print_candidates(FILE *out, const pawl_conflict *conflict)
{
        for (size_t i = 0; i < conflict->n_candidates; i++) {
                const pawl_sense *sense = &conflict->candidates[i];
                char number[32];
                const int len = (int)pawl__number_format(number, sense->confidence);
                fprintf(out, "    %zu  ", i + 1);
                cli_put(out, sense->scope);
                fprintf(out, "  %.*s  ", len, number);
                cli_put(out, sense->definition);
                fputc('\n', out);
        }
}

static pawl_status print_conflict(
        FILE *out, const pawl__row *row, pawl__state *state, pawl__arena *arena, pawl_error *err)
{
        bool open = pawl__text_is(row->v[PAWL__CON_STATUS].text, "open");
        pawl_text id = row->v[PAWL__CON_ID].text, run_id = row->v[PAWL__CON_RUN].text;
        pawl_conflict conflict;
        pawl_status status = pawl__conflict_of(&conflict, arena, row, err);

        if (!status)
                status = pawl__state_short_id(&id, state, PAWL__CONFLICTS, arena, err);
        if (!status)
                status = pawl__state_short_id(&run_id, state, PAWL__RUNS, arena, err);
        if (status)
                return status;
        cli_put(out, id);
        fputs("  \"", out);
        cli_put(out, row->v[PAWL__CON_TERM].text);
        fputs("\": ", out);
        cli_put(out, row->v[PAWL__CON_TYPE].text);
        fputs(", ", out);
        cli_put(out, row->v[PAWL__CON_SEVERITY].text);
        fputs(open ? "\n    step " : ", resolved\n    step ", out);
        cli_put(out, row->v[PAWL__CON_STEP].text);
        fputs(", run ", out);
        cli_put(out, run_id);
        if (row->v[PAWL__CON_CONTEXT].text.len) {
                fputs("\n    in: ", out);
                cli_put(out, row->v[PAWL__CON_CONTEXT].text);
        }
        fputc('\n', out);
        print_candidates(out, &conflict);
        return PAWL_OK;
}

static int print_all(const cli_call *cli, const pawl__row *rows, size_t n, pawl__state *state,
        pawl__arena *arena)
{
        pawl_error err = PAWL_ERROR_INIT;

        if (n == 0)
                fputs(cli_given(cli, "all") ? "no conflicts\n" : "no open conflicts\n",
                        cli->in->out);
        for (size_t i = 0; i < n; i++)
                if (print_conflict(cli->in->out, &rows[i], state, arena, &err))
                        return cli_fail(cli, &err);
        return CLI_DONE;
}

static pawl_status find(pawl__row **rows, size_t *n, const cli_call *cli, pawl__state *state,
        pawl__row *one, pawl__arena *arena, pawl_error *err)
{
        const pawl_text any = {NULL, 0};

        if (!cli_given(cli, "id"))
                return pawl__state_conflicts(
                        rows, n, state, any, any, !cli_given(cli, "all"), arena, err);
        *rows = one;
        *n = 1;
        return pawl__conflict_find(one, state, pawl__text(cli_value(cli, "id")), arena, err);
}

static int conflicts_run(cli_call *cli)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__state *state;
        pawl__row *rows, one;
        pawl_log *log;
        size_t n;
        int code;

        if (cli_given(cli, "id") && cli_given(cli, "all"))
                return cli_usage(cli, "--id names one, answered or not; --all does not go with it");
        if (cli_open_log(&log, cli, CLI_LOOK, &err))
                return cli_fail(cli, &err);
        pawl_status status = pawl__state_of(&state, log, &err);
        if (!status)
                status = find(&rows, &n, cli, state, &one, &arena, &err);
        if (status)
                code = cli_fail(cli, &err);
        else
                code = cli_given(cli, "json") ? print_json(cli, rows, n, &arena)
                                              : print_all(cli, rows, n, state, &arena);
        pawl__arena_free(&arena);
        cli_close_log(cli, log);
        return code;
}

static const cli_option conflicts_options[] = {
        {"all", 0, 0, CLI_FLAG, NULL, NULL, "also those that were answered"},
        {"id", 0, 0, CLI_TEXT, "CONFLICT", NULL, "this one, answered or not"},
        {"json", 0, 0, CLI_FLAG, NULL, NULL, "print an array of objects; with --id, one object"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd pawl_conflicts_cmd = {
        .name = "conflicts",
        .args = "",
        .traits = CLI_SERVED,
        .options = conflicts_options,
        .help = "List the open conflicts, each with its numbered candidate senses",
        .run = conflicts_run,
};
