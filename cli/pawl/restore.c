/* pawl restore list and pawl restore: tool calls, and taking one back. */
#include "base/error.h"
#include "cli/pawl/commands.h"
#include "cli/pawl/plan.h"
#include "cli/pawl/rollback_do.h"
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

static const cli_field name_fields[] = {
        {NULL, CLI_AS_STRING, .at = 0},
        CLI_NO_FIELD,
};

static pawl_status print_names(
        const cli_call *cli, const pawl_toolcall_names *names, const char *files, pawl_error *err)
{
        FILE *out = cli->in->out;

        if (cli_given(cli, "json"))
                return cli_print_list(
                        cli, NULL, name_fields, names->items, names->n, sizeof *names->items, err);
        for (size_t i = 0; i < names->n; i++)
                cli_putf(out, "%s\n", names->items[i]);
        if (names->n == 0) {
                cli_putf(out, "no tool call has a checkpoint in %s", files ? files : "the log");
                cli_say(cli, out, "; `pawl tool checkpoint CALLS` takes them");
                fputc('\n', out);
        }
        return PAWL_OK;
}

static pawl_status restore_list(cli_call *cli, pawl_log *log, pawl_error *err)
{
        const char *files = files_of(cli);
        pawl_toolcall_names *names = NULL;
        pawl_status status = pawl_toolcalls_list(&names, log, files, err);

        if (!status)
                status = print_names(cli, names, files, err);
        pawl_toolcall_names_free(names);
        return status;
}

static int restore_list_run(cli_call *cli)
{
        pawl_error err = PAWL_ERROR_INIT;

        if (!files_of(cli))
                return cli_with_log(cli, CLI_LOOK, restore_list);
        return restore_list(cli, NULL, &err) ? cli_fail(cli, &err) : CLI_DONE;
}

/* ---- restore --------------------------------------------------------------------------------- */

#define AT(member) CLI_AT(pawl_toolcall_info, member)

static bool has_checkpoint(const void *item)
{
        return ((const pawl_toolcall_info *)item)->checkpoint != 0;
}

static const cli_field checkpoint_fields[] = {
        {"n", CLI_AS_INTEGER, AT(checkpoint)},
        {"id", CLI_AS_STRING, AT(checkpoint_id)},
        CLI_NO_FIELD,
};

static const cli_field call_fields[] = {
        {"name", CLI_AS_STRING, AT(name)},
        {"toolCall", CLI_AS_RAW, AT(tool_call)},
        {"history", CLI_AS_RAW, AT(history), .or_none = true},
        {"clientHistory", CLI_AS_RAW, AT(client_history), .or_none = true},
        {"messageId", CLI_AS_TEXT, AT(message_id), .or_none = true},
        CLI_NO_FIELD,
};

static const cli_field back_fields[] = {
        {"checkpoint", CLI_AS_PART, .has = has_checkpoint, .fields = checkpoint_fields},
        {"safety", CLI_AS_INTEGER, AT(safety), .or_null = true},
        CLI_NO_FIELD,
};

/* What a restore does, or did. */
typedef struct call_restore {
        cli_rollback g;
        pawl_toolcall_info call;
        pawl_rollback_plan *plan; /* NULL: the call names no checkpoint */
        bool applied;
} call_restore;

static pawl_status print_json(const call_restore *t, pawl_error *err)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        pawl__json_open_object(&w);
        cli_fields_json(&w, call_fields, &t->call);
        pawl__json_member_bool(&w, "restored", t->plan && pawl_rollback_plan_look(t->plan).exact);
        cli_fields_json(&w, back_fields, &t->call);
        pawl__json_name(&w, "rollback");
        cli_plan_object(&w, t->plan, t->applied);
        pawl__json_close_object(&w);
        return cli_print_json(t->g.cli, &w, err);
}

static pawl_status print_text(const call_restore *t, pawl_error *err)
{
        const cli_call *cli = t->g.cli;
        pawl__buf text = PAWL__BUF_INIT;
        pawl_status status = PAWL_OK;

        if (!t->plan)
                fputs("it names no checkpoint: no file was touched\n", cli->in->out);
        else if (t->applied)
                status = cli_plan_done(cli, t->g.log, t->plan, err);
        else
                cli_plan_print(cli->in->out, t->plan);
        if (!status)
                status = cli_json_layout(&text, t->call.tool_call, err);
        if (!status)
                fprintf(cli->in->out, "the call, which was not run again:\n%s\n", text.data);
        pawl__buf_free(&text);
        return status;
}

static pawl_status take_back(call_restore *t, pawl_error *err)
{
        const cli_call *cli = t->g.cli;
        pawl__buf reason = PAWL__BUF_INIT;
        char which[24];

        snprintf(which, sizeof which, "%" PRIu64, t->call.checkpoint);
        pawl__buf_addf(&reason, "take back %s", t->call.name);
        pawl_status status = pawl__buf_check(&reason, err);
        t->g.name = "restore";
        t->g.question = "take it back?";
        t->g.without_asking = true;
        t->g.options.call = &t->call.named;
        if (!t->g.options.reason)
                t->g.options.reason = reason.data;
        if (!status)
                status = cli_rollback_do(&t->plan, &t->g, which);
        if (!status)
                t->call.safety = pawl_rollback_plan_look(t->plan).safety;
        t->applied = !cli_given(cli, "plan");
        pawl__buf_free(&reason);
        return status;
}

static pawl_status restore(cli_call *cli, pawl_log *log, pawl_error *err)
{
        const char *repository = cli_value(cli, "repository"),
                   *word = cli_variable(cli, "PAWL_TOOL_CHECKPOINTS");
        pawl_toolcall *call;
        call_restore t = {.plan = NULL};

        if (!repository)
                repository = cli_variable(cli, "PAWL_TOOL_CHECKPOINT_REPOSITORY");
        if (word && strcmp(word, "off") == 0)
                return pawl__fail(err, PAWL_ESTATE,
                        "restore: tool checkpoints are switched off (PAWL_TOOL_CHECKPOINTS=off); set "
                        "it to on");
        TRY(cli_rollback_begin(&t.g, cli, log, err));
        TRY(pawl_toolcalls_find(&call, log, pawl__text(cli_arg(cli, 0)), files_of(cli), repository,
                &t.g.workspace, err));
        t.call = *pawl_toolcall_told(call);
        pawl_status status = t.call.checkpoint ? take_back(&t, err) : PAWL_OK;
        if (!status)
                status = cli_given(cli, "json") ? print_json(&t, err) : print_text(&t, err);
        if (!status && t.applied)
                status = cli_plan_missed(t.plan, err);
        pawl_rollback_plan_free(t.plan);
        pawl_toolcall_free(call);
        return status;
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
        {"repository", 0, 0, CLI_FILE, "DIR", NULL,
                "the git repository of a commit that another program names (default: "
                "$PAWL_TOOL_CHECKPOINT_REPOSITORY, or the workspace's)"},
        CLI_ROLLBACK_OPTIONS,
        CLI_ROLLBACK_OPTIONS_END,
};

const cli_cmd pawl_restore_cmd = {
        .name = "restore",
        .args = "NAME",
        .arg_help = {"the call, as `restore list` names it"},
        .traits = CLI_SERVED | CLI_CHANGES | CLI_WORKSPACE | CLI_REPLACES,
        .options = restore_options,
        .help = "Put the files back as they were before a tool call, remove those it made, and tell it",
        .on_log = restore,
        .access = CLI_WRITE,
};

const cli_cmd pawl_restore_list_cmd = {
        .name = "restore list",
        .traits = CLI_SERVED,
        .options = restore_list_options,
        .help = "List the tool calls that can be taken back",
        .run = restore_list_run,
};
