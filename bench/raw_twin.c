#include "bench/raw_twin.h"
#include "base/text.h"

static void check(int rc, sqlite3 *db)
{
        if (rc != SQLITE_OK && rc != SQLITE_ROW && rc != SQLITE_DONE)
                bench_die(sqlite3_errmsg(db));
}

static void prepare(sqlite3_stmt **out, sqlite3 *db, const char *sql)
{
        check(sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, out, NULL), db);
}

static void execute(sqlite3 *db, const char *sql)
{
        check(sqlite3_exec(db, sql, NULL, NULL, NULL), db);
}

sqlite3 *raw_open(const char *path)
{
        int keep_wal = 1;
        sqlite3 *db;

        check(sqlite3_open_v2(path, &db,
                      SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE, NULL),
                db);
        check(sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL), db);
        check(sqlite3_file_control(db, "main", SQLITE_FCNTL_PERSIST_WAL, &keep_wal), db);
        execute(db,
                "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; "
                "PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0; PRAGMA temp_store = MEMORY; "
                "PRAGMA journal_size_limit = 16777216; PRAGMA cache_size = -16384");
        return db;
}

/* Events and blobs are inserted; rows of state replace those of the same key. */
static void prepare_upsert(raw_twin *twin, int t, const char *table)
{
        pawl__buf sql = PAWL__BUF_INIT;
        int failed = pawl__buf_addf(&sql, "INSERT INTO %s VALUES (?", table);
        sqlite3_stmt *columns;

        for (int c = 1; c < twin->columns[t]; c++)
                failed |= pawl__buf_adds(&sql, ",?");
        failed |= pawl__buf_adds(&sql, ") ON CONFLICT DO UPDATE SET ");
        prepare(&columns, twin->log,
                "SELECT name FROM pragma_table_info(?1) WHERE pk = 0 ORDER BY cid");
        check(sqlite3_bind_text(columns, 1, table, -1, SQLITE_STATIC), twin->log);
        for (bool first = true; sqlite3_step(columns) == SQLITE_ROW; first = false) {
                const char *name = (const char *)sqlite3_column_text(columns, 0);
                failed |= pawl__buf_addf(&sql, "%s%s = excluded.%s", first ? "" : ", ", name, name);
        }
        sqlite3_finalize(columns);
        if (failed)
                bench_die("out of memory");
        prepare(&twin->upsert[t], twin->db, sql.data);
        pawl__buf_free(&sql);
}

void raw_twin_open(raw_twin *twin, const char *log_path, const char *path, const twin_table *tables,
        int n_tables)
{
        char sql[512];

        *twin = (raw_twin){.n_tables = n_tables};
        check(sqlite3_open(log_path, &twin->log), twin->log);
        snprintf(sql, sizeof sql, "VACUUM INTO '%s'", path);
        execute(twin->log, sql);
        twin->db = raw_open(path);
        for (int t = 0; t < n_tables; t++) {
                snprintf(sql, sizeof sql, "SELECT * FROM %s WHERE %s AND ?1 >= 0 AND ?2 NOT NULL",
                        tables[t].name, tables[t].where);
                prepare(&twin->select[t], twin->log, sql);
                twin->columns[t] = sqlite3_column_count(twin->select[t]);
                if (twin->columns[t] > TWIN_COLUMNS)
                        bench_die("a table has more than TWIN_COLUMNS columns");
                prepare_upsert(twin, t, tables[t].name);
        }
        prepare(&twin->begin, twin->db, "BEGIN IMMEDIATE");
        prepare(&twin->commit, twin->db, "COMMIT");
}

static void forget(raw_twin *twin)
{
        for (size_t i = 0; i < twin->n; i++)
                for (int c = 0; c < TWIN_COLUMNS; c++) {
                        sqlite3_value_free(twin->rows[i].values[c]);
                        twin->rows[i].values[c] = NULL;
                }
        twin->n = 0;
}

void raw_twin_take(raw_twin *twin, uint64_t since, const char *step)
{
        forget(twin);
        for (int t = 0; t < twin->n_tables; t++) {
                sqlite3_stmt *select = twin->select[t];
                sqlite3_bind_int64(select, 1, (sqlite3_int64)since);
                sqlite3_bind_text(select, 2, step, -1, SQLITE_STATIC);
                while (sqlite3_step(select) == SQLITE_ROW) {
                        if (twin->n == TWIN_ROWS)
                                bench_die("too many rows");
                        twin_row *row = &twin->rows[twin->n++];
                        row->table = t;
                        for (int c = 0; c < twin->columns[t]; c++)
                                row->values[c] = sqlite3_value_dup(sqlite3_column_value(select, c));
                }
                check(sqlite3_reset(select), twin->log);
        }
}

/* Bound without a copy, as a program binds what it has. */
static int bind(sqlite3_stmt *stmt, int at, sqlite3_value *value)
{
        int len = sqlite3_value_bytes(value);

        switch (sqlite3_value_type(value)) {
        case SQLITE_TEXT:
                return sqlite3_bind_text(
                        stmt, at, (const char *)sqlite3_value_text(value), len, SQLITE_STATIC);
        case SQLITE_BLOB:
                return sqlite3_bind_blob(stmt, at, sqlite3_value_blob(value), len, SQLITE_STATIC);
        default:
                return sqlite3_bind_value(stmt, at, value);
        }
}

static void run(sqlite3_stmt *stmt, sqlite3 *db)
{
        check(sqlite3_step(stmt), db);
        check(sqlite3_reset(stmt), db);
}

double raw_twin_write_ns(raw_twin *twin)
{
        double start = bench_now_ns();

        run(twin->begin, twin->db);
        for (size_t i = 0; i < twin->n; i++) {
                const twin_row *row = &twin->rows[i];
                sqlite3_stmt *upsert = twin->upsert[row->table];
                for (int c = 0; c < twin->columns[row->table]; c++)
                        check(bind(upsert, c + 1, row->values[c]), twin->db);
                run(upsert, twin->db);
        }
        run(twin->commit, twin->db);
        return bench_now_ns() - start;
}

void raw_twin_close(raw_twin *twin)
{
        forget(twin);
        for (int t = 0; t < twin->n_tables; t++) {
                sqlite3_finalize(twin->upsert[t]);
                sqlite3_finalize(twin->select[t]);
        }
        sqlite3_finalize(twin->begin);
        sqlite3_finalize(twin->commit);
        sqlite3_close(twin->db);
        sqlite3_close(twin->log);
}
