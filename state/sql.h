/**
 * @file state/sql.h
 * @brief The state tables in the log's database: the store over them, and rows from statements.
 */
#ifndef PAWL_STATE_SQL_H
#define PAWL_STATE_SQL_H

#include "events/db.h"
#include "state/store.h"

/** Append "name, name, ..." of the columns from @p first to before @p end. */
void pawl__sql_columns(pawl__buf *out, pawl__table table, int first, int end);

/** Append "SELECT " and the stored columns. @p log may be an older one that is only read: a column
 *  that its table lacks is NULL or 0. */
void pawl__sql_select(pawl__buf *out, const pawl_log *log, pawl__table table);

/** The row that a statement over pawl__sql_columns() stands on. Texts are valid until it moves on;
 *  columns that are not stored are absent. */
void pawl__sql_row(pawl__row *row, pawl__table table, sqlite3_stmt *stmt);

/** Texts of a row, copied. */
PAWL_MUST_CHECK pawl_status pawl__row_copy(
        pawl__row *row, pawl__table table, pawl__arena *arena, pawl_error *err);

/**
 * Every row of a bound statement, copied into the arena; the statement is reset. @p max: stop after
 * so many. On failure *rows and *n are as they were.
 */
PAWL_MUST_CHECK pawl_status pawl__sql_collect(pawl__row **rows, size_t *n, pawl_log *log,
        pawl__table table, sqlite3_stmt *stmt, pawl__arena *arena, pawl_error *err);

/* The store of pawl__store_sql() keeps what events change back until a flush, so that a row that
 * ten events of an append change is read and written once. begin and flush stand in one transaction
 * of the log; between them get() and put() work on what is kept. */

/** Begin to keep back; whatever was kept is forgotten. */
void pawl__store_sql_begin(pawl__store *store);
/** Write what was kept into the tables, forget it, and go on keeping (inside) or end. */
PAWL_MUST_CHECK pawl_status pawl__store_sql_flush(pawl__store *store, bool end, pawl_error *err);
/** How many rows wait for a flush. */
size_t pawl__store_sql_waiting(const pawl__store *store);
/** Finalize the statements that it keeps; they are prepared again when they are needed. */
void pawl__store_sql_release(pawl__store *store);
/** The transaction is gone: forget everything. */
void pawl__store_sql_abandon(pawl__store *store);

#endif
