/* pawl show: one checkpoint of the workspace, or a document that was kept with it. */
#include "base/error.h"
#include "base/sources.h"
#include "cli/pawl/commands.h"
#include "cli/pawl/workspace.h"
#include "command/find.h"
#include "command/json.h"
#include "command/printable.h"
#include "events/log.h"
#include <inttypes.h>
#include <stdio.h>

enum { FILES_SHOWN = 20, JSON_SHOWN = 200 };

/* A checkpoint, and what there is beside its row. Whatever cannot be had, because it was pruned or
 * is damaged, or is no longer in git, is left out. */
typedef struct details {
        pawl_missed *missed;
        pawl_comparison *changes; /* since its base */
        pawl_text state, outputs, subject;
        pawl_text include;    /* a list */
        pawl_text git_unread; /* why no commit is known */
} details;

typedef struct document {
        char *data;
        size_t len;
} document;

/* The document in the call's memory; absent: there is none, or no memory. */
static pawl_text keep(const cli_call *cli, document *got)
{
        pawl_text kept = pawl__arena_copy(cli->arena, pawl__text_n(got->data, got->len));

        pawl_free(got->data);
        return kept;
}

/* What it captured although other rules leave it out, and why no commit is known, as its event has
 * it. */
static void read_event(
        details *d, const cli_call *cli, pawl_log *log, const pawl_workspace_checkpoint_info *info)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl_event event;

        if (!pawl__log_event(&event, &arena, log, info->seq) && event.payload.data &&
                !pawl__json_tree_read(&tree, event.payload.data, event.payload.len, NULL)) {
                const pawl__node node = pawl__json_get(&tree, 0, "include");
                const pawl__node git = pawl__json_get(&tree, 0, "git");
                if (git != PAWL__NO_NODE)
                        d->git_unread = pawl__arena_copy(
                                cli->arena, pawl__json_get_text(&tree, git, "unread"));
                if (node != PAWL__NO_NODE) {
                        pawl__json_node_value(&w, pawl__json_at(&tree, node));
                        d->include = pawl__arena_copy(cli->arena, pawl__buf_text(&w.buf));
                }
        }
        pawl__json_writer_free(&w);
        pawl__json_tree_free(&tree);
        pawl__arena_free(&arena);
}

static void read_details(
        details *d, const cli_call *cli, pawl_log *log, const pawl_workspace_checkpoint_info *info)
{
        pawl_error why = PAWL_ERROR_INIT;
        document state = {NULL, 0}, outputs = state, subject = state;
        char n[24], base[24];

        snprintf(n, sizeof n, "%" PRIu64, info->n);
        snprintf(base, sizeof base, "%" PRIu64, info->base);
        (void)!pawl_workspace_checkpoint_missed(&d->missed, log, n, &why);
        if (info->base)
                (void)!pawl_workspace_compare(&d->changes, log, base, n, NULL, NULL, NULL, &why);
        (void)!pawl_workspace_checkpoint_document(&state.data, &state.len, log, n, "state", &why);
        (void)!pawl_workspace_checkpoint_document(
                &outputs.data, &outputs.len, log, n, "outputs", &why);
        if (info->git_head.data)
                (void)!pawl_workspace_checkpoint_subject(&subject.data, &subject.len, log, n, &why);
        read_event(d, cli, log, info);
        d->state = keep(cli, &state);
        d->outputs = keep(cli, &outputs);
        d->subject = keep(cli, &subject);
}

static const cli_field document_fields[] = {
        {"include", CLI_AS_RAW, CLI_AT(details, include)},
        {"state", CLI_AS_RAW, CLI_AT(details, state)},
        {"outputs", CLI_AS_RAW, CLI_AT(details, outputs)},
        {"git_unread", CLI_AS_TEXT, CLI_AT(details, git_unread)},
        {"subject", CLI_AS_BYTES, CLI_AT(details, subject)},
        CLI_NO_FIELD,
};

static pawl_status print_json(const cli_call *cli, const pawl_workspace_checkpoint_info *info,
        const details *d, pawl_error *err)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        pawl__json_open_object(&w);
        cli_fields_json(&w, cli_checkpoint_fields, info);
        cli_list_json(&w, "not_captured", cli_missed_fields, d->missed ? d->missed->items : NULL,
                d->missed ? d->missed->n : 0, sizeof *d->missed->items);
        pawl__json_name(&w, "changes");
        if (d->changes)
                cli_list_json(&w, NULL, cli_change_fields, d->changes->files, d->changes->n_files,
                        sizeof *d->changes->files);
        else
                pawl__json_null(&w);
        cli_fields_json(&w, document_fields, d);
        pawl__json_close_object(&w);
        return cli_print_json(cli, &w, err);
}

static void print_standing(FILE *out, const pawl_workspace_checkpoint_info *info)
{
        fprintf(out, "%-12s %s", "standing", info->valid ? "✓ valid" : "✗ not valid");
        if (info->why_invalid.data)
                cli_putf(out, ": %.*s", CLI_FMT(info->why_invalid));
        if (info->given_up.data)
                cli_putf(out, ", given up: %.*s", CLI_FMT(info->given_up));
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

static void print_document_line(FILE *out, const char *name, pawl_text json)
{
        if (!json.data)
                return;
        fprintf(out, "%-12s ", name);
        cli_put_cut(out, json, JSON_SHOWN);
        fputc('\n', out);
}

static void print_changes(const cli_call *cli, const pawl_workspace_checkpoint_info *info,
        const pawl_comparison *changes)
{
        const size_t n = changes ? changes->n_files : 0;
        FILE *out = cli->in->out;

        if (!changes)
                return;
        fprintf(out, "%-12s %zu since checkpoint %" PRIu64 "\n", "changed", n, info->base);
        for (size_t i = 0; i < n && i < FILES_SHOWN; i++) {
                fputs("  ", out);
                cli_change_print(out, &changes->files[i]);
        }
        if (n > FILES_SHOWN) {
                cli_sayf(cli, out, "  and %zu more; `pawl diff %" PRIu64 " %" PRIu64 "` shows all",
                        n - FILES_SHOWN, info->base, info->n);
                fputc('\n', out);
        }
        for (size_t i = 0; i < changes->n_unknown;
                i++) /* its own, but ignored ones, are listed above */
                if (changes->unknown[i].checkpoint == info->base ||
                        strcmp(changes->unknown[i].why, "ignored") == 0)
                        cli_unknown_print(out, &changes->unknown[i]);
}

static void print_text(
        const cli_call *cli, const pawl_workspace_checkpoint_info *info, const details *d)
{
        FILE *out = cli->in->out;
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
        if (d->missed)
                cli_missed_print(out, d->missed->items, d->missed->n);
        print_document_line(out, "included", d->include);
        cli_put_line(out, "tree", info->tree);
        print_changes(cli, info, d->changes);
        cli_put_line(out, "git", info->git_head);
        if (d->git_unread.data)
                cli_putf(out, "git          not known: %.*s\n", CLI_FMT(d->git_unread));
        cli_put_line(out, "subject", d->subject);
        cli_put_line(out, "branch", info->git_branch);
        print_document_line(out, "state", d->state);
        print_document_line(out, "outputs", d->outputs);
        print_standing(out, info);
        if (!info->valid)
                return;
        cli_sayf(cli, out,
                "`pawl diff %" PRIu64 "` shows what changed since, `pawl rollback %" PRIu64
                " --plan` what going back would do",
                info->n, info->n);
        fputc('\n', out);
}

static pawl_status print_document(const cli_call *cli, pawl_log *log, pawl_error *err)
{
        document json;
        pawl_status status = pawl_workspace_checkpoint_document(
                &json.data, &json.len, log, cli->args[0], cli_value(cli, "document"), err);

        if (status)
                return status;
        cli_print_line(cli, pawl__text_n(json.data, json.len));
        pawl_free(json.data);
        return PAWL_OK;
}

static pawl_status show(cli_call *cli, pawl_log *log, pawl_error *err)
{
        pawl_workspace_checkpoints *list = NULL;
        details d = {.missed = NULL};

        if (cli_given(cli, "document"))
                return print_document(cli, log, err);
        pawl_status status = pawl_workspace_checkpoint_find(&list, log, cli->args[0], err);
        if (status)
                return status;
        read_details(&d, cli, log, list->items);
        status = pawl__arena_check(cli->arena, err);
        if (!status && cli_given(cli, "json"))
                status = print_json(cli, list->items, &d, err);
        else if (!status)
                print_text(cli, list->items, &d);
        pawl_missed_free(d.missed);
        pawl_comparison_free(d.changes);
        pawl_workspace_checkpoints_free(list);
        return status;
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
        .arg_help =
                {"the checkpoint: its number, its id, \"current\", or @STEP for that step's newest"},
        .traits = CLI_SERVED,
        .options = show_options,
        .help = "Show one checkpoint of the workspace, by its number, its id, \"current\" or @STEP",
        .on_log = show,
        .access = CLI_LOOK,
};
