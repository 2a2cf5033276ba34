/* pawl show: one checkpoint of the workspace, or a document that was kept with it. */
#include "base/sources.h"
#include "cli/pawl/commands.h"
#include "cli/pawl/workspace.h"
#include "command/find.h"
#include "command/json.h"
#include "command/printable.h"
#include <inttypes.h>
#include <stdio.h>

enum { FILES_SHOWN = 20, JSON_SHOWN = 200 };

/* What there is beside the checkpoint's row. Whatever cannot be had, because it was pruned or is
 * damaged, or git has it no more, is left out. */
typedef struct details {
        pawl_missed *missed;
        pawl_comparison *changes; /* since its base */
        char *state, *outputs, *subject;
        size_t state_len, outputs_len, subject_len;
} details;

static void read_details(details *d, pawl_log *log, const pawl_workspace_checkpoint_info *info)
{
        pawl_error why = PAWL_ERROR_INIT;
        char n[24], base[24];
        pawl_status got;

        snprintf(n, sizeof n, "%" PRIu64, info->n);
        snprintf(base, sizeof base, "%" PRIu64, info->base);
        got = pawl_workspace_checkpoint_missed(&d->missed, log, n, &why);
        if (info->base)
                got = pawl_workspace_compare(&d->changes, log, base, n, NULL, NULL, NULL, &why);
        got = pawl_workspace_checkpoint_document(&d->state, &d->state_len, log, n, "state", &why);
        got = pawl_workspace_checkpoint_document(
                &d->outputs, &d->outputs_len, log, n, "outputs", &why);
        if (info->git_head.data)
                got = pawl_workspace_checkpoint_subject(&d->subject, &d->subject_len, log, n, &why);
        (void)got;
}

static void free_details(details *d)
{
        pawl_missed_free(d->missed);
        pawl_comparison_free(d->changes);
        pawl_free(d->state);
        pawl_free(d->outputs);
        pawl_free(d->subject);
}

static void json_document(pawl__json_writer *w, const char *name, const char *json, size_t len)
{
        pawl__json_member_raw(w, name, json ? pawl__text_n(json, len) : pawl__text("null"));
}

static int print_json(
        const cli_call *cli, const pawl_workspace_checkpoint_info *info, const details *d)
{
        size_t n = 0;
        const pawl_not_captured *items = d->missed ? pawl_missed_items(d->missed, &n) : NULL;
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        pawl__json_open_object(&w);
        cli_checkpoint_members(&w, info);
        cli_missed_member(&w, items, n);
        pawl__json_name(&w, "changes");
        if (d->changes) {
                pawl__json_open_array(&w);
                for (size_t i = 0; i < pawl_comparison_files(d->changes); i++)
                        cli_change_json(&w, pawl_comparison_file(d->changes, i));
                pawl__json_close_array(&w);
        } else {
                pawl__json_null(&w);
        }
        json_document(&w, "state", d->state, d->state_len);
        json_document(&w, "outputs", d->outputs, d->outputs_len);
        cli_text_member(&w, "subject", pawl__text_n(d->subject, d->subject_len));
        pawl__json_close_object(&w);
        return cli_print_json(cli, &w);
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

static void print_document_line(FILE *out, const char *name, const char *json, size_t len)
{
        if (!json)
                return;
        fprintf(out, "%-12s ", name);
        cli_put_cut(out, pawl__text_n(json, len), JSON_SHOWN);
        fputc('\n', out);
}

static void print_changes(const cli_call *cli, const pawl_workspace_checkpoint_info *info,
        const pawl_comparison *changes)
{
        const size_t n = changes ? pawl_comparison_files(changes) : 0;
        FILE *out = cli->in->out;

        if (!changes)
                return;
        fprintf(out, "%-12s %zu since checkpoint %" PRIu64 "\n", "changed", n, info->base);
        for (size_t i = 0; i < n && i < FILES_SHOWN; i++) {
                fputs("  ", out);
                cli_change_print(out, pawl_comparison_file(changes, i));
        }
        if (n > FILES_SHOWN) {
                cli_sayf(cli, out, "  and %zu more; `pawl diff %" PRIu64 " %" PRIu64 "` shows all",
                        n - FILES_SHOWN, info->base, info->n);
                fputc('\n', out);
        }
}

static void print_text(
        const cli_call *cli, const pawl_workspace_checkpoint_info *info, const details *d)
{
        FILE *out = cli->in->out;
        size_t n = 0;
        const pawl_not_captured *items = d->missed ? pawl_missed_items(d->missed, &n) : NULL;
        char time[28], size[32];

        pawl__time_format(time, info->created_us);
        cli_size_text(size, info->bytes);
        fprintf(out, "checkpoint %" PRIu64 "\n", info->n);
        cli_put_line(out, "id", info->id);
        cli_put_line(out, "description", info->description);
        cli_put_line(out, "trigger", info->trigger);
        cli_put_line(out, "taken at", pawl__text(time));
        cli_put_line(out, "mission", info->mission_id);
        cli_put_line(out, "run", info->run_id);
        cli_put_line(out, "step", info->step_id);
        cli_put_line(out, "session", info->session_id);
        cli_put_line(out, "root", info->root);
        fprintf(out, "%-12s %" PRIu64 ", %s", "files", info->files, size);
        if (info->not_captured)
                fprintf(out, ", %" PRIu64 " not captured", info->not_captured);
        fputc('\n', out);
        cli_missed_print(out, items, n);
        cli_put_line(out, "tree", info->tree);
        print_changes(cli, info, d->changes);
        cli_put_line(out, "git", info->git_head);
        cli_put_line(out, "subject", pawl__text_n(d->subject, d->subject_len));
        cli_put_line(out, "branch", info->git_branch);
        print_document_line(out, "state", d->state, d->state_len);
        print_document_line(out, "outputs", d->outputs, d->outputs_len);
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
        details d = {.missed = NULL};
        int code = CLI_DONE;

        if (pawl_workspace_checkpoint_find(&list, log, cli->args[0], &err))
                return cli_fail(cli, &err);
        const pawl_workspace_checkpoint_info *info = pawl_workspace_checkpoints_at(list, 0);
        read_details(&d, log, info);
        if (cli_given(cli, "json"))
                code = print_json(cli, info, &d);
        else
                print_text(cli, info, &d);
        free_details(&d);
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
