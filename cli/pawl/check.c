/* pawl check: what layers 1 and 2 and the gate would say, with nothing run and nothing written. */
#include "base/error.h"
#include "base/json_tree.h"
#include "cli/pawl/commands.h"
#include "cli/pawl/params.h"
#include "cli/pawl/step_tree.h"
#include "command/find.h"
#include "command/json.h"
#include "command/table.h"
#include "mission/checker.h"
#include <stdio.h>

/* A step, or one of its findings, for people. */
typedef struct line {
        pawl_text step, needs, strictness, term, conflict, severity, verdict, context;
        int64_t terms, findings, senses;
} line;

#define AT(member) CLI_AT(line, member)

/* Those of a mission whose steps are no mere sequence, and of one whose are. */
static const cli_field graph_fields[] = {
        {NULL, CLI_AS_TEXT, AT(step), .title = "step", .cut = CLI_CUT},
        {NULL, CLI_AS_TEXT, AT(needs), .title = "needs", .cut = CLI_CUT},
        {NULL, CLI_AS_TEXT, AT(strictness), .title = "strictness"},
        {NULL, CLI_AS_INTEGER, AT(terms), .title = "terms"},
        {NULL, CLI_AS_INTEGER, AT(findings), .title = "findings"},
        {NULL, CLI_AS_TEXT, AT(severity), .title = "severity"},
        {NULL, CLI_AS_TEXT, AT(verdict), .title = "verdict"},
        CLI_NO_FIELD,
};

static const cli_field step_fields[] = {
        {NULL, CLI_AS_TEXT, AT(step), .title = "step", .cut = CLI_CUT},
        {NULL, CLI_AS_TEXT, AT(strictness), .title = "strictness"},
        {NULL, CLI_AS_INTEGER, AT(terms), .title = "terms"},
        {NULL, CLI_AS_INTEGER, AT(findings), .title = "findings"},
        {NULL, CLI_AS_TEXT, AT(severity), .title = "severity"},
        {NULL, CLI_AS_TEXT, AT(verdict), .title = "verdict"},
        CLI_NO_FIELD,
};

static const cli_field finding_fields[] = {
        {NULL, CLI_AS_TEXT, AT(step), .title = "step", .cut = CLI_CUT},
        {NULL, CLI_AS_TEXT, AT(term), .title = "term", .cut = CLI_CUT},
        {NULL, CLI_AS_TEXT, AT(conflict), .title = "conflict"},
        {NULL, CLI_AS_TEXT, AT(severity), .title = "severity"},
        {NULL, CLI_AS_INTEGER, AT(senses), .title = "senses"},
        {NULL, CLI_AS_TEXT, AT(context), .title = "context", .cut = CLI_CUT},
        CLI_NO_FIELD,
};

static int64_t count_of(const pawl__json_tree *tree, pawl__node step, const char *name)
{
        pawl__node node = pawl__json_get(tree, step, name);

        return node == PAWL__NO_NODE ? 0 : pawl__json_at(tree, node)->count;
}

/* The steps' ids, places in the document and needs, of which those that are not shown are left out.
 */
typedef struct steps {
        pawl_text *ids;
        pawl__node *at;
        pawl__needs *needs;
        size_t n;
        bool sequence; /* each needs the one before it */
} steps;

static pawl_status read_steps(
        steps *s, const pawl__json_tree *tree, pawl__arena *arena, pawl_error *err)
{
        const size_t n = pawl__json_at(tree, 0)->count;
        pawl__map known = PAWL__MAP_INIT;
        pawl_status status = PAWL_OK;

        *s = (steps){pawl__arena_array(arena, n, sizeof *s->ids),
                pawl__arena_array(arena, n, sizeof *s->at),
                pawl__arena_array(arena, n, sizeof *s->needs), 0, true};
        if (!s->ids || !s->at || !s->needs)
                return pawl__nomem(err);
        for (pawl__node at = pawl__json_first(tree, 0); at != PAWL__NO_NODE && !status;
                at = pawl__json_after(tree, 0, at)) {
                s->ids[s->n] = pawl__json_get_text(tree, at, "step_id");
                s->at[s->n] = at;
                status = pawl__map_put(&known, s->ids[s->n], (uint32_t)s->n);
                s->n++;
        }
        for (size_t i = 0; i < s->n && !status; i++) {
                const pawl__node list = pawl__json_get(tree, s->at[i], "needs");
                pawl__needs *needs = &s->needs[i];
                needs->items = pawl__arena_array(
                        arena, pawl__json_at(tree, list)->count, sizeof *needs->items);
                status = needs->items ? PAWL_OK : PAWL_ENOMEM;
                for (pawl__node m = pawl__json_first(tree, list); m != PAWL__NO_NODE && !status;
                        m = pawl__json_after(tree, list, m)) {
                        needs->items[needs->n] =
                                pawl__map_get(&known, pawl__json_at(tree, m)->value);
                        needs->n += needs->items[needs->n] != PAWL__MAP_NONE;
                }
                s->sequence = s->sequence && needs->n == (i > 0) &&
                              (i == 0 || (needs->items && needs->items[0] == i - 1));
        }
        pawl__map_free(&known);
        return status ? pawl__nomem(err) : PAWL_OK;
}

static pawl_status print_steps(FILE *out, const pawl__json_tree *tree, pawl_error *err)
{
        pawl__arena arena = PAWL__ARENA_INIT;
        cli_step_line *lines = NULL;
        cli_table *table = NULL;
        steps s;
        pawl_status status = read_steps(&s, tree, &arena, err);

        if (!status)
                status = cli_step_tree(&lines, s.ids, s.needs, s.n, &arena, err);
        if (!status)
                status = cli_table_new(
                        &table, out, s.sequence ? step_fields : graph_fields, NULL, err);
        for (size_t i = 0; i < s.n && !status; i++) {
                const pawl__node at = s.at[s.sequence ? i : lines[i].at];
                const line one = {.step = s.sequence ? s.ids[i] : lines[i].label,
                        .needs = lines[i].needs,
                        .strictness = pawl__json_get_text(tree, at, "effective_strictness"),
                        .terms = count_of(tree, at, "terms"),
                        .findings = count_of(tree, at, "findings"),
                        .severity = pawl__json_get_text(tree, at, "overall_severity"),
                        .verdict = pawl__json_get_text(tree, at, "recommended_action")};
                status = cli_table_row(table, &one, err);
        }
        status = table ? cli_table_end(table, status, err) : status;
        pawl__arena_free(&arena);
        return status;
}

static pawl_status add_findings(
        cli_table *table, const pawl__json_tree *tree, pawl__node step, pawl_error *err)
{
        pawl__node findings = pawl__json_get(tree, step, "findings");
        pawl_status status = PAWL_OK;

        if (findings == PAWL__NO_NODE)
                return PAWL_OK;
        for (pawl__node at = pawl__json_first(tree, findings); !status && at != PAWL__NO_NODE;
                at = pawl__json_after(tree, findings, at)) {
                const line one = {.step = pawl__json_get_text(tree, step, "step_id"),
                        .term = pawl__json_get_text(tree, at, "term"),
                        .conflict = pawl__json_get_text(tree, at, "conflict_type"),
                        .severity = pawl__json_get_text(tree, at, "severity"),
                        .senses = count_of(tree, at, "candidate_senses"),
                        .context = pawl__json_get_text(tree, at, "context")};
                status = cli_table_row(table, &one, err);
        }
        return status;
}

static pawl_status print_findings(FILE *out, const pawl__json_tree *tree, pawl_error *err)
{
        cli_table *table = NULL;
        pawl_status status = cli_table_new(&table, out, finding_fields, NULL, err);

        for (pawl__node at = pawl__json_first(tree, 0); !status && at != PAWL__NO_NODE;
                at = pawl__json_after(tree, 0, at))
                status = add_findings(table, tree, at, err);
        return cli_table_end(table, status, err);
}

static bool has_findings(const pawl__json_tree *tree)
{
        for (pawl__node at = pawl__json_first(tree, 0); at != PAWL__NO_NODE;
                at = pawl__json_after(tree, 0, at))
                if (count_of(tree, at, "findings") > 0)
                        return true;
        return false;
}

static pawl_status print_tables(FILE *out, const pawl__json_tree *tree, pawl_error *err)
{
        pawl_status status = print_steps(out, tree, err);

        if (status || !has_findings(tree))
                return status;
        fputc('\n', out);
        return print_findings(out, tree, err);
}

/* The log if there is one: without it the mission's own seeds are in force. */
static pawl_status open_if_any(pawl_log **log, const cli_call *cli, pawl_error *err)
{
        pawl__buf path = PAWL__BUF_INIT;
        pawl_status status = cli_find_log(&path, cli, err);

        pawl__buf_free(&path);
        *log = NULL;
        if (status == PAWL_ENOTFOUND)
                return PAWL_OK;
        return status ? status : cli_open_log(log, cli, CLI_READ, err);
}

/* PAWL_BLOCKED, naming the first step that would be held. */
static pawl_status blocked(const pawl__json_tree *tree, pawl_error *err)
{
        for (pawl__node at = pawl__json_first(tree, 0); at != PAWL__NO_NODE;
                at = pawl__json_after(tree, 0, at)) {
                pawl__node held = pawl__json_get(tree, at, "blocked");
                pawl_text id = pawl__json_get_text(tree, at, "step_id");
                if (held != PAWL__NO_NODE && pawl__json_at(tree, held)->type == PAWL__JSON_TRUE)
                        return pawl__fail(err, PAWL_BLOCKED,
                                "step %.*s: generation would be blocked by an unresolved conflict; "
                                "define the term in a glossary, or answer when the mission runs",
                                PAWL__FMT(id));
        }
        return PAWL_BLOCKED;
}

static pawl_status print(const cli_call *cli, pawl_text json, bool held, pawl_error *err)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl_status status = pawl__json_tree_read(&tree, json.data, json.len, err);

        if (!status && cli_given(cli, "json")) {
                cli_print_line(cli, json);
        } else if (!status) {
                status = print_tables(cli->in->out, &tree, err);
        }
        if (!status && held)
                status = blocked(&tree, err);
        pawl__json_tree_free(&tree);
        return status;
}

static int check(const cli_call *cli, pawl_mission *mission, pawl_log *log)
{
        pawl__problems problems = {.tell = cli_print_problem, .user = (void *)(uintptr_t)cli};
        pawl_error err = PAWL_ERROR_INIT;
        char *json = NULL;
        size_t len = 0;

        pawl_status status = pawl__mission_check(
                &json, &len, mission, log, cli_value(cli, "step"), &problems, &err);
        if (!status || status == PAWL_BLOCKED)
                status = print(cli, pawl__text_n(json, len), status == PAWL_BLOCKED, &err);
        pawl_free(json);
        return status ? cli_fail(cli, &err) : CLI_DONE;
}

/* ---- Against a run --------------------------------------------------------------------------- */

typedef struct verdict {
        pawl_text step, verdict, reasons;
} verdict;

static const cli_field verdict_fields[] = {
        {NULL, CLI_AS_TEXT, CLI_AT(verdict, step), .title = "step", .cut = CLI_CUT},
        {NULL, CLI_AS_TEXT, CLI_AT(verdict, verdict), .title = "verdict"},
        {NULL, CLI_AS_TEXT, CLI_AT(verdict, reasons), .title = "reasons", .cut = CLI_CUT},
        CLI_NO_FIELD,
};

static pawl_status add_verdict(
        cli_table *table, const pawl__json_tree *tree, pawl__node at, pawl_error *err)
{
        const pawl__node list = pawl__json_get(tree, at, "reasons");
        pawl__buf reasons = PAWL__BUF_INIT;

        for (pawl__node m = pawl__json_first(tree, list); m != PAWL__NO_NODE;
                m = pawl__json_after(tree, list, m)) {
                if (reasons.len)
                        pawl__buf_adds(&reasons, ", ");
                pawl__buf_add_text(&reasons, pawl__json_at(tree, m)->value);
        }
        const verdict one = {pawl__json_get_text(tree, at, "step_id"),
                pawl__json_get_text(tree, at, "verdict"), pawl__buf_text(&reasons)};
        pawl_status status = pawl__buf_check(&reasons, err);
        if (!status)
                status = cli_table_row(table, &one, err);
        pawl__buf_free(&reasons);
        return status;
}

static pawl_status print_verdicts(const cli_call *cli, pawl_text json, pawl_error *err)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        cli_table *table = NULL;

        if (cli_given(cli, "json")) {
                cli_print_line(cli, json);
                return PAWL_OK;
        }
        pawl_status status = pawl__json_tree_read(&tree, json.data, json.len, err);
        if (!status)
                status = cli_table_new(&table, cli->in->out, verdict_fields, NULL, err);
        for (pawl__node at = status ? PAWL__NO_NODE : pawl__json_first(&tree, 0);
                at != PAWL__NO_NODE && !status; at = pawl__json_after(&tree, 0, at))
                status = add_verdict(table, &tree, at, err);
        status = table ? cli_table_end(table, status, err) : status;
        pawl__json_tree_free(&tree);
        return status;
}

static int check_against(const cli_call *cli, pawl_mission *mission, const char *run_id)
{
        pawl__problems problems = {.tell = cli_print_problem, .user = (void *)(uintptr_t)cli};
        pawl_error err = PAWL_ERROR_INIT, why = PAWL_ERROR_INIT;
        pawl__buf json = PAWL__BUF_INIT;
        pawl_log *log = NULL;
        int code = CLI_DONE;
        pawl_status status = cli_open_log(&log, cli, CLI_READ, &err);

        if (!status)
                status = pawl__mission_take_recorded(mission, log, run_id, &err);
        if (!status)
                code = cli_take_params(cli, mission);
        if (!status && !code)
                status = pawl__mission_against(
                        &json, mission, log, run_id, cli_value(cli, "step"), &problems, &err);
        if (!code && (!status || status == PAWL_EINPUTS) &&
                print_verdicts(cli, pawl__buf_text(&json), &why)) {
                status = why.status;
                err = why;
        }
        if (status)
                code = cli_fail(cli, &err);
        if (log)
                cli_close_log(cli, log);
        pawl__buf_free(&json);
        return code;
}

static int check_run(cli_call *cli)
{
        const char *run_id = cli_value(cli, "against");
        pawl_error err = PAWL_ERROR_INIT;
        pawl_mission *mission;
        pawl_log *log;
        int code;

        if (pawl_mission_load(&mission, cli->args[0], &err))
                return cli_fail(cli, &err);
        if (run_id) {
                code = check_against(cli, mission, run_id);
                pawl_mission_free(mission);
                return code;
        }
        code = cli_take_params(cli, mission);
        if (!code && open_if_any(&log, cli, &err)) {
                code = cli_fail(cli, &err);
        } else if (!code) {
                code = check(cli, mission, log);
                cli_close_log(cli, log);
        }
        pawl_mission_free(mission);
        return code;
}

static const cli_option check_options[] = {
        {"step", 0, 0, CLI_TEXT, "ID", NULL, "this step alone"},
        {"against", 0, 0, CLI_TEXT, "RUN", NULL,
                "which of this run's steps would run again, and why; exit 4 where some would"},
        CLI_PARAM_OPTIONS,
        {"json", 0, 0, CLI_FLAG, NULL, NULL, "print an array of objects"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd pawl_check_cmd = {
        .name = "check",
        .args = "MISSION",
        .options = check_options,
        .help = "Say what the gate would, with nothing run and nothing written",
        .run = check_run,
        .more_help = cli_print_params,
};
