#include "cli/pawl/senses.h"
#include "base/error.h"
#include "base/map.h"
#include "command/find.h"
#include "glossary/normal.h"
#include <stdlib.h>

/* A copy of a row whose texts live in the arena. */
static pawl_status copy_row(
        pawl__row *out, pawl__arena *arena, pawl__table table, const pawl__row *row)
{
        const pawl__table_def *form = &pawl__tables[table];
        bool ok = true;

        *out = *row;
        for (int i = 0; i < form->columns; i++)
                if (form->column[i].type == PAWL__TEXT)
                        out->v[i].text = pawl__arena_text(arena, row->v[i].text, &ok);
        return ok ? PAWL_OK : PAWL_ENOMEM;
}

struct reading {
        cli_senses *senses;
        pawl__versions versions; /* those in force */
};

static pawl_status take_sense(const pawl__row *row, void *user, pawl_error *err)
{
        struct reading *r = user;
        cli_senses *senses = r->senses;
        bool holds = false;
        pawl_status status = pawl__versions_hold(&holds, &r->versions, row, err);

        if (status || !holds)
                return status;
        if (pawl__grow(&senses->rows, &senses->cap, senses->n + 1, sizeof *senses->rows) ||
                copy_row(&senses->rows[senses->n], &senses->arena, PAWL__SENSES, row))
                return pawl__nomem(err);
        senses->n++;
        return PAWL_OK;
}

static pawl_status read_now(struct reading *r, pawl_log *log, pawl_error *err)
{
        pawl__state *state;
        pawl_status status = pawl__state_of(&state, log, err);

        if (!status)
                status = pawl__state_versions_in_force(&r->versions, state, err);
        if (!status)
                status = pawl__state_each(state, PAWL__SENSES, take_sense, r, err);
        return status;
}

static pawl_status read_replayed(struct reading *r, pawl_log *log, uint64_t at, pawl_error *err)
{
        pawl__replay_filter filter = {.until = at};
        unsigned char hash[32];
        pawl__store *store;
        uint64_t seq;

        pawl_status status = pawl__replay(&store, &seq, hash, log, &filter, err);
        if (status)
                return status;
        status = pawl__versions_in_force(&r->versions, store, err);
        if (!status)
                status = store->each(store, PAWL__SENSES, take_sense, r, err);
        store->free(store);
        return status;
}

/* What is one sense in its scope, whatever it comes from. */
static pawl_text key_of(pawl__buf *key, const pawl__row *row)
{
        static const int parts[] = {PAWL__SENSE_SCOPE, PAWL__SENSE_NORMAL, PAWL__SENSE_IDENTITY};

        pawl__buf_clear(key);
        for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
                pawl__buf_add_text(key, row->v[parts[i]].text);
                pawl__buf_addc(key, '\xff');
        }
        return pawl__buf_text(key);
}

/* What a person retired stays so, though a seed still has it (glossary/glossary.h). */
static pawl_status drop_retired(cli_senses *senses, pawl_error *err)
{
        pawl__map retired = PAWL__MAP_INIT;
        pawl__buf key = PAWL__BUF_INIT;
        size_t n = 0;

        for (size_t i = 0; i < senses->n; i++) {
                const pawl__row *row = &senses->rows[i];
                if (row->v[PAWL__SENSE_MISSION].text.len == 0 &&
                        row->v[PAWL__SENSE_VERSION].text.len == 0 &&
                        pawl__text_is(row->v[PAWL__SENSE_SOURCE].text, "user_clarification") &&
                        !pawl__text_is(row->v[PAWL__SENSE_STATUS].text, "active") &&
                        pawl__map_put(
                                &retired, pawl__arena_copy(&senses->arena, key_of(&key, row)), 1))
                        key.failed = true;
        }
        for (size_t i = 0; i < senses->n; i++) {
                const pawl__row row = senses->rows[i];
                if (row.v[PAWL__SENSE_VERSION].text.len == 0 ||
                        pawl__map_get(&retired, key_of(&key, &row)) == PAWL__MAP_NONE)
                        senses->rows[n++] = row;
        }
        senses->n = n;
        const pawl_status status =
                senses->arena.failed ? pawl__nomem(err) : pawl__buf_check(&key, err);
        pawl__buf_free(&key);
        pawl__map_free(&retired);
        return status;
}

pawl_status cli_senses_read(cli_senses *out, pawl_log *log, uint64_t at, pawl_error *err)
{
        cli_senses senses = {.arena = PAWL__ARENA_INIT};
        struct reading r = {&senses, PAWL__VERSIONS_INIT};
        pawl_status status = at ? read_replayed(&r, log, at, err) : read_now(&r, log, err);

        pawl__versions_free(&r.versions);
        if (!status)
                status = drop_retired(&senses, err);
        if (status)
                cli_senses_free(&senses);
        else
                *out = senses;
        return status;
}

void cli_senses_free(cli_senses *senses)
{
        pawl__arena_free(&senses->arena);
        free(senses->rows);
        *senses = (cli_senses){.arena = PAWL__ARENA_INIT};
}

pawl_status cli_term_read(pawl_text *normal, const cli_call *cli, pawl_error *err)
{
        const pawl_text term = pawl__text(cli->args[0]);
        pawl__buf form = PAWL__BUF_INIT;
        pawl_status status = PAWL_OK;

        if (!pawl__utf8_valid(term.data, term.len))
                return pawl__fail(err, PAWL_EINVAL, "term: is not UTF-8; write it in UTF-8");
        if (pawl__normal_form(&form, term))
                status = pawl__nomem(err);
        else if (form.len == 0)
                status = pawl__fail(err, PAWL_EINVAL, "term: is empty; name one");
        *normal = pawl__arena_copy(cli->arena, pawl__buf_text(&form));
        pawl__buf_free(&form);
        return status ? status : pawl__arena_check(cli->arena, err);
}

pawl_status cli_glossary_load(pawl__glossary *glossary, const cli_call *cli, pawl_error *err)
{
        pawl__buf path = PAWL__BUF_INIT;
        cli_senses senses;
        pawl_log *log;

        pawl_status status = cli_find_log(&path, cli, err);
        pawl__buf_free(&path);
        if (status == PAWL_ENOTFOUND)
                return PAWL_OK;
        if (!status)
                status = cli_open_log(&log, cli, CLI_LOOK, err);
        if (status)
                return status;
        status = cli_senses_read(&senses, log, 0, err);
        if (!status) {
                for (size_t i = 0; !status && i < senses.n; i++)
                        status = pawl__glossary_add_row(&senses.rows[i], glossary, err);
                cli_senses_free(&senses);
        }
        cli_close_log(cli, log);
        return status;
}
