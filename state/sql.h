/**
 * @file state/sql.h
 * @brief The state tables in the log's database: the store over them, and rows from statements.
 */
#pragma once

#include "events/engine.h"
#include "state/store.h"

/** What a failure says that cannot be done: "cannot ...". */
#define PAWL__READING "read the state tables"
#define PAWL__WRITING "write the state tables"

/** Append "name, name, ..." of the first @p n columns. */
void pawl__sql_columns(pawl__buf *out, pawl__table table, int n);

/** Append "SELECT " and the stored columns. @p log may be an older one that is only read: a column
 *  that its table lacks is NULL or 0. */
void pawl__sql_select(pawl__buf *out, const pawl_log *log, pawl__table table);

/* Statements of one table, whose parameters are its stored columns in their order; of get, the
 * keys; of update, the keys and then the columns of the set, a bit each. What writes is for tables
 * of today, what reads also for those of an older log. */
void pawl__sql_get(pawl__buf *out, const pawl_log *log, pawl__table table);
void pawl__sql_insert(pawl__buf *out, const pawl_log *log, pawl__table table);
/** An insert that replaces the row with the same key. */
void pawl__sql_put(pawl__buf *out, const pawl_log *log, pawl__table table);
void pawl__sql_update(pawl__buf *out, pawl__table table, uint32_t set);
/** All rows, in the table's order. */
void pawl__sql_each(pawl__buf *out, const pawl_log *log, pawl__table table);

/** The current row of a statement over pawl__sql_select(). Its texts are valid until the next
 * step; columns that are not stored are absent. */
void pawl__sql_row(pawl__row *row, pawl__table table, pawl__query *query);

/** What `rows`, `rows_next` and `rows_end` of the store are. */
PAWL_MUST_CHECK pawl_status pawl__sql_rows(
        pawl__rows *rows, pawl_log *log, pawl__table table, pawl_error *err);
PAWL_MUST_CHECK pawl_status pawl__sql_rows_next(pawl__rows *rows, pawl__row *row, pawl_error *err);
void pawl__sql_rows_end(pawl__rows *rows);

/** Texts of a row, copied. */
PAWL_MUST_CHECK pawl_status pawl__row_copy(
        pawl__row *row, pawl__table table, pawl__arena *arena, pawl_error *err);

/**
 * Every row of a bound statement, copied into the arena; the statement is reset. On failure *rows
 * and *n are as they were.
 */
PAWL_MUST_CHECK pawl_status pawl__sql_collect(pawl__row **rows, size_t *n, pawl_log *log,
        pawl__table table, pawl__query *query, pawl__arena *arena, pawl_error *err);

/** With the lock of a transaction, ask for the row with the key that *row holds: what is cached may
 *  be out of date when the lock is had. */
PAWL_MUST_CHECK pawl_status pawl__store_sql_prefetch(
        pawl__store *store, pawl__table table, const pawl__row *row, pawl_error *err);

/* The store of pawl__store_sql() caches rows between begin and flush, so that a row that ten events
 * of an append change is read and written once. Both are in one transaction of the log; between
 * them get() and put() use the cache. */

/** Begin to cache rows. @p keep: nothing was written since the last flush but by it, so what is
 *  cached is right; else the cache is emptied first. */
void pawl__store_sql_begin(pawl__store *store, bool keep);
/** Write the dirty rows into the tables. @p end: stop caching; else the cache is emptied. */
PAWL_MUST_CHECK pawl_status pawl__store_sql_flush(pawl__store *store, bool end, pawl_error *err);
/** How many rows are dirty: to be written by the next flush. */
size_t pawl__store_sql_dirty(const pawl__store *store);
/** Write the dirty rows and empty the cache where more than @p most are dirty. A store in memory
 *  keeps what it has. */
PAWL_MUST_CHECK pawl_status pawl__store_spill(pawl__store *store, size_t most, pawl_error *err);
/** In a transaction that has just begun: the tables are empty. Until its end all rows are cached,
 * and none is asked for, which would be a round trip each. */
void pawl__store_sql_empty(pawl__store *store);
/** A row as the cache has it, which is kept between transactions. PAWL_ENOTFOUND: there is none;
 *  PAWL_DONE: it is not known. Its texts are valid until the next transaction. */
PAWL_MUST_CHECK pawl_status pawl__store_sql_known(
        pawl__store *store, pawl__table table, pawl__row *row, pawl_error *err);
/** Finalize its prepared statements; they are prepared again when they are needed. */
void pawl__store_sql_release(pawl__store *store);
/** The transaction was rolled back: empty the cache. */
void pawl__store_sql_abandon(pawl__store *store);
