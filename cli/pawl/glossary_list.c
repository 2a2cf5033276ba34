/* pawl glossary list: the senses in force, now or at an earlier seq. */
#include "cli/pawl/commands.h"
#include "cli/pawl/senses.h"
#include "command/fields.h"
#include "glossary/glossary.h"
#include <stdio.h>

#define COLUMN(name) CLI_AT(pawl__row, v[name].text)

static bool has_mission(const void *row)
{
        return ((const pawl__row *)row)->v[PAWL__SENSE_MISSION].text.len > 0;
}

static const cli_field fields[] = {
        {"scope", CLI_AS_TEXT, COLUMN(PAWL__SENSE_SCOPE), .title = "scope"},
        {"surface", CLI_AS_TEXT, COLUMN(PAWL__SENSE_SURFACE), .title = "surface", .cut = CLI_CUT},
        {"definition", CLI_AS_TEXT, COLUMN(PAWL__SENSE_DEFINITION), .title = "definition",
                .cut = CLI_CUT},
        {"confidence", CLI_AS_NUMBER, CLI_AT(pawl__row, v[PAWL__SENSE_CONFIDENCE].real),
                .title = "confidence"},
        {"status", CLI_AS_TEXT, COLUMN(PAWL__SENSE_STATUS), .title = "status"},
        {"since_seq", CLI_AS_INTEGER, CLI_AT(pawl__row, v[PAWL__SENSE_SEQ].integer),
                .title = "since_seq"},
        {"mission_id", CLI_AS_TEXT, COLUMN(PAWL__SENSE_MISSION), .title = "mission_id",
                .cut = CLI_CUT, .has = has_mission},
        CLI_NO_FIELD,
};

/* Aliases are of their term, and no senses of their own. */
static pawl_status drop_aliases(cli_senses *senses, pawl_error *err)
{
        pawl__buf room = PAWL__BUF_INIT;
        pawl_status status = PAWL_OK;
        size_t n = 0;

        for (size_t i = 0; i < senses->n && !status; i++) {
                bool alias;
                status = pawl__sense_is_alias(&alias, &room, &senses->rows[i], err);
                if (!status && !alias)
                        senses->rows[n++] = senses->rows[i];
        }
        senses->n = n;
        pawl__buf_free(&room);
        return status;
}

static pawl_status list(cli_call *cli, pawl_log *log, pawl_error *err)
{
        cli_senses senses;
        pawl_status status = cli_senses_read(&senses, log, cli_number(cli, "at", 0), err);

        if (status)
                return status;
        status = drop_aliases(&senses, err);
        if (!status)
                status = cli_print_list(
                        cli, log, fields, senses.rows, senses.n, sizeof *senses.rows, err);
        if (!status && senses.n == 0 && !cli_given(cli, "json"))
                fputs("no senses are in force\n", cli->in->out);
        cli_senses_free(&senses);
        return status;
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
        .on_log = list,
        .access = CLI_LOOK,
};
