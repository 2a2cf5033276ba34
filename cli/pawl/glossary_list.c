/* pawl glossary list: the senses in force, now or at an earlier seq. */
#include "cli/pawl/commands.h"
#include "cli/pawl/senses.h"
#include "command/find.h"
#include "command/table.h"
#include <stdio.h>

static const cli_column columns[] = {
        {"scope", CLI_CELL_TEXT, CLI_WHOLE},
        {"surface", CLI_CELL_TEXT, CLI_CUT},
        {"definition", CLI_CELL_TEXT, CLI_CUT},
        {"confidence", CLI_CELL_NUMBER, CLI_WHOLE},
        {"status", CLI_CELL_TEXT, CLI_WHOLE},
        {"since_seq", CLI_CELL_INTEGER, CLI_WHOLE},
        {"mission_id", CLI_CELL_TEXT, CLI_CUT},
};

enum { COLUMNS = sizeof columns / sizeof *columns };

static pawl_status print_sense(cli_table *table, const pawl__row *row, pawl_error *err)
{
        pawl_text mission = row->v[PAWL__SENSE_MISSION].text;
        const cli_cell cells[COLUMNS] = {
                {.text = row->v[PAWL__SENSE_SCOPE].text},
                {.text = row->v[PAWL__SENSE_SURFACE].text},
                {.text = row->v[PAWL__SENSE_DEFINITION].text},
                {.number = row->v[PAWL__SENSE_CONFIDENCE].real},
                {.text = row->v[PAWL__SENSE_STATUS].text},
                {.integer = row->v[PAWL__SENSE_SEQ].integer},
                {.text = mission.len ? mission : (pawl_text){NULL, 0}},
        };

        return cli_table_row(table, cells, err);
}

static pawl_status print_senses(FILE *out, const cli_senses *senses, bool json, pawl_error *err)
{
        cli_table *table;

        if (!json && senses->n == 0) {
                fputs("no senses are in force\n", out);
                return PAWL_OK;
        }
        pawl_status status = cli_table_new(&table, out, columns, COLUMNS, json, err);
        if (status)
                return status;
        for (size_t i = 0; !status && i < senses->n; i++)
                status = print_sense(table, &senses->rows[i], err);
        if (!status)
                status = cli_table_end(table, err);
        cli_table_free(table);
        return status;
}

static int list_run(cli_call *cli)
{
        pawl_error err = PAWL_ERROR_INIT;
        cli_senses senses;
        pawl_log *log;

        if (cli_open_log(&log, cli, CLI_LOOK, &err))
                return cli_fail(cli, &err);
        pawl_status status = cli_senses_read(&senses, log, cli_number(cli, "at", 0), &err);
        if (!status) {
                status = print_senses(cli->in->out, &senses, cli_given(cli, "json"), &err);
                cli_senses_free(&senses);
        }
        cli_close_log(cli, log);
        return status ? cli_fail(cli, &err) : CLI_DONE;
}

static const cli_option list_options[] = {
        {"at", 0, 0, CLI_NUMBER, "SEQ", NULL, "as the glossary stood after this event"},
        {"json", 0, 0, CLI_FLAG, NULL, NULL, "print an array of objects"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd pawl_glossary_list_cmd = {
        .name = "glossary list",
        .args = "",
        .traits = CLI_SERVED,
        .options = list_options,
        .help = "List the senses in force",
        .run = list_run,
};
