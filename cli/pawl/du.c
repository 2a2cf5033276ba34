/* pawl du: what checkpoints of the workspace take up. */
#include "base/error.h"
#include "cli/pawl/commands.h"
#include "command/json.h"
#include "command/printable.h"
#include "command/table.h"
#include "events/log.h"
#include "mission/mission.h"
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

/* What the end of the next run would prune. */
static pawl_status look_ahead(bool *set, pawl__retained *out, pawl_log *log, pawl_error *err)
{
        pawl__config config;

        TRY(pawl__config_load(&config, pawl__log_place(log), err));
        *set = pawl__retention_set(&config.retention);
        return *set ? pawl__retention_apply(out, log, &config.retention, true, NULL, err) : PAWL_OK;
}

static pawl_status print_json(
        const cli_call *cli, const pawl_usage *usage, const pawl__retained *ahead, pawl_error *err)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        pawl__json_open_object(&w);
        cli_fields_json(&w, fields, usage);
        pawl__json_name(&w, "retention");
        if (ahead) {
                pawl__json_open_object(&w);
                pawl__json_member_integer(&w, "checkpoints", (int64_t)ahead->checkpoints);
                pawl__json_member_integer(&w, "bytes", (int64_t)ahead->bytes);
                pawl__json_close_object(&w);
        } else {
                pawl__json_null(&w);
        }
        pawl__json_close_object(&w);
        return cli_print_json(cli, &w, err);
}

static void print_ahead(FILE *out, const pawl__retained *ahead)
{
        char size[32];

        cli_size_text(size, ahead->bytes);
        fprintf(out, "retention would delete %" PRIu64 " checkpoint%s and free %s\n",
                ahead->checkpoints, ahead->checkpoints == 1 ? "" : "s", size);
}

static pawl_status du(cli_call *cli, pawl_log *log, pawl_error *err)
{
        pawl__retained ahead = {0, 0, 0};
        pawl_usage *usage = NULL;
        bool set = false;

        TRY(look_ahead(&set, &ahead, log, err));
        pawl_status status = pawl_workspace_usage(&usage, log, err);

        if (!status && cli_given(cli, "json")) {
                status = print_json(cli, usage, set ? &ahead : NULL, err);
        } else if (!status) {
                status = cli_print_list(
                        cli, log, one_fields, usage->items, usage->n, sizeof *usage->items, err);
                if (!status)
                        print_totals(cli->in->out, usage);
                if (!status && set)
                        print_ahead(cli->in->out, &ahead);
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
