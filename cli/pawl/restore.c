/* pawl restore list and pawl restore: tool calls, and taking one back. */
#include "cli/pawl/commands.h"
#include "cli/pawl/plan.h"
#include "cli/pawl/workspace.h"
#include "command/find.h"
#include "command/json.h"
#include "command/printable.h"
#include <inttypes.h>
#include <pawl/toolcalls.h>

/* The directory of documents; NULL: the log has them. */
static const char *files_of(const cli_call *cli)
{
        const char *given = cli_value(cli, "files");

        return given ? given : cli_variable(cli, "PAWL_TOOL_CHECKPOINT_FILES");
}

/* ---- list ------------------------------------------------------------------------------------ */

static int print_names(const cli_call *cli, const pawl_toolcall_names *names, const char *files)
{
        const size_t n = pawl_toolcall_names_count(names);
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        if (!cli_given(cli, "json")) {
                for (size_t i = 0; i < n; i++) {
                        cli_put(cli->in->out, pawl__text(pawl_toolcall_names_at(names, i)));
                        fputc('\n', cli->in->out);
                }
                if (n == 0) {
                        fputs("no tool call has a checkpoint in ", cli->in->out);
                        cli_put(cli->in->out, pawl__text(files ? files : "the log"));
                        cli_say(cli, cli->in->out, "; `pawl tool checkpoint` takes them");
                        fputc('\n', cli->in->out);
                }
                return CLI_DONE;
        }
        pawl__json_open_array(&w);
        for (size_t i = 0; i < n; i++)
                pawl__json_string(&w, pawl_toolcall_names_at(names, i));
        pawl__json_close_array(&w);
        return cli_print_json(cli, &w);
}

static int restore_list_run(cli_call *cli)
{
        const char *files = files_of(cli);
        pawl_toolcall_names *names = NULL;
        pawl_error err = PAWL_ERROR_INIT;
        pawl_log *log = NULL;
        int code;

        if (!files && cli_open_log(&log, cli, CLI_LOOK, &err))
                return cli_fail(cli, &err);
        if (pawl_toolcalls_list(&names, log, files, &err))
                code = cli_fail(cli, &err);
        else
                code = print_names(cli, names, files);
        pawl_toolcall_names_free(names);
        if (log)
                cli_close_log(cli, log);
        return code;
}

/* ---- restore --------------------------------------------------------------------------------- */

static void member_raw(pawl__json_writer *w, const char *name, pawl_text json)
{
        if (json.data)
                pawl__json_member_raw(w, name, json);
}

/* restored: the files are as they were before the call. */
static int print_json(const cli_call *cli, const pawl_toolcall_info *info, bool restored)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        pawl__json_open_object(&w);
        pawl__json_member_string(&w, "name", info->name);
        pawl__json_member_raw(&w, "toolCall", info->tool_call);
        member_raw(&w, "history", info->history);
        member_raw(&w, "clientHistory", info->client_history);
        if (info->message_id.data)
                pawl__json_member_text(&w, "messageId", info->message_id);
        pawl__json_member_bool(&w, "restored", restored);
        pawl__json_name(&w, "checkpoint");
        if (info->checkpoint) {
                pawl__json_open_object(&w);
                pawl__json_member_integer(&w, "n", (int64_t)info->checkpoint);
                pawl__json_member_string(&w, "id", info->checkpoint_id);
                pawl__json_close_object(&w);
        } else {
                pawl__json_null(&w);
        }
        pawl__json_name(&w, "safety");
        if (info->safety)
                pawl__json_integer(&w, (int64_t)info->safety);
        else
                pawl__json_null(&w);
        pawl__json_close_object(&w);
        return cli_print_json(cli, &w);
}

static int print_text(const cli_call *cli, const pawl_toolcall *call)
{
        const pawl_toolcall_info *info = pawl_toolcall_told(call);
        pawl_error err = PAWL_ERROR_INIT;
        pawl__buf text = PAWL__BUF_INIT;
        int code = CLI_DONE;

        if (pawl_toolcall_plan(call))
                code = cli_plan_done(cli, pawl_toolcall_plan(call));
        else
                fputs("it names no checkpoint: no file was touched\n", cli->in->out);
        if (code)
                return code;
        if (cli_json_layout(&text, info->tool_call, &err)) {
                pawl__buf_free(&text);
                return cli_fail(cli, &err);
        }
        fputs("the call, which was not run again:\n", cli->in->out);
        fprintf(cli->in->out, "%s\n", text.data);
        pawl__buf_free(&text);
        return CLI_DONE;
}

static int go_back(const cli_call *cli, pawl_log *log, const pawl_workspace_options *workspace)
{
        pawl_toolcall *call = NULL;
        pawl_error err = PAWL_ERROR_INIT;
        int code;

        if (pawl_toolcalls_restore(
                    &call, log, pawl__text(cli_arg(cli, 0)), files_of(cli), workspace, &err))
                return cli_fail(cli, &err);
        code = cli_given(cli, "json")
                       ? print_json(cli, pawl_toolcall_told(call), pawl_toolcall_plan(call) != NULL)
                       : print_text(cli, call);
        pawl_toolcall_free(call);
        return code;
}

static int restore_run(cli_call *cli)
{
        pawl_workspace_options workspace;
        pawl_error err = PAWL_ERROR_INIT;
        pawl__buf actor = PAWL__BUF_INIT;
        pawl_log *log = NULL;
        int code;

        if (cli_workspace_options(&workspace, &actor, cli, &err) ||
                cli_open_log(&log, cli, CLI_WRITE, &err))
                code = cli_fail(cli, &err);
        else
                code = go_back(cli, log, &workspace);
        if (log)
                cli_close_log(cli, log);
        pawl__buf_free(&actor);
        return code;
}

#define FILES_OPTION                                                                               \
        {                                                                                          \
                "files", 0, 0, CLI_FILE, "DIR", NULL,                                              \
                        "the documents in this directory, in place of the log's (default: "        \
                        "$PAWL_TOOL_CHECKPOINT_FILES)"                                             \
        }

static const cli_option restore_list_options[] = {
        FILES_OPTION,
        {"json", 0, 0, CLI_FLAG, NULL, NULL, "print one array"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};
static const cli_option restore_options[] = {
        FILES_OPTION,
        CLI_WORKSPACE_OPTIONS,
        {"json", 0, 0, CLI_FLAG, NULL, NULL, "print one object"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd pawl_restore_cmd = {
        .name = "restore",
        .args = "NAME",
        .min_args = 1,
        .max_args = 1,
        .arg_help = {"the call, as `restore list` names it"},
        .traits = CLI_SERVED | CLI_CHANGES | CLI_WORKSPACE,
        .options = restore_options,
        .help = "Put the files back as they were before a tool call, and tell the call",
        .run = restore_run,
};

const cli_cmd pawl_restore_list_cmd = {
        .name = "restore list",
        .args = "",
        .traits = CLI_SERVED,
        .options = restore_list_options,
        .help = "List the tool calls that can be taken back",
        .run = restore_list_run,
};
