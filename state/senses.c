/* The senses that hold for a mission: what a glossary is loaded from. */
#include "base/error.h"
#include "state/projection.h"

/* One range of the primary key a kind: the mission's own answers, those of no seed version, and
 * those of each version named, which in mission_local are each mission's, and elsewhere may rest on
 * others: then those too. */
static void senses_text(pawl__buf *sql, const pawl__scope_ref *refs, size_t n_refs)
{
        static const char chain[] =
                " FROM (WITH RECURSIVE chain(v) AS (SELECT ?%zu {log C} UNION"
                " SELECT senses.definition FROM chain"
                " {CROSS JOIN} {senses} ON senses.mission_id = '' AND senses.scope = ?%zu"
                " AND senses.version_id = chain.v AND senses.normal = '' AND senses.identity = '')"
                " SELECT v FROM chain) AS versions {CROSS JOIN} {senses}"
                " ON mission_id = '' AND scope = ?%zu AND version_id = v";

        for (size_t i = 0; i < n_refs + 2; i++) {
                const size_t scope = 2 * i - 2, version = 2 * i - 1;
                pawl__buf_adds(sql, i ? " UNION ALL SELECT " : "SELECT ");
                pawl__sql_columns(sql, PAWL__SENSES, PAWL__SENSE_COLUMNS);
                if (i == 0)
                        pawl__buf_adds(sql, " FROM {senses} WHERE mission_id = ?1"
                                            " AND scope = 'mission_local'"
                                            " AND version_id = ''");
                else if (i == 1)
                        pawl__buf_adds(
                                sql, " FROM {senses} WHERE mission_id = '' AND version_id = ''");
                else if (pawl__text_is(refs[i - 2].scope, "mission_local"))
                        pawl__buf_addf(sql,
                                " FROM {senses} WHERE mission_id = ?1 AND scope = ?%zu"
                                " AND version_id = ?%zu",
                                scope, version);
                else
                        pawl__buf_addf(sql, chain, version, scope, scope);
        }
        pawl__buf_adds(sql, " ORDER BY seq");
}

static void bind_senses(
        pawl__query *query, pawl_text mission_id, const pawl__scope_ref *refs, size_t n_refs)
{
        /* '' is no mission's id, but that of the senses that belong to none */
        if (mission_id.len)
                pawl__query_bind_text(query, 1, mission_id);
        for (size_t i = 0; i < n_refs; i++) {
                pawl__query_bind_text(query, 2 * (int)i + 2, refs[i].scope);
                pawl__query_bind_text(query, 2 * (int)i + 3, refs[i].version_id);
        }
}

/* ---- Versions that rest on others ------------------------------------------------------------ */

/* Learn of a version and all below it. *cost: what loading it takes, in rows, but for those of the
 * last one. */
static pawl_status use_version(pawl__versions *v, size_t *cost, pawl__state *state,
        const pawl__scope_ref *ref, pawl_error *err)
{
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl_text version = ref->version_id;
        pawl_status status = PAWL_OK;

        while (!status) {
                pawl__row mark = {.v[PAWL__SENSE_SCOPE].text = ref->scope};
                mark.v[PAWL__SENSE_MISSION].text = mark.v[PAWL__SENSE_NORMAL].text =
                        mark.v[PAWL__SENSE_IDENTITY].text = pawl__text("");
                mark.v[PAWL__SENSE_VERSION].text = version;
                status = pawl__state_get(state, PAWL__SENSES, &mark, &arena, err);
                if (!status)
                        status = pawl__versions_learn(v, &mark, err);
                version = mark.v[PAWL__SENSE_DEFINITION].text;
                *cost += PAWL__VERSION_COST;
        }
        if (status == PAWL_ENOTFOUND)
                status = pawl__versions_use(v, ref->scope, ref->version_id, err);
        pawl__arena_free(&arena);
        return status;
}

/* ---- From the fold --------------------------------------------------------------------------- */

static bool is_of_version(const pawl__row *row, const void *user)
{
        const pawl__scope_ref *ref = user;
        const pawl__value *v = row->v;

        return v[PAWL__SENSE_MISSION].text.len == 0 &&
               pawl__text_eq(v[PAWL__SENSE_SCOPE].text, ref->scope) &&
               pawl__text_eq(v[PAWL__SENSE_VERSION].text, ref->version_id);
}

static pawl_status rows_of_version(pawl__row **rows, size_t *n, pawl__state *state, pawl_text scope,
        pawl_text version, pawl__arena *arena, pawl_error *err)
{
        const pawl_text texts[2] = {scope, version};
        const pawl__scope_ref ref = {scope, version};

        if (pawl__state_is_verified(state))
                return pawl__verified_rows(
                        rows, n, state, PAWL__SENSES, is_of_version, &ref, arena, err);
        return pawl__query_rows(rows, n, state, PAWL__SENSES,
                "FROM {senses} WHERE mission_id = '' AND scope = ?1 AND version_id = ?2", texts, 0,
                arena, err);
}

/* What senses_text() selects, but for the versions, which pawl__versions_hold() knows. */
static bool may_hold(const pawl__row *row, const void *user)
{
        const pawl_text *mission_id = user, of = row->v[PAWL__SENSE_MISSION].text;

        if (of.len == 0)
                return true;
        return mission_id->len && pawl__text_eq(of, *mission_id) &&
               pawl__text_is(row->v[PAWL__SENSE_SCOPE].text, "mission_local");
}

static pawl_status each_verified(pawl__state *state, pawl_text mission_id, pawl__versions *versions,
        pawl__row_fn fn, void *user, pawl_error *err)
{
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__row *rows = NULL;
        size_t n = 0;
        pawl_status status = pawl__verified_rows(
                &rows, &n, state, PAWL__SENSES, may_hold, &mission_id, &arena, err);

        for (size_t i = 0; i < n && !status; i++) {
                bool holds = false;
                status = pawl__versions_hold(&holds, versions, &rows[i], err);
                if (!status && holds)
                        status = fn(&rows[i], user, err);
        }
        pawl__arena_free(&arena);
        return status;
}

/* The rows of each version above another, weighed. */
static pawl_status weigh_version(
        pawl__versions *v, pawl__state *state, const pawl__scope_ref *ref, pawl_error *err)
{
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl_text version = ref->version_id;
        pawl_status status = PAWL_OK;

        while (!status && version.data) {
                const pawl_text of = version;
                pawl__row *rows = NULL;
                size_t n = 0;
                if (!pawl__versions_base(&version, v, ref->scope, version))
                        break;
                pawl__arena_clear(&arena);
                status = rows_of_version(&rows, &n, state, ref->scope, of, &arena, err);
                for (size_t i = 0; i < n && !status; i++)
                        status = pawl__versions_weigh(v, &rows[i], err);
        }
        pawl__arena_free(&arena);
        return status;
}

static pawl_status use_versions(pawl__versions *v, size_t *cost, pawl__state *state,
        const pawl__scope_ref *refs, size_t n_refs, pawl_error *err)
{
        pawl_status status = PAWL_OK;

        for (size_t i = 0; i < n_refs && !status; i++) {
                status = use_version(v, cost, state, &refs[i], err);
                if (!status)
                        status = weigh_version(v, state, &refs[i], err);
        }
        return status;
}

pawl_status pawl__state_versions_in_force(
        pawl__versions *versions, pawl__state *state, pawl_error *err)
{
        pawl__store *store;
        const pawl_status status = pawl__state_source(&store, state, err);

        return status ? status : pawl__versions_in_force(versions, store, err);
}

pawl_status pawl__state_ignored(pawl__row **rows, size_t *n, pawl__state *state, pawl_text scope,
        pawl__arena *arena, pawl_error *err)
{
        const pawl_text texts[2] = {scope, {NULL, 0}};

        return pawl__query_rows(rows, n, state, PAWL__SENSES,
                "FROM {senses} WHERE mission_id = '' AND scope = ?1 AND status = 'ignored'"
                " ORDER BY seq",
                texts, 0, arena, err);
}

pawl_status pawl__state_scope_in_force(
        pawl__row *row, pawl__state *state, pawl_text scope, pawl__arena *arena, pawl_error *err)
{
        const pawl_text texts[2] = {scope, {NULL, 0}};

        return pawl__query_row(row, state, PAWL__SCOPES,
                "FROM {scopes} WHERE scope_id = ?1 ORDER BY used_seq DESC, version_id LIMIT 1",
                texts, arena, err);
}

/* ---- All of them ----------------------------------------------------------------------------- */

static pawl_status each_sense(pawl__query *query, pawl__versions *versions, size_t *cost,
        pawl__row_fn fn, void *user, pawl_error *err)
{
        pawl_status status = PAWL_OK, row_or_end = PAWL_OK;

        while (status == PAWL_OK &&
                (row_or_end = pawl__query_step(query, "read the senses", err)) == PAWL_OK) {
                pawl__row row;
                bool holds = false;
                pawl__sql_row(&row, PAWL__SENSES, query);
                *cost += row.v[PAWL__SENSE_VERSION].text.len > 0;
                status = pawl__versions_hold(&holds, versions, &row, err);
                if (status == PAWL_OK && holds)
                        status = fn(&row, user, err);
        }
        return status || row_or_end == PAWL_DONE ? status : row_or_end;
}

/* Prepared each time: its text depends on how many versions there are, and it runs once a run. */
pawl_status pawl__state_senses(size_t *cost, pawl__state *state, pawl_text mission_id,
        const pawl__scope_ref *refs, size_t n_refs, pawl__row_fn fn, void *user, pawl_error *err)
{
        pawl__versions versions = PAWL__VERSIONS_INIT;
        pawl__buf sql = PAWL__BUF_INIT;
        pawl__query *query = NULL;
        size_t rows = 0;
        pawl_status status = use_versions(&versions, &rows, state, refs, n_refs, err);

        if (pawl__state_is_verified(state)) {
                if (!status)
                        status = each_verified(state, mission_id, &versions, fn, user, err);
                pawl__versions_free(&versions);
                if (cost)
                        *cost = rows;
                return status;
        }
        senses_text(&sql, refs, n_refs);
        if (!status)
                status = pawl__buf_check(&sql, err);
        if (!status)
                status = pawl__query_prepare(&query, state->log, sql.data, err);
        pawl__buf_free(&sql);
        if (status == PAWL_OK) {
                bind_senses(query, mission_id, refs, n_refs);
                status = each_sense(query, &versions, &rows, fn, user, err);
        }
        if (cost)
                *cost = rows;
        pawl__query_finalize(query);
        pawl__versions_free(&versions);
        return status;
}
