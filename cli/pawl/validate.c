/* pawl validate: do checkpoints of the workspace still hold all that they name? */
#include "base/error.h"
#include "cli/pawl/actor.h"
#include "cli/pawl/commands.h"
#include "command/find.h"
#include "command/table.h"
#include <inttypes.h>
#include <pawl/validate.h>
#include <stdio.h>
#include <stdlib.h>

static const char *mark_of(const void *value, char buf[CLI_WORD_MAX])
{
        const pawl_check check = *(const pawl_check *)value;

        (void)buf;
        return check == PAWL_CHECK_NONE ? NULL : check == PAWL_CHECK_GOOD ? "✓" : "✗";
}

static const char *word_of(const void *value, char buf[CLI_WORD_MAX])
{
        const pawl_check check = *(const pawl_check *)value;

        (void)buf;
        return check == PAWL_CHECK_NONE ? NULL : check == PAWL_CHECK_GOOD ? "good" : "bad";
}

static const char *overall(const void *value, char buf[CLI_WORD_MAX])
{
        (void)buf;
        return *(const bool *)value ? "✓" : "✗";
}

#define AT(member) CLI_AT(pawl_validated, member)
#define CHECK(member, column)                                                                      \
        {#member, CLI_AS_WORD, AT(member), .word = word_of},                                       \
        {                                                                                          \
                NULL, CLI_AS_WORD, AT(member), .title = (column), .word = mark_of                  \
        }

static const cli_field fields[] = {
        {"n", CLI_AS_INTEGER, AT(n), .title = "n"},
        {"id", CLI_AS_ID, AT(id), .title = "id", .table = PAWL__WORKSPACE},
        CHECK(files, "file"),
        CHECK(hash, "hash"),
        CHECK(git, "git"),
        CHECK(state, "state"),
        {"good", CLI_AS_BOOL, AT(good)},
        {NULL, CLI_AS_WORD, AT(good), .title = "overall", .word = overall},
        {"valid", CLI_AS_BOOL, AT(valid)},
        {"what", CLI_AS_TEXT, AT(what)},
        CLI_NO_FIELD,
};

/* The command that heals it. Event and documents are in a copy of the log alone. */
static void print_remedy(const cli_call *cli, pawl_log *log, const pawl_validated *it)
{
        pawl_workspace_options options = PAWL_WORKSPACE_OPTIONS_INIT;
        pawl_error ignored = PAWL_ERROR_INIT;
        char which[24];
        bool all = false;

        snprintf(which, sizeof which, "%" PRIu64, it->n);
        options.root = cli->in->workspace;
        if (it->state == PAWL_CHECK_BAD)
                cli_noticef(cli,
                        "checkpoint %s: put back a backup of the log: `pawl backup` makes one",
                        which);
        else if (!pawl_workspace_rebuildable(&all, log, which, &options, &ignored) && all)
                cli_noticef(cli, "checkpoint %s: `pawl rebuild %s` heals it", which, which);
        else
                cli_noticef(cli,
                        "checkpoint %s: `pawl import ARCHIVE` heals it, if the archive has it",
                        which);
}

/* Beside it: what is wrong, what heals it, and where to go back to. */
static int say_faults(const cli_call *cli, pawl_log *log, const pawl_validation *found)
{
        const pawl_validated *last = found->last;
        bool bad = false;

        for (size_t i = 0; i < found->n; i++) {
                const pawl_validated *it = &found->items[i];
                if (it->good)
                        continue;
                if (!bad)
                        pawl__fail(cli->in->failure, PAWL_EDAMAGED, "checkpoint %" PRIu64 ": %s",
                                it->n, it->what.data);
                bad = true;
                cli_noticef(cli, "checkpoint %" PRIu64 ": %s", it->n, it->what.data);
                print_remedy(cli, log, it);
        }
        if (bad && last && !cli->n_args)
                cli_noticef(cli, "the last that is valid is checkpoint %" PRIu64, last->n);
        return bad ? CLI_DAMAGED : CLI_DONE;
}

/* The workspace, or else around the directory that holds the log. */
static char *root_of(const cli_call *cli)
{
        pawl__buf path = PAWL__BUF_INIT;
        pawl_error err;
        char *slash, *root = NULL;

        if (cli->in->workspace)
                return realpath(cli->in->workspace, NULL);
        if (!cli_find_place(&path, cli, &err) && (slash = strrchr(path.data, '/'))) {
                *slash = '\0';
                root = realpath(path.data, NULL);
        }
        pawl__buf_free(&path);
        return root;
}

static pawl_status validate(cli_call *cli, pawl_log *log, pawl_error *err)
{
        pawl_validation *found = NULL;
        const char *actor;
        char *root = root_of(cli);
        pawl_status status = cli_actor(&actor, cli, err);

        if (!status)
                status = pawl_workspace_validate(
                        &found, log, cli_arg(cli, 0), root, !cli_given(cli, "dry-run"), actor, err);
        free(root);
        if (!status)
                status = cli_print_list(
                        cli, log, fields, found->items, found->n, sizeof *found->items, err);
        if (!status)
                cli->code = say_faults(cli, log, found);
        pawl_validation_free(found);
        return status;
}

static const cli_option validate_options[] = {
        {"dry-run", 0, 0, CLI_DRY_RUN, NULL, NULL, "mark none as damaged"},
        {"actor", 0, 0, CLI_TEXT, "ACTOR", NULL, "who does it"},
        {"json", 0, 0, CLI_FLAG, NULL, NULL, "print an array of objects"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd pawl_validate_cmd = {
        .name = "validate",
        .args = "[CHECKPOINT]",
        .arg_help = {"the checkpoint (default: all of them)"},
        .traits = CLI_SERVED | CLI_CHANGES | CLI_ADDS,
        .options = validate_options,
        .help = "Read all that checkpoints of the workspace hold, and mark those that are damaged",
        .on_log = validate,
        .access = CLI_WRITE,
};
