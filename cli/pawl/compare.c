/* pawl compare: what lies between two runs, step by step. */
#include "mission/compare.h"
#include "cli/pawl/commands.h"
#include "cli/pawl/workspace.h"
#include "command/find.h"
#include "command/json.h"
#include "command/printable.h"
#include <stdio.h>

/* ---- As JSON --------------------------------------------------------------------------------- */

#define RUN(member)    CLI_AT(pawl__run_view, member)
#define ANSWER(member) CLI_AT(pawl__compared_answer, member)

static const cli_field run_fields[] = {
        {"run_id", CLI_AS_TEXT, RUN(row.v[PAWL__RUN_ID].text)},
        {"mission_id", CLI_AS_TEXT, RUN(row.v[PAWL__RUN_MISSION].text)},
        {"status", CLI_AS_TEXT, RUN(status)},
        CLI_NO_FIELD,
};

static const cli_field answer_fields[] = {
        {"term", CLI_AS_TEXT, ANSWER(term)},
        {"before", CLI_AS_RAW, ANSWER(before)},
        {"after", CLI_AS_RAW, ANSWER(after)},
        CLI_NO_FIELD,
};

static void pair_json(pawl__json_writer *w, const char *name, const pawl_text pair[2])
{
        pawl__json_name(w, name);
        pawl__json_open_object(w);
        for (int i = 0; i < 2; i++)
                pawl__json_member_text(w, i ? "b" : "a", pair[i]);
        pawl__json_close_object(w);
}

static void durations_json(pawl__json_writer *w, const int64_t pair[2])
{
        pawl__json_name(w, "duration_ms");
        pawl__json_open_object(w);
        for (int i = 0; i < 2; i++) {
                if (pair[i] < 0)
                        pawl__json_member_raw(w, i ? "b" : "a", pawl__text("null"));
                else
                        pawl__json_member_integer(w, i ? "b" : "a", pair[i]);
        }
        pawl__json_close_object(w);
}

static void step_json(pawl__json_writer *w, const pawl__compared_step *step)
{
        pawl__json_open_object(w);
        pawl__json_member_text(w, "step_id", step->step_id);
        pawl__json_member_bool(w, "same", step->same);
        pair_json(w, "status", step->status);
        pawl__json_member_bool(w, "moved", step->moved);
        cli_list_json(
                w, "inputs", cli_member_fields, step->inputs, step->n_inputs, sizeof *step->inputs);
        cli_list_json(
                w, "output", cli_member_fields, step->output, step->n_output, sizeof *step->output);
        cli_list_json(
                w, "answers", answer_fields, step->answers, step->n_answers, sizeof *step->answers);
        cli_list_json(w, "files", cli_change_fields, step->files ? step->files->files : NULL,
                step->files ? step->files->n_files : 0, sizeof *step->files->files);
        durations_json(w, step->duration_ms);
        pawl__json_close_object(w);
}

static pawl_status print_json(const cli_call *cli, const pawl__run_comparison *c, pawl_error *err)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        pawl__json_open_object(&w);
        cli_object_json(&w, "a", run_fields, &c->runs[0]);
        cli_object_json(&w, "b", run_fields, &c->runs[1]);
        pawl__json_member_bool(&w, "same", c->same);
        pawl__json_name(&w, "steps");
        pawl__json_open_array(&w);
        for (size_t i = 0; i < c->n; i++)
                step_json(&w, &c->steps[i]);
        pawl__json_close_array(&w);
        pawl__json_close_object(&w);
        return cli_print_json(cli, &w, err);
}

/* ---- As text --------------------------------------------------------------------------------- */

static void print_duration(FILE *out, int64_t ms)
{
        if (ms < 0)
                fputs("-", out);
        else
                fprintf(out, "%.1f s", (double)ms / 1e3);
}

static void print_answers(FILE *out, const pawl__compared_step *step)
{
        for (size_t i = 0; i < step->n_answers; i++) {
                const pawl__compared_answer *answer = &step->answers[i];
                cli_putf(out, "answer %.*s: ", CLI_FMT(answer->term));
                cli_put_cut(out, answer->before.data ? answer->before : pawl__text("(none)"), 60);
                fputs(" → ", out);
                cli_put_cut(out, answer->after.data ? answer->after : pawl__text("(none)"), 60);
                fputc('\n', out);
        }
}

static void print_step(FILE *out, const pawl__run_comparison *c, const pawl__compared_step *step)
{
        cli_putf(out, "step %.*s", CLI_FMT(step->step_id));
        for (int i = 0; i < 2; i++)
                if (!step->status[i].data) {
                        cli_putf(out, ": only in %.*s\n",
                                CLI_FMT(c->runs[1 - i].row.v[PAWL__RUN_ID].text));
                        return;
                }
        fputs(step->same ? ": same, " : ": ", out);
        if (!pawl__text_eq(step->status[0], step->status[1]))
                cli_putf(out, "%.*s → %.*s, ", CLI_FMT(step->status[0]), CLI_FMT(step->status[1]));
        if (step->moved)
                fputs("in another place, ", out);
        print_duration(out, step->duration_ms[0]);
        fputs(" → ", out);
        print_duration(out, step->duration_ms[1]);
        fputc('\n', out);
        cli_members_print(out, step->inputs, step->n_inputs);
        cli_members_print(out, step->output, step->n_output);
        print_answers(out, step);
        for (size_t i = 0; step->files && i < step->files->n_files; i++)
                cli_change_print(out, &step->files->files[i]);
}

static void print_text(FILE *out, const pawl__run_comparison *c)
{
        for (int i = 0; i < 2; i++)
                cli_putf(out, "%s%.*s (%.*s, %.*s)", i ? " → run " : "run ",
                        CLI_FMT(c->runs[i].row.v[PAWL__RUN_ID].text),
                        CLI_FMT(c->runs[i].row.v[PAWL__RUN_MISSION].text),
                        CLI_FMT(c->runs[i].status));
        fputc('\n', out);
        for (size_t i = 0; i < c->n; i++)
                print_step(out, c, &c->steps[i]);
        if (c->same)
                fputs("no difference\n", out);
}

/* ---- The command ----------------------------------------------------------------------------- */

static pawl_status compare(cli_call *cli, pawl_log *log, pawl_error *err)
{
        const char *const ids[2] = {cli->args[0], cli->args[1]};
        pawl_workspace_options options;
        pawl__run_comparison c = {.arena = PAWL__ARENA_INIT};
        pawl_status status = cli_workspace_options(&options, cli, err);

        if (!status)
                status = pawl__runs_compare(&c, log, ids, &options, err);
        if (!status && cli_given(cli, "json"))
                status = print_json(cli, &c, err);
        else if (!status)
                print_text(cli->in->out, &c);
        if (!status && !c.same && !cli->in->served) /* there the answer says so */
                cli->code = CLI_FAILED;
        pawl__run_comparison_free(&c);
        return status;
}

static const cli_option compare_options[] = {
        CLI_WORKSPACE_OPTIONS,
        {"json", 0, 0, CLI_FLAG, NULL, NULL, "print one object"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd pawl_compare_cmd = {
        .name = "compare",
        .args = "A B",
        .arg_help = {"the run to start from", "the run to end at"},
        .traits = CLI_SERVED | CLI_WORKSPACE,
        .options = compare_options,
        .help = "Show what lies between two runs, step by step; exit 1 where something does",
        .on_log = compare,
        .access = CLI_LOOK,
};
