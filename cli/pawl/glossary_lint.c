/* pawl glossary lint: what is wrong with the glossary in force, or with seeds before they are in
 * force. */
#include "base/digest.h"
#include "base/error.h"
#include "base/map.h"
#include "cli/pawl/commands.h"
#include "cli/pawl/senses.h"
#include "command/find.h"
#include "command/printable.h"
#include "command/table.h"
#include "events/log.h"
#include "glossary/extract.h"
#include "glossary/lint.h"
#include "glossary/normal.h"
#include "glossary/seed.h"
#include <stdio.h>
#include <stdlib.h>

typedef struct linting {
        cli_call *cli;
        pawl_log *log; /* NULL: there is none */
        cli_senses in_force;
        pawl__seed seeds[CLI_ARGS_MAX];
        int n_seeds;
        pawl__lint_sense *senses;
        size_t n, cap;
        pawl__map used, inputs, rows; /* normal forms; hashes of inputs; rows that were added */
} linting;

/* ---- The senses ------------------------------------------------------------------------------ */

static pawl_status add(linting *l, const pawl__lint_sense *sense, pawl_error *err)
{
        if (pawl__grow(&l->senses, &l->cap, l->n + 1, sizeof *l->senses))
                return pawl__nomem(err);
        l->senses[l->n++] = *sense;
        return PAWL_OK;
}

/* A sense that an import and a seed both have is one. *is_new: it was not there. */
static pawl_status is_first(bool *is_new, linting *l, pawl__buf *buf, const pawl__row *row)
{
        static const int key[] = {PAWL__SENSE_SCOPE, PAWL__SENSE_MISSION, PAWL__SENSE_NORMAL,
                PAWL__SENSE_DEFINITION, PAWL__SENSE_STATUS};

        pawl__buf_clear(buf);
        for (size_t i = 0; i < sizeof key / sizeof *key; i++) {
                pawl__buf_add_text(buf, row->v[key[i]].text);
                pawl__buf_addc(buf, '\xff');
        }
        if (buf->failed)
                return PAWL_ENOMEM;
        *is_new = pawl__map_get(&l->rows, pawl__buf_text(buf)) == PAWL__MAP_NONE;
        return *is_new ? pawl__map_put_copy(&l->rows, l->cli->arena, pawl__buf_text(buf), 1)
                       : PAWL_OK;
}

static pawl_status add_rows(linting *l, bool context, pawl_error *err)
{
        pawl__buf buf = PAWL__BUF_INIT;
        bool is_new = false;
        pawl_status status = PAWL_OK;

        for (size_t i = 0; i < l->in_force.n && !status; i++) {
                const pawl__row *row = &l->in_force.rows[i];
                pawl__lint_sense sense = {.surface = row->v[PAWL__SENSE_SURFACE].text,
                        .normal = row->v[PAWL__SENSE_NORMAL].text,
                        .definition = row->v[PAWL__SENSE_DEFINITION].text,
                        .used = true,
                        .context = context};
                if (!pawl__scope_of(&sense.scope, row->v[PAWL__SENSE_SCOPE].text) ||
                        !pawl__sense_status_of(&sense.status, row->v[PAWL__SENSE_STATUS].text))
                        continue;
                if (is_first(&is_new, l, &buf, row))
                        status = pawl__nomem(err);
                if (status || !is_new)
                        continue;
                status = pawl__sense_is_alias(&sense.alias, &buf, row, err);
                if (!status)
                        status = add(l, &sense, err);
        }
        pawl__buf_free(&buf);
        return status;
}

/* An alias follows its term, with the surface and the definition of it. */
static pawl_status add_seeds(linting *l, pawl_error *err)
{
        pawl__problems problems = {.tell = cli_print_problem, .user = l->cli};
        pawl_status status = PAWL_OK;

        for (int i = 0; i < l->cli->n_args && !status; i++) {
                pawl__seed *seed = &l->seeds[i];
                status = pawl__seed_load(seed, l->cli->args[i], PAWL__TEAM_DOMAIN, &problems, err);
                if (status)
                        break;
                l->n_seeds++;
                for (size_t s = 0; s < seed->n && !status; s++) {
                        const pawl__sense *of = &seed->senses[s], *before = of - (s > 0);
                        status = add(l,
                                &(pawl__lint_sense){.surface = of->surface,
                                        .normal = of->normal,
                                        .definition = of->definition,
                                        .scope = of->scope,
                                        .status = of->status,
                                        .used = true,
                                        .alias = s > 0 && of->surface.data == before->surface.data,
                                        .at = l->cli->args[i]},
                                err);
                }
        }
        return status;
}

/* ---- What runs used -------------------------------------------------------------------------- */

static pawl_status take_hash(const pawl__row *row, void *user, pawl_error *err)
{
        linting *l = user;
        const pawl_text hash = row->v[PAWL__STEP_INPUT_HASH].text;

        if (hash.len == 0 || pawl__map_get(&l->inputs, hash) != PAWL__MAP_NONE)
                return PAWL_OK;
        return pawl__map_put_copy(&l->inputs, l->cli->arena, hash, 1) ? pawl__nomem(err) : PAWL_OK;
}

/* The terms that are written in the inputs, in whatever member. */
static pawl_status read_inputs(
        linting *l, pawl__glossary *glossary, pawl_text json, pawl_error *err)
{
        pawl_text all = pawl__text("*");
        const pawl__metadata metadata = {.fields = &all, .n_fields = 1};
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl__extraction *extraction;
        pawl__terms terms = {NULL, 0};
        pawl_status status = pawl__extraction_new(&extraction, glossary, &metadata, err);

        if (status)
                return status;
        status = pawl__json_tree_read(&tree, json.data, json.len, err);
        if (!status)
                status = pawl__extraction_json(extraction, &tree, err);
        if (!status)
                status = pawl__extraction_terms(&terms, extraction, err);
        for (size_t i = 0; i < terms.n && !status; i++)
                if (terms.items[i].known &&
                        pawl__map_get(&l->used, terms.items[i].surface) == PAWL__MAP_NONE &&
                        pawl__map_put_copy(&l->used, l->cli->arena, terms.items[i].surface, 1))
                        status = pawl__nomem(err);
        pawl__extraction_free(extraction);
        pawl__json_tree_free(&tree);
        return status;
}

struct input {
        linting *l;
        pawl__glossary *glossary;
        pawl__buf text;
        size_t n; /* inputs that are kept */
};

static pawl_status see_step(const pawl__row *row, void *user, pawl_error *err)
{
        struct input *in = user;
        const pawl_text hex = row->v[PAWL__STEP_INPUT_HASH].text;
        unsigned char hash[PAWL__HASH_LEN];

        /* Each input once: the map says 1 as long as it was not read. */
        if (hex.len == 0 || pawl__map_get(&in->l->inputs, hex) != 1 || !pawl__unhex32(hash, hex))
                return PAWL_OK;
        if (pawl__map_put(&in->l->inputs, hex, 2))
                return pawl__nomem(err);
        pawl__buf_clear(&in->text);
        pawl_status status = pawl__log_blob(&in->text, in->l->log, hash);
        if (status == PAWL_ENOTFOUND)
                return PAWL_OK;
        in->n++;
        return status ? pawl__log_failed(in->l->log, status, err)
                      : read_inputs(in->l, in->glossary, pawl__buf_text(&in->text), err);
}

static bool is_used(const linting *l, const pawl__lint_sense *sense)
{
        return pawl__map_get(&l->used, sense->normal) != PAWL__MAP_NONE;
}

static pawl_status use_term(linting *l, pawl__buf *buf, pawl_text surface, pawl_error *err)
{
        pawl__buf_clear(buf);
        if (pawl__normal_form(buf, surface) ||
                pawl__map_put_copy(&l->used, l->cli->arena, pawl__buf_text(buf), 1))
                return pawl__nomem(err);
        return PAWL_OK;
}

static pawl_status find_used(linting *l, pawl_error *err)
{
        struct input in = {.l = l};
        pawl__state *state;
        pawl_status status = pawl__state_of(&state, l->log, err);

        if (!status)
                status = pawl__glossary_new(&in.glossary, err);
        for (size_t i = 0; i < l->in_force.n && !status; i++)
                status = pawl__glossary_add_row(&l->in_force.rows[i], in.glossary, err);
        if (!status)
                status = pawl__state_each(state, PAWL__STEPS, take_hash, l, err);
        if (!status)
                status = pawl__state_each(state, PAWL__STEPS, see_step, &in, err);
        for (size_t i = 0; i < l->n && !status && in.n; i++) /* an alias is of its term */
                if (l->senses[i].alias && is_used(l, &l->senses[i]))
                        status = use_term(l, &in.text, l->senses[i].surface, err);
        for (size_t i = 0; i < l->n && !status && in.n; i++)
                l->senses[i].used = is_used(l, &l->senses[i]);
        pawl__glossary_free(in.glossary);
        pawl__buf_free(&in.text);
        return status;
}

/* ---- Printing -------------------------------------------------------------------------------- */

static const char *kind_word(const void *value, char buf[CLI_WORD_MAX])
{
        (void)buf;
        return pawl__lint_kind_name(*(const pawl__lint_kind *)value);
}

typedef struct item {
        pawl__lint_kind kind;
        pawl_text term, message;
        const char *scope, *file;
        struct name {
                pawl_text name;
        } * others;
        size_t n_others;
} item;

static const cli_field name_fields[] = {
        {NULL, CLI_AS_TEXT, CLI_AT(struct name, name)}, CLI_NO_FIELD};

static const cli_field fields[] = {
        {"kind", CLI_AS_WORD, CLI_AT(item, kind), .word = kind_word},
        {"term", CLI_AS_TEXT, CLI_AT(item, term)},
        {"scope", CLI_AS_STRING, CLI_AT(item, scope)},
        {"file", CLI_AS_STRING, CLI_AT(item, file)},
        {"others", CLI_AS_LIST, CLI_ITEMS(item, others, n_others), .fields = name_fields},
        {"message", CLI_AS_TEXT, CLI_AT(item, message)},
        CLI_NO_FIELD,
};

enum { USERS_MAX = 3 }; /* of a word that are named in the message */

static void put_message(pawl__buf *out, const pawl__lint_finding *f)
{
        switch (f->kind) {
        case PAWL__LINT_UNUSED:
                pawl__buf_adds(out, "no run used it; deprecate it, or keep it for what comes");
                break;
        case PAWL__LINT_DUPLICATE:
                pawl__buf_addf(out, "\"%.*s\" %s; keep one, the other as its alias",
                        PAWL__FMT(f->others[0]), f->why);
                break;
        case PAWL__LINT_UNDEFINED:
                pawl__buf_adds(out, "is used by the definition of ");
                for (size_t i = 0; i < f->n_others && i < USERS_MAX; i++)
                        pawl__buf_addf(out, "%s\"%.*s\"", i ? ", " : "", PAWL__FMT(f->others[i]));
                if (f->n_others > USERS_MAX)
                        pawl__buf_addf(out, " and %zu more", f->n_others - USERS_MAX);
                pawl__buf_adds(out, ", and is not defined; define it, or ignore it");
                break;
        default:
                pawl__buf_adds(out, "is defined by ");
                for (size_t i = 0; i < f->n_others; i++)
                        pawl__buf_addf(
                                out, "\"%.*s\", which is defined by ", PAWL__FMT(f->others[i]));
                pawl__buf_adds(out, "it again; define one of them without the others");
        }
}

static item item_of(const cli_call *cli, const pawl__lint_finding *f)
{
        pawl__buf message = PAWL__BUF_INIT;
        item made = {.kind = f->kind,
                .term = f->term,
                .scope = f->sense->at ? NULL : pawl__scope_name(f->sense->scope),
                .file = f->sense->at,
                .others = pawl__arena_array(cli->arena, f->n_others, sizeof *made.others)};

        put_message(&message, f);
        made.message = pawl__arena_copy(cli->arena, pawl__buf_text(&message));
        for (size_t i = 0; made.others && i < f->n_others; i++)
                made.others[made.n_others++].name = f->others[i];
        cli->arena->failed |= message.failed;
        pawl__buf_free(&message);
        return made;
}

static void put_line(FILE *out, const item *it)
{
        cli_putf(out, "%s: %.*s: %.*s [%s]\n", it->file ? it->file : it->scope, CLI_FMT(it->term),
                CLI_FMT(it->message), pawl__lint_kind_name(it->kind));
}

static pawl_status print(cli_call *cli, const pawl__lint_findings *found, pawl_error *err)
{
        item *items = pawl__arena_array(cli->arena, found->n, sizeof *items);

        for (size_t i = 0; items && i < found->n; i++)
                items[i] = item_of(cli, &found->items[i]);
        pawl_status status = pawl__arena_check(cli->arena, err);
        if (!status && cli_given(cli, "json"))
                status = cli_print_list(cli, NULL, fields, items, found->n, sizeof *items, err);
        else if (!status)
                for (size_t i = 0; items && i < found->n; i++)
                        put_line(cli->in->out, &items[i]);
        if (!status && found->n)
                cli->code = CLI_FAILED;
        return status;
}

/* ---- The command ----------------------------------------------------------------------------- */

static pawl_status lint(linting *l, pawl_error *err)
{
        const bool seeds = l->cli->n_args > 0;
        pawl__lint_findings found;
        pawl_status status = PAWL_OK;

        if (l->log)
                status = cli_senses_read(&l->in_force, l->log, 0, err);
        if (!status)
                status = add_rows(l, seeds, err);
        if (!status && l->log && !seeds)
                status = find_used(l, err);
        if (!status)
                status = add_seeds(l, err);
        if (!status)
                status = pawl__lint(&found, l->cli->arena, l->senses, l->n, err);
        if (!status)
                status = print(l->cli, &found, err);
        for (int i = 0; i < l->n_seeds; i++)
                pawl__seed_free(&l->seeds[i]);
        cli_senses_free(&l->in_force);
        pawl__map_free(&l->used);
        pawl__map_free(&l->inputs);
        pawl__map_free(&l->rows);
        free(l->senses);
        return status;
}

/* Seeds are compared with the glossary in force, if there is one. */
static int lint_run(cli_call *cli)
{
        linting *l = pawl__arena_alloc(cli->arena, sizeof *l);
        pawl__buf path = PAWL__BUF_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        pawl_status status = l ? PAWL_OK : pawl__nomem(&err);

        if (!status) {
                l->cli = cli;
                status = cli_find_log(&path, cli, &err);
        }
        pawl__buf_free(&path);
        if (!status)
                status = cli_open_log(&l->log, cli, CLI_LOOK, &err);
        else if (status == PAWL_ENOTFOUND && cli->n_args > 0)
                status = PAWL_OK;
        if (!status) {
                status = lint(l, &err);
                if (l->log)
                        cli_close_log(cli, l->log);
        }
        return status ? cli_fail(cli, &err) : cli->code;
}

static const cli_option lint_options[] = {
        {"json", 0, 0, CLI_FLAG, NULL, NULL, "print an array of objects"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd pawl_glossary_lint_cmd = {
        .name = "glossary lint",
        .args = "[FILE...]",
        .options = lint_options,
        .help = "Find unused, doubled, undefined and circular terms, of seed files or in force",
        .run = lint_run,
};
