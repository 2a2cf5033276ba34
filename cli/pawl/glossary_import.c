/* pawl glossary import: the senses of a file, put into a scope for good. */
#include "cli/pawl/actor.h"
#include "cli/pawl/changed.h"
#include "cli/pawl/commands.h"
#include "cli/pawl/problems.h"
#include "command/find.h"
#include "events/log.h"
#include <stdio.h>

typedef struct import {
        pawl__seed seed;
        pawl__imported counts;
        pawl_event like;
        const char *scope;
        cli_changed of;
} import;

static const cli_field fields[] = {
        {"scope", CLI_AS_STRING, CLI_AT(import, scope)},
        {"added", CLI_AS_INTEGER, CLI_AT(import, counts.added)},
        {"updated", CLI_AS_INTEGER, CLI_AT(import, counts.updated)},
        {"aliases_added", CLI_AS_INTEGER, CLI_AT(import, counts.aliases_added)},
        {"aliases_updated", CLI_AS_INTEGER, CLI_AT(import, counts.aliases_updated)},
        {"retired", CLI_AS_INTEGER, CLI_AT(import, counts.retired)},
        CLI_NO_FIELD,
};

static pawl_status make(cli_changed *of, pawl__batch *batch, pawl_error *err)
{
        import *i = of->user;

        return pawl__seed_import(batch, &i->counts, &i->seed, of->state, &i->like, err);
}

static pawl_status print(const import *i, pawl_error *err)
{
        const pawl__imported *counts = &i->counts;
        FILE *out = i->of.cli->in->out;

        if (cli_given(i->of.cli, "json"))
                return cli_changed_json(&i->of, fields, i, err);
        fprintf(out, "%zu new and %zu updated in %s", counts->added, counts->updated, i->scope);
        if (counts->aliases_added + counts->aliases_updated)
                fprintf(out, "; of aliases, %zu new and %zu updated", counts->aliases_added,
                        counts->aliases_updated);
        if (counts->retired)
                fprintf(out,
                        "; %zu stay%s retired, until `pawl glossary edit` gives %s a meaning again",
                        counts->retired, counts->retired == 1 ? "s" : "",
                        counts->retired == 1 ? "it" : "each");
        fputs(cli_changed_note(&i->of), out);
        cli_changed_print_steps(&i->of);
        return PAWL_OK;
}

static pawl_status read_seed(import *i, pawl_error *err)
{
        const cli_call *cli = i->of.cli;
        const char *text = cli_value(cli, "text");
        cli_problems problems;
        pawl__scope scope = PAWL__TEAM_DOMAIN;

        pawl__scope_of(&scope, pawl__text(cli_value(cli, "scope")));
        i->scope = pawl__scope_name(scope);
        cli_problems_begin(&problems, cli);
        const pawl_status status =
                text ? pawl__seed_parse(
                               &i->seed, "the seed", pawl__text(text), scope, &problems.of, err)
                     : pawl__seed_load(&i->seed, cli->args[0], scope, &problems.of, err);
        return cli_problems_end(&problems, status, err);
}

static pawl_status import_seed(cli_call *cli, pawl_log *log, pawl_error *err)
{
import i = {.of = {.cli = cli, .log = log, .make = make } };
        const char *actor;
        pawl_status status = read_seed(&i, err);

        if (status)
                return status;
        i.of.user = &i;
        status = cli_actor(&actor, cli, err);
        if (!status) {
                i.like = (pawl_event){.actor = pawl__text(actor), .time_us = pawl__wall_us(log)};
                status = cli_change(&i.of, err);
        }
        if (!status)
                status = print(&i, err);
        cli_changed_free(&i.of);
        pawl__seed_free(&i.seed);
        return status;
}

static int run(cli_call *cli)
{
        if (cli_given(cli, "text") == (cli->n_args > 0))
                return cli_usage(cli, "name a file, or give --text");
        if (cli->in->served && cli->n_args > 0)
                return cli_usage(cli, "a service reads no file: give --text");
        return cli_with_log(cli, CLI_WRITE, import_seed);
}

/* Not mission_local: what holds in a mission is answered there, with `pawl resolve`. */
static const cli_option import_options[] = {
        {"scope", 0, 's', CLI_CHOICE, "SCOPE", "team_domain|audience_domain|core|spec_kitty_core",
                "where the senses go: team_domain, audience_domain or core"},
        {"text", 0, 0, CLI_TEXT, "TEXT", NULL, "the seed itself, in place of a file"},
        {"actor", 0, 0, CLI_TEXT, "ACTOR", NULL, "who imports them (default: user:NAME)"},
        {"dry-run", 0, 0, CLI_DRY_RUN, NULL, NULL,
                "only say what it would change, and which steps completed with that"},
        {"json", 0, 0, CLI_FLAG, NULL, NULL, "print one object"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd pawl_glossary_import_cmd = {
        .name = "glossary import",
        .args = "[FILE]",
        .arg_help = {"a seed file"},
        .traits = CLI_SERVED | CLI_CHANGES | CLI_REPLACES,
        .options = import_options,
        .help = "Put the senses of a seed file into the glossary",
        .run = run,
};
