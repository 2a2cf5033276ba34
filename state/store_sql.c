#include "base/error.h"
#include "state/memory.h"
#include "state/sql.h"
#include <stdlib.h>

/* A row that waits for the flush. */
struct waiting {
        pawl__table table;
        uint32_t index; /* in kept */
};

struct store_sql {
        pawl__store store;
        pawl_log *log;
        sqlite3_stmt *get[PAWL__TABLES], *put[PAWL__TABLES];
        bool keeping;
        pawl__memory *kept; /* rows read or put since begin */
        pawl__arena found;  /* the row that was got last, outside of begin and flush */
        struct waiting *waiting;
        size_t n_waiting, cap_waiting;
        bool *waits[PAWL__TABLES]; /* by index in kept: is it in waiting? */
        size_t cap_waits[PAWL__TABLES];
};

/* ---- Statements, made from the column table -------------------------------------------------- */

static void get_text(pawl__buf *sql, const pawl_log *log, pawl__table table)
{
        const pawl__table_def *form = &pawl__tables[table];

        pawl__sql_select(sql, log, table);
        pawl__buf_addf(sql, " FROM %s WHERE ", form->name);
        for (int c = 0; c < form->keys; c++)
                pawl__buf_addf(sql, "%s%s = ?%d", c ? " AND " : "", form->column[c].name, c + 1);
}

static void put_text(pawl__buf *sql, const pawl_log *log, pawl__table table)
{
        (void)log; /* what is written to is of today */
        const pawl__table_def *form = &pawl__tables[table];

        pawl__buf_addf(sql, "INSERT INTO %s (", form->name);
        pawl__sql_columns(sql, table, 0, form->stored);
        pawl__buf_adds(sql, ") VALUES (");
        for (int c = 0; c < form->stored; c++)
                pawl__buf_addf(sql, "%s?%d", c ? ", " : "", c + 1);
        pawl__buf_adds(sql, ") ON CONFLICT (");
        pawl__sql_columns(sql, table, 0, form->keys);
        pawl__buf_adds(sql, ") DO UPDATE SET ");
        for (int c = form->keys; c < form->stored; c++)
                pawl__buf_addf(sql, "%s%s = excluded.%s", c > form->keys ? ", " : "",
                        form->column[c].name, form->column[c].name);
}

/* Before each use: prepared at the first, and kept. */
static pawl_status statement(sqlite3_stmt **stmt, struct store_sql *sql, pawl__table table,
        void (*text)(pawl__buf *, const pawl_log *, pawl__table), pawl_error *err)
{
        pawl__buf buf = PAWL__BUF_INIT;
        pawl_status status = pawl__log_interrupted(sql->log, err);

        if (status || *stmt)
                return status;
        text(&buf, sql->log, table);
        status = pawl__buf_check(&buf, err);
        if (!status)
                status = pawl__db_prepare(stmt, sql->log, buf.data, err);
        pawl__buf_free(&buf);
        return status;
}

static int bind(sqlite3_stmt *stmt, const pawl__table_def *form, int columns, const pawl__row *row)
{
        int rc = SQLITE_OK;

        for (int c = 0; c < columns && rc == SQLITE_OK; c++)
                switch (form->column[c].type) {
                case PAWL__TEXT:
                        rc = pawl__db_bind_text(stmt, c + 1, row->v[c].text);
                        break;
                case PAWL__INT:
                        rc = sqlite3_bind_int64(stmt, c + 1, row->v[c].integer);
                        break;
                case PAWL__REAL:
                        rc = sqlite3_bind_double(stmt, c + 1, row->v[c].real);
                        break;
                }
        return rc;
}

/* ---- Rows of the tables themselves ----------------------------------------------------------- */

/* *stmt_out stands on the row; the caller resets it. */
static pawl_status seek(sqlite3_stmt **stmt_out, struct store_sql *sql, pawl__table table,
        const pawl__row *row, pawl_error *err)
{
        const pawl__table_def *form = &pawl__tables[table];

        if (form->since > pawl__log_version(sql->log))
                return PAWL_ENOTFOUND;
        pawl_status status = statement(&sql->get[table], sql, table, get_text, err);
        if (status)
                return status;
        sqlite3_stmt *stmt = sql->get[table];
        sqlite3_reset(stmt);
        int rc = bind(stmt, form, form->keys, row);
        if (rc == SQLITE_OK)
                rc = sqlite3_step(stmt);
        if (rc == SQLITE_ROW) {
                *stmt_out = stmt;
                return PAWL_OK;
        }
        sqlite3_reset(stmt);
        return rc == SQLITE_DONE ? PAWL_ENOTFOUND
                                 : pawl__db_fail(sql->log, rc, "read the state tables", err);
}

static pawl_status write_row(
        struct store_sql *sql, pawl__table table, const pawl__row *row, pawl_error *err)
{
        const pawl__table_def *form = &pawl__tables[table];
        pawl_status status = statement(&sql->put[table], sql, table, put_text, err);

        if (status)
                return status;
        sqlite3_stmt *stmt = sql->put[table];
        int rc = bind(stmt, form, form->stored, row);
        if (rc == SQLITE_OK)
                rc = sqlite3_step(stmt);
        sqlite3_reset(stmt);
        return rc == SQLITE_DONE ? PAWL_OK
                                 : pawl__db_fail(sql->log, rc, "write the state tables", err);
}

/* ---- Keeping back ---------------------------------------------------------------------------- */

static pawl_status sql_get(pawl__store *store, pawl__table table, pawl__row *row, pawl_error *err)
{
        struct store_sql *sql = (struct store_sql *)store;
        sqlite3_stmt *stmt = NULL;
        pawl__row found;
        uint32_t index;
        pawl_status status;

        if (sql->keeping) {
                status = pawl__memory_find(&index, sql->kept, table, row, err);
                if (status == PAWL_OK)
                        pawl__memory_read(sql->kept, table, index, row);
                if (status != PAWL_ENOTFOUND)
                        return status;
        }
        status = seek(&stmt, sql, table, row, err);
        if (status)
                return status;
        pawl__sql_row(&found, table, stmt);
        if (sql->keeping) {
                status = pawl__memory_put(&index, sql->kept, table, &found, err);
                if (status == PAWL_OK)
                        pawl__memory_read(sql->kept, table, index, &found);
        } else {
                pawl__arena_clear(&sql->found);
                status = pawl__row_copy(&found, table, &sql->found, err);
        }
        sqlite3_reset(stmt); /* a statement left standing would hold a snapshot */
        if (status == PAWL_OK)
                *row = found;
        return status;
}

/* Room for one more row that waits, of this index. What is new of it does not wait. */
static bool make_room(struct store_sql *sql, pawl__table table, uint32_t index)
{
        const size_t cap = sql->cap_waits[table];

        if (pawl__grow(&sql->waits[table], &sql->cap_waits[table], (size_t)index + 1, sizeof(bool)))
                return false;
        if (sql->cap_waits[table] > cap)
                memset(sql->waits[table] + cap, 0, sql->cap_waits[table] - cap);
        return !pawl__grow(
                &sql->waiting, &sql->cap_waiting, sql->n_waiting + 1, sizeof *sql->waiting);
}

static pawl_status sql_put(
        pawl__store *store, pawl__table table, const pawl__row *row, pawl_error *err)
{
        struct store_sql *sql = (struct store_sql *)store;
        uint32_t index;

        if (!sql->keeping)
                return write_row(sql, table, row, err);
        pawl_status status = pawl__memory_put(&index, sql->kept, table, row, err);
        if (status)
                return status;
        if (!make_room(sql, table, index))
                return pawl__nomem(err);
        if (!sql->waits[table][index]) {
                sql->waits[table][index] = true;
                sql->waiting[sql->n_waiting++] = (struct waiting){table, index};
        }
        return PAWL_OK;
}

static void forget(struct store_sql *sql)
{
        for (size_t i = 0; i < sql->n_waiting; i++)
                sql->waits[sql->waiting[i].table][sql->waiting[i].index] = false;
        sql->n_waiting = 0;
        pawl__memory_clear(sql->kept);
}

void pawl__store_sql_begin(pawl__store *store)
{
        struct store_sql *sql = (struct store_sql *)store;

        forget(sql);
        sql->keeping = true;
}

pawl_status pawl__store_sql_flush(pawl__store *store, bool end, pawl_error *err)
{
        struct store_sql *sql = (struct store_sql *)store;
        pawl_status status = PAWL_OK;

        for (size_t i = 0; i < sql->n_waiting && status == PAWL_OK; i++) {
                pawl__row row;
                pawl__memory_read(sql->kept, sql->waiting[i].table, sql->waiting[i].index, &row);
                status = write_row(sql, sql->waiting[i].table, &row, err);
        }
        if (status)
                return status;
        forget(sql);
        sql->keeping = !end;
        return PAWL_OK;
}

size_t pawl__store_sql_waiting(const pawl__store *store)
{
        return ((const struct store_sql *)store)->n_waiting;
}

void pawl__store_sql_abandon(pawl__store *store)
{
        struct store_sql *sql = (struct store_sql *)store;

        forget(sql);
        sql->keeping = false;
}

/* ---- Listing --------------------------------------------------------------------------------- */

static void each_text(pawl__buf *sql, const pawl_log *log, pawl__table table)
{
        const pawl__table_def *form = &pawl__tables[table];

        pawl__sql_select(sql, log, table);
        pawl__buf_addf(sql, " FROM %s ORDER BY %s, ", form->name, form->column[form->order].name);
        if (form->then >= 0)
                pawl__buf_addf(sql, "%s, ", form->column[form->then].name);
        pawl__sql_columns(sql, table, 0, form->keys);
}

/* A statement of its own each time: fn may list the same table, and a listing is rare. */
static pawl_status sql_each(
        pawl__store *store, pawl__table table, pawl__row_fn fn, void *user, pawl_error *err)
{
        struct store_sql *sql = (struct store_sql *)store;
        sqlite3_stmt *stmt = NULL;
        int rc = SQLITE_DONE;

        if (pawl__tables[table].since > pawl__log_version(sql->log))
                return PAWL_OK;
        pawl_status status = statement(&stmt, sql, table, each_text, err);

        while (status == PAWL_OK && (rc = sqlite3_step(stmt)) == SQLITE_ROW) {
                pawl__row row;
                pawl__sql_row(&row, table, stmt);
                status = fn(&row, user, err);
        }
        if (status == PAWL_OK && rc != SQLITE_DONE)
                status = pawl__db_fail(sql->log, rc, "read the state tables", err);
        sqlite3_finalize(stmt);
        return status;
}

/* ---- Making and freeing ---------------------------------------------------------------------- */

void pawl__store_sql_release(pawl__store *store)
{
        struct store_sql *sql = (struct store_sql *)store;

        for (int t = 0; t < PAWL__TABLES; t++) {
                sqlite3_finalize(sql->get[t]);
                sqlite3_finalize(sql->put[t]);
                sql->get[t] = sql->put[t] = NULL;
        }
}

static void sql_free(pawl__store *store)
{
        struct store_sql *sql = (struct store_sql *)store;

        pawl__store_sql_release(store);
        for (int t = 0; t < PAWL__TABLES; t++)
                free(sql->waits[t]);
        free(sql->waiting);
        pawl__arena_free(&sql->found);
        pawl__memory_free(sql->kept);
        free(sql);
}

pawl_status pawl__store_sql(pawl__store **out, pawl_log *log, pawl_error *err)
{
        struct store_sql *sql = calloc(1, sizeof *sql);

        if (!sql)
                return pawl__nomem(err);
        sql->store = (pawl__store){sql_get, sql_put, sql_each, sql_free};
        sql->log = log;
        pawl_status status = pawl__memory_new(&sql->kept, err);
        if (status) {
                free(sql);
                return status;
        }
        *out = &sql->store;
        return PAWL_OK;
}
