/* pawl glossary edit, deprecate, ignore: correct what the glossary says, in a scope or a mission.
 */
#include "base/error.h"
#include "cli/pawl/actor.h"
#include "cli/pawl/changed.h"
#include "cli/pawl/commands.h"
#include "command/fields.h"
#include "command/find.h"
#include "command/printable.h"
#include "events/log.h"
#include "glossary/normal.h"
#include "glossary/seed.h"
#include <stdio.h>

typedef struct change {
        cli_changed of;
        pawl_status (*verb)(struct change *c, pawl_error *err);
        pawl_text asked;           /* what was named: of the term, or of an alias */
        pawl_text normal, mission; /* mission absent: not said */
        const char *scope;         /* NULL: not said */
        const pawl__row *found;    /* the sense that is meant */
        pawl__batch *batch;        /* while it is made */
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

/* The one sense that is meant, or the one of that number among them, or of that event. */
static pawl_status find(change *c, pawl_error *err)
{
        const cli_call *cli = c->of.cli;
        const pawl_text term = pawl__text(cli->args[0]);
        const size_t pick = (size_t)cli_number(cli, "pick", 0);
        const uint64_t seq = cli_number(cli, "since-seq", 0);
        size_t n = 0;

        c->found = NULL;
        for (size_t i = 0; i < c->of.senses.n; i++) {
                const pawl__row *row = &c->of.senses.rows[i];
                if (!matches(c, row) || (seq && (uint64_t)row->v[PAWL__SENSE_SEQ].integer != seq))
                        continue;
                n++;
                if (n == (pick ? pick : 1))
                        c->found = row;
        }
        if (n == 0 && seq)
                return pawl__fail(err, PAWL_ESTATE,
                        "term \"%.*s\": what event %llu said of it is not in force any more; see "
                        "`pawl glossary list`, and name one that is",
                        PAWL__FMT(term), (unsigned long long)seq);
        if (n == 0)
                return pawl__fail(err, PAWL_ENOTFOUND,
                        "term \"%.*s\": has no such sense in force; see `pawl glossary list`",
                        PAWL__FMT(term));
        if (!c->found)
                return pawl__fail(err, PAWL_EINVAL,
                        "term \"%.*s\": %zu is none of its senses; pick 1 to %zu", PAWL__FMT(term),
                        pick, n);
        if (!pick && n > 1)
                return pawl__fail(err, PAWL_EINVAL,
                        "term \"%.*s\": has %zu senses; say which by --scope, --mission or --pick "
                        "N, in the order of `pawl glossary list`",
                        PAWL__FMT(term), n);
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
                c->batch, sense, pawl__text(NULL), "user_clarification", update, &c->like, err);
}

static pawl_status retire(change *c, const pawl__row *row, pawl_error *err)
{
        pawl__sense sense = sense_of(row);

        sense.status = PAWL__DEPRECATED;
        return put(c, &sense, true, err);
}

/* Is it the sense that was found, or the same by an alias, which goes with it? */
static bool goes_along(const change *c, const pawl__row *row)
{
        static const int same[] = {PAWL__SENSE_MISSION, PAWL__SENSE_SCOPE, PAWL__SENSE_SURFACE,
                PAWL__SENSE_DEFINITION, PAWL__SENSE_STATUS};

        for (size_t i = 0; i < sizeof same / sizeof same[0]; i++)
                if (!pawl__text_eq(row->v[same[i]].text, c->found->v[same[i]].text))
                        return false;
        return true;
}

/* What is defined again is no longer ignored there. */
static pawl_status redefine(change *c, const pawl__row *row, pawl_text definition, pawl_error *err)
{
        const pawl_event like = c->like;
        pawl__sense sense = sense_of(row);
        pawl_status status = PAWL_OK;

        if (!is_local(row)) {
                if (!is_status(row, PAWL__IGNORED))
                        status = retire(c, row, err);
                if (!status)
                        status = pawl__ignored_lift(c->batch, &sense, 1, sense.scope, c->of.state,
                                c->of.cli->arena, &c->like, err);
                c->like.mission_id = pawl__text(NULL);
        }
        sense.definition = definition;
        sense.status = PAWL__ACTIVE;
        if (!status)
                status = put(c, &sense, is_local(row), err);
        c->like = like;
        return status;
}

static pawl_status edit(change *c, pawl_error *err)
{
        const pawl_text definition = pawl__text(cli_value(c->of.cli, "define"));
        pawl_status status = find(c, err);

        if (status || !c->found)
                return status;
        if (pawl__text_blank(definition) || !pawl__utf8_valid(definition.data, definition.len))
                return pawl__fail(err, PAWL_EINVAL,
                        "term \"%.*s\": the definition is empty or not UTF-8; write what it means",
                        PAWL__FMT(c->found->v[PAWL__SENSE_SURFACE].text));
        if (is_status(c->found, PAWL__ACTIVE) &&
                pawl__text_eq(definition, c->found->v[PAWL__SENSE_DEFINITION].text))
                return PAWL_OK;
        for (size_t i = 0; i < c->of.senses.n && !status; i++)
                if (goes_along(c, &c->of.senses.rows[i]))
                        status = redefine(c, &c->of.senses.rows[i], definition, err);
        return status;
}

static pawl_status deprecate(change *c, pawl_error *err)
{
        pawl_status status = find(c, err);

        for (size_t i = 0; c->found && i < c->of.senses.n && !status; i++)
                if (goes_along(c, &c->of.senses.rows[i]))
                        status = retire(c, &c->of.senses.rows[i], err);
        return status;
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

/* The word of this normal form, if it is not ignored there already. */
static pawl_status ignore_form(change *c, pawl_text surface, pawl_text normal, pawl_error *err)
{
        pawl__sense sense = {.surface = surface,
                .normal = normal,
                .definition = pawl__text(""),
                .confidence = 1,
                .status = PAWL__IGNORED};
        pawl_status status = PAWL_OK;

        c->normal = normal;
        pawl__scope_of(&sense.scope, pawl__text(c->scope));
        for (size_t i = 0; i < c->of.senses.n; i++)
                if (matches(c, &c->of.senses.rows[i]) &&
                        is_status(&c->of.senses.rows[i], PAWL__IGNORED))
                        return PAWL_OK;
        status = put(c, &sense, false, err);
        for (size_t i = 0; i < c->of.senses.n && !status; i++)
                if (is_hidden(c, &c->of.senses.rows[i]))
                        status = cli_changed_retire(&c->of, &c->of.senses.rows[i], c->mission, err);
        return status;
}

/* Has a row before the one at @p i its normal form? */
static bool came_before(const change *c, size_t i)
{
        const pawl__row *rows = c->of.senses.rows;

        for (size_t k = 0; k < i; k++)
                if (pawl__text_eq(rows[k].v[PAWL__SENSE_NORMAL].text,
                            rows[i].v[PAWL__SENSE_NORMAL].text) &&
                        !is_status(&rows[k], PAWL__DEPRECATED))
                        return true;
        return false;
}

/* The term and its aliases, which are the rows that have its surface. */
static pawl_status ignore(change *c, pawl_error *err)
{
        const pawl_text normal = c->normal;
        pawl_text surface = pawl__text(c->of.cli->args[0]);
        pawl_status status = PAWL_OK;

        if (!c->scope)
                c->scope = c->mission.data ? "mission_local" : "team_domain";
        for (size_t i = c->of.senses.n; i-- > 0;)
                if (pawl__text_eq(c->of.senses.rows[i].v[PAWL__SENSE_NORMAL].text, normal) &&
                        !is_status(&c->of.senses.rows[i], PAWL__DEPRECATED))
                        surface = c->of.senses.rows[i].v[PAWL__SENSE_SURFACE].text;
        status = ignore_form(c, surface, normal, err);
        for (size_t i = 0; i < c->of.senses.n && !status; i++) {
                const pawl__row *row = &c->of.senses.rows[i];
                if (pawl__text_eq(row->v[PAWL__SENSE_SURFACE].text, surface) &&
                        !pawl__text_eq(row->v[PAWL__SENSE_NORMAL].text, normal) &&
                        !is_status(row, PAWL__DEPRECATED) && !came_before(c, i))
                        status = ignore_form(c, surface, row->v[PAWL__SENSE_NORMAL].text, err);
        }
        c->normal = normal;
        return status;
}

/* An alias stands for its term. */
static pawl_status find_term(change *c, pawl_error *err)
{
        pawl__buf buf = PAWL__BUF_INIT;
        bool alias = false;
        pawl_status status = PAWL_OK;

        c->normal = c->asked;
        for (size_t i = 0; i < c->of.senses.n && !status && !alias; i++) {
                const pawl__row *row = &c->of.senses.rows[i];
                if (!pawl__text_eq(row->v[PAWL__SENSE_NORMAL].text, c->asked))
                        continue;
                status = pawl__sense_is_alias(&alias, &buf, row, err);
                pawl__buf_clear(&buf);
                if (alias && pawl__normal_form(&buf, row->v[PAWL__SENSE_SURFACE].text))
                        status = pawl__nomem(err);
                if (alias)
                        c->normal = pawl__arena_copy(c->of.cli->arena, pawl__buf_text(&buf));
        }
        pawl__buf_free(&buf);
        return status ? status : pawl__arena_check(c->of.cli->arena, err);
}

static pawl_status make(cli_changed *of, pawl__batch *batch, pawl_error *err)
{
        change *c = of->user;
        const pawl_status status = find_term(c, err);

        c->batch = batch;
        return status ? status : c->verb(c, err);
}

static pawl_status begin(change *c, pawl_error *err)
{
        const cli_call *cli = c->of.cli;
        const char *actor;
        pawl__scope scope;
        pawl_status status = cli_actor(&actor, cli, err);

        if (status)
                return status;
        pawl__scope_of(&scope, pawl__text(cli_value(cli, "scope")));
        c->scope = cli_given(cli, "scope") ? pawl__scope_name(scope) : NULL;
        c->mission = pawl__text(cli_value(cli, "mission"));
        status = cli_term_read(&c->asked, cli, err);
        c->like = (pawl_event){.mission_id = c->mission,
                .actor = pawl__text(actor),
                .time_us = pawl__wall_us(c->of.log)};
        return status;
}

typedef struct outcome {
        pawl_text term;
        const char *change;
} outcome;

static const cli_field fields[] = {
        {"term", CLI_AS_TEXT, CLI_AT(outcome, term)},
        {"change", CLI_AS_STRING, CLI_AT(outcome, change)},
        CLI_NO_FIELD,
};

static pawl_status print(const change *c, const char *verb, const char *done, pawl_error *err)
{
        const outcome o = {pawl__text(c->of.cli->args[0]), verb};
        FILE *out = c->of.cli->in->out;

        if (cli_given(c->of.cli, "json"))
                return cli_changed_json(&c->of, fields, &o, err);
        cli_putf(out, "\"%s\" %s%s", c->of.cli->args[0], c->of.changed ? "" : "already ", done);
        fputs(cli_changed_note(&c->of), out);
        cli_changed_print_steps(&c->of);
        return PAWL_OK;
}

static pawl_status carry_out(cli_call *cli, pawl_log *log,
        pawl_status (*verb)(change *c, pawl_error *err), const char *name, const char *done,
        pawl_error *err)
{
        change c = {.of = {.cli = cli, .log = log, .make = make}, .verb = verb};
        pawl_status status = begin(&c, err);

        c.of.user = &c;
        if (!status)
                status = cli_change(&c.of, err);
        if (!status)
                status = print(&c, name, done, err);
        cli_changed_free(&c.of);
        return status;
}

static pawl_status edit_on_log(cli_call *cli, pawl_log *log, pawl_error *err)
{
        return carry_out(cli, log, edit, "edit", "means that", err);
}

static pawl_status deprecate_on_log(cli_call *cli, pawl_log *log, pawl_error *err)
{
        return carry_out(cli, log, deprecate, "deprecate", "is deprecated", err);
}

static pawl_status ignore_on_log(cli_call *cli, pawl_log *log, pawl_error *err)
{
        return carry_out(cli, log, ignore, "ignore", "is ignored", err);
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
                {"actor", 0, 0, CLI_TEXT, "ACTOR", NULL, "who changes it (default: user:NAME)"},   \
                {"dry-run", 0, 0, CLI_DRY_RUN, NULL, NULL,                                         \
                        "only say what it would change, and which steps completed with that"},     \
        {                                                                                          \
                "json", 0, 0, CLI_FLAG, NULL, NULL, "print one object"                             \
        }
#define PICK                                                                                       \
        {"pick", 0, 0, CLI_NUMBER, "N", NULL,                                                      \
                "of several, the one of this number in `glossary list`"},                          \
        {                                                                                          \
                "since-seq", 0, 0, CLI_NUMBER, "SEQ", NULL,                                        \
                        "the one with this since_seq, and refused if it changed since"             \
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
        .arg_help = {"the term, or an alias of it"},
        .traits = CLI_SERVED | CLI_CHANGES | CLI_REPLACES,
        .options = edit_options,
        .help = "Give a sense another definition; the former one is deprecated",
        .run = run_edit,
};

const cli_cmd pawl_glossary_deprecate_cmd = {
        .name = "glossary deprecate",
        .args = "TERM",
        .arg_help = {"the term, or an alias of it"},
        .traits = CLI_SERVED | CLI_CHANGES | CLI_REPLACES,
        .options = deprecate_options,
        .help = "Retire a sense: it decides nothing any more",
        .run = run_deprecate,
};

const cli_cmd pawl_glossary_ignore_cmd = {
        .name = "glossary ignore",
        .args = "TERM",
        .arg_help = {"the term, or an alias of it"},
        .traits = CLI_SERVED | CLI_CHANGES | CLI_REPLACES,
        .options = ignore_options,
        .help = "Say that a word is no term: nobody is asked about it in the scope",
        .run = run_ignore,
};
