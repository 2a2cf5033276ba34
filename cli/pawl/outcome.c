#include "cli/pawl/outcome.h"
#include "base/error.h"
#include "base/printable.h"
#include "cli/pawl/commands.h"
#include "cli/pawl/signals.h"
#include "command/fields.h"
#include "command/find.h"
#include "command/json.h"
#include "command/printable.h"
#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

static const struct {
        const char *words, *colour; /* NULL: nothing to tell */
        bool live;                  /* something begins: told on a terminal alone */
} stages[] = {
        [PAWL_STEP_CHECKING] = {NULL, NULL, true},
        [PAWL_STEP_RUNNING] = {"running", "36", true},
        [PAWL_STEP_COMPLETED] = {"completed", "32", false},
        [PAWL_STEP_SKIPPED] = {"completed earlier", "32", false},
        [PAWL_STEP_BLOCKED] = {"blocked", "33", false},
        [PAWL_STEP_FAILED] = {"failed", "31", false},
        [PAWL_STEP_LEFT_OUT] = {"skipped", "32", false},
};

cli_progress cli_progress_of(const cli_call *cli)
{
        bool json = cli_given(cli, "json");
        cli_progress progress = {
                .cli = cli,
                .steps = !json,
                .live = isatty(STDERR_FILENO) == 1,
                .colours = {cli_colours(stdout), cli_colours(stderr)},
                .taken = PAWL__JSON_WRITER_INIT,
        };

        pawl__json_open_array(&progress.taken);
        return progress;
}

/* A reader that went away is no reason to stop in the middle of a run: what was to be said is in
 * the log. Any other failure is told at the end. */
static void flush_stdout(void)
{
        if (fflush(stdout) != 0 && errno == EPIPE && !freopen("/dev/null", "w", stdout))
                clearerr(stdout);
}

void cli_progress_show(
        pawl_run_stage stage, const char *step_id, size_t number, size_t of, void *user)
{
        const cli_progress *progress = user;
        size_t n_stages = sizeof stages / sizeof *stages;

        if ((size_t)stage >= n_stages || !stages[stage].words)
                return;
        bool on_stderr = stages[stage].live || !progress->steps;
        if (on_stderr && !progress->live)
                return;
        FILE *out = on_stderr ? stderr : stdout;
        bool colours = progress->colours[on_stderr];
        cli_putf(out, "[%zu/%zu] %s", number, of, step_id);
        fprintf(out, ": %s%s%s%s%s\n", colours ? "\033[" : "", colours ? stages[stage].colour : "",
                colours ? "m" : "", stages[stage].words, colours ? "\033[0m" : "");
        if (!on_stderr)
                flush_stdout();
}

#define INFO(member) CLI_AT(pawl_workspace_checkpoint_info, member)

static const cli_field taken_fields[] = {
        {"n", CLI_AS_INTEGER, INFO(n)},
        {"id", CLI_AS_TEXT, INFO(id)},
        {"step_id", CLI_AS_TEXT, INFO(step_id)},
        {"description", CLI_AS_TEXT, INFO(description)},
        CLI_NO_FIELD,
};

void cli_progress_checkpoint(const pawl_workspace_checkpoint_info *info, void *user)
{
        cli_progress *progress = user;

        cli_object_json(&progress->taken, NULL, taken_fields, info);
        if (!progress->steps)
                return;
        printf("checkpoint %" PRIu64 " (%s", info->n, info->step_id.data ? "@" : "");
        cli_put(stdout, info->step_id.data ? info->step_id : info->description);
        fputs(")\n", stdout);
        flush_stdout();
        const uint64_t changed = info->added + info->removed + info->modified;
        if (info->has_changed && changed)
                cli_noticef(progress->cli,
                        "%" PRIu64 " file%s changed since checkpoint %" PRIu64
                        " before the run was resumed; see `pawl diff %" PRIu64 " %" PRIu64 "`",
                        changed, changed == 1 ? "" : "s", info->base, info->base, info->n);
}

/* A member that was not there before, or is not now, is null. */
static void write_changed_inputs(pawl__json_writer *w, const pawl_changed_inputs *inputs)
{
        static const cli_field member_fields[] = {
                {"path", CLI_AS_TEXT, CLI_AT(pawl_changed_member, path)},
                {"before", CLI_AS_RAW, CLI_AT(pawl_changed_member, before)},
                {"after", CLI_AS_RAW, CLI_AT(pawl_changed_member, after)},
                CLI_NO_FIELD,
        };

        if (!inputs->step_id)
                return;
        pawl__json_name(w, "inputs_changed");
        pawl__json_open_array(w);
        for (size_t i = 0; i < inputs->n; i++) {
                pawl__json_open_object(w);
                pawl__json_member_string(w, "step_id", inputs->step_id);
                cli_fields_json(w, member_fields, &inputs->items[i]);
                pawl__json_close_object(w);
        }
        pawl__json_close_array(w);
        pawl__json_member_string(w, "checkpoint_hash", inputs->checkpoint_hash);
        pawl__json_member_string(w, "current_hash", inputs->current_hash);
}

static const cli_field step_fields[] = {
        {"step_id", CLI_AS_STRING, CLI_AT(pawl_step_result, step_id)},
        {"status", CLI_AS_STRING, CLI_AT(pawl_step_result, status)},
        {"retry_token", CLI_AS_STRING, CLI_AT(pawl_step_result, retry_token)},
        {"cursor", CLI_AS_STRING, CLI_AT(pawl_step_result, cursor)},
        {"unfinished", CLI_AS_BOOL, CLI_AT(pawl_step_result, unfinished)},
        CLI_NO_FIELD,
};

static const cli_field conflict_fields[] = {
        {NULL, CLI_AS_STRING, CLI_AT(pawl_run_conflict, id)},
        CLI_NO_FIELD,
};

static const cli_field change_fields[] = {
        {"step_id", CLI_AS_STRING, CLI_AT(pawl_mission_change, step_id)},
        {"change", CLI_AS_STRING, CLI_AT(pawl_mission_change, change)},
        CLI_NO_FIELD,
};

#define AT(member) CLI_AT(pawl_run_result, member)

static const cli_field fields[] = {
        {"mission_id", CLI_AS_STRING, AT(mission_id)},
        {"run_id", CLI_AS_STRING, AT(run_id)},
        {"session_id", CLI_AS_STRING, AT(session_id)},
        {"status", CLI_AS_STRING, AT(status)},
        {"steps", CLI_AS_LIST, CLI_ITEMS(pawl_run_result, steps, n_steps), .fields = step_fields},
        {"conflicts", CLI_AS_LIST, CLI_ITEMS(pawl_run_result, conflicts, n_conflicts),
                .fields = conflict_fields},
        {"cancelled", CLI_AS_BOOL, AT(cancelled)},
        CLI_NO_FIELD,
};

static pawl_status print_json(const cli_call *cli, const pawl_run_result *result,
        pawl__json_writer *taken, pawl_error *err)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        pawl__json_open_object(&w);
        cli_fields_json(&w, fields, result);
        write_changed_inputs(&w, &result->inputs);
        if (result->n_changes)
                cli_list_json(&w, "mission_changed", change_fields, result->changes,
                        result->n_changes, sizeof *result->changes);
        pawl__json_close_array(taken);
        pawl__json_member_raw(&w, "checkpoints", pawl__buf_text(&taken->buf));
        w.buf.failed |= taken->buf.failed;
        pawl__json_close_object(&w);
        return cli_print_json(cli, &w, err);
}

static void print_closing(FILE *out, const pawl_run_result *result)
{
        bool skipped = false;

        for (size_t i = 0; i < result->n_steps; i++)
                skipped |= !result->steps[i].removed &&
                           strcmp(result->steps[i].status, "skipped") == 0;
        cli_putf(out, "run %s: %s, %" PRIu64 " of %" PRIu64 " steps completed%s\n", result->run_id,
                result->cancelled ? "cancelled" : result->status, result->steps_completed,
                result->steps_total, skipped ? " or skipped" : "");
}

static int interrupted_code(const pawl_run_result *result)
{
        int number = result ? result->signal : 0;

        if (!number)
                number = cli_signals_last();
        return number ? 128 + number : CLI_FAILED;
}

int cli_print_outcome(const cli_call *cli, pawl_status status, const pawl_run_result *result,
        cli_progress *progress, const pawl_error *err)
{
        pawl_error told = *err, why = PAWL_ERROR_INIT;

        if (result && cli_given(cli, "json") && print_json(cli, result, &progress->taken, &why))
                cli_fail(cli, &why);
        if (result && !cli_given(cli, "json"))
                print_closing(cli->in->out, result);
        pawl__json_writer_free(&progress->taken);
        flush_stdout();
        told.status = status;
        if (status == PAWL_OK || status == PAWL_DONE)
                return CLI_DONE;
        if (status == PAWL_EHELD && strcmp(cli->cmd->name, "resume") == 0 &&
                cli_given(cli, "unless-held"))
                return CLI_BUSY;
        int code = cli_fail(cli, &told);
        return status == PAWL_EINTERRUPTED ? interrupted_code(result) : code;
}
