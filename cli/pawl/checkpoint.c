/* pawl checkpoint: the workspace as it is, kept. */
#include "base/error.h"
#include "cli/pawl/commands.h"
#include "cli/pawl/session_json.h"
#include "cli/pawl/workspace.h"
#include "command/find.h"
#include "command/input.h"
#include "command/json.h"
#include "command/printable.h"
#include <inttypes.h>
#include <pawl/validate.h>
#include <stdio.h>

/* The document in a file, if one was named; kept by @p input. */
static pawl_status read_document(
        pawl_text *out, cli_input *input, const char *path, pawl_error *err)
{
        if (!path)
                return PAWL_OK;
        pawl_status status = cli_input_open(input, path, err);
        return status ? status : cli_input_all(out, input, err);
}

static void print_counted(FILE *out, const char *what, uint64_t n)
{
        if (n)
                fprintf(out, ", %" PRIu64 " %s", n, what);
}

static void print_text(const cli_call *cli, const pawl_workspace_capture *capture)
{
        FILE *out = cli->in->out;
        const pawl_workspace_checkpoint_info *info = &capture->info;
        const pawl_workspace_capture_counts *counts = &capture->counts;
        char size[32];

        cli_size_text(size, info->bytes);
        cli_putf(out,
                "checkpoint %" PRIu64 " (%.*s): %" PRIu64 " file%s, %s\n  %" PRIu64
                " captured, %" PRIu64 " unchanged",
                info->n, CLI_FMT(info->id), info->files, info->files == 1 ? "" : "s", size,
                counts->captured, counts->unchanged);
        print_counted(out, "ignored", counts->ignored);
        print_counted(out, "too large", counts->too_large);
        print_counted(out, "unreadable", counts->unreadable);
        print_counted(out, "special", counts->special);
        print_counted(out, "changing", counts->changing);
        print_counted(out, "of repositories", counts->repositories);
        print_counted(out, "beyond the time budget", counts->over_budget);
        print_counted(out, "of reserved names", counts->reserved);
        print_counted(out, "of other workspaces", counts->workspaces);
        fputc('\n', out);
        cli_missed_print(out, &capture->missed[0], capture->n_missed);
        if (capture->git_unread.data)
                cli_putf(out, "  git is not known: %.*s\n", CLI_FMT(capture->git_unread));
        cli_sayf(cli, out,
                "`pawl diff %" PRIu64 "` shows what changes from here on, `pawl rollback %" PRIu64
                "` comes back",
                info->n, info->n);
        fputc('\n', out);
}

#define AT(member) CLI_AT(pawl_workspace_capture, member)

static const cli_field fields[] = {
        {"captured", CLI_AS_INTEGER, AT(counts.captured)},
        {"unchanged", CLI_AS_INTEGER, AT(counts.unchanged)},
        {"ignored", CLI_AS_INTEGER, AT(counts.ignored)},
        {"too_large", CLI_AS_INTEGER, AT(counts.too_large)},
        {"unreadable", CLI_AS_INTEGER, AT(counts.unreadable)},
        {"special", CLI_AS_INTEGER, AT(counts.special)},
        {"changing", CLI_AS_INTEGER, AT(counts.changing)},
        {"repositories", CLI_AS_INTEGER, AT(counts.repositories)},
        {"over_budget", CLI_AS_INTEGER, AT(counts.over_budget)},
        {"reserved", CLI_AS_INTEGER, AT(counts.reserved)},
        {"workspaces", CLI_AS_INTEGER, AT(counts.workspaces)},
        {"not_captured", CLI_AS_LIST, CLI_ITEMS(pawl_workspace_capture, missed, n_missed),
                .fields = cli_missed_fields},
        {"git_unread", CLI_AS_TEXT, AT(git_unread)},
        CLI_NO_FIELD,
};

static pawl_status print_json(
        const cli_call *cli, pawl_log *log, const pawl_workspace_capture *capture, pawl_error *err)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;
        pawl_workspace_checkpoints *taken = NULL;
        char n[24];

        snprintf(n, sizeof n, "%" PRIu64, capture->info.n);
        TRY(pawl_workspace_checkpoint_find(&taken, log, n, err)); /* with what changed */

        pawl__json_open_object(&w);
        cli_fields_json(&w, cli_checkpoint_fields, taken->items);
        cli_fields_json(&w, fields, capture);
        pawl__json_close_object(&w);
        pawl_workspace_checkpoints_free(taken);
        return cli_print_json(cli, &w, err);
}

/* Does the current checkpoint hold all that it names? If not, it is marked as damaged, and the next
 * one reads every file. Where there is much to read, `pawl validate` is left to do it. */
static pawl_status verify_current(bool *damaged, pawl_log *log, const char *actor, pawl_error *err)
{
        enum { FILES = 1000, BYTES = 16 << 20 }; /* some 40 ms */
        pawl_workspace_checkpoints *current = NULL;
        pawl_validation *found = NULL;
        const pawl_status status = pawl_workspace_checkpoint_find(&current, log, "current", err);

        if (status)
                return status == PAWL_ENOTFOUND ? PAWL_OK : status;
        const bool small = !current->items[0].pruned && current->items[0].files <= FILES &&
                           current->items[0].bytes <= BYTES;
        pawl_workspace_checkpoints_free(current);
        if (!small)
                return PAWL_OK;
        TRY(pawl_workspace_validate(&found, log, "current", NULL, true, actor, err));
        *damaged = found->n > 0 && !found->items[0].good;
        pawl_validation_free(found);
        return PAWL_OK;
}

/* Contents that were damaged were put anew: checkpoints that have them are whole again. */
static pawl_status verify_all(
        const cli_call *cli, pawl_log *log, const char *actor, pawl_error *err)
{
        pawl_validation *found = NULL;

        TRY(pawl_workspace_validate(&found, log, NULL, NULL, true, actor, err));
        for (size_t i = 0; i < found->n; i++)
                if (found->items[i].healed)
                        cli_noticef(cli, "checkpoint %" PRIu64 ": was damaged; is whole again",
                                found->items[i].n);
        pawl_validation_free(found);
        return PAWL_OK;
}

/* One that nobody gave a session or a run is the active session's, if only one is. */
static pawl_status find_session(pawl_workspace_checkpoint_request *request, char id[129],
        const cli_call *cli, pawl_log *log, pawl_error *err)
{
        if (request->session_id || request->run_id)
                return PAWL_OK;
        const pawl_status status = cli_session_meant(id, cli, log, true, err);
        if (!status)
                request->session_id = id;
        return status == PAWL_ENOTFOUND || status == PAWL_EINVAL ? PAWL_OK : status;
}

static int take(const cli_call *cli, pawl_workspace_checkpoint_request *request,
        pawl_workspace_options *options)
{
        char session_id[129];
        cli_scan scan = {0};
        pawl_error err = PAWL_ERROR_INIT;
        pawl_workspace_capture *capture = NULL;
        pawl_log *log;

        if (cli_open_log(&log, cli, CLI_MAKE, &err))
                return cli_fail(cli, &err);
        cli_scan_show(&scan, options, cli);
        bool damaged = false;
        pawl_status status = verify_current(&damaged, log, options->actor, &err);
        if (!status)
                status = find_session(request, session_id, cli, log, &err);
        if (!status)
                status = pawl_workspace_checkpoint(&capture, log, request, options, &err);
        cli_scan_end(&scan);
        if (!status && damaged)
                status = verify_all(cli, log, options->actor, &err);
        if (!status && cli_given(cli, "json"))
                status = print_json(cli, log, capture, &err);
        else if (!status)
                print_text(cli, capture);
        int code = status ? cli_fail(cli, &err) : CLI_DONE;
        pawl_workspace_capture_free(capture);
        cli_close_log(cli, log);
        return code;
}

static int checkpoint_run(cli_call *cli)
{
        pawl_workspace_checkpoint_request request = PAWL_CHECKPOINT_REQUEST_INIT;
        pawl_workspace_options options;
        pawl_error err = PAWL_ERROR_INIT;
        cli_input state = {.fd = -1}, outputs = {.fd = -1};
        int code;

        request.description = cli_arg(cli, 0);
        request.mission_id = cli_variable(cli, "PAWL_MISSION_ID");
        request.run_id = cli_variable(cli, "PAWL_RUN_ID");
        request.step_id = cli_variable(cli, "PAWL_STEP_ID");
        request.session_id = cli_variable(cli, "PAWL_SESSION_ID");
        if (read_document(&request.state, &state, cli_value(cli, "state"), &err) ||
                read_document(&request.outputs, &outputs, cli_value(cli, "outputs"), &err) ||
                cli_checkpoint_options(&options, cli, &err))
                code = cli_fail(cli, &err);
        else
                code = take(cli, &request, &options);
        cli_input_close(&state);
        cli_input_close(&outputs);
        return code;
}

static const cli_option checkpoint_options[] = {
        {"state", 0, 0, CLI_FILE, "FILE", NULL, "the mission's state, JSON, to be kept with it"},
        {"outputs", 0, 0, CLI_FILE, "FILE", NULL, "its outputs, JSON, to be kept with it"},
        CLI_CHECKPOINT_OPTIONS,
        {"json", 0, 0, CLI_FLAG, NULL, NULL, "print one object"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd pawl_workspace_checkpoint_cmd = {
        .name = "checkpoint",
        .args = "[TEXT]",
        .arg_help = {"what to remember it by"},
        .traits = CLI_SERVED | CLI_CHANGES | CLI_WORKSPACE | CLI_ADDS,
        .options = checkpoint_options,
        .help = "Keep every file of the workspace as it is, to come back to",
        .run = checkpoint_run,
};
