/* pawl prune checkpoints: delete old checkpoints of the workspace. */
#include "base/error.h"
#include "base/json_write.h"
#include "cli/pawl/actor.h"
#include "cli/pawl/agree.h"
#include "cli/pawl/commands.h"
#include "command/find.h"
#include "command/json.h"
#include "command/printable.h"
#include "command/table.h"
#include "events/log.h"
#include <inttypes.h>
#include <pawl/space.h>
#include <stdio.h>
#include <time.h>

static int print_json(
        const cli_call *cli, const pawl_workspace_prune_report *report, uint64_t freed)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        pawl__json_open_object(&w);
        pawl__json_name(&w, "checkpoints");
        pawl__json_open_array(&w);
        for (size_t i = 0; i < pawl_workspace_prune_count(report); i++) {
                const pawl_pruned_checkpoint *one = pawl_workspace_prune_at(report, i);
                pawl__json_open_object(&w);
                pawl__json_member_integer(&w, "n", (int64_t)one->n);
                pawl__json_member_text(&w, "id", one->id);
                pawl__json_member_bool(&w, "goes", !one->stays);
                pawl__json_member_string(&w, "why", one->stays);
                pawl__json_close_object(&w);
        }
        pawl__json_close_array(&w);
        pawl__json_member_integer(&w, "contents", (int64_t)pawl_workspace_prune_contents(report));
        pawl__json_member_integer(&w, "bytes", (int64_t)pawl_workspace_prune_bytes(report));
        pawl__json_member_integer(&w, "freed", (int64_t)freed);
        pawl__json_close_object(&w);
        return cli_print_json(cli, &w);
}

static const cli_column columns[] = {
        {"n", CLI_CELL_INTEGER, CLI_WHOLE},
        {"id", CLI_CELL_TEXT, CLI_CUT},
        {"what", CLI_CELL_TEXT, CLI_CUT},
};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

static pawl_status add_row(cli_table *table, const void *report, size_t i, pawl_error *err)
{
        const pawl_pruned_checkpoint *one = pawl_workspace_prune_at(report, i);
        char what[80];

        snprintf(what, sizeof what, "%s%s", one->stays ? "stays: " : "goes",
                one->stays ? one->stays : "");
        const cli_cell cells[COLUMNS] = {
                {.integer = (int64_t)one->n}, {.text = one->id}, {.text = pawl__text(what)}};
        return cli_table_row(table, cells, err);
}

static int print_text(
        const cli_call *cli, const pawl_workspace_prune_report *report, uint64_t freed)
{
        size_t n = pawl_workspace_prune_count(report);
        uint64_t contents = pawl_workspace_prune_contents(report);
        pawl_error err = PAWL_ERROR_INIT;
        char size[32];

        if (cli_table_print(cli->in->out, columns, COLUMNS, add_row, report, n, &err))
                return cli_fail(cli, &err);
        cli_size_text(size, pawl_workspace_prune_bytes(report));
        fprintf(cli->in->out, "%s%zu of %zu checkpoints %s, with %" PRIu64 " content%s of %s\n",
                n ? "\n" : "", pawl_workspace_prune_going(report), n,
                cli_given(cli, "dry-run") ? "would be deleted" : "deleted", contents,
                contents == 1 ? "" : "s", size);
        cli_size_text(size, freed);
        if (cli_given(cli, "shrink") && !cli_given(cli, "dry-run"))
                fprintf(cli->in->out, "the log is %s smaller\n", size);
        return CLI_DONE;
}

static int64_t now_us(void)
{
        struct timespec now;

        clock_gettime(CLOCK_REALTIME, &now);
        return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static pawl_workspace_prune_options options_of(const cli_call *cli, const char *actor)
{
        pawl_workspace_prune_options options = PAWL_CHECKPOINT_PRUNE_INIT;

        if (cli_given(cli, "keep"))
                options.keep = (size_t)cli_number(cli, "keep", 0);
        if (cli_given(cli, "older-than"))
                options.older_us = now_us() - (int64_t)cli_duration_ms(cli, "older-than") * 1000;
        options.dry_run = cli_given(cli, "dry-run");
        options.include_manual = cli_given(cli, "include-manual");
        options.actor = actor;
        return options;
}

/* On a terminal, what would be deleted is shown and asked about. */
static pawl_status agree(const cli_call *cli, pawl_log *log,
        const pawl_workspace_prune_options *options, pawl_error *err)
{
        pawl_workspace_prune_options look = *options;
        pawl_workspace_prune_report *report;
        char question[80];

        if (options->dry_run || cli_given(cli, "yes") || !cli_can_ask(cli))
                return PAWL_OK;
        look.dry_run = true;
        pawl_status status = pawl_workspace_prune(&report, log, &look, err);
        if (status)
                return status;
        const size_t going = pawl_workspace_prune_going(report),
                     n = pawl_workspace_prune_count(report);
        for (size_t i = 0; i < n; i++) {
                const pawl_pruned_checkpoint *one = pawl_workspace_prune_at(report, i);
                if (one->stays)
                        continue;
                fprintf(cli->in->err, "  checkpoint %" PRIu64 " (", one->n);
                cli_put(cli->in->err, one->id);
                fputs(") is deleted for good\n", cli->in->err);
        }
        snprintf(question, sizeof question, "delete %zu of %zu?", going, n);
        if (going && !cli_agrees(question))
                status = pawl__fail(
                        err, PAWL_ESTATE, "prune: nothing was changed; answer y to do it");
        pawl_workspace_prune_free(report);
        return status;
}

static int prune(const cli_call *cli, pawl_log *log, const char *actor)
{
        const pawl_workspace_prune_options options = options_of(cli, actor);
        pawl_workspace_prune_report *report = NULL;
        pawl_error err = PAWL_ERROR_INIT;
        uint64_t freed = 0;
        int code;

        if (agree(cli, log, &options, &err) || pawl_workspace_prune(&report, log, &options, &err))
                return cli_fail(cli, &err);
        pawl_status shrunk = PAWL_OK;
        if (cli_given(cli, "shrink") && !options.dry_run)
                shrunk = pawl_log_shrink(&freed, log);
        if (shrunk) {
                pawl__log_failed(log, shrunk, &err);
                code = cli_fail(cli, &err);
        } else {
                code = cli_given(cli, "json") ? print_json(cli, report, freed)
                                              : print_text(cli, report, freed);
        }
        pawl_workspace_prune_free(report);
        return code;
}

static int prune_run(cli_call *cli)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl__buf actor = PAWL__BUF_INIT;
        pawl_log *log;
        int code;

        if (cli_open_log(&log, cli, CLI_WRITE, &err))
                return cli_fail(cli, &err);
        code = cli_actor(&actor, cli, &err) ? cli_fail(cli, &err) : prune(cli, log, actor.data);
        pawl__buf_free(&actor);
        cli_close_log(cli, log);
        return code;
}

static const cli_option prune_options[] = {
        {"keep", 0, 'k', CLI_COUNT, "N", NULL, "the newest N stay"},
        {"older-than", 0, 'k', CLI_DURATION, "TIME", NULL,
                "those stay that are not older: 12h, 30d"},
        {"dry-run", 0, 0, CLI_DRY_RUN, NULL, NULL,
                "only say what would be deleted, and why the rest stays"},
        {"include-manual", 0, 0, CLI_FLAG, NULL, NULL,
                "those that a person took may go, too; pinned ones stay"},
        {"yes", 'y', 0, CLI_FLAG, NULL, NULL, "do it without asking"},
        {"shrink", 0, 0, CLI_FLAG, NULL, NULL,
                "then write the log anew without what went, so that the file gets smaller"},
        {"actor", 0, 0, CLI_TEXT, "ACTOR", NULL, "who does it (default: user:NAME)"},
        {"json", 0, 0, CLI_FLAG, NULL, NULL, "print one object"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd pawl_prune_checkpoints_cmd = {
        .name = "prune checkpoints",
        .args = "",
        .traits = CLI_SERVED | CLI_CHANGES,
        .options = prune_options,
        .help = "Delete old automatic checkpoints of the workspace, and contents that no other names",
        .run = prune_run,
};
