/* pawl plan: what resuming a run, cancelling it or skipping a step would mean. */
#include "mission/steering.h"
#include "base/error.h"
#include "cli/pawl/commands.h"
#include "command/find.h"
#include "command/printable.h"
#include "command/table.h"
#include <inttypes.h>
#include <stdio.h>

#define STEP(member) CLI_AT(pawl__steering_step, member)

static const cli_field step_fields[] = {
        {"step_id", CLI_AS_TEXT, STEP(step_id), .title = "step", .cut = CLI_CUT},
        {NULL, CLI_AS_TEXT, STEP(status), .title = "status"},
        {"status", CLI_AS_TEXT, STEP(word)},
        {"then", CLI_AS_STRING, STEP(then), .title = "then"},
        {"why", CLI_AS_STRING, STEP(why), .title = "why", .cut = CLI_CUT},
        CLI_NO_FIELD,
};

static const cli_field change_fields[] = {
        {"step_id", CLI_AS_STRING, CLI_AT(pawl_mission_change, step_id)},
        {"change", CLI_AS_STRING, CLI_AT(pawl_mission_change, change)},
        CLI_NO_FIELD,
};

static bool is_held(const void *item)
{
        return ((const pawl__steering *)item)->run.held;
}

static bool is_refused(const void *item)
{
        return ((const pawl__steering *)item)->refused.status != PAWL_OK;
}

static const char *refused_status(const void *item, char buf[CLI_WORD_MAX])
{
        (void)buf;
        return pawl_status_name(((const pawl__steering *)item)->refused.status);
}

static const cli_field owner_fields[] = {
        {"pid", CLI_AS_INTEGER, CLI_AT(pawl__steering, run.owner.pid)},
        {"host", CLI_AS_TEXT, CLI_AT(pawl__steering, run.owner.host)},
        CLI_NO_FIELD,
};

static const cli_field refused_fields[] = {
        {"status", CLI_AS_WORD, CLI_ITSELF, .word = refused_status},
        {"message", CLI_AS_CHARS, CLI_AT(pawl__steering, refused.message)},
        CLI_NO_FIELD,
};

static const cli_field fields[] = {
        {"run_id", CLI_AS_TEXT, CLI_AT(pawl__steering, run.row.v[PAWL__RUN_ID].text)},
        {"mission_id", CLI_AS_TEXT, CLI_AT(pawl__steering, run.row.v[PAWL__RUN_MISSION].text)},
        {"status", CLI_AS_TEXT, CLI_AT(pawl__steering, run.status)},
        {"owner", CLI_AS_PART, .has = is_held, .fields = owner_fields},
        {"steps", CLI_AS_LIST, CLI_ITEMS(pawl__steering, steps, n_steps), .fields = step_fields},
        {"changes", CLI_AS_LIST, CLI_ITEMS(pawl__steering, changes, n_changes),
                .fields = change_fields},
        {"refused", CLI_AS_PART, .has = is_refused, .fields = refused_fields},
        CLI_NO_FIELD,
};

static void print_head(FILE *out, const pawl__steering *plan)
{
        cli_put_line(out, "run", plan->run.row.v[PAWL__RUN_ID].text);
        cli_put_line(out, "status", plan->run.status);
        if (plan->run.held)
                cli_putf(out, "owner        pid %" PRId64 " on %.*s\n", plan->run.owner.pid,
                        CLI_FMT(plan->run.owner.host));
        if (is_refused(plan))
                cli_put_line(out, "refused", pawl__text(plan->refused.message));
        fputc('\n', out);
}

static pawl__steering_action action_of(const cli_call *cli)
{
        const char *name = cli->args[0];

        return strcmp(name, "cancel") == 0 ? PAWL__STEER_CANCEL
               : strcmp(name, "skip") == 0 ? PAWL__STEER_SKIP
                                           : PAWL__STEER_RESUME;
}

static pawl_status plan(cli_call *cli, pawl_log *log, pawl_error *err)
{
        pawl_run_options options = PAWL_RUN_OPTIONS_INIT;
        pawl__steering found;

        options.accept_changed_inputs = cli_given(cli, "accept-changed-inputs");
        options.accept_changed_mission = cli_given(cli, "accept-changed-mission");
        options.rerun_changed = cli_given(cli, "rerun-changed");
        pawl_status status = pawl__steering_preview(&found, log, action_of(cli),
                pawl__text(cli->args[1]), pawl__text(cli_arg(cli, 2)), &options, cli->arena, err);
        if (status)
                return status;
        if (cli_given(cli, "json"))
                return cli_print_object(cli, fields, &found, err);
        print_head(cli->in->out, &found);
        return cli_table_print(cli->in->out, step_fields, log, found.steps, found.n_steps,
                sizeof *found.steps, err);
}

static int plan_run(cli_call *cli)
{
        const bool skip = strcmp(cli->args[0], "skip") == 0;

        if (!skip && strcmp(cli->args[0], "cancel") != 0 && strcmp(cli->args[0], "resume") != 0)
                return cli_usage(cli, "\"%s\" is nothing to plan; give resume, cancel or skip",
                        cli->args[0]);
        if (skip != (cli_arg(cli, 2) != NULL))
                return cli_usage(cli,
                        skip ? "skip takes a run and its step" : "a step goes with skip alone");
        return cli_with_log(cli, CLI_LOOK, plan);
}

static const cli_option plan_options[] = {
        {"accept-changed-inputs", 0, 0, CLI_FLAG, NULL, NULL, "as resume would be told"},
        {"accept-changed-mission", 0, 0, CLI_FLAG, NULL, NULL, "the same"},
        {"rerun-changed", 0, 0, CLI_FLAG, NULL, NULL, "the same"},
        {"json", 0, 0, CLI_FLAG, NULL, NULL, "print one object"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd pawl_plan_cmd = {
        .name = "plan",
        .args = "ACTION RUN [STEP]",
        .arg_help = {"resume, cancel or skip", "the run: its id, or 4 characters or more of it",
                "of skip: the step that failed"},
        .traits = CLI_SERVED,
        .options = plan_options,
        .help = "Say what resume, cancel or skip would do, and do nothing",
        .run = plan_run,
};
