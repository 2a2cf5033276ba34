#include "state/versions.h"
#include "base/error.h"
#include <stdlib.h>

void pawl__versions_free(pawl__versions *v)
{
        pawl__arena_free(&v->arena);
        pawl__map_free(&v->index);
        pawl__map_free(&v->senses);
        pawl__buf_free(&v->key);
        free(v->bases);
        free(v->used);
        free(v->newest);
        *v = (pawl__versions)PAWL__VERSIONS_INIT;
}

/* ---- Keys ------------------------------------------------------------------------------------ */

/* Texts separated by a byte that UTF-8 never has. */
static pawl_status make_key(pawl__versions *v, const pawl_text *texts, size_t n, pawl_error *err)
{
        pawl__buf_clear(&v->key);
        for (size_t i = 0; i < n; i++) {
                pawl__buf_add(&v->key, texts[i].data ? texts[i].data : "", texts[i].len);
                pawl__buf_addc(&v->key, '\xff');
        }
        return pawl__buf_check(&v->key, err);
}

static pawl_status find_version(
        uint32_t *at, pawl__versions *v, pawl_text scope, pawl_text version, pawl_error *err)
{
        pawl_status status = make_key(v, (pawl_text[]){scope, version}, 2, err);

        if (!status)
                *at = pawl__map_get(&v->index, pawl__buf_text(&v->key));
        return status;
}

static pawl_status add_version(
        uint32_t *at, pawl__versions *v, pawl_text scope, pawl_text version, pawl_error *err)
{
        pawl_status status = find_version(at, v, scope, version, err);

        if (status || *at != PAWL__MAP_NONE)
                return status;
        const pawl_text key = pawl__arena_copy(&v->arena, pawl__buf_text(&v->key));
        if (pawl__arena_check(&v->arena, err) ||
                pawl__grow(&v->bases, &v->cap, v->n + 1, sizeof *v->bases) ||
                pawl__grow(&v->used, &v->cap_used, v->n + 1, sizeof *v->used) ||
                pawl__map_put(&v->index, key, (uint32_t)v->n))
                return pawl__nomem(err);
        v->bases[v->n] = pawl__text(NULL);
        v->used[v->n] = false;
        *at = (uint32_t)v->n++;
        return PAWL_OK;
}

static pawl_status find_sense(
        uint32_t *at, pawl__versions *v, const pawl__row *sense, pawl_error *err)
{
        const pawl_text texts[] = {sense->v[PAWL__SENSE_SCOPE].text,
                sense->v[PAWL__SENSE_NORMAL].text, sense->v[PAWL__SENSE_IDENTITY].text};
        pawl_status status = make_key(v, texts, 3, err);

        if (!status)
                *at = pawl__map_get(&v->senses, pawl__buf_text(&v->key));
        return status;
}

/* ---- What depends on what -------------------------------------------------------------------- */

static bool is_mark(const pawl__row *sense, const char *status)
{
        return sense->v[PAWL__SENSE_VERSION].text.len > 0 &&
               pawl__text_is(sense->v[PAWL__SENSE_STATUS].text, status);
}

pawl_status pawl__versions_learn(pawl__versions *v, const pawl__row *sense, pawl_error *err)
{
        uint32_t at = 0;

        if (!is_mark(sense, "base"))
                return PAWL_OK;
        pawl_status status = add_version(
                &at, v, sense->v[PAWL__SENSE_SCOPE].text, sense->v[PAWL__SENSE_VERSION].text, err);
        if (!status)
                v->bases[at] = pawl__arena_copy(&v->arena, sense->v[PAWL__SENSE_DEFINITION].text);
        return status ? status : pawl__arena_check(&v->arena, err);
}

pawl_status pawl__versions_use(
        pawl__versions *v, pawl_text scope, pawl_text version, pawl_error *err)
{
        uint32_t at = 0;

        while (version.len > 0) {
                pawl_status status = add_version(&at, v, scope, version, err);
                if (status)
                        return status;
                if (v->used[at]) /* and with it what it depends on */
                        break;
                v->used[at] = true;
                version = v->bases[at];
        }
        return PAWL_OK;
}

bool pawl__versions_base(pawl_text *base, pawl__versions *v, pawl_text scope, pawl_text version)
{
        uint32_t at = PAWL__MAP_NONE;

        if (find_version(&at, v, scope, version, NULL) || at == PAWL__MAP_NONE ||
                !v->bases[at].data)
                return false;
        *base = v->bases[at];
        return true;
}

pawl_status pawl__versions_weigh(pawl__versions *v, const pawl__row *sense, pawl_error *err)
{
        const int64_t seq = sense->v[PAWL__SENSE_SEQ].integer;
        uint32_t at = PAWL__MAP_NONE;
        pawl_status status = find_version(
                &at, v, sense->v[PAWL__SENSE_SCOPE].text, sense->v[PAWL__SENSE_VERSION].text, err);

        if (status || at == PAWL__MAP_NONE || !v->used[at] || !v->bases[at].data)
                return status;
        status = find_sense(&at, v, sense, err);
        if (!status && at != PAWL__MAP_NONE && v->newest[at] < seq)
                v->newest[at] = seq;
        if (status || at != PAWL__MAP_NONE)
                return status;
        const pawl_text key = pawl__arena_copy(&v->arena, pawl__buf_text(&v->key));
        if (pawl__arena_check(&v->arena, err) ||
                pawl__grow(&v->newest, &v->cap_newest, v->n_newest + 1, sizeof *v->newest) ||
                pawl__map_put(&v->senses, key, (uint32_t)v->n_newest))
                return pawl__nomem(err);
        v->newest[v->n_newest++] = seq;
        return PAWL_OK;
}

pawl_status pawl__versions_hold(
        bool *holds, pawl__versions *v, const pawl__row *sense, pawl_error *err)
{
        const pawl_text version = sense->v[PAWL__SENSE_VERSION].text;
        uint32_t at = PAWL__MAP_NONE;
        pawl_status status = PAWL_OK;

        *holds = version.len == 0;
        if (*holds)
                return PAWL_OK;
        status = find_version(&at, v, sense->v[PAWL__SENSE_SCOPE].text, version, err);
        *holds = !status && at != PAWL__MAP_NONE && v->used[at] && !is_mark(sense, "base") &&
                 !is_mark(sense, "removed");
        if (!*holds || v->n_newest == 0)
                return status;
        status = find_sense(&at, v, sense, err);
        *holds = !status &&
                 (at == PAWL__MAP_NONE || v->newest[at] == sense->v[PAWL__SENSE_SEQ].integer);
        return status;
}

/* ---- In force -------------------------------------------------------------------------------- */

struct in_force {
        pawl__versions *versions;
        pawl__row *scopes; /* of each scope, the version that was used last */
        size_t n, cap;
};

static pawl_status learn(const pawl__row *row, void *user, pawl_error *err)
{
        return pawl__versions_learn(user, row, err);
}

static pawl_status weigh(const pawl__row *row, void *user, pawl_error *err)
{
        return pawl__versions_weigh(user, row, err);
}

/* Of two that were used by one event (which is unusual) the first one. */
static pawl_status take_scope(const pawl__row *row, void *user, pawl_error *err)
{
        struct in_force *f = user;
        pawl__row copy = *row, *known = NULL;

        for (size_t i = 0; i < f->n && !known; i++)
                if (pawl__text_eq(f->scopes[i].v[PAWL__SCOPE_ID].text, row->v[PAWL__SCOPE_ID].text))
                        known = &f->scopes[i];
        if (known && known->v[PAWL__SCOPE_USED_SEQ].integer >= row->v[PAWL__SCOPE_USED_SEQ].integer)
                return PAWL_OK;
        copy.v[PAWL__SCOPE_ID].text =
                pawl__arena_copy(&f->versions->arena, row->v[PAWL__SCOPE_ID].text);
        copy.v[PAWL__SCOPE_VERSION].text =
                pawl__arena_copy(&f->versions->arena, row->v[PAWL__SCOPE_VERSION].text);
        if (pawl__arena_check(&f->versions->arena, err) ||
                (!known && pawl__grow(&f->scopes, &f->cap, f->n + 1, sizeof *f->scopes)))
                return pawl__nomem(err);
        if (!known)
                known = &f->scopes[f->n++];
        *known = copy;
        return PAWL_OK;
}

pawl_status pawl__versions_in_force(pawl__versions *v, pawl__store *store, pawl_error *err)
{
        struct in_force f = {.versions = v};
        pawl_status status = store->each(store, PAWL__SCOPES, take_scope, &f, err);

        if (!status)
                status = store->each(store, PAWL__SENSES, learn, v, err);
        for (size_t i = 0; i < f.n && !status; i++)
                status = pawl__versions_use(v, f.scopes[i].v[PAWL__SCOPE_ID].text,
                        f.scopes[i].v[PAWL__SCOPE_VERSION].text, err);
        if (!status)
                status = store->each(store, PAWL__SENSES, weigh, v, err);
        free(f.scopes);
        return status;
}
