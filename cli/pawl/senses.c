#include "cli/pawl/senses.h"
#include "base/error.h"
#include <stdlib.h>

/* A copy of a row whose texts live in the arena. */
static pawl_status copy_row(
        pawl__row *out, pawl__arena *arena, pawl__table table, const pawl__row *row)
{
        const pawl__table_form *form = &pawl__tables[table];
        bool ok = true;

        *out = *row;
        for (int i = 0; i < form->columns; i++)
                if (form->column[i].type == PAWL__TEXT)
                        out->v[i].text = pawl__arena_text(arena, row->v[i].text, &ok);
        return ok ? PAWL_OK : PAWL_ENOMEM;
}

static pawl_status take_scope(const pawl__row *row, void *user, pawl_error *err)
{
        cli_senses *senses = user;

        for (size_t i = 0; i < senses->n_scopes; i++) {
                pawl__row *held = &senses->scopes[i];
                if (!pawl__text_eq(held->v[PAWL__SCOPE_ID].text, row->v[PAWL__SCOPE_ID].text))
                        continue;
                if (held->v[PAWL__SCOPE_USED_SEQ].integer >= row->v[PAWL__SCOPE_USED_SEQ].integer)
                        return PAWL_OK;
                return copy_row(held, &senses->arena, PAWL__SCOPES, row) ? pawl__nomem(err)
                                                                         : PAWL_OK;
        }
        if (pawl__grow(&senses->scopes, &senses->cap_scopes, senses->n_scopes + 1,
                    sizeof *senses->scopes) ||
                copy_row(&senses->scopes[senses->n_scopes], &senses->arena, PAWL__SCOPES, row))
                return pawl__nomem(err);
        senses->n_scopes++;
        return PAWL_OK;
}

static bool in_force(const cli_senses *senses, const pawl__row *row)
{
        pawl_text version = row->v[PAWL__SENSE_VERSION].text;

        if (version.len == 0)
                return true;
        for (size_t i = 0; i < senses->n_scopes; i++) {
                const pawl__row *scope = &senses->scopes[i];
                if (pawl__text_eq(scope->v[PAWL__SCOPE_ID].text, row->v[PAWL__SENSE_SCOPE].text) &&
                        pawl__text_eq(scope->v[PAWL__SCOPE_VERSION].text, version))
                        return true;
        }
        return false;
}

static pawl_status take_sense(const pawl__row *row, void *user, pawl_error *err)
{
        cli_senses *senses = user;

        if (!in_force(senses, row))
                return PAWL_OK;
        if (pawl__grow(&senses->rows, &senses->cap, senses->n + 1, sizeof *senses->rows) ||
                copy_row(&senses->rows[senses->n], &senses->arena, PAWL__SENSES, row))
                return pawl__nomem(err);
        senses->n++;
        return PAWL_OK;
}

static pawl_status read_now(cli_senses *senses, pawl_log *log, pawl_error *err)
{
        pawl__state *state;
        pawl_status status = pawl__state_of(&state, log, err);

        if (!status)
                status = pawl__state_each(state, PAWL__SCOPES, take_scope, senses, err);
        if (!status)
                status = pawl__state_each(state, PAWL__SENSES, take_sense, senses, err);
        return status;
}

static pawl_status read_replayed(cli_senses *senses, pawl_log *log, uint64_t at, pawl_error *err)
{
        pawl__replay_filter filter = {.until = at};
        unsigned char hash[32];
        pawl__store *store;
        uint64_t seq;

        pawl_status status = pawl__replay(&store, &seq, hash, log, &filter, err);
        if (status)
                return status;
        status = store->each(store, PAWL__SCOPES, take_scope, senses, err);
        if (!status)
                status = store->each(store, PAWL__SENSES, take_sense, senses, err);
        store->free(store);
        return status;
}

pawl_status cli_senses_read(cli_senses *out, pawl_log *log, uint64_t at, pawl_error *err)
{
        cli_senses senses = {.arena = PAWL__ARENA_INIT};
        pawl_status status =
                at ? read_replayed(&senses, log, at, err) : read_now(&senses, log, err);

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
        free(senses->scopes);
        *senses = (cli_senses){.arena = PAWL__ARENA_INIT};
}
