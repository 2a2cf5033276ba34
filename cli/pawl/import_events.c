/* pawl import-events: the glossary events that spec-kitty kept, as the first ones of a log. */
#include "base/error.h"
#include "cli/pawl/actor.h"
#include "cli/pawl/commands.h"
#include "command/fields.h"
#include "command/find.h"
#include "command/input.h"
#include "glossary/foreign.h"
#include <stdio.h>
#include <stdlib.h>

typedef struct refused {
        pawl_text file, why;
        uint64_t line;
} refused;

typedef struct import {
        const cli_call *cli;
        pawl__foreign *foreign;
        refused *refused;
        size_t n_refused, cap;
        size_t n_taken, n_events;
} import;

static const cli_field refused_fields[] = {
        {"file", CLI_AS_TEXT, CLI_AT(refused, file)},
        {"line", CLI_AS_INTEGER, CLI_AT(refused, line)},
        {"why", CLI_AS_TEXT, CLI_AT(refused, why)},
        CLI_NO_FIELD,
};

static const cli_field fields[] = {
        {"taken", CLI_AS_INTEGER, CLI_AT(import, n_taken)},
        {"events", CLI_AS_INTEGER, CLI_AT(import, n_events)},
        {"not_taken", CLI_AS_LIST, CLI_ITEMS(import, refused, n_refused), .fields = refused_fields},
        CLI_NO_FIELD,
};

/* Said at once, so that a long file is not silent, and kept for --json. */
static pawl_status refuse(
        import *i, pawl_text file, size_t line, const pawl_error *why, pawl_error *err)
{
        pawl__arena *arena = i->cli->arena;

        if (!cli_given(i->cli, "json"))
                cli_noticef(i->cli, "%.*s: line %zu: %s", PAWL__FMT(file), line, why->message);
        if (pawl__grow(&i->refused, &i->cap, i->n_refused + 1, sizeof *i->refused))
                return pawl__nomem(err);
        i->refused[i->n_refused++] =
                (refused){file, pawl__arena_copy(arena, pawl__text(why->message)), line};
        return pawl__arena_check(arena, err);
}

static pawl_text base_name(const char *path)
{
        const char *slash = strrchr(path, '/');

        return pawl__text(slash ? slash + 1 : path);
}

static pawl_status read_lines(import *i, cli_input *input, pawl_text file, pawl_error *err)
{
        pawl_status status;
        pawl_text text;

        for (size_t line = 1; !(status = cli_input_line(&text, input, err)); line++) {
                pawl_error why = PAWL_ERROR_INIT;
                status = pawl__foreign_take(i->foreign, file, line, text, &why);
                if (status == PAWL_ENOMEM)
                        return pawl__nomem(err);
                if (status && (status = refuse(i, file, line, &why, err)))
                        return status;
        }
        return status == PAWL_DONE ? PAWL_OK : status;
}

static pawl_status read_file(import *i, const char *path, pawl_error *err)
{
        cli_input input = {.fd = -1};
        pawl_status status = cli_input_open(&input, path, err);

        if (status)
                return status;
        status = read_lines(i, &input, base_name(input.name), err);
        cli_input_close(&input);
        return status;
}

static pawl_status commit(import *i, pawl_error *err)
{
        pawl_log *log;

        i->n_taken = pawl__foreign_lines(i->foreign);
        i->n_events = pawl__foreign_events(i->foreign);
        if (i->n_taken == 0)
                return PAWL_OK;
        pawl_status status = cli_open_log(&log, i->cli, CLI_MAKE, err);
        if (status)
                return status;
        status = pawl__foreign_commit(i->foreign, log, err);
        cli_close_log(i->cli, log);
        return status;
}

/* What was not taken was said line by line; that it was not is a failure. */
static pawl_status conclude(const import *i, pawl_error *err)
{
        if (cli_given(i->cli, "json")) {
                const pawl_status status = cli_print_object(i->cli, fields, i, err);
                if (status)
                        return status;
        } else {
                fprintf(i->cli->in->out, "%zu lines taken over, as %zu events\n", i->n_taken,
                        i->n_events);
        }
        if (i->n_refused)
                return pawl__fail(err, PAWL_EINVAL,
                        "import-events: %zu line%s not taken; correct what is named, and import into "
                        "a new log",
                        i->n_refused, i->n_refused == 1 ? " was" : "s were");
        return PAWL_OK;
}

static int import_events_run(cli_call *cli)
{
        pawl_error err = PAWL_ERROR_INIT;
import i = {.cli = cli };
        const char *actor;
        pawl_status status = cli_actor(&actor, cli, &err);

        if (!status)
                status = pawl__foreign_new(&i.foreign, pawl__text(actor), &err);
        for (int k = 0; k < cli->n_args && !status; k++)
                status = read_file(&i, cli->args[k], &err);
        if (!status)
                status = commit(&i, &err);
        if (!status)
                status = conclude(&i, &err);
        pawl__foreign_free(i.foreign);
        free(i.refused);
        return status ? cli_fail(cli, &err) : CLI_DONE;
}

static const cli_option import_events_options[] = {
        {"actor", 0, 0, CLI_TEXT, "ACTOR", NULL, "who takes them over (default: user:NAME)"},
        {"json", 0, 0, CLI_FLAG, NULL, NULL, "print one object"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd pawl_import_events_cmd = {
        .name = "import-events",
        .args = "FILE...",
        .arg_help = {"JSON Lines, as .kittify/events/glossary/MISSION.events.jsonl has them"},
        .traits = CLI_CHANGES,
        .options = import_events_options,
        .help = "Take over spec-kitty's glossary events, as the first ones of a new log",
        .run = import_events_run,
};
