/* pawl runs: the runs of the log, newest first, or one with its steps. */
#include "mission/runs.h"
#include "base/error.h"
#include "base/sources.h"
#include "cli/pawl/commands.h"
#include "cli/pawl/session_json.h"
#include "cli/pawl/step_tree.h"
#include "cli/pawl/watch.h"
#include "command/find.h"
#include "command/json.h"
#include "command/printable.h"
#include "command/table.h"
#include "glossary/terms.h"
#include "mission/graph.h"
#include "state/run_way.h"
#include <inttypes.h>
#include <stdio.h>

enum { LIMIT = 50 }; /* of one listing */

#define AT(member)   CLI_AT(pawl__run_view, member)
#define COLUMN(name) AT(row.v[name].text)
#define NUMBER(name) AT(row.v[name].integer)

static bool is_held(const void *item)
{
        return ((const pawl__run_view *)item)->held;
}

static const char *progress(const void *item, char buf[CLI_WORD_MAX])
{
        const pawl__value *v = ((const pawl__run_view *)item)->row.v;

        snprintf(buf, CLI_WORD_MAX, "%" PRId64 "/%" PRId64, v[PAWL__RUN_DONE].integer,
                v[PAWL__RUN_STEPS].integer);
        return buf;
}

static int64_t now_us(void)
{
        const pawl_sources sources = pawl__sources_complete(NULL);

        return sources.wall_us(sources.user);
}

/* "attempt 2 of 3, next in 40 s"; NULL: it was not tried before. */
static const char *retry_word(const pawl__retry *retry, char buf[CLI_WORD_MAX])
{
        char text[64];

        pawl__retry_say(text, retry, now_us());
        snprintf(buf, CLI_WORD_MAX, "%s", text);
        return *text ? buf : NULL;
}

static const char *retry_of(const void *item, char buf[CLI_WORD_MAX])
{
        return retry_word(&((const pawl__run_view *)item)->retry, buf);
}

static const cli_field owner_fields[] = {
        {"pid", CLI_AS_INTEGER, AT(owner.pid)},
        {"host", CLI_AS_TEXT, AT(owner.host)},
        CLI_NO_FIELD,
};

static bool is_forked(const void *item)
{
        return ((const pawl__run_view *)item)->forked.run_id.data != NULL;
}

static const cli_field forked_fields[] = {
        {"run_id", CLI_AS_TEXT, AT(forked.run_id)},
        {"step_id", CLI_AS_TEXT, AT(forked.step_id)},
        {"seq", CLI_AS_INTEGER, AT(forked.seq)},
        CLI_NO_FIELD,
};

static const char *mission(const void *item, char buf[CLI_WORD_MAX])
{
        const pawl__run_view *run = item;

        return cli_mission_in(buf, run->row.v[PAWL__RUN_MISSION].text, run->place.root);
}

static bool has_worktree(const void *item)
{
        return ((const pawl__run_view *)item)->place.worktree.data != NULL;
}

static const cli_field worktree_fields[] = {
        {"id", CLI_AS_TEXT, AT(place.worktree)},
        {"path", CLI_AS_TEXT, AT(place.root)},
        CLI_NO_FIELD,
};

/* As much of the run's id as names it is there to be copied: what else can be is cut. */
static const cli_field fields[] = {
        {"run_id", CLI_AS_ID, COLUMN(PAWL__RUN_ID), .title = "run", .table = PAWL__RUNS},
        {NULL, CLI_AS_WORD, CLI_ITSELF, .title = "mission", .cut = CLI_CUT, .word = mission},
        {"mission_id", CLI_AS_TEXT, COLUMN(PAWL__RUN_MISSION)},
        {NULL, CLI_AS_TIME, AT(started_us), .title = "started", .cut = CLI_CUT_LAST},
        {"status", CLI_AS_TEXT, AT(status), .title = "status"},
        {NULL, CLI_AS_WORD, CLI_ITSELF, .title = "steps", .word = progress},
        {"steps_completed", CLI_AS_INTEGER, NUMBER(PAWL__RUN_DONE)},
        {"steps_total", CLI_AS_INTEGER, NUMBER(PAWL__RUN_STEPS)},
        {"current_step", CLI_AS_TEXT, COLUMN(PAWL__RUN_CURRENT), .title = "at", .cut = CLI_CUT},
        {"started_at", CLI_AS_TIME, AT(started_us)},
        {"updated_at", CLI_AS_TIME, NUMBER(PAWL__RUN_UPDATED_US)},
        {"session_id", CLI_AS_TEXT, COLUMN(PAWL__RUN_SESSION)},
        {"conflicts_open", CLI_AS_INTEGER, AT(conflicts_open), .title = "open"},
        {"retry_token", CLI_AS_TEXT, AT(retry_token)},
        {"owner", CLI_AS_PART, .has = is_held, .fields = owner_fields},
        {"forked_from", CLI_AS_PART, .has = is_forked, .fields = forked_fields},
        {"worktree", CLI_AS_PART, .has = has_worktree, .fields = worktree_fields},
        {"reason", CLI_AS_TEXT, COLUMN(PAWL__RUN_REASON)},
        {"retry", CLI_AS_WORD, CLI_ITSELF, .word = retry_of},
        {"strictness", CLI_AS_TEXT, COLUMN(PAWL__RUN_STRICTNESS)},
        {"mission_path", CLI_AS_TEXT, COLUMN(PAWL__RUN_MISSION_PATH)},
        {"started_seq", CLI_AS_INTEGER, NUMBER(PAWL__RUN_STARTED_SEQ)},
        {"updated_seq", CLI_AS_INTEGER, NUMBER(PAWL__RUN_UPDATED_SEQ)},
        CLI_NO_FIELD,
};

/* A step of one run; terms are what its command is told of the glossary, for JSON alone. */
typedef struct step_view {
        pawl__row row;
        pawl_text status, word; /* for people; as programs know it */
        pawl_glossary_terms terms;
        pawl_text *needs; /* ids */
        size_t n_needs;
        pawl_text when;
        bool unfinished;
        pawl__step_why why;          /* for JSON alone */
        pawl_text label, needs_line; /* for people, of a run whose steps are no mere sequence */
} step_view;

static const char *step_retry(const void *item, char buf[CLI_WORD_MAX])
{
        return retry_word(&((const step_view *)item)->why.retry, buf);
}

static bool has_ended(const void *item)
{
        return ((const step_view *)item)->row.v[PAWL__STEP_EXIT_CODE].integer >= 0;
}

#define STEP(name) CLI_AT(step_view, row.v[name].text)
#define TERM(name) CLI_AT(pawl_glossary_term, name)

static const cli_field term_fields[] = {
        {"term", CLI_AS_TEXT, TERM(term)},
        {"definition", CLI_AS_TEXT, TERM(definition)},
        {"scope", CLI_AS_TEXT, TERM(scope)},
        {"confidence", CLI_AS_NUMBER, TERM(confidence)},
        {"source", CLI_AS_STRING, TERM(source)},
        {"conflict_id", CLI_AS_TEXT, TERM(conflict_id)},
        CLI_NO_FIELD,
};

static const cli_field text_fields[] = {
        {NULL, CLI_AS_TEXT, .at = 0, .size = sizeof(pawl_text)},
        CLI_NO_FIELD,
};

#define STEP_STATUS                                                                                \
        {                                                                                          \
                NULL, CLI_AS_TEXT, CLI_AT(step_view, status), .title = "status"                    \
        }
#define STEP_TOKEN                                                                                 \
        {                                                                                          \
                "retry_token", CLI_AS_ID, STEP(PAWL__STEP_TOKEN), .title = "retry_token",          \
                                                                  .table = PAWL__CHECKPOINTS       \
        }

static const cli_field step_fields[] = {
        {"step_id", CLI_AS_TEXT, STEP(PAWL__STEP_ID), .title = "step", .cut = CLI_CUT},
        STEP_STATUS,
        {"status", CLI_AS_TEXT, CLI_AT(step_view, word)},
        {"unfinished", CLI_AS_BOOL, CLI_AT(step_view, unfinished)},
        {"input_hash", CLI_AS_TEXT, STEP(PAWL__STEP_INPUT_HASH)},
        {"output_hash", CLI_AS_TEXT, STEP(PAWL__STEP_OUTPUT_HASH)},
        STEP_TOKEN,
        {"cursor", CLI_AS_TEXT, STEP(PAWL__STEP_CURSOR)},
        {"exit_code", CLI_AS_INTEGER, CLI_AT(step_view, row.v[PAWL__STEP_EXIT_CODE].integer),
                .has = has_ended},
        {"terms", CLI_AS_LIST, CLI_ITEMS(step_view, terms.items, terms.n), .fields = term_fields},
        {"needs", CLI_AS_LIST, CLI_ITEMS(step_view, needs, n_needs), .fields = text_fields},
        {"when", CLI_AS_TEXT, CLI_AT(step_view, when)},
        {"retry", CLI_AS_WORD, CLI_ITSELF, .word = step_retry},
        {"reason", CLI_AS_TEXT, CLI_AT(step_view, why.reason)},
        CLI_NO_FIELD,
};

static const cli_field graph_fields[] = {
        {NULL, CLI_AS_TEXT, CLI_AT(step_view, label), .title = "step", .cut = CLI_CUT},
        {NULL, CLI_AS_TEXT, CLI_AT(step_view, needs_line), .title = "needs", .cut = CLI_CUT},
        STEP_STATUS,
        STEP_TOKEN,
        CLI_NO_FIELD,
};

/* ---- The list -------------------------------------------------------------------------------- */

typedef struct listing {
        pawl__json_writer *w; /* one of the two */
        cli_table *table;
        uint64_t n;
} listing;

static pawl_status show(const pawl__run_view *run, void *user, pawl_error *err)
{
        listing *l = user;

        l->n++;
        if (l->table)
                return cli_table_row(l->table, run, err);
        cli_object_json(l->w, NULL, fields, run);
        return PAWL_OK;
}

static pawl_status list(
        uint64_t *next, const cli_call *cli, pawl_log *log, listing *l, pawl_error *err)
{
        return pawl__runs_list(next, log, pawl__text(cli_value(cli, "status")),
                cli_number(cli, "before", 0), cli_number(cli, "limit", LIMIT), show, l, err);
}

static pawl_status list_json(const cli_call *cli, pawl_log *log, pawl_error *err)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;
        listing l = {.w = &w};
        uint64_t next = 0;

        pawl__json_open_object(&w);
        pawl__json_name(&w, "runs");
        pawl__json_open_array(&w);
        pawl_status status = list(&next, cli, log, &l, err);
        if (status) {
                pawl__json_writer_free(&w);
                return status;
        }
        pawl__json_close_array(&w);
        pawl__json_name(&w, "next");
        if (next)
                pawl__json_integer(&w, (int64_t)next);
        else
                pawl__json_null(&w);
        pawl__json_close_object(&w);
        return cli_print_json(cli, &w, err);
}

static pawl_status list_table(const cli_call *cli, pawl_log *log, pawl_error *err)
{
        listing l = {.n = 0};
        uint64_t next = 0;
        pawl_status status = cli_table_new(&l.table, cli->in->out, fields, log, err);

        if (!status)
                status = list(&next, cli, log, &l, err);
        status = cli_table_end(l.table, status, err);
        if (status)
                return status;
        if (l.n == 0)
                cli_say(cli, cli->in->out,
                        cli_given(cli, "status") || cli_given(cli, "before")
                                ? "no such runs"
                                : "no runs; `pawl run MISSION` starts one");
        if (next) {
                fprintf(cli->in->out, "\nolder ones: pawl runs --before %" PRIu64, next);
                cli_say_log(cli, cli->in->out);
        }
        if (l.n == 0 || next)
                fputc('\n', cli->in->out);
        return PAWL_OK;
}

/* ---- One ------------------------------------------------------------------------------------- */

static pawl_status one_json(const cli_call *cli, pawl_log *log, const pawl__run_view *run,
        const step_view *steps, size_t n, pawl_error *err)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;
        pawl__buf command = PAWL__BUF_INIT;
        pawl__state *state;

        TRY(cli_name_log(cli, log, err));
        TRY(pawl__state_of(&state, log, err));
        if (!pawl__text_is(run->status, "completed") && !pawl__text_is(run->status, "cancelled"))
                pawl__run_command_add(&command, &(pawl__run_next){.run = &run->row,
                                                        .shown = run->row.v[PAWL__RUN_ID].text,
                                                        .place = &run->place,
                                                        .at_work = run->held,
                                                        .named = pawl__state_named(state)});
        pawl__json_open_object(&w);
        cli_fields_json(&w, fields, run);
        pawl__json_member_string(&w, "go_on", command.data);
        pawl__buf_free(&command);
        cli_list_json(&w, "steps", step_fields, steps, n, sizeof *steps);
        pawl__json_close_object(&w);
        return cli_print_json(cli, &w, err);
}

static void print_run(const cli_call *cli, const pawl__run_view *run)
{
        const pawl__value *v = run->row.v;
        char time[28], retry[64];
        FILE *out = cli->in->out;

        cli_put_line(out, "run", v[PAWL__RUN_ID].text);
        cli_put_line(out, "mission", v[PAWL__RUN_MISSION].text);
        cli_put_line(out, "file", v[PAWL__RUN_MISSION_PATH].text);
        if (run->forked.run_id.data)
                cli_putf(out, "forked from  %.*s, before %.*s\n", CLI_FMT(run->forked.run_id),
                        CLI_FMT(run->forked.step_id));
        cli_put_line(out, "status", run->status);
        pawl__retry_say(retry, &run->retry, now_us());
        if (*retry)
                cli_put_line(out, "tries", pawl__text(retry));
        cli_put_line(out, "reason", v[PAWL__RUN_REASON].text);
        if (run->held)
                cli_putf(out, "owner        pid %" PRId64 " on %.*s\n", run->owner.pid,
                        CLI_FMT(run->owner.host));
        pawl__time_format(time, run->started_us);
        cli_put_line(out, "started at", pawl__text(time));
        pawl__time_format(time, v[PAWL__RUN_UPDATED_US].integer);
        cli_put_line(out, "updated at", pawl__text(time));
        cli_put_line(out, "session", v[PAWL__RUN_SESSION].text);
        if (run->conflicts_open) {
                fprintf(out, "%-12s %zu open; see ", "conflicts", run->conflicts_open);
                cli_say(cli, out, "`pawl conflicts`");
                fputc('\n', out);
        }
        fputc('\n', out);
}

static pawl_status fill_needs(step_view *steps, const pawl__needs *needs, const pawl__row *rows,
        size_t n, pawl__arena *arena, pawl_error *err)
{
        for (size_t i = 0; i < n; i++) {
                steps[i].needs = pawl__arena_array(arena, needs[i].n, sizeof *steps[i].needs);
                if (!steps[i].needs)
                        return pawl__nomem(err);
                for (size_t k = 0; k < needs[i].n; k++)
                        steps[i].needs[steps[i].n_needs++] =
                                rows[needs[i].items[k]].v[PAWL__STEP_ID].text;
        }
        return PAWL_OK;
}

/* For people: as they wait for each other. */
static pawl_status print_graph(const cli_call *cli, pawl_log *log, const step_view *steps,
        const pawl__needs *needs, size_t n, pawl_error *err)
{
        cli_step_line *lines = NULL;
        step_view *shown = pawl__arena_array(cli->arena, n, sizeof *shown);
        pawl_text *ids = pawl__arena_array(cli->arena, n, sizeof *ids);

        if (!shown || !ids)
                return pawl__nomem(err);
        for (size_t i = 0; i < n; i++)
                ids[i] = steps[i].row.v[PAWL__STEP_ID].text;
        pawl_status status = cli_step_tree(&lines, ids, needs, n, cli->arena, err);
        for (size_t i = 0; i < n && !status; i++) {
                shown[i] = steps[lines[i].at];
                shown[i].label = lines[i].label;
                shown[i].needs_line = lines[i].needs;
        }
        return status ? status
                      : cli_table_print(
                                cli->in->out, graph_fields, log, shown, n, sizeof *shown, err);
}

static pawl_status show_one(const cli_call *cli, pawl_log *log, pawl_error *err)
{
        const bool json = cli_given(cli, "json");
        pawl_glossary_terms *terms = NULL;
        pawl__needs *needs = NULL;
        pawl_text *when = NULL;
        pawl__run_steps of;
        pawl__run_view run;
        bool graph = false;

        TRY(pawl__run_get(&run, &of, log, pawl__text(cli_value(cli, "id")), cli->arena, err));
        TRY(pawl__run_needs(&needs, &when, &graph, log, &run.row, of.rows, of.n, cli->arena, err));
        if (json) {
                TRY(pawl__terms_of_steps(&terms, cli->arena, log,
                        &(pawl__steps_query){.run = &run.row, .steps = of.rows, .n = of.n}, err));
                TRY(pawl__run_steps_why(&of, log, &run.row, cli->arena, err));
        }
        step_view *steps = pawl__arena_array(cli->arena, of.n, sizeof *steps);
        if (!steps)
                return pawl__nomem(err);
        for (size_t i = 0; i < of.n; i++) {
                const pawl__row *row = &of.rows[i];
                steps[i] = (step_view){.row = *row,
                        .status = pawl__row_step_status(row),
                        .word = pawl__step_status_word(pawl__row_step_status(row)),
                        .when = when[i],
                        .unfinished = pawl__text_is(
                                row->v[PAWL__STEP_STATUS].text, PAWL__STEP_UNFINISHED)};
                if (json) {
                        steps[i].terms = terms[i];
                        steps[i].why = of.why[i];
                }
        }
        if (json) {
                TRY(fill_needs(steps, needs, of.rows, of.n, cli->arena, err));
                return one_json(cli, log, &run, steps, of.n, err);
        }
        print_run(cli, &run);
        if (graph)
                return print_graph(cli, log, steps, needs, of.n, err);
        return cli_table_print(cli->in->out, step_fields, log, steps, of.n, sizeof *steps, err);
}

static pawl_status runs(cli_call *cli, pawl_log *log, pawl_error *err)
{
        if (cli_given(cli, "watch"))
                return cli_watch(cli, log, cli_value(cli, "id"), err);
        if (cli_given(cli, "id"))
                return show_one(cli, log, err);
        return cli_given(cli, "json") ? list_json(cli, log, err) : list_table(cli, log, err);
}

static int runs_run(cli_call *cli)
{
        if (cli_given(cli, "id") &&
                (cli_given(cli, "status") || cli_given(cli, "before") || cli_given(cli, "limit")))
                return cli_usage(cli, "--id names one run; the options that narrow a list do not "
                                      "go with it");
        if (cli_given(cli, "watch") && (!cli_given(cli, "id") || cli_given(cli, "json")))
                return cli_usage(cli, "--watch shows one run to people: it goes with --id, and "
                                      "not with --json");
        if (cli_given(cli, "watch") && cli->in->served)
                return cli_usage(cli, "--watch: needs a terminal; follow the events instead");
        return cli_with_log(cli, CLI_LOOK, runs);
}

static const cli_option runs_options[] = {
        {"id", 0, 0, CLI_TEXT, "RUN", NULL, "this one, with its steps"},
        {"watch", 0, 0, CLI_FLAG, NULL, NULL, "show it as it goes on, until it has ended"},
        {"status", 0, 0, CLI_CHOICE, "STATUS",
                "queued|running|blocked|interrupted|completed|failed|cancelled",
                "those that are queued, running, blocked, interrupted, completed or failed"},
        {"limit", 'n', 0, CLI_NUMBER, "N", NULL, "the newest N (default: 50)"},
        {"before", 0, 0, CLI_NUMBER, "SEQ", NULL, "those that started before this event"},
        {"json", 0, 0, CLI_FLAG, NULL, NULL, "print one object"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd pawl_runs_cmd = {
        .name = "runs",
        .traits = CLI_SERVED,
        .options = runs_options,
        .help = "List the runs, those that started last first, or show one with its steps",
        .run = runs_run,
};
