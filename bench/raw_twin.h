/**
 * @file bench/raw_twin.h
 * @brief What raw SQLite in C takes for the rows of an append: a copy of the log, indexes included,
 *        with the same pragmas, to which the same rows are written in one transaction, by prepared
 *        statements that are kept.
 */
#pragma once

#include "bench/measure.h"
#include <sqlite3.h>

enum { TWIN_TABLES = 8, TWIN_COLUMNS = 24, TWIN_ROWS = 1024 };

/** A table that an append writes to, and which of its rows it wrote: a WHERE with ?1, the last seq
 *  before it, and ?2, its step. */
typedef struct twin_table {
        const char *name, *where;
} twin_table;

typedef struct twin_row {
        int table;
        sqlite3_value *values[TWIN_COLUMNS];
} twin_row;

typedef struct raw_twin {
        sqlite3 *log, *db;
        int n_tables, columns[TWIN_TABLES];
        sqlite3_stmt *select[TWIN_TABLES], *upsert[TWIN_TABLES], *begin, *commit;
        twin_row rows[TWIN_ROWS];
        size_t n;
} raw_twin;

/** Make a copy at @p path of the log at @p log_path as it is. */
void raw_twin_open(raw_twin *twin, const char *log_path, const char *path, const twin_table *tables,
        int n_tables);

/** Take up the rows that the log's last append wrote. */
void raw_twin_take(raw_twin *twin, uint64_t since, const char *step);

/** Write them, durably; nanoseconds. */
double raw_twin_write_ns(raw_twin *twin);

void raw_twin_close(raw_twin *twin);

/** Open as the log opens its own: the same flags and pragmas. */
sqlite3 *raw_open(const char *path);
