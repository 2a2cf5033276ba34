/* pawl conflicts: what is open, with the senses to pick from. */
#include "base/error.h"
#include "base/number.h"
#include "base/sources.h"
#include "cli/pawl/commands.h"
#include "command/find.h"
#include "command/printable.h"
#include "command/table.h"
#include "pipeline/answer.h"
#include "pipeline/question.h"
#include "state/undone.h"
#include <inttypes.h>

/* A candidate sense; a pick counts them from 1. */
typedef struct candidate {
        int64_t n;
        pawl_sense sense;
} candidate;

typedef struct conflict {
        pawl__row row;
        candidate *candidates;
        size_t n;
        bool asks;                 /* about no term */
        bool undone;               /* its answer was given where a rollback went back behind */
        pawl__question_info asked; /* then; else empty */
} conflict;

/* An actor who may answer. */
static const cli_field actor_fields[] = {
        {NULL, CLI_AS_TEXT, .at = 0, .size = sizeof(pawl_text)},
        CLI_NO_FIELD,
};

static const cli_field candidate_fields[] = {
        {"n", CLI_AS_INTEGER, CLI_AT(candidate, n)},
        {"scope", CLI_AS_TEXT, CLI_AT(candidate, sense.scope)},
        {"definition", CLI_AS_TEXT, CLI_AT(candidate, sense.definition)},
        {"confidence", CLI_AS_NUMBER, CLI_AT(candidate, sense.confidence)},
        CLI_NO_FIELD,
};

#define COLUMN(name) CLI_AT(conflict, row.v[name].text)

static const cli_field fields[] = {
        {"conflict_id", CLI_AS_TEXT, COLUMN(PAWL__CON_ID)},
        {"run_id", CLI_AS_TEXT, COLUMN(PAWL__CON_RUN)},
        {"step_id", CLI_AS_TEXT, COLUMN(PAWL__CON_STEP)},
        {"retry_token", CLI_AS_TEXT, COLUMN(PAWL__CON_TOKEN)},
        {"term", CLI_AS_TEXT, COLUMN(PAWL__CON_TERM)},
        {"conflict_type", CLI_AS_TEXT, COLUMN(PAWL__CON_TYPE)},
        {"severity", CLI_AS_TEXT, COLUMN(PAWL__CON_SEVERITY)},
        {"confidence", CLI_AS_NUMBER, CLI_AT(conflict, row.v[PAWL__CON_CONFIDENCE].real)},
        {"context", CLI_AS_TEXT, COLUMN(PAWL__CON_CONTEXT)},
        {"candidates", CLI_AS_LIST, CLI_ITEMS(conflict, candidates, n), .fields = candidate_fields},
        {"status", CLI_AS_TEXT, COLUMN(PAWL__CON_STATUS)},
        {"requested_at", CLI_AS_TIME, CLI_AT(conflict, row.v[PAWL__CON_REQUESTED_US].integer)},
        {"resolved_seq", CLI_AS_INTEGER, CLI_AT(conflict, row.v[PAWL__CON_RESOLVED_SEQ].integer),
                .or_null = true},
        {"to", CLI_AS_LIST, CLI_ITEMS(conflict, asked.to, asked.n_to), .fields = actor_fields},
        {"due_at", CLI_AS_TIME, CLI_AT(conflict, asked.due_us), .or_null = true},
        {"otherwise", CLI_AS_TEXT, CLI_AT(conflict, asked.otherwise)},
        {"answer", CLI_AS_TEXT, CLI_AT(conflict, asked.answer)},
        {"answered_by", CLI_AS_TEXT, CLI_AT(conflict, asked.answered_by)},
        {"seq", CLI_AS_INTEGER, CLI_AT(conflict, row.v[PAWL__CON_SEQ].integer)},
        {"undone", CLI_AS_BOOL, CLI_AT(conflict, undone)},
        CLI_NO_FIELD,
};

static pawl_status number_candidates(conflict *c, pawl__arena *arena, pawl_error *err)
{
        pawl_conflict read;
        pawl_status status = pawl__conflict_of(&read, arena, &c->row, err);

        if (status)
                return status;
        c->candidates = pawl__arena_array(arena, read.n_candidates, sizeof *c->candidates);
        if (!c->candidates)
                return pawl__nomem(err);
        for (; c->n < read.n_candidates; c->n++)
                c->candidates[c->n] = (candidate){(int64_t)c->n + 1, read.candidates[c->n]};
        return PAWL_OK;
}

static void print_candidate(FILE *out, const candidate *one)
{
        char number[32];

        int len = (int)pawl__number_format(number, one->sense.confidence);
        cli_putf(out, "    %" PRId64 "  %.*s  %.*s  %.*s\n", one->n, CLI_FMT(one->sense.scope), len,
                number, CLI_FMT(one->sense.definition));
}

static void print_question(FILE *out, const conflict *c)
{
        const pawl__question_info *asked = &c->asked;
        char due[28];

        for (size_t i = 0; i < c->n; i++)
                cli_putf(out, "    %" PRId64 "  %.*s\n", c->candidates[i].n,
                        CLI_FMT(c->candidates[i].sense.definition));
        for (size_t i = 0; i < asked->n_to; i++)
                cli_putf(out, "%s%.*s", i ? ", " : "    to ", CLI_FMT(asked->to[i]));
        fputs(asked->n_to ? "\n" : "", out);
        if (asked->answered_by.data) {
                cli_putf(out, "%s%.*s%s%.*s\n",
                        asked->answer.data ? "    answered by " : "    not answered in time; ",
                        CLI_FMT(asked->answered_by), asked->answer.data ? ": " : "",
                        CLI_FMT(asked->answer));
        } else if (asked->due_us) {
                pawl__time_format(due, asked->due_us);
                fprintf(out, "    until %.19sZ, then ", due);
                if (asked->otherwise.data)
                        cli_put(out, asked->otherwise);
                else
                        fputs("the step fails", out);
                fputc('\n', out);
        }
}

static pawl_status print_conflict(
        FILE *out, const conflict *c, pawl__state *state, pawl__arena *arena, pawl_error *err)
{
        const pawl__row *row = &c->row;
        bool open = pawl__text_is(row->v[PAWL__CON_STATUS].text, "open");
        pawl_text id = row->v[PAWL__CON_ID].text, run_id = row->v[PAWL__CON_RUN].text;
        pawl_status status = pawl__state_short_id(&id, state, PAWL__CONFLICTS, arena, err);

        if (!status)
                status = pawl__state_short_id(&run_id, state, PAWL__RUNS, arena, err);
        if (status)
                return status;
        cli_putf(out, "%.*s  \"%.*s\": %.*s%s", CLI_FMT(id), CLI_FMT(row->v[PAWL__CON_TERM].text),
                CLI_FMT(row->v[PAWL__CON_TYPE].text), c->asks ? "" : ", ");
        if (!c->asks)
                cli_put(out, row->v[PAWL__CON_SEVERITY].text);
        fputs(open          ? "\n    step "
                : c->undone ? ", resolved, but that was undone\n    step "
                            : ", resolved\n    step ",
                out);
        cli_putf(out, "%.*s, run %.*s", CLI_FMT(row->v[PAWL__CON_STEP].text), CLI_FMT(run_id));
        if (row->v[PAWL__CON_CONTEXT].text.len)
                cli_putf(out, "\n    in: %.*s", CLI_FMT(row->v[PAWL__CON_CONTEXT].text));
        fputc('\n', out);
        if (c->asks)
                print_question(out, c);
        for (size_t i = 0; i < c->n && !c->asks; i++)
                print_candidate(out, &c->candidates[i]);
        return PAWL_OK;
}

static pawl_status print_all(
        const cli_call *cli, const conflict *all, size_t n, pawl__state *state, pawl_error *err)
{
        pawl_status status = PAWL_OK;

        if (n == 0)
                fputs(cli_given(cli, "all") ? "no conflicts\n" : "no open conflicts\n",
                        cli->in->out);
        for (size_t i = 0; i < n && !status; i++)
                status = print_conflict(cli->in->out, &all[i], state, cli->arena, err);
        return status;
}

static pawl_status find(conflict **out, size_t *n, const cli_call *cli, pawl_log *log,
        pawl__state *state, pawl_error *err)
{
        const pawl__page page = {cli_number(cli, "before", 0), (size_t)cli_number(cli, "limit", 0)};
        pawl__row *rows, one;
        bool *undone;
        pawl_status status;

        if (cli_given(cli, "id")) {
                status = pawl__conflict_find(
                        &one, state, pawl__text(cli_value(cli, "id")), cli->arena, err);
                rows = &one;
                *n = 1;
        } else {
                status = pawl__state_conflicts_page(
                        &rows, n, state, !cli_given(cli, "all"), &page, cli->arena, err);
        }
        if (status)
                return status;
        *out = pawl__arena_array(cli->arena, *n, sizeof **out);
        undone = pawl__arena_array(cli->arena, *n, sizeof *undone);
        if (!*out || !undone)
                return pawl__nomem(err);
        status = pawl__undone_answers(undone, rows, *n, log, state, cli->arena, err);
        for (size_t i = 0; i < *n && !status; i++) {
                const size_t from = *n - 1 - i; /* the newest is the last */
                (*out)[i] = (conflict){.row = rows[from], .undone = undone[from]};
                status = number_candidates(&(*out)[i], cli->arena, err);
                (*out)[i].asks = pawl__is_question((*out)[i].row.v[PAWL__CON_TYPE].text);
                if (!status && (*out)[i].asks)
                        status = pawl__question_read(
                                &(*out)[i].asked, cli->arena, log, &(*out)[i].row, err);
        }
        return status;
}

/* JSON is an array of them; with --id, the one. */
static pawl_status conflicts(cli_call *cli, pawl_log *log, pawl_error *err)
{
        pawl__state *state;
        conflict *all;
        size_t n;
        pawl_status status = pawl__state_of(&state, log, err);

        if (!status)
                status = find(&all, &n, cli, log, state, err);
        if (status)
                return status;
        if (!cli_given(cli, "json"))
                return print_all(cli, all, n, state, err);
        return cli_given(cli, "id") ? cli_print_object(cli, fields, all, err)
                                    : cli_print_list(cli, log, fields, all, n, sizeof *all, err);
}

static int conflicts_run(cli_call *cli)
{
        if (cli_given(cli, "id") &&
                (cli_given(cli, "all") || cli_given(cli, "limit") || cli_given(cli, "before")))
                return cli_usage(cli,
                        "--id names one, answered or not; --all, --limit and --before "
                        "do not go with it");
        return cli_with_log(cli, CLI_LOOK, conflicts);
}

static const cli_option conflicts_options[] = {
        {"all", 0, 0, CLI_FLAG, NULL, NULL, "also those that were answered"},
        {"id", 0, 0, CLI_TEXT, "CONFLICT", NULL, "this one, answered or not"},
        {"limit", 'n', 0, CLI_NUMBER, "N", NULL, "the newest N"},
        {"before", 0, 0, CLI_NUMBER, "SEQ", NULL, "those that were asked before this event"},
        {"json", 0, 0, CLI_FLAG, NULL, NULL, "print an array of objects; with --id, one object"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd pawl_conflicts_cmd = {
        .name = "conflicts",
        .traits = CLI_SERVED,
        .options = conflicts_options,
        .help = "List the open conflicts, each with its numbered candidate senses",
        .run = conflicts_run,
};
