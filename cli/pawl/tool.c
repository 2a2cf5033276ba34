/* pawl tool checkpoint: a checkpoint before each call of a tool that edits files. */
#include "base/error.h"
#include "cli/pawl/commands.h"
#include "cli/pawl/workspace.h"
#include "command/find.h"
#include "command/input.h"
#include "command/json.h"
#include "command/printable.h"
#include <inttypes.h>
#include <pawl/toolcalls.h>
#include <string.h>

/* One invocation. */
typedef struct taking {
        const cli_call *cli;
        cli_input input;
        pawl_text calls;
        pawl_toolcalls_options options;
        pawl_workspace_options workspace;
        const char **tools;
        pawl_error err;
} taking;

/* ---- What is asked --------------------------------------------------------------------------- */

static pawl_status read_calls(taking *t)
{
        const char *given = cli_arg(t->cli, 0);

        if (given) {
                t->calls = pawl__text(given);
                return PAWL_OK;
        }
        pawl_status status = cli_input_open(&t->input, cli_value(t->cli, "calls"), &t->err);
        return status ? status : cli_input_all(&t->calls, &t->input, &t->err);
}

/* "replace,write_file" */
static pawl_status tools_of_environment(taking *t, const char *list)
{
        char *names = (char *)(uintptr_t)pawl__arena_copy(t->cli->arena, pawl__text(list)).data,
             *rest;

        t->tools = pawl__arena_array(t->cli->arena, strlen(list) + 1, sizeof *t->tools);
        if (!names || !t->tools)
                return pawl__nomem(&t->err);
        for (char *name = strtok_r(names, ",", &rest); name; name = strtok_r(NULL, ",", &rest))
                t->tools[t->options.n_edit_tools++] = name;
        return PAWL_OK;
}

static pawl_status find_tools(taking *t)
{
        const char *list = cli_variable(t->cli, "PAWL_EDIT_TOOLS");
        pawl_status status = PAWL_OK;

        if (cli_given(t->cli, "tool")) {
                t->tools =
                        pawl__arena_array(t->cli->arena, t->cli->n_repeated + 1, sizeof *t->tools);
                if (!t->tools)
                        return pawl__nomem(&t->err);
                t->options.n_edit_tools = cli_texts(t->tools, t->cli, "tool");
        } else if (list) {
                status = tools_of_environment(t, list);
        }
        t->options.edit_tools = t->tools;
        return status;
}

static pawl_status find_switch(taking *t)
{
        const char *word = cli_variable(t->cli, "PAWL_TOOL_CHECKPOINTS");

        t->options.off = cli_given(t->cli, "off") || (word && strcmp(word, "off") == 0);
        if (t->options.off || !word || strcmp(word, "on") == 0)
                return PAWL_OK;
        return pawl__fail(&t->err, PAWL_EINVAL,
                "PAWL_TOOL_CHECKPOINTS: %.80s is not known; set on or off", word);
}

static pawl_status find_options(taking *t)
{
        const cli_call *cli = t->cli;
        const char *files = cli_value(cli, "files");
        pawl_status status = find_switch(t);

        t->options.files = files ? files : cli_variable(cli, "PAWL_TOOL_CHECKPOINT_FILES");
        t->options.mission_id = cli_variable(cli, "PAWL_MISSION_ID");
        t->options.run_id = cli_variable(cli, "PAWL_RUN_ID");
        t->options.step_id = cli_variable(cli, "PAWL_STEP_ID");
        t->options.session_id = cli_variable(cli, "PAWL_SESSION_ID");
        if (!status)
                status = find_tools(t);
        if (!status)
                status = cli_checkpoint_options(&t->workspace, cli, &t->err);
        t->options.workspace = &t->workspace;
        return status;
}

/* ---- Doing it -------------------------------------------------------------------------------- */

static void print_text(FILE *out, const pawl_toolcalls *batch)
{
        for (size_t i = 0; i < pawl_toolcalls_count(batch); i++) {
                const pawl_toolcall_outcome *outcome = pawl_toolcalls_at(batch, i);
                cli_putf(out, "%.*s (%.*s): %s\n", CLI_FMT(outcome->call_id),
                        CLI_FMT(outcome->tool),
                        outcome->checkpoint ? outcome->checkpoint
                        : outcome->status   ? "no checkpoint could be taken"
                        : outcome->edits    ? "no checkpoint, they are switched off"
                                            : "no checkpoint, it edits nothing");
                if (outcome->over_budget)
                        fprintf(out, "  %" PRIu64 " not captured: beyond the time budget\n",
                                outcome->over_budget);
        }
}

static int print_json(taking *t, const pawl_toolcalls *batch)
{
        char *json;
        size_t len;

        if (pawl_toolcalls_json(&json, &len, batch, &t->err))
                return cli_fail(t->cli, &t->err);
        cli_print_line(t->cli, pawl__text_n(json, len));
        pawl_free(json);
        return CLI_DONE;
}

/* The first failure, and how many there are. */
static int fail(taking *t, const pawl_toolcalls *batch)
{
        for (size_t i = 0; i < pawl_toolcalls_count(batch); i++) {
                const pawl_toolcall_outcome *outcome = pawl_toolcalls_at(batch, i);
                if (!outcome->status)
                        continue;
                (void)pawl__fail(&t->err, outcome->status, "%zu of %zu calls failed: %.*s: %s",
                        pawl_toolcalls_failed(batch), pawl_toolcalls_count(batch),
                        PAWL__FMT(outcome->call_id), outcome->error);
                break;
        }
        (void)cli_fail(t->cli, &t->err);
        return CLI_FAILED;
}

static int tell(taking *t, const pawl_toolcalls *batch)
{
        int code = CLI_DONE;

        if (cli_given(t->cli, "json"))
                code = print_json(t, batch);
        else
                print_text(t->cli->in->out, batch);
        return code || !pawl_toolcalls_failed(batch) ? code : fail(t, batch);
}

static bool any_edits(const pawl_toolcalls *batch)
{
        for (size_t i = 0; i < pawl_toolcalls_count(batch); i++)
                if (pawl_toolcalls_at(batch, i)->edits)
                        return true;
        return false;
}

/* A log is created where there is none, but not for a batch that edits nothing: that is seen first.
 */
static int take(taking *t)
{
        pawl_toolcalls_options off = t->options;
        pawl_toolcalls *batch = NULL;
        pawl_log *log = NULL;

        off.off = true;
        if (pawl_toolcalls_checkpoint(&batch, NULL, t->calls.data, t->calls.len, &off, &t->err))
                return cli_fail(t->cli, &t->err);
        if (!t->options.off && any_edits(batch)) {
                pawl_toolcalls_free(batch);
                batch = NULL;
                if (cli_open_log(&log, t->cli, CLI_MAKE, &t->err))
                        return cli_fail(t->cli, &t->err);
                cli_scan scan = {0};
                cli_scan_show(&scan, &t->workspace, t->cli);
                const pawl_status status = pawl_toolcalls_checkpoint(
                        &batch, log, t->calls.data, t->calls.len, &t->options, &t->err);
                cli_scan_end(&scan);
                if (status) {
                        cli_close_log(t->cli, log);
                        return cli_fail(t->cli, &t->err);
                }
        }
        int code = tell(t, batch);
        pawl_toolcalls_free(batch);
        if (log)
                cli_close_log(t->cli, log);
        return code;
}

static int tool_checkpoint_run(cli_call *cli)
{
        taking t = {.cli = cli,
                .input = {.fd = -1},
                .options = PAWL_TOOLCALLS_OPTIONS_INIT,
                .err = PAWL_ERROR_INIT};
        int code;

        if ((cli_arg(cli, 0) != NULL) == (cli_value(cli, "calls") != NULL))
                return cli_usage(cli, "give the calls, or --calls and their file");
        if (read_calls(&t) || find_options(&t))
                code = cli_fail(cli, &t.err);
        else
                code = take(&t);
        cli_input_close(&t.input);
        return code;
}

static const cli_option tool_checkpoint_options[] = {
        {"calls", 0, 0, CLI_FILE, "FILE", NULL, "the calls, JSON, in place of CALLS; - is stdin"},
        {"files", 0, 0, CLI_FILE, "DIR", NULL,
                "also write each document there (default: $PAWL_TOOL_CHECKPOINT_FILES)"},
        {"tool", 0, 0, CLI_TEXTS, "NAME", NULL,
                "a tool that edits (default: $PAWL_EDIT_TOOLS, or replace and write_file)"},
        {"off", 0, 0, CLI_FLAG, NULL, NULL, "take none, write nothing; $PAWL_TOOL_CHECKPOINTS=off"},
        CLI_CHECKPOINT_OPTIONS,
        {"json", 0, 0, CLI_FLAG, NULL, NULL, "print the calls with their checkpoints"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd pawl_tool_checkpoint_cmd = {
        .name = "tool checkpoint",
        .args = "[CALLS]",
        .arg_help =
                {"the tool calls, JSON: an array of {callId, name, args}, or an object with it"},
        .traits = CLI_SERVED | CLI_CHANGES | CLI_WORKSPACE | CLI_ADDS,
        .options = tool_checkpoint_options,
        .help = "Take a checkpoint before each tool call that edits files",
        .run = tool_checkpoint_run,
};
