/* pawl show: one checkpoint of the workspace, or a document that was kept with it. */
#include "base/sources.h"
#include "cli/pawl/commands.h"
#include "cli/pawl/workspace.h"
#include "command/find.h"
#include "command/json.h"
#include "command/printable.h"
#include <inttypes.h>
#include <stdio.h>

static int print_json(
        const cli_call *cli, const pawl_workspace_checkpoint_info *info, const pawl_missed *missed)
{
        size_t n = 0;
        const pawl_not_captured *items = missed ? pawl_missed_items(missed, &n) : NULL;

        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        pawl__json_open_object(&w);
        cli_checkpoint_members(&w, info);
        cli_missed_member(&w, items, n);
        pawl__json_close_object(&w);
        return cli_print_json(cli, &w);
}

static void print_line(FILE *out, const char *name, pawl_text value)
{
        if (!value.data)
                return;
        fprintf(out, "%-12s ", name);
        cli_put(out, value);
        fputc('\n', out);
}

static void print_standing(FILE *out, const pawl_workspace_checkpoint_info *info)
{
        fprintf(out, "%-12s %s", "standing", info->valid ? "✓ valid" : "✗ not valid");
        if (info->why_invalid.data) {
                fputs(": ", out);
                cli_put(out, info->why_invalid);
        }
        if (info->given_up.data) {
                fputs(", given up: ", out);
                cli_put(out, info->given_up);
        }
        if (info->current)
                fputs(", current", out);
        if (info->safety)
                fputs(", taken by a rollback, to undo it", out);
        if (info->pinned)
                fputs(", pinned", out);
        if (info->pruned)
                fputs(", its contents were pruned", out);
        if (info->imported)
                fputs(", imported", out);
        fputc('\n', out);
}

static void print_text(
        const cli_call *cli, const pawl_workspace_checkpoint_info *info, const pawl_missed *missed)
{
        FILE *out = cli->in->out;
        size_t n = 0;
        const pawl_not_captured *items = missed ? pawl_missed_items(missed, &n) : NULL;
        char time[28], size[32];

        pawl__time_format(time, info->created_us);
        cli_size_text(size, info->bytes);
        fprintf(out, "checkpoint %" PRIu64 "\n", info->n);
        print_line(out, "id", info->id);
        print_line(out, "description", info->description);
        print_line(out, "trigger", info->trigger);
        print_line(out, "taken at", pawl__text(time));
        print_line(out, "mission", info->mission_id);
        print_line(out, "run", info->run_id);
        print_line(out, "step", info->step_id);
        print_line(out, "session", info->session_id);
        print_line(out, "root", info->root);
        fprintf(out, "%-12s %" PRIu64 ", %s", "files", info->files, size);
        if (info->not_captured)
                fprintf(out, ", %" PRIu64 " not captured", info->not_captured);
        fputc('\n', out);
        cli_missed_print(out, items, n);
        print_line(out, "tree", info->tree);
        print_line(out, "git", info->git_head);
        print_line(out, "branch", info->git_branch);
        print_line(out, "state", info->state_hash);
        print_line(out, "outputs", info->outputs_hash);
        print_standing(out, info);
        if (!info->valid)
                return;
        cli_sayf(cli, out,
                "`pawl diff %" PRIu64 "` shows what changed since, `pawl rollback %" PRIu64
                " --plan` what going back would do",
                info->n, info->n);
        fputc('\n', out);
}

static int print_document(const cli_call *cli, pawl_log *log)
{
        pawl_error err = PAWL_ERROR_INIT;
        char *json;
        size_t len;

        if (pawl_workspace_checkpoint_document(
                    &json, &len, log, cli->args[0], cli_value(cli, "document"), &err))
                return cli_fail(cli, &err);
        fwrite(json, 1, len, cli->in->out);
        fputc('\n', cli->in->out);
        pawl_free(json);
        return CLI_DONE;
}

static int print_checkpoint(const cli_call *cli, pawl_log *log)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl_workspace_checkpoints *list = NULL;
        pawl_missed *missed = NULL;
        int code = CLI_DONE;

        if (pawl_workspace_checkpoint_find(&list, log, cli->args[0], &err)) {
                code = cli_fail(cli, &err);
        } else {
                pawl_status found =
                        pawl_workspace_checkpoint_missed(&missed, log, cli->args[0], &err);
                (void)found; /* pruned or damaged: how many there were stands beside the files */
                if (cli_given(cli, "json"))
                        code = print_json(cli, pawl_workspace_checkpoints_at(list, 0), missed);
                else
                        print_text(cli, pawl_workspace_checkpoints_at(list, 0), missed);
        }
        pawl_missed_free(missed);
        pawl_workspace_checkpoints_free(list);
        return code;
}

static int show_run(cli_call *cli)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl_log *log;

        if (cli_open_log(&log, cli, CLI_LOOK, &err))
                return cli_fail(cli, &err);
        int code =
                cli_given(cli, "document") ? print_document(cli, log) : print_checkpoint(cli, log);
        cli_close_log(cli, log);
        return code;
}

static const cli_option show_options[] = {
        {"document", 0, 0, CLI_CHOICE, "NAME", "state|outputs",
                "print the state or the outputs kept with it, JSON"},
        {"json", 0, 0, CLI_FLAG, NULL, NULL, "print one object"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd pawl_show_cmd = {
        .name = "show",
        .args = "CHECKPOINT",
        .min_args = 1,
        .max_args = 1,
        .arg_help =
                {"the checkpoint: its number, its id, \"current\", or @STEP for that step's newest"},
        .traits = CLI_SERVED,
        .options = show_options,
        .help = "Show one checkpoint of the workspace, by its number, its id, \"current\" or @STEP",
        .run = show_run,
};
