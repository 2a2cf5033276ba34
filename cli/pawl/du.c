/* pawl du: what checkpoints of the workspace take up. */
#include "base/json_write.h"
#include "cli/pawl/commands.h"
#include "command/find.h"
#include "command/json.h"
#include "command/printable.h"
#include "command/table.h"
#include <inttypes.h>
#include <pawl/space.h>
#include <stdio.h>

static void total_members(pawl__json_writer *w, const pawl_usage_totals *total)
{
        const struct {
                const char *name;
                uint64_t value;
        } members[] = {
                {"kept", total->checkpoints},
                {"pruned", total->pruned},
                {"contents", total->contents},
                {"bytes", total->bytes},
                {"stored", total->stored},
                {"unnamed", total->unnamed},
                {"unnamed_stored", total->unnamed_stored},
                {"log", total->log},
                {"free", total->free},
        };

        for (size_t i = 0; i < sizeof members / sizeof members[0]; i++)
                pawl__json_member_integer(w, members[i].name, (int64_t)members[i].value);
}

static int print_json(const cli_call *cli, const pawl_usage *usage)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        pawl__json_open_object(&w);
        pawl__json_name(&w, "checkpoints");
        pawl__json_open_array(&w);
        for (size_t i = 0; i < pawl_usage_count(usage); i++) {
                const pawl_workspace_checkpoint_usage *one = pawl_usage_at(usage, i);
                pawl__json_open_object(&w);
                pawl__json_member_integer(&w, "n", (int64_t)one->n);
                pawl__json_member_text(&w, "id", one->id);
                pawl__json_member_integer(&w, "files", (int64_t)one->files);
                pawl__json_member_integer(&w, "bytes", (int64_t)one->bytes);
                pawl__json_member_integer(&w, "own", (int64_t)one->own);
                pawl__json_member_bool(&w, "damaged", one->damaged);
                pawl__json_close_object(&w);
        }
        pawl__json_close_array(&w);
        total_members(&w, pawl_usage_total(usage));
        pawl__json_close_object(&w);
        return cli_print_json(cli, &w);
}

static const cli_column columns[] = {
        {"n", CLI_CELL_INTEGER, CLI_WHOLE},
        {"id", CLI_CELL_TEXT, CLI_WHOLE},
        {"files", CLI_CELL_INTEGER, CLI_WHOLE},
        {"size", CLI_CELL_SIZE, CLI_WHOLE},
        {"own", CLI_CELL_SIZE, CLI_WHOLE},
        {"state", CLI_CELL_TEXT, CLI_WHOLE},
};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

static pawl_status add_row(cli_table *table, const void *list, size_t i, pawl_error *err)
{
        const cli_listed *listed = list;
        const pawl_workspace_checkpoint_usage *one = pawl_usage_at(listed->list, i);
        pawl_text id = one->id;

        if (cli_short_id(&id, listed->log, PAWL__WORKSPACE, err))
                return err->status;
        const cli_cell cells[COLUMNS] = {{.integer = (int64_t)one->n}, {.text = id},
                {.integer = (int64_t)one->files}, {.integer = (int64_t)one->bytes},
                {.integer = (int64_t)one->own},
                {.text = pawl__text(one->damaged ? "damaged" : NULL)}};
        return cli_table_row(table, cells, err);
}

static int print_text(const cli_call *cli, pawl_log *log, const pawl_usage *usage)
{
        const cli_listed listed = {usage, log};
        const pawl_usage_totals *total = pawl_usage_total(usage);
        const size_t n = pawl_usage_count(usage);
        pawl_error err = PAWL_ERROR_INIT;
        FILE *out = cli->in->out;
        char bytes[32], stored[32];

        if (cli_table_print(out, columns, COLUMNS, add_row, &listed, n, &err))
                return cli_fail(cli, &err);
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
        return CLI_DONE;
}

static int du_run(cli_call *cli)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl_usage *usage = NULL;
        pawl_log *log;
        int code;

        if (cli_open_log(&log, cli, CLI_LOOK, &err))
                return cli_fail(cli, &err);
        if (pawl_workspace_usage(&usage, log, &err))
                code = cli_fail(cli, &err);
        else
                code = cli_given(cli, "json") ? print_json(cli, usage)
                                              : print_text(cli, log, usage);
        pawl_usage_free(usage);
        cli_close_log(cli, log);
        return code;
}

static const cli_option du_options[] = {
        {"json", 0, 0, CLI_FLAG, NULL, NULL, "print one object"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd pawl_du_cmd = {
        .name = "du",
        .args = "",
        .traits = CLI_SERVED,
        .options = du_options,
        .help = "Say what the checkpoints of the workspace take up, each and together",
        .run = du_run,
};
