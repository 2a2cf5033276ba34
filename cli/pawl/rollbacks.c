/* pawl rollbacks: what was rolled back and undone, and what each gave up. */
#include "cli/pawl/commands.h"
#include "cli/pawl/workspace.h"
#include "workspace/workspace.h"
#include <pawl/rollback.h>
#include <stdio.h>

static const char *what(const void *item, char buf[CLI_WORD_MAX])
{
        const pawl_rollback_info *it = item;

        (void)buf;
        return it->redo ? "redo" : it->undo ? "undo" : it->in_part ? "some paths" : "rollback";
}

static const char *gave_up(const void *item, char buf[CLI_WORD_MAX])
{
        const pawl_rollback_info *it = item;

        snprintf(buf, CLI_WORD_MAX, "%zu checkpoint%s, %zu step%s", it->n_given_up,
                it->n_given_up == 1 ? "" : "s", it->n_steps, it->n_steps == 1 ? "" : "s");
        return buf;
}

const cli_field cli_given_up_fields[] = {
        {"run_id", CLI_AS_TEXT, CLI_AT(pawl_given_up, run_id)},
        {"step_id", CLI_AS_TEXT, CLI_AT(pawl_given_up, step_id)},
        CLI_NO_FIELD,
};

#define AT(member) CLI_AT(pawl_rollback_info, member)

static const cli_field fields[] = {
        {NULL, CLI_AS_TIME, AT(started_us), .title = "when", .cut = CLI_CUT_LAST},
        {NULL, CLI_AS_WORD, CLI_ITSELF, .title = "what", .word = what},
        {"seq", CLI_AS_INTEGER, AT(seq)},
        {"target", CLI_AS_INTEGER, AT(target), .title = "to"},
        {"safety", CLI_AS_INTEGER, AT(safety), .title = "safety"},
        {"undo", CLI_AS_BOOL, AT(undo)},
        {"redo", CLI_AS_BOOL, AT(redo)},
        {"in_part", CLI_AS_BOOL, AT(in_part)},
        {"status", CLI_AS_TEXT, AT(status), .title = "status"},
        {"started_at", CLI_AS_TIME, AT(started_us)},
        {NULL, CLI_AS_WORD, CLI_ITSELF, .title = "gave up", .cut = CLI_CUT, .word = gave_up},
        {"actor", CLI_AS_TEXT, AT(actor)},
        {"reason", CLI_AS_TEXT, AT(reason), .title = "reason", .cut = CLI_CUT},
        {"given_up", CLI_AS_LIST, CLI_ITEMS(pawl_rollback_info, given_up, n_given_up),
                .fields = cli_numbers},
        {"steps", CLI_AS_LIST, CLI_ITEMS(pawl_rollback_info, steps, n_steps),
                .fields = cli_given_up_fields},
        CLI_NO_FIELD,
};

static pawl_status rollbacks(cli_call *cli, pawl_log *log, pawl_error *err)
{
        pawl_rollbacks *list = NULL;
        const pawl__page page = {cli_number(cli, "before", 0), (size_t)cli_number(cli, "limit", 0)};
        pawl_status status = pawl__rollback_list(&list, log, &page, err);

        if (!status)
                status = cli_print_list(
                        cli, log, fields, list->items, list->n, sizeof *list->items, err);
        pawl_rollbacks_free(list);
        return status;
}

static const cli_option rollbacks_options[] = {
        {"limit", 'n', 0, CLI_NUMBER, "N", NULL, "the newest N"},
        {"before", 0, 0, CLI_NUMBER, "SEQ", NULL, "those that began before this event"},
        {"json", 0, 0, CLI_FLAG, NULL, NULL, "print an array of objects"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd pawl_rollbacks_cmd = {
        .name = "rollbacks",
        .traits = CLI_SERVED,
        .options = rollbacks_options,
        .help = "List the rollbacks, undos and redos of the workspace, and what each gave up",
        .on_log = rollbacks,
        .access = CLI_LOOK,
};
