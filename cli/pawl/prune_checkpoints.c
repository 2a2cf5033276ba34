/* pawl prune checkpoints: delete old checkpoints of the workspace. */
#include "base/error.h"
#include "cli/pawl/actor.h"
#include "cli/pawl/agree.h"
#include "cli/pawl/commands.h"
#include "cli/pawl/prune.h"
#include "command/json.h"
#include "command/printable.h"
#include "events/log.h"
#include <inttypes.h>
#include <pawl/space.h>
#include <stdio.h>
#include <time.h>

#define AT(member) CLI_AT(pawl_pruned_checkpoint, member)

static const cli_field one_fields[] = {
        {"n", CLI_AS_INTEGER, AT(n), .title = "n"},
        {"id", CLI_AS_TEXT, AT(id), .title = "id", .cut = CLI_CUT},
        CLI_GOES(AT(stays)),
        CLI_NO_FIELD,
};

static const cli_field fields[] = {
        {"checkpoints", CLI_AS_LIST, CLI_ITEMS(pawl_workspace_prune_report, items, n),
                .fields = one_fields},
        {"contents", CLI_AS_INTEGER, CLI_AT(pawl_workspace_prune_report, contents)},
        {"bytes", CLI_AS_INTEGER, CLI_AT(pawl_workspace_prune_report, bytes)},
        CLI_NO_FIELD,
};

static pawl_status print_json(const cli_call *cli, const pawl_workspace_prune_report *report,
        uint64_t freed, pawl_error *err)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        pawl__json_open_object(&w);
        cli_fields_json(&w, fields, report);
        pawl__json_member_integer(&w, "freed", (int64_t)freed);
        pawl__json_close_object(&w);
        return cli_print_json(cli, &w, err);
}

static pawl_status print_text(const cli_call *cli, pawl_log *log,
        const pawl_workspace_prune_report *report, uint64_t freed, pawl_error *err)
{
        char size[32];
        pawl_status status = cli_print_list(
                cli, log, one_fields, report->items, report->n, sizeof *report->items, err);

        if (status)
                return status;
        cli_size_text(size, report->bytes);
        fprintf(cli->in->out, "%s%zu of %zu checkpoints %s, with %" PRIu64 " content%s of %s\n",
                report->n ? "\n" : "", report->going, report->n,
                cli_given(cli, "dry-run") ? "would be deleted" : "deleted", report->contents,
                report->contents == 1 ? "" : "s", size);
        cli_size_text(size, freed);
        if (cli_given(cli, "shrink") && !cli_given(cli, "dry-run"))
                fprintf(cli->in->out, "the log is %s smaller\n", size);
        return PAWL_OK;
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
        for (size_t i = 0; i < report->n; i++) {
                const pawl_pruned_checkpoint *one = &report->items[i];
                if (one->stays)
                        continue;
                cli_putf(cli->in->err, "  checkpoint %" PRIu64 " (%.*s) is deleted for good\n",
                        one->n, CLI_FMT(one->id));
        }
        snprintf(question, sizeof question, "delete %zu of %zu?", report->going, report->n);
        if (report->going && !cli_agrees(question))
                status = pawl__fail(
                        err, PAWL_ESTATE, "prune: nothing was changed; answer y to do it");
        pawl_workspace_prune_free(report);
        return status;
}

static pawl_status prune(cli_call *cli, pawl_log *log, pawl_error *err)
{
        pawl_workspace_prune_options options;
        pawl_workspace_prune_report *report = NULL;
        const char *actor;
        uint64_t freed = 0;
        pawl_status status = cli_actor(&actor, cli, err);

        if (status)
                return status;
        options = options_of(cli, actor);
        status = agree(cli, log, &options, err);
        if (!status)
                status = pawl_workspace_prune(&report, log, &options, err);
        if (!status && cli_given(cli, "shrink") && !options.dry_run &&
                (status = pawl_log_shrink(&freed, log)))
                status = pawl__log_failed(log, status, err);
        if (!status)
                status = cli_given(cli, "json") ? print_json(cli, report, freed, err)
                                                : print_text(cli, log, report, freed, err);
        pawl_workspace_prune_free(report);
        return status;
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
                "then rewrite the log without them, so that its file gets smaller"},
        {"actor", 0, 0, CLI_TEXT, "ACTOR", NULL, "who does it (default: user:NAME)"},
        {"json", 0, 0, CLI_FLAG, NULL, NULL, "print one object"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd pawl_prune_checkpoints_cmd = {
        .name = "prune checkpoints",
        .traits = CLI_SERVED | CLI_CHANGES | CLI_REPLACES,
        .options = prune_options,
        .help = "Delete old automatic checkpoints of the workspace, and contents that no other names",
        .on_log = prune,
        .access = CLI_WRITE,
};
