/* pawl resolve: answer a conflict, or many of them in one commit, from any session. */
#include "base/error.h"
#include "base/map.h"
#include "cli/pawl/actor.h"
#include "cli/pawl/answers.h"
#include "cli/pawl/commands.h"
#include "command/fields.h"
#include "command/find.h"
#include "command/input.h"
#include "command/printable.h"
#include "mission/secrets.h"
#include "mission/ssh_keygen.h"
#include "pipeline/answer.h"
#include "pipeline/question.h"
#include "session/standing.h"
#include <pawl/pipeline.h>
#include <stdio.h>

static pawl_status print_text(const cli_call *cli, pawl_log *log, pawl__state *state,
        const pawl__row *row, size_t n_open, pawl_error *err)
{
        FILE *out = cli->in->out;
        pawl_text id = row->v[PAWL__CON_RUN].text;
        pawl__row run;

        TRY(cli_run_row(&run, id, cli, log, err));
        TRY(pawl__state_short_id(&id, state, PAWL__RUNS, cli->arena, err));

        cli_putf(out, "%.*s: \"%.*s\" is answered; ", CLI_FMT(row->v[PAWL__CON_ID].text),
                CLI_FMT(row->v[PAWL__CON_TERM].text));
        if (n_open > 0) {
                cli_putf(out, "step %.*s", CLI_FMT(row->v[PAWL__CON_STEP].text));
                cli_sayf(cli, out, " has %zu more (see `pawl conflicts`)", n_open);
        } else {
                cli_sayf(cli, out, "continue with %s", PAWL__ADVICE(log, &run, id));
        }
        fputc('\n', out);
        return PAWL_OK;
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

/* A command that runs was told the former answer, and its step completes with that. */
static pawl_status warn_at_work(const cli_call *cli, pawl_log *log, pawl__state *state,
        const pawl__row *conflict, pawl_error *err)
{
        pawl__row step = {.v[PAWL__STEP_RUN].text = conflict->v[PAWL__CON_RUN].text,
                .v[PAWL__STEP_ID].text = conflict->v[PAWL__CON_STEP].text};
        pawl_owner owner;
        bool held = false;
        pawl_status status = pawl__state_get(state, PAWL__STEPS, &step, cli->arena, err);

        if (!status && pawl__text_is(step.v[PAWL__STEP_STATUS].text, "running"))
                status = pawl__log_failed(log,
                        pawl__log_holder(&held, &owner, log, step.v[PAWL__STEP_RUN].text), err);
        if (!status && held)
                cli_noticef(cli,
                        "step %.*s of run %.*s: is at work, and was told the former answer; let it "
                        "end, then see what it made",
                        PAWL__FMT(step.v[PAWL__STEP_ID].text),
                        PAWL__FMT(step.v[PAWL__STEP_RUN].text));
        return status == PAWL_ENOTFOUND ? PAWL_OK : status;
}

/* What to do next: how the run continues, or how many more answers the step needs. */
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
        if (!status && cli_given(cli, "replace"))
                status = warn_at_work(cli, log, state, &found.row, err);
        if (!status && cli_given(cli, "json"))
                status = cli_print_object(cli, fields, &found, err);
        else if (!status)
                status = print_text(cli, log, state, &found.row, found.n_open, err);
        return status;
}

static pawl_answer said(const cli_call *cli)
{
        return (pawl_answer){
                .pick = (size_t)cli_number(cli, "pick", cli_given(cli, "pick-first")),
                .define = pawl__text(cli_value(cli, "define")),
                .scope = pawl__text(cli_value(cli, "scope")),
                .dismiss = cli_given(cli, "dismiss"),
                .answer = pawl__text(cli_value(cli, "answer")),
                .replace = cli_given(cli, "replace"),
        };
}

/* Who signs with the key that was named, if one was. */
static pawl__sealer sealer_of(const cli_call *cli)
{
        char *key = (char *)cli_value(cli, "sign"); /* which is only read */

        return (pawl__sealer){
                .sign = key ? pawl__ssh_sign : NULL, .user = key, .verify = pawl__ssh_verify};
}

/* ---- Many ------------------------------------------------------------------------------------ */

typedef struct answered_all {
        cli_answers answers;
        size_t n_open; /* conflicts of the run, or of all runs, that are left */
        pawl_text run_id;
} answered_all;

static const cli_field id_fields[] = {
        {NULL, CLI_AS_STRING, CLI_AT(pawl_conflict_answer, conflict_id)},
        CLI_NO_FIELD,
};

static const cli_field all_fields[] = {
        {"answered", CLI_AS_INTEGER, CLI_AT(answered_all, answers.n)},
        {"conflicts", CLI_AS_LIST, CLI_ITEMS(answered_all, answers.items, answers.n),
                .fields = id_fields},
        {"run_id", CLI_AS_TEXT, CLI_AT(answered_all, run_id)},
        {"open", CLI_AS_INTEGER, CLI_AT(answered_all, n_open)},
        CLI_NO_FIELD,
};

/* The same answer to each open conflict of the run; to pick the first needs a candidate. What a
 * step asks people is answered one by one. */
static pawl_status same_for_all(
        answered_all *all, const cli_call *cli, pawl__state *state, pawl_error *err)
{
        const bool pick = cli_given(cli, "pick-first");
        pawl__row *rows;
        size_t n;
        pawl_status status = pawl__state_conflicts(
                &rows, &n, state, all->run_id, pawl__text(NULL), true, cli->arena, err);

        if (status)
                return status;
        all->answers.items = pawl__arena_array(cli->arena, n, sizeof *all->answers.items);
        status = pawl__arena_check(cli->arena, err);
        for (size_t i = 0; i < n && !status; i++) {
                pawl_conflict conflict;
                status = pawl__conflict_of(&conflict, cli->arena, &rows[i], err);
                if (!status && pawl__is_question(conflict.conflict_type))
                        continue;
                if (!status && (!pick || conflict.n_candidates > 0))
                        all->answers.items[all->answers.n++] =
                                (pawl_conflict_answer){conflict.conflict_id.data, said(cli)};
        }
        if (!status && all->answers.n == 0)
                return pawl__fail(err, PAWL_ENOTFOUND,
                        n == 0 ? "run %.*s: has no open conflict; `pawl conflicts` lists those of "
                                 "others"
                        : pick ? "run %.*s: no open conflict has a candidate; define the terms, or "
                                 "dismiss them"
                               : "run %.*s: no open conflict is about a term; answer its questions "
                                 "one by one",
                        PAWL__FMT(all->run_id));
        return status;
}

static pawl_status read_answers(answered_all *all, const cli_call *cli, pawl_error *err)
{
        const char *file = cli_value(cli, "answers");
        cli_input input;
        pawl_text text;

        if (!file)
                return cli_answers_read(&all->answers, "answers",
                        pawl__text(cli_value(cli, "answers-json")), cli->arena, err);
        pawl_status status = cli_input_open(&input, file, err);
        if (status)
                return status;
        status = cli_input_all(&text, &input, err);
        if (!status)
                status = cli_answers_read(&all->answers, input.name, text, cli->arena, err);
        all->answers.name = file;
        cli_input_close(&input);
        return status;
}

static pawl_status print_all(
        const cli_call *cli, pawl_log *log, const answered_all *all, pawl_error *err)
{
        FILE *out = cli->in->out;
        pawl__row run;

        TRY(cli_run_row(&run, all->run_id, cli, log, err));

        fprintf(out, "%zu conflict%s answered; ", all->answers.n, all->answers.n == 1 ? "" : "s");
        if (all->answers.n == 0 && all->n_open == 0)
                fputs("none waits", out);
        else if (all->n_open > 0)
                cli_sayf(cli, out, "%zu more wait (see `pawl conflicts`)", all->n_open);
        else if (all->run_id.len)
                cli_sayf(cli, out, "continue with %s", PAWL__ADVICE(log, &run, all->run_id));
        else
                cli_sayf(cli, out, "`pawl status` prints how the runs continue");
        fputc('\n', out);
        return PAWL_OK;
}

static pawl_status resolve_many(cli_call *cli, pawl_log *log, const char *actor, pawl_error *err)
{
        answered_all all = {.run_id = pawl__text(cli_value(cli, "run"))};
        pawl__row *rows;
        pawl__state *state;
        pawl_status status = pawl__state_of(&state, log, err);

        if (!status)
                status = cli_known_run(&all.run_id, log, cli->arena, err);
        if (!status)
                status = cli_given(cli, "all") ? same_for_all(&all, cli, state, err)
                                               : read_answers(&all, cli, err);
        if (status)
                return status;
        const pawl__sealer sealer = sealer_of(cli);
        pawl__refusals refusals = {.n = all.answers.n_wrong,
                .tell = all.answers.places ? cli_answers_refuse : NULL,
                .user = &all.answers};
        status = pawl__conflicts_resolve(
                log, all.answers.items, all.answers.n, actor, &sealer, &refusals, err);
        if (!status)
                status = cli_answers_report(&all.answers, cli, err);
        if (status)
                return status;
        status = pawl__state_conflicts(
                &rows, &all.n_open, state, all.run_id, pawl__text(NULL), true, cli->arena, err);
        if (!status && cli_given(cli, "json"))
                return cli_print_object(cli, all_fields, &all, err);
        return status ? status : print_all(cli, log, &all, err);
}

/* What is typed may have the value of a secret that a waiting run has. Each mission is read once.
 */
static pawl_status mask_runs(const cli_call *cli, pawl_log *log, pawl__row *open, size_t n,
        pawl__map *seen, pawl_error *err)
{
        for (size_t i = 0; i < n; i++) {
                const pawl_text id = open[i].v[PAWL__CON_RUN].text;
                pawl__row run;
                if (pawl__map_get(seen, id) != PAWL__MAP_NONE)
                        continue;
                if (pawl__map_put(seen, id, 1))
                        return pawl__nomem(err);
                TRY(cli_run_row(&run, id, cli, log, err));
                TRY(pawl__secrets_of_run(log, &run, err));
        }
        return PAWL_OK;
}

static pawl_status mask_secrets(const cli_call *cli, pawl_log *log, pawl_error *err)
{
        const pawl_text none = {NULL, 0};
        pawl__map seen = PAWL__MAP_INIT;
        pawl__state *state;
        pawl__row *open;
        size_t n;

        TRY(pawl__state_of(&state, log, err));
        TRY(pawl__state_conflicts(
                &open, &n, state, none, none, !cli_given(cli, "replace"), cli->arena, err));
        const pawl_status status = mask_runs(cli, log, open, n, &seen, err);
        pawl__map_free(&seen);
        return status;
}

static pawl_status resolve(cli_call *cli, pawl_log *log, pawl_error *err)
{
        const pawl_answer answer = said(cli);
        const char *actor;
        pawl_status status = cli_actor(&actor, cli, err);

        if (!status)
                status = mask_secrets(cli, log, err);
        if (status)
                return status;
        if (!cli->n_args)
                return resolve_many(cli, log, actor, err);
        const pawl_conflict_answer one = {cli->args[0], answer};
        const pawl__sealer sealer = sealer_of(cli);
        pawl__refusals refusals = {.tell = NULL};
        status = pawl__conflicts_resolve(log, &one, 1, actor, &sealer, &refusals, err);
        return status ? status : tell_next(cli, log, err);
}

/* Which conflicts an answer is for: the one named, those of a file, or all of a run. */
static int resolve_run(cli_call *cli)
{
        const bool file = cli_given(cli, "answers") || cli_given(cli, "answers-json");
        const bool all = cli_given(cli, "all");

        if (file && (cli->n_args || all || cli_given(cli, "run") || cli_given(cli, "scope")))
                return cli_usage(cli, "answers name their conflicts and scopes themselves");
        if (!file && all == (cli->n_args > 0))
                return cli_usage(cli, "name a conflict, or give --run RUN --all");
        if (all != cli_given(cli, "run"))
                return cli_usage(cli, "--all and --run go together");
        if (all && !cli_given(cli, "dismiss") && !cli_given(cli, "pick-first"))
                return cli_usage(cli, "--all takes --dismiss or --pick-first");
        if (!cli->n_args && cli_given(cli, "replace"))
                return cli_usage(cli, "--replace is for one conflict");
        if (!all && cli_given(cli, "pick-first"))
                return cli_usage(cli, "--pick-first is for --all; --pick 1 for one conflict");
        return cli_with_log(cli, CLI_WRITE, resolve);
}

static const cli_option resolve_options[] = {
        {"pick", 0, 'a', CLI_NUMBER, "N", NULL, "the candidate sense of this number"},
        {"define", 0, 'a', CLI_TEXT, "TEXT", NULL, "a definition of your own"},
        {"answer", 0, 'a', CLI_TEXT, "TEXT", NULL,
                "to a question: one of its options, or any text"},
        {"dismiss", 0, 'a', CLI_FLAG, NULL, NULL, "it is no term: never ask about it again"},
        {"pick-first", 0, 'a', CLI_FLAG, NULL, NULL, "with --all: the first candidate of each"},
        {"answers", 0, 'a', CLI_FILE, "FILE", NULL,
                "many answers, as JSON Lines or one array, in one commit"},
        {"answers-json", 0, 'a', CLI_TEXT, "ANSWERS", NULL,
                "many answers, as a text of JSON Lines or one array"},
        {"run", 0, 0, CLI_TEXT, "RUN", NULL, "with --all: the run whose conflicts are answered"},
        {"all", 0, 0, CLI_FLAG, NULL, NULL, "every open conflict of --run, in one commit"},
        {"scope", 0, 0, CLI_CHOICE, "SCOPE",
                "mission_local|team_domain|audience_domain|core|spec_kitty_core",
                "where the sense, or the dismissal, goes (default: team_domain; with --pick, where the candidate is)"},
        {"replace", 0, 0, CLI_FLAG, NULL, NULL,
                "the first answer was wrong, and no step has completed with it"},
        {"actor", 0, 0, CLI_TEXT, "ACTOR", NULL, "who answers (default: user:NAME)"},
        {"sign", 0, 0, CLI_FILE, "KEY", NULL, "sign it with this SSH key"},
        {"json", 0, 0, CLI_FLAG, NULL, NULL, "print one object"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd pawl_resolve_cmd = {
        .name = "resolve",
        .args = "[CONFLICT]",
        .arg_help = {"the conflict: its id, or 4 digits or more of it"},
        .traits = CLI_SERVED | CLI_CHANGES | CLI_REPLACES,
        .options = resolve_options,
        .help = "Answer a conflict, named by its id or by 4 digits or more of it, or many",
        .run = resolve_run,
};
