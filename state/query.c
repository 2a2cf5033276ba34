#include "base/error.h"
#include "base/sources.h"
#include "state/projection.h"
#include <stdlib.h>

enum { LIMIT = 3 }; /* the number of the parameter for LIMIT; the ones before it are texts */

pawl_status pawl__state_get(
        pawl__state *state, pawl__table table, pawl__row *row, pawl__arena *arena, pawl_error *err)
{
        pawl__row found = *row;
        pawl__store *store;
        pawl_status status = pawl__state_source(&store, state, err);

        if (status == PAWL_OK)
                status = store->get(store, table, &found, err);
        if (status == PAWL_OK)
                status = pawl__row_copy(&found, table, arena, err);
        if (status == PAWL_OK)
                *row = found;
        return status;
}

pawl_status pawl__state_known(pawl__state *state, uint64_t at, pawl__table table, pawl__row *row,
        pawl__arena *arena, pawl_error *err)
{
        pawl__row found = *row;

        if (!at || state->cached != at || pawl__state_is_verified(state))
                return PAWL_DONE;
        pawl_status status = pawl__store_sql_known(state->tables, table, &found, err);
        if (status == PAWL_OK)
                status = pawl__row_copy(&found, table, arena, err);
        if (status == PAWL_OK)
                *row = found;
        return status;
}

pawl_status pawl__state_each(
        pawl__state *state, pawl__table table, pawl__row_fn fn, void *user, pawl_error *err)
{
        pawl__store *store;
        const pawl_status status = pawl__state_source(&store, state, err);

        return status ? status : store->each(store, table, fn, user, err);
}

pawl_status pawl__query_cached(
        pawl__query **out, pawl__state *state, pawl__table table, const char *rest, pawl_error *err)
{
        pawl__buf sql = PAWL__BUF_INIT;
        pawl_status status = PAWL_OK;

        for (size_t i = 0; i < state->n_queries; i++)
                if (state->queries[i].rest == rest) {
                        pawl__query_reset(state->queries[i].query);
                        *out = state->queries[i].query;
                        return PAWL_OK;
                }
        pawl__sql_select(&sql, state->log, table);
        pawl__buf_addf(&sql, " %s", rest);
        if (sql.failed || pawl__grow(&state->queries, &state->cap_queries, state->n_queries + 1,
                                  sizeof *state->queries))
                status = pawl__nomem(err);
        else
                status = pawl__query_prepare(out, state->log, sql.data, err);
        if (!status)
                state->queries[state->n_queries++] = (pawl__cached_query){rest, *out};
        pawl__buf_free(&sql);
        return status;
}

#define STEPS_OF_RUN                                                                               \
        "FROM {steps} WHERE run_id = ?1 AND order_seq >= (SELECT started_seq FROM {runs}"          \
        " WHERE runs.run_id = ?1)"
static const char steps_in_order[] = STEPS_OF_RUN " ORDER BY number, step_id";
static const char steps_as_found[] = STEPS_OF_RUN;

static bool is_step_of(const pawl__row *row, const void *user)
{
        const pawl__row *run = user;

        return pawl__text_eq(row->v[PAWL__STEP_RUN].text, run->v[PAWL__RUN_ID].text) &&
               row->v[PAWL__STEP_ORDER_SEQ].integer >= run->v[PAWL__RUN_STARTED_SEQ].integer;
}

static pawl_status verified_steps(pawl__row **rows, size_t *n, pawl__state *state, pawl_text run_id,
        pawl__arena *arena, pawl_error *err)
{
        pawl__row run = {.v[PAWL__RUN_ID].text = run_id};
        const pawl_status status = pawl__state_get(state, PAWL__RUNS, &run, arena, err);

        *n = 0;
        if (status)
                return status == PAWL_ENOTFOUND ? PAWL_OK : status;
        return pawl__verified_rows(rows, n, state, PAWL__STEPS, is_step_of, &run, arena, err);
}

pawl_status pawl__state_steps(pawl__row **rows, size_t *n, pawl__state *state, pawl_text run_id,
        pawl__arena *arena, pawl_error *err)
{
        const pawl_text texts[2] = {run_id, {NULL, 0}};

        if (pawl__state_is_verified(state))
                return verified_steps(rows, n, state, run_id, arena, err);
        return pawl__query_rows(rows, n, state, PAWL__STEPS, steps_in_order, texts, 0, arena, err);
}

pawl_status pawl__state_each_step(pawl__state *state, pawl_text run_id, bool in_order,
        pawl__row_fn fn, void *user, pawl_error *err)
{
        pawl__query *query;
        pawl__row row;

        if (pawl__state_is_verified(state)) {
                pawl__arena arena = PAWL__ARENA_INIT;
                pawl__row *rows = NULL;
                size_t n = 0;
                pawl_status each = verified_steps(&rows, &n, state, run_id, &arena, err);
                for (size_t i = 0; i < n && !each; i++)
                        each = fn(&rows[i], user, err);
                pawl__arena_free(&arena);
                return each == PAWL_DONE ? PAWL_OK : each;
        }
        pawl_status status = pawl__query_cached(
                &query, state, PAWL__STEPS, in_order ? steps_in_order : steps_as_found, err);

        if (status)
                return status;
        pawl__query_bind_text(query, 1, run_id);
        status = pawl__log_interrupted(state->log, err);
        while (!status && (status = pawl__query_step(query, PAWL__READING, err)) == PAWL_OK) {
                pawl__sql_row(&row, PAWL__STEPS, query);
                status = fn(&row, user, err);
        }
        pawl__query_reset(query);
        return status == PAWL_DONE ? PAWL_OK : status;
}

pawl_status pawl__state_completed(pawl__row **rows, size_t *n, pawl__state *state,
        pawl_text mission_id, pawl__arena *arena, pawl_error *err)
{
        const pawl_text texts[2] = {mission_id, {NULL, 0}};

        return pawl__query_rows(rows, n, state, PAWL__STEPS,
                mission_id.data ? "FROM {steps} WHERE status = 'completed' AND run_id IN"
                                  " (SELECT runs.run_id FROM {runs} WHERE runs.mission_id = ?1)"
                                  " ORDER BY run_id, number"
                                : "FROM {steps} WHERE status = 'completed'"
                                  " ORDER BY run_id, number",
                texts, 0, arena, err);
}

/* ---- Conflicts, from the fold ---------------------------------------------------------------- */

struct wanted_conflicts {
        pawl_text run_id, step_id, type; /* absent: any */
};

static bool is_wanted(const pawl__row *row, const void *user)
{
        const struct wanted_conflicts *w = user;
        const pawl__value *v = row->v;

        return (!w->run_id.data || pawl__text_eq(v[PAWL__CON_RUN].text, w->run_id)) &&
               (!w->step_id.data || pawl__text_eq(v[PAWL__CON_STEP].text, w->step_id)) &&
               (!w->type.data || pawl__text_eq(v[PAWL__CON_TYPE].text, w->type));
}

/* PAWL__CONFLICT_BLOCKS */
static pawl_status blocks(bool *out, const pawl__row *conflict, pawl__store *store, pawl_error *err)
{
        const pawl__value *v = conflict->v;
        pawl__row run = {.v[PAWL__RUN_ID] = v[PAWL__CON_RUN]};
        pawl__row step = {
                .v[PAWL__STEP_RUN] = v[PAWL__CON_RUN], .v[PAWL__STEP_ID] = v[PAWL__CON_STEP]};
        pawl_status status = store->get(store, PAWL__STEPS, &step, err);

        *out = pawl__text_is(v[PAWL__CON_STATUS].text, "open");
        if (status && status != PAWL_ENOTFOUND)
                return status;
        const pawl_text token = step.v[PAWL__STEP_TOKEN].text;
        if (!status &&
                (pawl__text_is(step.v[PAWL__STEP_STATUS].text, "completed") ||
                        (token.data && !pawl__text_eq(token, v[PAWL__CON_TOKEN].text)) ||
                        (step.v[PAWL__STEP_BLOCKERS].text.data
                                        ? !pawl__step_has_blocker(&step, v[PAWL__CON_ID].text)
                                        : !pawl__text_is(
                                                  step.v[PAWL__STEP_STATUS].text, "blocked")) ||
                        (!token.data && step.v[PAWL__STEP_CHECKPOINT_SEQ].integer >
                                                v[PAWL__CON_SEQ].integer)))
                *out = false;
        status = store->get(store, PAWL__RUNS, &run, err);
        if (!status && pawl__text_is(run.v[PAWL__RUN_STATUS].text, "cancelled"))
                *out = false;
        return status == PAWL_ENOTFOUND ? PAWL_OK : status;
}

static pawl_status verified_conflicts(pawl__row **rows, size_t *n, pawl__state *state,
        const struct wanted_conflicts *wanted, bool open_only, pawl__arena *arena, pawl_error *err)
{
        size_t kept = 0;
        pawl_status status =
                pawl__verified_rows(rows, n, state, PAWL__CONFLICTS, is_wanted, wanted, arena, err);

        for (size_t i = 0; !status && open_only && i < *n; i++) {
                pawl__store *store;
                bool keep = false;
                status = pawl__state_source(&store, state, err);
                if (!status)
                        status = blocks(&keep, &(*rows)[i], store, err);
                if (keep)
                        (*rows)[kept++] = (*rows)[i];
        }
        if (!status && open_only)
                *n = kept;
        return status;
}

pawl_status pawl__state_conflicts(pawl__row **rows, size_t *n, pawl__state *state, pawl_text run_id,
        pawl_text step_id, bool open_only, pawl__arena *arena, pawl_error *err)
{
        enum { BY_RUN = 1, BY_STEP = 2, BY_OPEN = 4 };
        static const char *const rest[] = {
                [0] = "FROM {conflicts} ORDER BY seq",
                [BY_RUN] = "FROM {conflicts} WHERE run_id = ?1 ORDER BY seq",
                [BY_STEP] = "FROM {conflicts} WHERE step_id = ?2 ORDER BY seq",
                [BY_RUN | BY_STEP] =
                        "FROM {conflicts} WHERE run_id = ?1 AND step_id = ?2 ORDER BY seq",
                [BY_OPEN] = "FROM {conflicts} WHERE " PAWL__CONFLICT_BLOCKS " ORDER BY seq",
                [BY_OPEN | BY_RUN] = "FROM {conflicts} WHERE " PAWL__CONFLICT_BLOCKS
                                     " AND run_id = ?1 ORDER BY seq",
                [BY_OPEN | BY_STEP] = "FROM {conflicts} WHERE " PAWL__CONFLICT_BLOCKS
                                      " AND step_id = ?2 ORDER BY seq",
                [BY_OPEN | BY_RUN | BY_STEP] = "FROM {conflicts} WHERE " PAWL__CONFLICT_BLOCKS
                                               " AND run_id = ?1 AND step_id = ?2 ORDER BY seq",
        };
        const int by = (run_id.data ? BY_RUN : 0) | (step_id.data ? BY_STEP : 0) |
                       (open_only ? BY_OPEN : 0);
        const pawl_text texts[2] = {run_id, step_id};

        if (pawl__state_is_verified(state))
                return verified_conflicts(rows, n, state,
                        &(struct wanted_conflicts){.run_id = run_id, .step_id = step_id}, open_only,
                        arena, err);
        return pawl__query_rows(rows, n, state, PAWL__CONFLICTS, rest[by], texts, 0, arena, err);
}

pawl_status pawl__state_questions(
        pawl__row **rows, size_t *n, pawl__state *state, pawl__arena *arena, pawl_error *err)
{
        static const pawl_text none[2] = {{NULL, 0}, {NULL, 0}};

        if (pawl__state_is_verified(state))
                return verified_conflicts(rows, n, state,
                        &(struct wanted_conflicts){.type = pawl__text("question")}, true, arena,
                        err);
        return pawl__query_rows(rows, n, state, PAWL__CONFLICTS,
                "FROM {conflicts} WHERE " PAWL__CONFLICT_BLOCKS
                " AND conflict_type = 'question' ORDER BY seq",
                none, 0, arena, err);
}

static bool starts_with(pawl_text text, pawl_text prefix)
{
        return text.len >= prefix.len &&
               (prefix.len == 0 || memcmp(text.data, prefix.data, prefix.len) == 0);
}

/* The column that is the id. */
static int id_column(pawl__table table)
{
        return table == PAWL__WORKSPACE ? PAWL__WCP_ID : 0;
}

/* The condition and the order are those of the id: what begins with a text comes first of what
 * does not sort before it, and the text itself before all. */
static const char *after_prefix(pawl__table table)
{
        switch (table) {
        case PAWL__RUNS:
                return "FROM {runs} WHERE run_id >= ?1 ORDER BY run_id LIMIT 4";
        case PAWL__CHECKPOINTS:
                return "FROM {checkpoints} WHERE retry_token >= ?1 ORDER BY retry_token LIMIT 4";
        case PAWL__SESSIONS:
                return "FROM {sessions} WHERE session_id >= ?1 ORDER BY session_id LIMIT 4";
        case PAWL__WORKSPACE:
                return "FROM {workspace_checkpoints} WHERE id >= ?1 ORDER BY id, n LIMIT 4";
        default:
                return "FROM {conflicts} WHERE conflict_id >= ?1 ORDER BY conflict_id LIMIT 4";
        }
}

pawl_status pawl__state_by_prefix(pawl__row rows[PAWL__CANDIDATES], size_t *n, pawl__state *state,
        pawl__table table, pawl_text prefix, pawl__arena *arena, pawl_error *err)
{
        pawl__row *found = NULL;
        size_t count = 0, matching = 0;
        const pawl_text texts[2] = {prefix, {NULL, 0}};
        pawl_status status = pawl__query_rows(
                &found, &count, state, table, after_prefix(table), texts, 0, arena, err);

        if (status)
                return status;
        while (matching < count && starts_with(found[matching].v[id_column(table)].text, prefix)) {
                rows[matching] = found[matching];
                matching++;
        }
        *n = matching;
        return PAWL_OK;
}

pawl_status pawl__state_whole_id(pawl_text *id, pawl__state *state, const pawl__table *tables,
        size_t n_tables, const char *what, pawl__arena *arena, pawl_error *err)
{
        pawl__row rows[PAWL__CANDIDATES];
        pawl_text found[PAWL__CANDIDATES + 1] = {{NULL, 0}};
        size_t n = 0, n_found = 0;

        for (size_t t = 0; t < n_tables; t++) {
                pawl_status status =
                        pawl__state_by_prefix(rows, &n, state, tables[t], *id, arena, err);
                if (status)
                        return status;
                for (size_t i = 0; i < n; i++) {
                        const pawl_text has = rows[i].v[id_column(tables[t])].text;
                        if (pawl__text_eq(has, *id))
                                return PAWL_OK;
                        const bool again = n_found && pawl__text_eq(found[n_found - 1], has);
                        if (!again && n_found < PAWL__CANDIDATES + 1)
                                found[n_found++] = has;
                }
        }
        if (n_found == 0 || id->len < PAWL__PREFIX_MIN)
                return PAWL_OK;
        if (n_found > 1)
                return pawl__fail(err, PAWL_EINVAL,
                        "%s %.*s: is more than one (%.*s, %.*s%s); give more of it", what,
                        PAWL__FMT(*id), PAWL__FMT(found[0]), PAWL__FMT(found[1]),
                        n_found > 2 ? ", ..." : "");
        *id = found[0];
        return PAWL_OK;
}

/* How many bytes both begin with. */
static size_t common(pawl_text a, pawl_text b)
{
        size_t n = 0;

        while (n < a.len && n < b.len && a.data[n] == b.data[n])
                n++;
        return n;
}

/* Returns where the first @p n words of an id end. */
static size_t words_end(pawl_text id, size_t n)
{
        size_t at = 0, dashes = 0;

        while (at < id.len && (id.data[at] != '-' || ++dashes < n))
                at++;
        return at;
}

pawl_status pawl__state_short_id(
        pawl_text *id, pawl__state *state, pawl__table table, pawl__arena *arena, pawl_error *err)
{
        pawl__row rows[PAWL__CANDIDATES];
        size_t len = PAWL__SHORT_ID, n = 0;

        if (!id->data)
                return PAWL_OK;
        if (table == PAWL__WORKSPACE) /* "cp-04" of "cp-04-implement-20260120-143000" */
                len = words_end(*id, 2);
        else if (table == PAWL__SESSIONS) /* and the time of a session's */
                len = words_end(*id, 3);
        else if (!pawl__uuid_valid(*id) && table != PAWL__CONFLICTS)
                return PAWL_OK;
        if (id->len <= len)
                return PAWL_OK;
        for (;;) {
                const pawl_text prefix = {id->data, len};
                pawl_status status =
                        pawl__state_by_prefix(rows, &n, state, table, prefix, arena, err);
                if (status)
                        return status;
                if (n <= 1)
                        break;
                for (size_t i = 0; i < n; i++) {
                        size_t with = common(rows[i].v[id_column(table)].text, *id);
                        if (with < id->len && with + 1 > len)
                                len = with + 1;
                }
                if (len >= id->len || len == prefix.len)
                        return PAWL_OK;
        }
        id->len = len;
        return PAWL_OK;
}

void pawl__queries_release(pawl__state *state)
{
        for (size_t i = 0; i < state->n_queries; i++)
                pawl__query_finalize(state->queries[i].query);
        state->n_queries = 0;
        pawl__query_finalize(state->count_runs);
        state->count_runs = NULL;
}

pawl_status pawl__query_rows(pawl__row **rows, size_t *n, pawl__state *state, pawl__table table,
        const char *rest, const pawl_text texts[2], int64_t limit, pawl__arena *arena,
        pawl_error *err)
{
        pawl__query *query;

        if (pawl__tables[table].since > pawl__log_version(state->log)) {
                *n = 0;
                return PAWL_OK;
        }
        pawl_status status = pawl__query_cached(&query, state, table, rest, err);
        if (status)
                return status;
        for (int i = 0; i < 2; i++)
                if (texts[i].data)
                        pawl__query_bind_text(query, i + 1, texts[i]);
        if (limit)
                pawl__query_bind_integer(query, LIMIT, limit);
        return pawl__sql_collect(rows, n, state->log, table, query, arena, err);
}

pawl_status pawl__query_row(pawl__row *row, pawl__state *state, pawl__table table, const char *rest,
        const pawl_text texts[2], pawl__arena *arena, pawl_error *err)
{
        pawl__row *found = NULL;
        size_t n = 0;
        pawl_status status = pawl__query_rows(&found, &n, state, table, rest, texts, 0, arena, err);

        if (!status && n == 0)
                return PAWL_ENOTFOUND;
        if (!status)
                *row = found[0];
        return status;
}

pawl_status pawl__query_page(pawl__row **rows, size_t *n, pawl__state *state, pawl__table table,
        const char *rest, const pawl__page *page, const pawl_text *texts, size_t n_texts,
        pawl__arena *arena, pawl_error *err)
{
        pawl__query *query;

        if (pawl__tables[table].since > pawl__log_version(state->log)) {
                *n = 0;
                return PAWL_OK;
        }
        pawl_status status = pawl__query_cached(&query, state, table, rest, err);
        if (status)
                return status;
        pawl__query_bind(query, "ii",
                page->before && page->before < INT64_MAX ? (int64_t)page->before : INT64_MAX,
                page->limit && page->limit < INT64_MAX ? (int64_t)page->limit : INT64_MAX);
        for (size_t i = 0; i < n_texts; i++)
                pawl__query_bind_text(query, 3 + (int)i, texts[i]);
        return pawl__sql_collect(rows, n, state->log, table, query, arena, err);
}
