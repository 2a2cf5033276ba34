#include "cli/pawl/outcome.h"
#include "base/error.h"
#include "cli/pawl/signals.h"
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
};

cli_progress cli_progress_of(const cli_call *cli)
{
        bool json = cli_given(cli, "json");
        cli_progress progress = {
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
        fprintf(out, "[%zu/%zu] ", number, of);
        cli_puts(out, step_id);
        fprintf(out, ": %s%s%s%s%s\n", colours ? "\033[" : "", colours ? stages[stage].colour : "",
                colours ? "m" : "", stages[stage].words, colours ? "\033[0m" : "");
        if (!on_stderr)
                flush_stdout();
}

void cli_progress_checkpoint(const pawl_workspace_checkpoint_info *info, void *user)
{
        cli_progress *progress = user;
        pawl__json_writer *w = &progress->taken;

        pawl__json_open_object(w);
        pawl__json_member_integer(w, "n", (int64_t)info->n);
        pawl__json_member_text(w, "id", info->id);
        pawl__json_member_text(w, "step_id", info->step_id);
        pawl__json_member_text(w, "description", info->description);
        pawl__json_close_object(w);
        if (!progress->steps)
                return;
        printf("checkpoint %" PRIu64 " (%s", info->n, info->step_id.data ? "@" : "");
        cli_put(stdout, info->step_id.data ? info->step_id : info->description);
        fputs(")\n", stdout);
        flush_stdout();
}

/* A member that was not there before, or is not now, is null. */
static void write_changed_inputs(pawl__json_writer *w, const pawl_changed_inputs *inputs)
{
        if (!inputs->step_id)
                return;
        pawl__json_name(w, "inputs_changed");
        pawl__json_open_array(w);
        for (size_t i = 0; i < inputs->n; i++) {
                const pawl_text null = pawl__text("null");
                const pawl_changed_member *member = &inputs->items[i];
                pawl__json_open_object(w);
                pawl__json_member_string(w, "step_id", inputs->step_id);
                pawl__json_member_text(w, "path", member->path);
                pawl__json_member_raw(w, "before", member->before.data ? member->before : null);
                pawl__json_member_raw(w, "after", member->after.data ? member->after : null);
                pawl__json_close_object(w);
        }
        pawl__json_close_array(w);
        pawl__json_member_string(w, "checkpoint_hash", inputs->checkpoint_hash);
        pawl__json_member_string(w, "current_hash", inputs->current_hash);
}

static void write_mission_changes(pawl__json_writer *w, const pawl_run_result *result)
{
        size_t n;
        const pawl_mission_change *changes = pawl_run_result_mission_changes(result, &n);

        if (n == 0)
                return;
        pawl__json_name(w, "mission_changed");
        pawl__json_open_array(w);
        for (size_t i = 0; i < n; i++) {
                pawl__json_open_object(w);
                pawl__json_member_string(w, "step_id", changes[i].step_id);
                pawl__json_member_string(w, "change", changes[i].change);
                pawl__json_close_object(w);
        }
        pawl__json_close_array(w);
}

static void print_json(const cli_call *cli, const pawl_run_result *result, pawl__json_writer *taken)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        pawl__json_open_object(&w);
        pawl__json_member_string(&w, "mission_id", pawl_run_result_mission_id(result));
        pawl__json_member_string(&w, "run_id", pawl_run_result_run_id(result));
        pawl__json_member_string(&w, "session_id", pawl_run_result_session_id(result));
        pawl__json_member_string(&w, "status", pawl_run_result_status(result));
        pawl__json_name(&w, "steps");
        pawl__json_open_array(&w);
        for (size_t i = 0; i < pawl_run_result_steps(result); i++) {
                const pawl_step_result *step = pawl_run_result_step(result, i);
                pawl__json_open_object(&w);
                pawl__json_member_string(&w, "step_id", step->step_id);
                pawl__json_member_string(&w, "status", step->status);
                pawl__json_member_string(&w, "retry_token", step->retry_token);
                pawl__json_member_string(&w, "cursor", step->cursor);
                pawl__json_close_object(&w);
        }
        pawl__json_close_array(&w);
        pawl__json_name(&w, "conflicts");
        pawl__json_open_array(&w);
        for (size_t i = 0; i < pawl_run_result_conflicts(result); i++)
                pawl__json_string(&w, pawl_run_result_conflict(result, i));
        pawl__json_close_array(&w);
        write_changed_inputs(&w, pawl_run_result_changed_inputs(result));
        write_mission_changes(&w, result);
        pawl__json_close_array(taken);
        pawl__json_member_raw(&w, "checkpoints", pawl__buf_text(&taken->buf));
        w.buf.failed |= taken->buf.failed;
        pawl__json_close_object(&w);
        cli_print_json(cli, &w);
}

static void print_closing(FILE *out, const pawl_run_result *result)
{
        size_t n = 0, completed = 0;

        for (size_t i = 0; i < pawl_run_result_steps(result); i++) {
                const char *status = pawl_run_result_step(result, i)->status;
                n += strcmp(status, "skipped") != 0;
                completed += strcmp(status, "completed") == 0;
        }
        fputs("run ", out);
        cli_puts(out, pawl_run_result_run_id(result));
        fprintf(out, ": %s, %zu of %zu steps completed\n", pawl_run_result_status(result),
                completed, n);
}

/* The step that holds the run, and the first of the conflicts that hold it. */
static const pawl_step_result *blocked_step(const pawl_run_result *result)
{
        for (size_t i = 0; i < pawl_run_result_steps(result); i++)
                if (strcmp(pawl_run_result_step(result, i)->status, "blocked") == 0)
                        return pawl_run_result_step(result, i);
        return NULL;
}

static int tell_blocked(const cli_call *cli, const pawl_run_result *result, const pawl_error *err)
{
        const pawl_step_result *step = result ? blocked_step(result) : NULL;
        size_t n = result ? pawl_run_result_conflicts(result) : 0;
        pawl_error told = *err;

        told.status = PAWL_BLOCKED;
        if (step && n > 0 && step->retry_token)
                pawl__fail(&told, PAWL_BLOCKED,
                        "step %s: generation is blocked by %zu unresolved conflict%s; answer with "
                        "`pawl resolve %s %s (see `pawl conflicts`), then `pawl resume %s`",
                        step->step_id, n, n == 1 ? "" : "s", pawl_run_result_conflict(result, 0),
                        pawl_run_result_can_pick(result, 0) ? "--pick N`, or --define TEXT"
                                                            : "--define TEXT`",
                        step->retry_token);
        return cli_fail(cli, &told);
}

static int interrupted_code(const pawl_run_result *result)
{
        int number = result ? pawl_run_result_signal(result) : 0;

        if (!number)
                number = cli_signals_last();
        return number ? 128 + number : CLI_FAILED;
}

int cli_tell_outcome(const cli_call *cli, pawl_status status, const pawl_run_result *result,
        cli_progress *progress, const pawl_error *err)
{
        pawl_error told = *err;

        if (result && cli_given(cli, "json"))
                print_json(cli, result, &progress->taken);
        else if (result)
                print_closing(cli->in->out, result);
        pawl__json_writer_free(&progress->taken);
        flush_stdout();
        told.status = status;
        if (status == PAWL_OK || status == PAWL_DONE)
                return CLI_DONE;
        if (status == PAWL_BLOCKED)
                return tell_blocked(cli, result, err);
        int code = cli_fail(cli, &told);
        return status == PAWL_EINTERRUPTED ? interrupted_code(result) : code;
}
