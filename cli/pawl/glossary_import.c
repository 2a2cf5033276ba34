/* pawl glossary import: the senses of a file, put into a scope for good. */
#include "cli/pawl/actor.h"
#include "cli/pawl/commands.h"
#include "command/find.h"
#include "events/log.h"
#include "glossary/seed.h"
#include <stdio.h>

struct import {
        pawl__scope scope;
        const char *actor;
        pawl__imported counts;
};

static pawl_status import_seed(
        struct import *import, const pawl__seed *seed, pawl_log *log, pawl_error *err)
{
        const pawl_sources *sources = pawl__log_sources(log);
        pawl_event like = {
                .actor = pawl__text(import->actor), .time_us = sources->wall_us(sources->user)};
        pawl__batch batch = PAWL__BATCH_INIT;
        pawl__state *state;

        pawl_status status = pawl__state_of(&state, log, err);
        if (!status)
                status = pawl__seed_import(&batch, &import->counts, seed, state, &like, err);
        if (!status && batch.n > 0) {
                status = pawl__log_commit(log, &batch, 0, NULL);
                if (status)
                        pawl__log_failed(log, status, err);
        }
        pawl__batch_free(&batch);
        return status;
}

static void say(const pawl__imported *counts, pawl__scope scope, FILE *out)
{
        fprintf(out, "%zu new and %zu updated in %s", counts->added, counts->updated,
                pawl__scope_name(scope));
        if (counts->aliases_added + counts->aliases_updated)
                fprintf(out, "; of aliases, %zu new and %zu updated", counts->aliases_added,
                        counts->aliases_updated);
        fputc('\n', out);
}

static pawl_status import(cli_call *cli, pawl_log *log, pawl_error *err)
{
        struct import import = {.actor = NULL};
        pawl__problems problems = {.tell = cli_tell, .user = cli};
        pawl__seed seed;

        pawl__scope_of(&import.scope, pawl__text(cli_value(cli, "scope")));
        pawl_status status = pawl__seed_load(&seed, cli->args[0], import.scope, &problems, err);
        if (status)
                return status;
        status = cli_actor(&import.actor, cli, err);
        if (!status)
                status = import_seed(&import, &seed, log, err);
        pawl__seed_free(&seed);
        if (!status)
                say(&import.counts, import.scope, cli->in->out);
        return status;
}

/* Not mission_local: what holds in a mission is answered there, with `pawl resolve`. */
static const cli_option import_options[] = {
        {"scope", 0, 's', CLI_CHOICE, "SCOPE", "team_domain|audience_domain|core|spec_kitty_core",
                "where the senses go: team_domain, audience_domain or core"},
        {"actor", 0, 0, CLI_TEXT, "ACTOR", NULL, "who imports them (default: user:NAME)"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd pawl_glossary_import_cmd = {
        .name = "glossary import",
        .args = "FILE",
        .min_args = 1,
        .max_args = 1,
        .traits = CLI_CHANGES,
        .options = import_options,
        .help = "Put the senses of a seed file into the glossary",
        .on_log = import,
        .access = CLI_WRITE,
};
