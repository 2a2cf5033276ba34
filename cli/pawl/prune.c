/* pawl prune sessions: delete old session data. */
#include "cli/pawl/prune.h"
#include "cli/pawl/actor.h"
#include "cli/pawl/commands.h"
#include <pawl/session.h>
#include <stdio.h>

const char *cli_goes(const void *value, char buf[CLI_WORD_MAX])
{
        const char *stays = *(const char *const *)value;

        snprintf(buf, CLI_WORD_MAX, "%s%s", stays ? "stays: " : "goes", stays ? stays : "");
        return buf;
}

#define AT(member) CLI_AT(pawl_pruned_session, member)

static const cli_field fields[] = {
        {"session_id", CLI_AS_TEXT, AT(session_id), .title = "id"},
        {"mission_id", CLI_AS_TEXT, AT(mission_id), .title = "mission", .cut = CLI_CUT},
        {"status", CLI_AS_TEXT, AT(status), .title = "status"},
        CLI_GOES(AT(stays)),
        CLI_NO_FIELD,
};

static pawl_status prune(cli_call *cli, pawl_log *log, pawl_error *err)
{
        pawl_prune_report *report = NULL;
        const char *actor;
        pawl_status status = cli_actor(&actor, cli, err);

        if (!status)
                status = pawl_session_prune(&report, log, (size_t)cli_number(cli, "keep", 0),
                        cli_given(cli, "dry-run"), actor, err);
        if (!status)
                status = cli_print_list(
                        cli, log, fields, report->items, report->n, sizeof *report->items, err);
        if (!status && !cli_given(cli, "json"))
                fprintf(cli->in->out, "%s%zu of %zu sessions %s\n", report->n ? "\n" : "",
                        report->going, report->n,
                        cli_given(cli, "dry-run") ? "would be deleted" : "deleted");
        pawl_prune_report_free(report);
        return status;
}

static const cli_option prune_options[] = {
        {"keep", 0, 'k', CLI_COUNT, "N", NULL, "the newest N stay"},
        {"dry-run", 0, 0, CLI_DRY_RUN, NULL, NULL,
                "only say what would be deleted, and why the rest stays"},
        {"actor", 0, 0, CLI_TEXT, "ACTOR", NULL, "who does it (default: user:NAME)"},
        {"json", 0, 0, CLI_FLAG, NULL, NULL, "print an array of objects"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd pawl_prune_sessions_cmd = {
        .name = "prune sessions",
        .traits = CLI_SERVED | CLI_CHANGES | CLI_REPLACES,
        .options = prune_options,
        .help = "Delete old session data; the chain still verifies",
        .on_log = prune,
        .access = CLI_WRITE,
};
