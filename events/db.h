/**
 * @file events/db.h
 * @brief The log's database connection, for events/ and state/ alone.
 */
#ifndef PAWL_EVENTS_DB_H
#define PAWL_EVENTS_DB_H

#include "events/log.h"
#include <sqlite3.h>
#include <stdarg.h>

sqlite3 *pawl__log_db(pawl_log *log);

/** SQLite's result as a pawl_status, with the message "FILE: WHAT; HOW TO MEND" in @p err: the one
 *  place that translates. SQLITE_OK, ROW and DONE give PAWL_OK. */
pawl_status pawl__db_fail(pawl_log *log, int rc, const char *doing, pawl_error *err);

/** Prepare a statement to be kept (SQLITE_PREPARE_PERSISTENT). */
PAWL_MUST_CHECK pawl_status pawl__db_prepare(
        sqlite3_stmt **out, pawl_log *log, const char *sql, pawl_error *err);

/** In the transaction that is open: drop every table that is derived from the events, whatever it
 * has become, and make it anew, empty. */
PAWL_MUST_CHECK pawl_status pawl__schema_derive_anew(pawl_log *log, pawl_error *err);

/** Bind text or NULL; the text must outlive the step. */
int pawl__db_bind_text(sqlite3_stmt *stmt, int index, pawl_text text);
/** Bind the parameters from the first on, one a letter of @p types: 'i' int64_t; 't' pawl_text, or
 * NULL; 'h' a hash's 32 bytes; 'b' const void * and size_t, empty rather than NULL. They must
 * outlive the step. SQLite's result. */
int pawl__db_bind(sqlite3_stmt *stmt, const char *types, ...);
int pawl__db_bind_list(sqlite3_stmt *stmt, const char *types, va_list list);
/** A column's text or the absent text, valid until the statement moves on. */
pawl_text pawl__db_column_text(sqlite3_stmt *stmt, int column);

#endif
