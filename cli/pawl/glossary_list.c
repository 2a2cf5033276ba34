/* pawl glossary list: the senses in force, now or at an earlier seq. */
#include "base/error.h"
#include "cli/pawl/commands.h"
#include "cli/pawl/senses.h"
#include "command/table.h"
#include "glossary/glossary.h"
#include <stdio.h>

typedef struct item {
        pawl__row row;
        pawl_text see_also, synonyms; /* of its seed, as JSON */
} item;

#define COLUMN(name) CLI_AT(item, row.v[name].text)

static bool has_mission(const void *of)
{
        return ((const item *)of)->row.v[PAWL__SENSE_MISSION].text.len > 0;
}

static const cli_field fields[] = {
        {"scope", CLI_AS_TEXT, COLUMN(PAWL__SENSE_SCOPE), .title = "scope"},
        {"surface", CLI_AS_TEXT, COLUMN(PAWL__SENSE_SURFACE), .title = "surface", .cut = CLI_CUT},
        {"definition", CLI_AS_TEXT, COLUMN(PAWL__SENSE_DEFINITION), .title = "definition",
                .cut = CLI_CUT},
        {"confidence", CLI_AS_NUMBER, CLI_AT(item, row.v[PAWL__SENSE_CONFIDENCE].real),
                .title = "confidence"},
        {"status", CLI_AS_TEXT, COLUMN(PAWL__SENSE_STATUS), .title = "status"},
        {"since_seq", CLI_AS_INTEGER, CLI_AT(item, row.v[PAWL__SENSE_SEQ].integer),
                .title = "since_seq"},
        {"mission_id", CLI_AS_TEXT, COLUMN(PAWL__SENSE_MISSION), .title = "mission_id",
                .cut = CLI_CUT, .has = has_mission},
        {"see_also", CLI_AS_RAW, CLI_AT(item, see_also)},
        {"synonyms_to_avoid", CLI_AS_RAW, CLI_AT(item, synonyms)},
        CLI_NO_FIELD,
};

/* Aliases are of their term, and no senses of their own. */
static pawl_status drop_aliases(cli_senses *senses, pawl_error *err)
{
        pawl__buf buf = PAWL__BUF_INIT;
        pawl_status status = PAWL_OK;
        size_t n = 0;

        for (size_t i = 0; i < senses->n && !status; i++) {
                bool alias;
                status = pawl__sense_is_alias(&alias, &buf, &senses->rows[i], err);
                if (!status && !alias)
                        senses->rows[n++] = senses->rows[i];
        }
        senses->n = n;
        pawl__buf_free(&buf);
        return status;
}

static pawl_text list_of(
        pawl__arena *arena, const pawl__json_tree *tree, pawl__node sense, const char *name)
{
        const pawl__node list = pawl__json_get(tree, sense, name);

        return list == PAWL__NO_NODE || pawl__json_at(tree, list)->type != PAWL__JSON_ARRAY
                       ? pawl__text(NULL)
                       : pawl__arena_copy(arena, pawl__json_at(tree, list)->value);
}

/* What its file says beside it is in its event alone. */
static pawl_status read_notes(item *to, const cli_call *cli, pawl_log *log, pawl_error *err)
{
        const pawl_text source = to->row.v[PAWL__SENSE_SOURCE].text;
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl_event event;

        if (!pawl__text_is(source, "seed_file") && !pawl__text_is(source, "import"))
                return PAWL_OK;
        pawl_status status = pawl__log_failed(log,
                pawl__log_event(&event, &arena, log, (uint64_t)to->row.v[PAWL__SENSE_SEQ].integer),
                err);
        if (!status && event.payload.data)
                status = pawl__json_tree_read(&tree, event.payload.data, event.payload.len, err);
        if (!status && event.payload.data) {
                const pawl__node sense = pawl__json_get(&tree, 0, "new_sense");
                to->see_also = list_of(cli->arena, &tree, sense, "see_also");
                to->synonyms = list_of(cli->arena, &tree, sense, "synonyms_to_avoid");
        }
        pawl__json_tree_free(&tree);
        pawl__arena_free(&arena);
        return status;
}

static pawl_status print(cli_call *cli, pawl_log *log, const cli_senses *senses, pawl_error *err)
{
        item *items = pawl__arena_array(cli->arena, senses->n, sizeof *items);
        pawl_status status = pawl__arena_check(cli->arena, err);

        for (size_t i = 0; i < senses->n && !status; i++) {
                items[i] = (item){.row = senses->rows[i]};
                if (cli_given(cli, "json"))
                        status = read_notes(&items[i], cli, log, err);
        }
        if (!status)
                status = pawl__arena_check(cli->arena, err);
        return status ? status
                      : cli_print_list(cli, log, fields, items, senses->n, sizeof *items, err);
}

static pawl_status list(cli_call *cli, pawl_log *log, pawl_error *err)
{
        cli_senses senses;
        pawl_status status = cli_senses_read(&senses, log, cli_number(cli, "at", 0), err);

        if (status)
                return status;
        status = drop_aliases(&senses, err);
        if (!status)
                status = print(cli, log, &senses, err);
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
        .traits = CLI_SERVED,
        .options = list_options,
        .help = "List the senses in force",
        .on_log = list,
        .access = CLI_LOOK,
};
