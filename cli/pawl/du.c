/* pawl du: what checkpoints of the workspace take up. */
#include "cli/pawl/commands.h"
#include "command/printable.h"
#include "command/table.h"
#include <inttypes.h>
#include <pawl/space.h>
#include <stdio.h>

#define AT(member) CLI_AT(pawl_workspace_checkpoint_usage, member)

static const char *state(const void *value, char buf[CLI_WORD_MAX])
{
        (void)buf;
        return *(const bool *)value ? "damaged" : NULL;
}

static const cli_field one_fields[] = {
        {"n", CLI_AS_INTEGER, AT(n), .title = "n"},
        {"id", CLI_AS_ID, AT(id), .title = "id", .table = PAWL__WORKSPACE},
        {"files", CLI_AS_INTEGER, AT(files), .title = "files"},
        {"bytes", CLI_AS_SIZE, AT(bytes), .title = "size"},
        {"own", CLI_AS_SIZE, AT(own), .title = "own"},
        {"damaged", CLI_AS_BOOL, AT(damaged)},
        {NULL, CLI_AS_WORD, AT(damaged), .title = "state", .word = state},
        CLI_NO_FIELD,
};

#define TOTAL(member) CLI_AT(pawl_usage, total.member)

static const cli_field fields[] = {
        {"checkpoints", CLI_AS_LIST, CLI_ITEMS(pawl_usage, items, n), .fields = one_fields},
        {"kept", CLI_AS_INTEGER, TOTAL(checkpoints)},
        {"pruned", CLI_AS_INTEGER, TOTAL(pruned)},
        {"contents", CLI_AS_INTEGER, TOTAL(contents)},
        {"bytes", CLI_AS_INTEGER, TOTAL(bytes)},
        {"stored", CLI_AS_INTEGER, TOTAL(stored)},
        {"unnamed", CLI_AS_INTEGER, TOTAL(unnamed)},
        {"unnamed_stored", CLI_AS_INTEGER, TOTAL(unnamed_stored)},
        {"log", CLI_AS_INTEGER, TOTAL(log)},
        {"free", CLI_AS_INTEGER, TOTAL(free)},
        CLI_NO_FIELD,
};

static void print_totals(FILE *out, const pawl_usage *usage)
{
        const pawl_usage_totals *total = &usage->total;
        const size_t n = usage->n;
        char bytes[32], stored[32];

        cli_size_text(bytes, total->bytes);
        cli_size_text(stored, total->stored);
        fprintf(out, "%s%" PRIu64 " checkpoint%s, %" PRIu64 " content%s of %s, %s as stored\n",
                n ? "\n" : "", total->checkpoints, total->checkpoints == 1 ? "" : "s",
                total->contents, total->contents == 1 ? "" : "s", bytes, stored);
        if (total->pruned)
                fprintf(out, "%" PRIu64 " more %s pruned\n", total->pruned,
                        total->pruned == 1 ? "was" : "were");
        cli_size_text(stored, total->unnamed_stored);
        if (total->unnamed)
                fprintf(out,
                        "%" PRIu64 " content%s that no checkpoint names, %s as stored: the next "
                        "prune deletes %s\n",
                        total->unnamed, total->unnamed == 1 ? "" : "s", stored,
                        total->unnamed == 1 ? "it" : "them");
        cli_size_text(bytes, total->log);
        cli_size_text(stored, total->free);
        fprintf(out, "the log takes %s, %s of it free\n", bytes, stored);
}

static pawl_status du(cli_call *cli, pawl_log *log, pawl_error *err)
{
        pawl_usage *usage = NULL;
        pawl_status status = pawl_workspace_usage(&usage, log, err);

        if (!status && cli_given(cli, "json")) {
                status = cli_print_object(cli, fields, usage, err);
        } else if (!status) {
                status = cli_print_list(
                        cli, log, one_fields, usage->items, usage->n, sizeof *usage->items, err);
                if (!status)
                        print_totals(cli->in->out, usage);
        }
        pawl_usage_free(usage);
        return status;
}

const cli_cmd pawl_du_cmd = {
        .name = "du",
        .traits = CLI_SERVED,
        .options = cli_json_option,
        .help = "Say what the checkpoints of the workspace take up, each and together",
        .on_log = du,
        .access = CLI_LOOK,
};
