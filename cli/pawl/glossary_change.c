/* pawl glossary edit, deprecate, ignore: correct what the glossary says, in a scope or a mission.
 */
#include "base/error.h"
#include "base/sources.h"
#include "cli/pawl/actor.h"
#include "cli/pawl/commands.h"
#include "cli/pawl/senses.h"
#include "command/find.h"
#include "command/printable.h"
#include "events/log.h"
#include "glossary/normal.h"
#include "glossary/seed.h"
#include <stdio.h>

typedef struct change {
        cli_call *cli;
        pawl_log *log;
        pawl_text normal, mission; /* mission absent: not said */
        const char *scope;         /* NULL: not said */
        cli_senses senses;
        const pawl__row *found; /* the sense that is meant */
        size_t n_found;
        bool ignores;
        pawl__batch batch;
        pawl_event like;
} change;

static bool is_local(const pawl__row *row)
{
        return row->v[PAWL__SENSE_MISSION].text.len > 0;
}

static bool is_status(const pawl__row *row, pawl__sense_status status)
{
        return pawl__text_is(row->v[PAWL__SENSE_STATUS].text, pawl__sense_status_name(status));
}

/* Is it a sense of the term, where it was asked for? */
static bool matches(const change *c, const pawl__row *row)
{
        if (!pawl__text_eq(row->v[PAWL__SENSE_NORMAL].text, c->normal) ||
                is_status(row, PAWL__DEPRECATED))
                return false;
        if (c->mission.data && !pawl__text_eq(row->v[PAWL__SENSE_MISSION].text, c->mission))
                return false;
        return !c->scope || pawl__text_is(row->v[PAWL__SENSE_SCOPE].text, c->scope);
}

/* The one sense that is meant, or the one of that number among them. */
static pawl_status find(change *c, pawl_error *err)
{
        const pawl_text term = pawl__text(c->cli->args[0]);
        const size_t pick = (size_t)cli_number(c->cli, "pick", 0);

        for (size_t i = 0; i < c->senses.n; i++)
                if (matches(c, &c->senses.rows[i])) {
                        c->n_found++;
                        if (c->n_found == (pick ? pick : 1))
                                c->found = &c->senses.rows[i];
                }
        if (c->n_found == 0)
                return pawl__fail(err, PAWL_ENOTFOUND,
                        "term \"%.*s\": has no such sense in force; see `pawl glossary list`",
                        PAWL__FMT(term));
        if (!c->found)
                return pawl__fail(err, PAWL_EINVAL,
                        "term \"%.*s\": %zu is none of its senses; pick 1 to %zu", PAWL__FMT(term),
                        pick, c->n_found);
        if (!pick && c->n_found > 1)
                return pawl__fail(err, PAWL_EINVAL,
                        "term \"%.*s\": has %zu senses; say which by --scope, --mission or --pick "
                        "N, in the order of `pawl glossary list`",
                        PAWL__FMT(term), c->n_found);
        return PAWL_OK;
}

static pawl__sense sense_of(const pawl__row *row)
{
        pawl__sense sense = {.surface = row->v[PAWL__SENSE_SURFACE].text,
                .normal = row->v[PAWL__SENSE_NORMAL].text,
                .definition = row->v[PAWL__SENSE_DEFINITION].text,
                .confidence = row->v[PAWL__SENSE_CONFIDENCE].real,
                .scope = PAWL__SCOPES_N};

        if (!pawl__scope_of(&sense.scope, row->v[PAWL__SENSE_SCOPE].text))
                sense.scope = PAWL__CORE;
        return sense;
}

static pawl_status put(change *c, const pawl__sense *sense, bool update, pawl_error *err)
{
        return pawl__sense_updated(
                &c->batch, sense, pawl__text(NULL), "user_clarification", update, &c->like, err);
}

static pawl_status retire(change *c, const pawl__row *row, pawl_error *err)
{
        pawl__sense sense = sense_of(row);

        sense.status = PAWL__DEPRECATED;
        return put(c, &sense, true, err);
}

static pawl_status edit(change *c, pawl_error *err)
{
        const pawl_text definition = pawl__text(cli_value(c->cli, "define"));
        pawl_status status = find(c, err);

        if (status)
                return status;
        pawl__sense sense = sense_of(c->found);
        if (pawl__text_blank(definition) || !pawl__utf8_valid(definition.data, definition.len))
                return pawl__fail(err, PAWL_EINVAL,
                        "term \"%.*s\": the definition is empty or not UTF-8; write what it means",
                        PAWL__FMT(sense.surface));
        if (is_status(c->found, PAWL__ACTIVE) && pawl__text_eq(definition, sense.definition))
                return PAWL_OK;
        if (!is_local(c->found)) { /* what is defined again is no longer ignored there */
                pawl__state *state;
                status = pawl__state_of(&state, c->log, err);
                if (!status && !is_status(c->found, PAWL__IGNORED))
                        status = retire(c, c->found, err);
                if (!status)
                        status = pawl__ignored_lift(&c->batch, &sense, 1, sense.scope, state,
                                c->cli->arena, &c->like, err);
                c->like.mission_id = pawl__text(NULL);
        }
        sense.definition = definition;
        sense.status = PAWL__ACTIVE;
        return status ? status : put(c, &sense, is_local(c->found), err);
}

static pawl_status deprecate(change *c, pawl_error *err)
{
        const pawl_status status = find(c, err);

        return status ? status : retire(c, c->found, err);
}

static pawl_status ignore(change *c, pawl_error *err)
{
        const pawl__row *same = NULL;
        pawl__sense sense = {.surface = pawl__text(c->cli->args[0]),
                .normal = c->normal,
                .definition = pawl__text(""),
                .confidence = 1,
                .status = PAWL__IGNORED};

        if (!c->scope)
                c->scope = c->mission.data ? "mission_local" : "team_domain";
        pawl__scope_of(&sense.scope, pawl__text(c->scope));
        for (size_t i = 0; i < c->senses.n && !same; i++)
                if (matches(c, &c->senses.rows[i]) && is_status(&c->senses.rows[i], PAWL__IGNORED))
                        same = &c->senses.rows[i];
        c->ignores = true;
        return same ? PAWL_OK : put(c, &sense, false, err);
}

/* An alias stands for its term. */
static pawl_status read_senses(change *c, pawl_error *err)
{
        pawl__buf room = PAWL__BUF_INIT;
        bool alias = false;
        pawl_status status = cli_senses_read(&c->senses, c->log, 0, err);

        for (size_t i = 0; i < c->senses.n && !status && !alias; i++) {
                const pawl__row *row = &c->senses.rows[i];
                if (!pawl__text_eq(row->v[PAWL__SENSE_NORMAL].text, c->normal))
                        continue;
                status = pawl__sense_is_alias(&alias, &room, row, err);
                pawl__buf_clear(&room);
                if (alias && pawl__normal_form(&room, row->v[PAWL__SENSE_SURFACE].text))
                        status = pawl__nomem(err);
                if (alias)
                        c->normal = pawl__arena_copy(c->cli->arena, pawl__buf_text(&room));
        }
        pawl__buf_free(&room);
        return status ? status : pawl__arena_check(c->cli->arena, err);
}

static pawl_status begin(change *c, pawl_error *err)
{
        const pawl_sources *sources = pawl__log_sources(c->log);
        pawl__buf normal = PAWL__BUF_INIT;
        const char *actor;
        pawl__scope scope;
        pawl_status status = cli_actor(&actor, c->cli, err);

        if (status)
                return status;
        pawl__scope_of(&scope, pawl__text(cli_value(c->cli, "scope")));
        c->scope = cli_given(c->cli, "scope") ? pawl__scope_name(scope) : NULL;
        c->mission = pawl__text(cli_value(c->cli, "mission"));
        if (pawl__normal_form(&normal, pawl__text(c->cli->args[0])))
                status = pawl__nomem(err);
        else
                c->normal = pawl__arena_copy(c->cli->arena, pawl__buf_text(&normal));
        pawl__buf_free(&normal);
        if (!status)
                status = pawl__arena_check(c->cli->arena, err);
        if (!status && c->normal.len == 0)
                status = pawl__fail(err, PAWL_EINVAL, "term: is empty; name one");
        c->like = (pawl_event){
                .actor = pawl__text(actor), .time_us = sources->wall_us(sources->user)};
        return status ? status : read_senses(c, err);
}

/* Does a word that is ignored where it was said hide the sense? */
static bool is_hidden(const change *c, const pawl__row *row)
{
        const pawl_text mission = row->v[PAWL__SENSE_MISSION].text;
        pawl__scope ignored, scope;

        return is_status(row, PAWL__ACTIVE) &&
               pawl__text_eq(row->v[PAWL__SENSE_NORMAL].text, c->normal) &&
               (!is_local(row) || pawl__text_eq(mission, c->mission)) &&
               pawl__scope_of(&ignored, pawl__text(c->scope)) &&
               pawl__scope_of(&scope, row->v[PAWL__SENSE_SCOPE].text) && scope >= ignored;
}

/* Which steps completed with what is not so any more. */
static pawl_status tell(const change *c, pawl_error *err)
{
        pawl_status status = PAWL_OK;

        if (c->found)
                return cli_senses_told(c->cli, c->log, &c->senses, c->found,
                        c->found->v[PAWL__SENSE_MISSION].text, err);
        for (size_t i = 0; c->ignores && i < c->senses.n && !status; i++)
                if (is_hidden(c, &c->senses.rows[i]))
                        status = cli_senses_told(
                                c->cli, c->log, &c->senses, &c->senses.rows[i], c->mission, err);
        return status;
}

static pawl_status carry_out(cli_call *cli, pawl_log *log,
        pawl_status (*make)(change *c, pawl_error *err), const char *done, pawl_error *err)
{
        change c = {.cli = cli, .log = log, .senses = {.arena = PAWL__ARENA_INIT}};
        pawl_status status = begin(&c, err);

        if (!status && c.mission.data)
                c.like.mission_id = c.mission;
        if (!status)
                status = make(&c, err);
        const size_t n = c.batch.n;
        if (!status && n > 0)
                status = pawl__log_failed(log, pawl__log_commit(log, &c.batch, 0, NULL), err);
        if (!status) {
                fputc('"', cli->in->out);
                cli_puts(cli->in->out, cli->args[0]);
                fprintf(cli->in->out, "\" %s%s\n", n ? "" : "already ", done);
        }
        if (!status && n)
                status = tell(&c, err);
        pawl__batch_free(&c.batch);
        cli_senses_free(&c.senses);
        return status;
}

static pawl_status edit_on_log(cli_call *cli, pawl_log *log, pawl_error *err)
{
        return carry_out(cli, log, edit, "means that", err);
}

static pawl_status deprecate_on_log(cli_call *cli, pawl_log *log, pawl_error *err)
{
        return carry_out(cli, log, deprecate, "is deprecated", err);
}

static pawl_status ignore_on_log(cli_call *cli, pawl_log *log, pawl_error *err)
{
        return carry_out(cli, log, ignore, "is ignored", err);
}

/* A mission's own senses are in mission_local, and nowhere else. */
static int run(cli_call *cli, cli_log_fn *on_log)
{
        const char *scope = cli_value(cli, "scope");
        const bool local = scope && strcmp(scope, "mission_local") == 0;

        if (scope && local != cli_given(cli, "mission"))
                return cli_usage(cli, "--scope mission_local and --mission go together");
        return cli_with_log(cli, CLI_WRITE, on_log);
}

static int run_edit(cli_call *cli)
{
        return run(cli, edit_on_log);
}

static int run_deprecate(cli_call *cli)
{
        return run(cli, deprecate_on_log);
}

static int run_ignore(cli_call *cli)
{
        return run(cli, ignore_on_log);
}

#define WHERE                                                                                      \
        {"scope", 0, 0, CLI_CHOICE, "SCOPE",                                                       \
                "mission_local|team_domain|audience_domain|core|spec_kitty_core",                  \
                "the sense of this scope"},                                                        \
                {"mission", 0, 0, CLI_TEXT, "MISSION", NULL, "the sense of this mission's own"},   \
        {                                                                                          \
                "actor", 0, 0, CLI_TEXT, "ACTOR", NULL, "who changes it (default: user:NAME)"      \
        }
#define PICK                                                                                       \
        {                                                                                          \
                "pick", 0, 0, CLI_NUMBER, "N", NULL,                                               \
                        "of several, the one of this number in `glossary list`"                    \
        }
#define NO_MORE                                                                                    \
        {                                                                                          \
                NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL                                             \
        }

static const cli_option edit_options[] = {
        {"define", 0, 'd', CLI_TEXT, "TEXT", NULL, "what it means"}, WHERE, PICK, NO_MORE};
static const cli_option deprecate_options[] = {WHERE, PICK, NO_MORE};
static const cli_option ignore_options[] = {WHERE, NO_MORE};

const cli_cmd pawl_glossary_edit_cmd = {
        .name = "glossary edit",
        .args = "TERM",
        .min_args = 1,
        .max_args = 1,
        .traits = CLI_CHANGES,
        .options = edit_options,
        .help = "Give a sense another definition; the former one is deprecated",
        .run = run_edit,
};

const cli_cmd pawl_glossary_deprecate_cmd = {
        .name = "glossary deprecate",
        .args = "TERM",
        .min_args = 1,
        .max_args = 1,
        .traits = CLI_CHANGES,
        .options = deprecate_options,
        .help = "Retire a sense: it decides nothing any more",
        .run = run_deprecate,
};

const cli_cmd pawl_glossary_ignore_cmd = {
        .name = "glossary ignore",
        .args = "TERM",
        .min_args = 1,
        .max_args = 1,
        .traits = CLI_CHANGES,
        .options = ignore_options,
        .help = "Say that a word is no term: nobody is asked about it in the scope",
        .run = run_ignore,
};
