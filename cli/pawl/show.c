/* pawl show: one checkpoint of the workspace, or a document that was kept with it. */
#include "base/sources.h"
#include "cli/pawl/commands.h"
#include "cli/pawl/workspace.h"
#include "command/find.h"
#include "command/json.h"
#include "command/printable.h"
#include <inttypes.h>
#include <stdio.h>

static int print_json(const cli_call *cli, const pawl_checkpoint_info *info)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        pawl__json_open_object(&w);
        cli_checkpoint_members(&w, info);
        pawl__json_close_object(&w);
        return cli_print_json(cli, &w);
}

static void print_line(const char *name, pawl_text value)
{
        if (!value.data)
                return;
        printf("%-12s ", name);
        cli_put(stdout, value);
        putchar('\n');
}

static void print_standing(const pawl_checkpoint_info *info)
{
        printf("%-12s %s", "standing", info->valid ? "✓ valid" : "✗ not valid");
        if (info->why_invalid.data) {
                fputs(": ", stdout);
                cli_put(stdout, info->why_invalid);
        }
        if (info->current)
                fputs(", current", stdout);
        if (info->safety)
                fputs(", taken by a rollback, to undo it", stdout);
        if (info->pinned)
                fputs(", pinned", stdout);
        if (info->pruned)
                fputs(", its contents were pruned", stdout);
        putchar('\n');
}

static void print_text(const pawl_checkpoint_info *info)
{
        char time[28], size[32];

        pawl__time_format(time, info->created_us);
        cli_size_text(size, info->bytes);
        printf("checkpoint %" PRIu64 "\n", info->n);
        print_line("id", info->id);
        print_line("description", info->description);
        print_line("trigger", info->trigger);
        print_line("taken at", pawl__text(time));
        print_line("mission", info->mission_id);
        print_line("run", info->run_id);
        print_line("step", info->step_id);
        print_line("session", info->session_id);
        print_line("root", info->root);
        printf("%-12s %" PRIu64 ", %s", "files", info->files, size);
        if (info->not_captured)
                printf(", %" PRIu64 " not captured", info->not_captured);
        putchar('\n');
        print_line("tree", info->tree);
        print_line("git", info->git_head);
        print_line("branch", info->git_branch);
        print_line("state", info->state_hash);
        print_line("outputs", info->outputs_hash);
        print_standing(info);
        if (info->valid)
                printf("`pawl diff %" PRIu64 "` shows what changed since, `pawl rollback %" PRIu64
                       " --plan` what going back would do\n",
                        info->n, info->n);
}

static int print_document(const cli_call *cli, pawl_log *log)
{
        pawl_error err = PAWL_ERROR_INIT;
        char *json;
        size_t len;

        if (pawl_checkpoint_document(
                    &json, &len, log, cli->args[0], cli_value(cli, "document"), &err))
                return cli_fail(cli, &err);
        fwrite(json, 1, len, stdout);
        putchar('\n');
        pawl_free(json);
        return CLI_DONE;
}

static int print_checkpoint(const cli_call *cli, pawl_log *log)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl_checkpoints *list = NULL;
        int code = CLI_DONE;

        if (pawl_checkpoint_find(&list, log, cli->args[0], &err))
                code = cli_fail(cli, &err);
        else if (cli_given(cli, "json"))
                code = print_json(cli, pawl_checkpoints_at(list, 0));
        else
                print_text(pawl_checkpoints_at(list, 0));
        pawl_checkpoints_free(list);
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
        .options = show_options,
        .help = "Show one checkpoint of the workspace, by its number, its id or \"current\"",
        .run = show_run,
};
