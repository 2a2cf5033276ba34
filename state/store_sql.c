#include "base/error.h"
#include "base/ids.h"
#include "state/memory.h"
#include "state/sql.h"
#include <stdlib.h>

/* Puts after which a cache that is kept is emptied: what was put over takes room. Few where a row
 * is soon read again. */
enum { PUTS_MAX = 16384, PUTS_FEW = 256 };

/* A row of which all is written, and how many are written by what changed in them: of more, the
 * server takes whole rows by one statement. */
enum { FEW = 8 };
static const uint32_t WHOLE = UINT32_C(1) << 31;
/* A row that the tables have, of which all is written. */
static const uint32_t EVERY = (UINT32_C(1) << PAWL__COLUMNS_MAX) - 1;
/* A row that must be new, and is whole. */
static const uint32_t NEW = UINT32_C(3) << 30;

/* Rows written by an upsert until the statement that only updates pays off: a command that writes
 * few rows need not prepare it. */
enum { UPSERTS = 64 };

/* A cached row that the tables do not have yet. */
struct dirty {
        pawl__table table;
        uint32_t index; /* in the cache */
};

struct store_sql {
        pawl__store store;
        pawl_log *log, *scratch; /* the latter: NULL, or the same, which is the store's own */
        pawl__query *get[PAWL__TABLES], *put[PAWL__TABLES], *insert[PAWL__TABLES],
                *update[PAWL__TABLES];
        uint32_t updated[PAWL__TABLES]; /* the columns that the statement sets; a bit each */
        bool caching;
        bool whole;                 /* there are no rows but those cached: the tables were empty */
        char new_run[PAWL__ID_MAX]; /* a run of which there are none but those cached */
        size_t new_run_len;
        pawl__memory *cache; /* rows read or put since begin */
        pawl__arena found;   /* the row that was got last, outside of begin and flush */
        struct dirty *dirty;
        size_t n_dirty, cap_dirty, puts, upserts;
        uint32_t *changed[PAWL__TABLES]; /* by index in the cache: in which columns the tables have
                                            another value; 0: in none, and it is not in dirty */
        size_t cap_changed[PAWL__TABLES];
};

/* Before each use: prepared at the first, and kept. */
static pawl_status statement(pawl__query **query, struct store_sql *sql, pawl__table table,
        void (*text)(pawl__buf *, const pawl_log *, pawl__table), pawl_error *err)
{
        pawl__buf buf = PAWL__BUF_INIT;
        pawl_status status = pawl__log_interrupted(sql->log, err);

        if (status || *query)
                return status;
        text(&buf, sql->log, table);
        status = pawl__buf_check(&buf, err);
        if (!status)
                status = pawl__query_prepare(query, sql->log, buf.data, err);
        pawl__buf_free(&buf);
        return status;
}

/* Of the first columns those of the set, one behind the other. */
static void bind(pawl__query *query, const pawl__table_def *def, int columns, uint32_t set,
        const pawl__row *row)
{
        for (int c = 0, at = 1; c < columns; c++) {
                if (!(set >> c & 1))
                        continue;
                switch (def->column[c].type) {
                case PAWL__TEXT:
                        pawl__query_bind_text(query, at++, row->v[c].text);
                        break;
                case PAWL__INT:
                        pawl__query_bind_integer(query, at++, row->v[c].integer);
                        break;
                case PAWL__REAL:
                        pawl__query_bind_real(query, at++, row->v[c].real);
                        break;
                }
        }
}

/* ---- Rows of the tables themselves ----------------------------------------------------------- */

/* *found stands on the row; the caller resets it. */
static pawl_status seek(pawl__query **found, struct store_sql *sql, pawl__table table,
        const pawl__row *row, pawl_error *err)
{
        const pawl__table_def *def = &pawl__tables[table];

        if (def->since > pawl__log_version(sql->log))
                return PAWL_ENOTFOUND;
        pawl_status status = statement(&sql->get[table], sql, table, pawl__sql_get, err);
        if (status)
                return status;
        pawl__query *query = sql->get[table];
        pawl__query_reset(query);
        bind(query, def, def->keys, UINT32_MAX, row);
        status = pawl__query_step(query, PAWL__READING, err);
        if (status)
                pawl__query_reset(query);
        else
                *found = query;
        return status == PAWL_DONE ? PAWL_ENOTFOUND : status;
}

pawl_status pawl__store_sql_prefetch(
        pawl__store *store, pawl__table table, const pawl__row *row, pawl_error *err)
{
        struct store_sql *sql = (struct store_sql *)store;

        if (pawl__tables[table].since > pawl__log_version(sql->log))
                return PAWL_OK;
        pawl_status status = statement(&sql->get[table], sql, table, pawl__sql_get, err);
        if (status)
                return status;
        pawl__query_reset(sql->get[table]);
        bind(sql->get[table], &pawl__tables[table], pawl__tables[table].keys, UINT32_MAX, row);
        return pawl__query_prefetch(sql->get[table], err);
}

/* Is a row of which nothing is cached one that the tables do not have? It was looked for before it
 * was put, or its key is a token of its own: so it is likely, and no more. */
static bool is_new(const struct store_sql *sql, pawl__table table)
{
        return (table == PAWL__RUNS || table == PAWL__STEPS || table == PAWL__CHECKPOINTS) &&
               pawl__log_assumes(sql->log);
}

static pawl_status write_row(struct store_sql *sql, pawl__table table, uint32_t changed,
        const pawl__row *row, pawl_error *err)
{
        const pawl__table_def *def = &pawl__tables[table];
        const bool must = changed >= NEW, fresh = must || (changed >= WHOLE && is_new(sql, table));
        pawl__query **query = fresh ? &sql->insert[table] : &sql->put[table];
        pawl_status status =
                statement(query, sql, table, fresh ? pawl__sql_insert : pawl__sql_put, err);

        if (status)
                return status;
        bind(*query, def, def->stored, UINT32_MAX, row);
        sql->upserts += !fresh;
        status = pawl__query_run(*query, NULL, PAWL__WRITING, err);
        if (!must || status != PAWL_EDAMAGED || pawl__log_keeps_rows(sql->log))
                return status;
        pawl__query *found = NULL;
        if (seek(&found, sql, table, row, NULL))
                return status;
        pawl__query_reset(found);
        return pawl__store_has_it(table, row, err);
}

/* A row that the tables have, but for these columns. One statement sets all that ever changed: the
 * columns that an event changes are few, and soon known. */
static pawl_status update_row(struct store_sql *sql, pawl__table table, uint32_t changed,
        const pawl__row *row, pawl_error *err)
{
        const pawl__table_def *def = &pawl__tables[table];
        const uint32_t keys = (UINT32_C(1) << def->keys) - 1;
        pawl__buf buf = PAWL__BUF_INIT;
        pawl_status status = pawl__log_interrupted(sql->log, err);

        if (!status && changed & ~sql->updated[table]) {
                pawl__query_finalize(sql->update[table]);
                sql->update[table] = NULL;
                sql->updated[table] |= changed;
        }
        if (!status && !sql->update[table]) {
                pawl__sql_update(&buf, table, sql->updated[table]);
                status = pawl__buf_check(&buf, err);
                if (!status)
                        status = pawl__query_prepare(&sql->update[table], sql->log, buf.data, err);
                pawl__buf_free(&buf);
        }
        if (status)
                return status;
        bind(sql->update[table], def, def->stored, keys | sql->updated[table], row);
        return pawl__query_run(sql->update[table], NULL, PAWL__WRITING, err);
}

/* ---- The cache of a transaction -------------------------------------------------------------- */

/* The tables have no such run, and so no step of it. */
static void note_new_run(struct store_sql *sql, pawl_text run_id)
{
        sql->new_run_len = run_id.len <= sizeof sql->new_run ? run_id.len : 0;
        memcpy(sql->new_run, run_id.data, sql->new_run_len);
}

/* A row that is cached; PAWL_ENOTFOUND: there is none; PAWL_DONE: the tables may have it. */
static pawl_status find_cached(
        struct store_sql *sql, pawl__table table, pawl__row *row, pawl_error *err)
{
        uint32_t index;
        pawl_status status = pawl__memory_find(&index, sql->cache, table, row, err);

        if (status == PAWL_OK)
                pawl__memory_read(sql->cache, table, index, row);
        if (status != PAWL_ENOTFOUND || sql->whole)
                return status;
        return table == PAWL__STEPS && sql->new_run_len &&
                               pawl__text_eq(row->v[PAWL__STEP_RUN].text,
                                       pawl__text_n(sql->new_run, sql->new_run_len))
                       ? PAWL_ENOTFOUND
                       : PAWL_DONE;
}

pawl_status pawl__store_sql_known(
        pawl__store *store, pawl__table table, pawl__row *row, pawl_error *err)
{
        return find_cached((struct store_sql *)store, table, row, err);
}

static pawl_status sql_get(pawl__store *store, pawl__table table, pawl__row *row, pawl_error *err)
{
        struct store_sql *sql = (struct store_sql *)store;
        pawl__query *query = NULL;
        pawl__row found;
        uint32_t index;
        pawl_status status;

        if (sql->caching) {
                status = find_cached(sql, table, row, err);
                if (status != PAWL_DONE)
                        return status;
        }
        status = seek(&query, sql, table, row, err);
        if (status == PAWL_ENOTFOUND && sql->caching && table == PAWL__RUNS)
                note_new_run(sql, row->v[PAWL__RUN_ID].text);
        if (status)
                return status;
        pawl__sql_row(&found, table, query);
        if (sql->caching) {
                status = pawl__memory_put(&index, sql->cache, table, &found, err);
                sql->puts++;
                if (status == PAWL_OK)
                        pawl__memory_read(sql->cache, table, index, &found);
        } else {
                pawl__arena_clear(&sql->found);
                status = pawl__row_copy(&found, table, &sql->found, err);
        }
        pawl__query_reset(query); /* a statement that is not reset would keep its snapshot open */
        if (status == PAWL_OK)
                *row = found;
        return status;
}

/* Room for one more dirty row, of this index. New entries are not dirty. */
static bool make_room(struct store_sql *sql, pawl__table table, uint32_t index)
{
        const size_t cap = sql->cap_changed[table];

        if (pawl__grow(&sql->changed[table], &sql->cap_changed[table], (size_t)index + 1,
                    sizeof *sql->changed[table]))
                return false;
        if (sql->cap_changed[table] > cap)
                memset(sql->changed[table] + cap, 0,
                        (sql->cap_changed[table] - cap) * sizeof *sql->changed[table]);
        return !pawl__grow(&sql->dirty, &sql->cap_dirty, sql->n_dirty + 1, sizeof *sql->dirty);
}

/* In which columns does it differ from the cached one? A row that is not cached differs in all, and
 * any does where the engine has no use for that. */
static pawl_status compare(uint32_t *changed, struct store_sql *sql, pawl__table table,
        const pawl__row *row, pawl_error *err)
{
        const pawl__table_def *def = &pawl__tables[table];
        pawl__row former;
        uint32_t index;

        *changed = WHOLE;
        if (!pawl__log_keeps_rows(sql->log))
                return PAWL_OK;
        pawl_status status = pawl__memory_find(&index, sql->cache, table, row, err);
        if (status)
                return status == PAWL_ENOTFOUND ? PAWL_OK : status;
        pawl__memory_read(sql->cache, table, index, &former);
        *changed = 0;
        for (int c = def->keys; c < def->stored; c++) {
                const pawl__value *a = &former.v[c], *b = &row->v[c];
                const bool same = def->column[c].type == PAWL__TEXT
                                          ? pawl__text_eq(a->text, b->text)
                                          : memcmp(&a->integer, &b->integer, 8) == 0;
                *changed |= (uint32_t)!same << c;
        }
        return PAWL_OK;
}

/* Put it into the cache, changed in these columns. */
static pawl_status cache_row(struct store_sql *sql, pawl__table table, uint32_t changed,
        const pawl__row *row, pawl_error *err)
{
        const size_t before = pawl__memory_count(sql->cache, table);
        uint32_t index;
        const pawl_status status = pawl__memory_put(&index, sql->cache, table, row, err);

        if (status)
                return status;
        if (changed == WHOLE && index < before && sql->upserts >= UPSERTS)
                changed = EVERY; /* the tables have it, or an earlier put inserts it */
        sql->puts++;
        if (!make_room(sql, table, index))
                return pawl__nomem(err);
        if (changed && !sql->changed[table][index])
                sql->dirty[sql->n_dirty++] = (struct dirty){table, index};
        sql->changed[table][index] |= changed;
        return PAWL_OK;
}

static pawl_status sql_put(
        pawl__store *store, pawl__table table, const pawl__row *row, pawl_error *err)
{
        struct store_sql *sql = (struct store_sql *)store;
        uint32_t changed;

        if (!sql->caching)
                return write_row(sql, table, 0, row, err);
        const pawl_status status = compare(&changed, sql, table, row, err);
        return status ? status : cache_row(sql, table, changed, row, err);
}

static pawl_status sql_insert(
        pawl__store *store, pawl__table table, const pawl__row *row, pawl_error *err)
{
        struct store_sql *sql = (struct store_sql *)store;
        const size_t before = pawl__memory_count(sql->cache, table);

        if (!sql->caching)
                return write_row(sql, table, NEW, row, err);
        const pawl_status status = cache_row(sql, table, NEW, row, err);
        return !status && pawl__memory_count(sql->cache, table) == before
                       ? pawl__store_has_it(table, row, err) /* the transaction is rolled back */
                       : status;
}

static pawl_status sql_add(
        pawl__store *store, pawl__table table, const pawl__row *row, pawl_error *err)
{
        struct store_sql *sql = (struct store_sql *)store;

        if (sql->whole)
                return sql_put(store, table, row, err);
        sql->new_run_len = 0;
        return write_row(sql, table, 0, row, err);
}

static void forget_dirty(struct store_sql *sql)
{
        for (size_t i = 0; i < sql->n_dirty; i++)
                sql->changed[sql->dirty[i].table][sql->dirty[i].index] = 0;
        sql->n_dirty = 0;
}

static void clear_cache(struct store_sql *sql)
{
        forget_dirty(sql);
        sql->puts = 0;
        sql->whole = false;
        sql->new_run_len = 0;
        pawl__memory_clear(sql->cache);
}

void pawl__store_sql_begin(pawl__store *store, bool keep)
{
        struct store_sql *sql = (struct store_sql *)store;

        if (!keep || sql->puts > (pawl__log_keeps_rows(sql->log) ? PUTS_MAX : PUTS_FEW))
                clear_cache(sql);
        sql->caching = true;
}

pawl_status pawl__store_sql_flush(pawl__store *store, bool end, pawl_error *err)
{
        struct store_sql *sql = (struct store_sql *)store;
        pawl_status status = PAWL_OK;

        const size_t few = pawl__log_keeps_rows(sql->log) ? FEW : SIZE_MAX;

        for (int t = 0; t < PAWL__TABLES; t++) /* rows of a table one behind the other */
                for (size_t i = 0; i < sql->n_dirty && status == PAWL_OK; i++) {
                        const struct dirty *dirty = &sql->dirty[i];
                        pawl__row row;
                        if ((int)dirty->table != t)
                                continue;
                        pawl__memory_read(sql->cache, dirty->table, dirty->index, &row);
                        const uint32_t changed = sql->changed[t][dirty->index];
                        status = changed >= WHOLE || sql->n_dirty > few
                                         ? write_row(sql, dirty->table, changed, &row, err)
                                         : update_row(sql, dirty->table, changed, &row, err);
                }
        if (status)
                return status;
        if (end || sql->whole)
                forget_dirty(sql);
        else
                clear_cache(sql);
        sql->caching = !end;
        sql->whole = sql->whole && !end;
        return PAWL_OK;
}

void pawl__store_sql_empty(pawl__store *store)
{
        ((struct store_sql *)store)->whole = true;
}

size_t pawl__store_sql_dirty(const pawl__store *store)
{
        return ((const struct store_sql *)store)->n_dirty;
}

pawl_status pawl__store_spill(pawl__store *store, size_t most, pawl_error *err)
{
        return store->get == sql_get && pawl__store_sql_dirty(store) > most
                       ? pawl__store_sql_flush(store, false, err)
                       : PAWL_OK;
}

void pawl__store_sql_abandon(pawl__store *store)
{
        struct store_sql *sql = (struct store_sql *)store;

        clear_cache(sql);
        sql->caching = false;
}

/* ---- Making and freeing ---------------------------------------------------------------------- */

void pawl__store_sql_release(pawl__store *store)
{
        struct store_sql *sql = (struct store_sql *)store;

        for (int t = 0; t < PAWL__TABLES; t++) {
                pawl__query_finalize(sql->get[t]);
                pawl__query_finalize(sql->put[t]);
                pawl__query_finalize(sql->insert[t]);
                pawl__query_finalize(sql->update[t]);
                sql->get[t] = sql->put[t] = sql->insert[t] = sql->update[t] = NULL;
        }
}

static pawl_status sql_rows(
        pawl__rows *rows, pawl__store *store, pawl__table table, pawl_error *err)
{
        return pawl__sql_rows(rows, ((struct store_sql *)store)->log, table, err);
}

static void sql_free(pawl__store *store)
{
        struct store_sql *sql = (struct store_sql *)store;

        pawl__store_sql_release(store);
        for (int t = 0; t < PAWL__TABLES; t++)
                free(sql->changed[t]);
        free(sql->dirty);
        pawl__arena_free(&sql->found);
        pawl__memory_free(sql->cache);
        pawl_log_close(sql->scratch);
        free(sql);
}

pawl_status pawl__store_sql(pawl__store **out, pawl_log *log, pawl_error *err)
{
        struct store_sql *sql = calloc(1, sizeof *sql);

        if (!sql)
                return pawl__nomem(err);
        sql->store = (pawl__store){sql_get, sql_put, sql_insert, sql_add, sql_rows,
                pawl__sql_rows_next, pawl__sql_rows_end, pawl__store_each, sql_free};
        sql->log = log;
        pawl_status status = pawl__memory_new(&sql->cache, true, err);
        if (status) {
                free(sql);
                return status;
        }
        *out = &sql->store;
        return PAWL_OK;
}

pawl_status pawl__store_scratch(pawl__store **out, pawl_error *err)
{
        pawl_log *scratch;

        TRY(pawl__log_scratch(&scratch, err));
        const pawl_status status = pawl__store_sql(out, scratch, err);
        if (status) {
                pawl_log_close(scratch);
                return status;
        }
        ((struct store_sql *)*out)->scratch = scratch;
        pawl__store_sql_begin(*out, false);
        return PAWL_OK;
}
