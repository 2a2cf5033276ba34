/* pawl validate: do checkpoints of the workspace still hold all that they name? */
#include "base/error.h"
#include "base/json_write.h"
#include "cli/pawl/actor.h"
#include "cli/pawl/commands.h"
#include "command/find.h"
#include "command/json.h"
#include "command/printable.h"
#include "command/table.h"
#include <inttypes.h>
#include <pawl/validate.h>
#include <stdio.h>
#include <stdlib.h>

static const char *mark_of(pawl_check check)
{
        return check == PAWL_CHECK_NONE ? "-" : check == PAWL_CHECK_GOOD ? "✓" : "✗";
}

static const char *word_of(pawl_check check)
{
        return check == PAWL_CHECK_NONE ? NULL : check == PAWL_CHECK_GOOD ? "good" : "bad";
}

static int print_json(const cli_call *cli, const pawl_validation *found)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        pawl__json_open_array(&w);
        for (size_t i = 0; i < pawl_validation_count(found); i++) {
                const pawl_validated *it = pawl_validation_at(found, i);
                pawl__json_open_object(&w);
                pawl__json_member_integer(&w, "n", (int64_t)it->n);
                pawl__json_member_text(&w, "id", it->id);
                pawl__json_member_string(&w, "files", word_of(it->files));
                pawl__json_member_string(&w, "hash", word_of(it->hash));
                pawl__json_member_string(&w, "git", word_of(it->git));
                pawl__json_member_string(&w, "state", word_of(it->state));
                pawl__json_member_bool(&w, "good", it->good);
                pawl__json_member_bool(&w, "valid", it->valid);
                pawl__json_member_text(&w, "what", it->what);
                pawl__json_close_object(&w);
        }
        pawl__json_close_array(&w);
        return cli_print_json(cli, &w);
}

static const cli_column columns[] = {
        {"n", CLI_CELL_INTEGER, CLI_WHOLE},
        {"id", CLI_CELL_TEXT, CLI_WHOLE},
        {"file", CLI_CELL_TEXT, CLI_WHOLE},
        {"hash", CLI_CELL_TEXT, CLI_WHOLE},
        {"git", CLI_CELL_TEXT, CLI_WHOLE},
        {"state", CLI_CELL_TEXT, CLI_WHOLE},
        {"overall", CLI_CELL_TEXT, CLI_WHOLE},
};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

static pawl_status add_row(cli_table *table, const void *list, size_t i, pawl_error *err)
{
        const cli_listed *listed = list;
        const pawl_validated *it = pawl_validation_at(listed->list, i);
        pawl_text id = it->id;

        if (cli_short_id(&id, listed->log, PAWL__WORKSPACE, err))
                return err->status;
        const cli_cell cells[COLUMNS] = {{.integer = (int64_t)it->n}, {.text = id},
                {.text = pawl__text(mark_of(it->files))}, {.text = pawl__text(mark_of(it->hash))},
                {.text = pawl__text(mark_of(it->git))}, {.text = pawl__text(mark_of(it->state))},
                {.text = pawl__text(it->good ? "✓" : "✗")}};
        return cli_table_row(table, cells, err);
}

static int print_table(const cli_call *cli, pawl_log *log, const pawl_validation *found)
{
        const cli_listed listed = {found, log};
        pawl_error err = PAWL_ERROR_INIT;

        return cli_table_print(cli->in->out, columns, COLUMNS, add_row, &listed,
                       pawl_validation_count(found), &err)
                       ? cli_fail(cli, &err)
                       : CLI_DONE;
}

/* Beside it: what is wrong, and where to go back to. */
static int say_faults(const cli_call *cli, const pawl_validation *found)
{
        const pawl_validated *last = pawl_validation_last(found);
        bool bad = false;

        for (size_t i = 0; i < pawl_validation_count(found); i++) {
                const pawl_validated *it = pawl_validation_at(found, i);
                if (it->good)
                        continue;
                if (!bad)
                        pawl__fail(cli->in->failure, PAWL_EDAMAGED, "checkpoint %" PRIu64 ": %s",
                                it->n, it->what.data);
                bad = true;
                cli_noticef(cli, "checkpoint %" PRIu64 ": %s", it->n, it->what.data);
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
        if (!cli_find_log(&path, cli, &err) && (slash = strrchr(path.data, '/'))) {
                *slash = '\0';
                root = realpath(path.data, NULL);
        }
        pawl__buf_free(&path);
        return root;
}

static int validate_run(cli_call *cli)
{
        pawl__buf actor = PAWL__BUF_INIT;
        pawl_validation *found = NULL;
        pawl_error err = PAWL_ERROR_INIT;
        pawl_log *log = NULL;
        const bool mark = !cli_given(cli, "dry-run");
        char *root = root_of(cli);
        pawl_status status = cli_actor(&actor, cli, &err);

        if (!status)
                status = cli_open_log(&log, cli, CLI_WRITE, &err);
        if (!status)
                status = pawl_workspace_validate(
                        &found, log, cli_arg(cli, 0), root, mark, actor.data, &err);
        pawl__buf_free(&actor);
        free(root);
        int code = status                   ? cli_fail(cli, &err)
                   : cli_given(cli, "json") ? print_json(cli, found)
                                            : print_table(cli, log, found);
        if (code == CLI_DONE)
                code = say_faults(cli, found);
        cli_close_log(cli, log);
        pawl_validation_free(found);
        return code;
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
        .min_args = 0,
        .max_args = 1,
        .arg_help = {"the checkpoint (default: all of them)"},
        .traits = CLI_SERVED | CLI_CHANGES,
        .options = validate_options,
        .help = "Read all that checkpoints of the workspace hold, and mark those that are damaged",
        .run = validate_run,
};
