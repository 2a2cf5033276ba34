/**
 * @file state/store.h
 * @brief A store of rows: the state tables of the database in daily use, memory in a replay.
 *
 * apply() (state/apply.h) is written once against this interface, so that both mean the same.
 */
#pragma once

#include "events/log.h"
#include "state/tables.h"

typedef struct pawl__store pawl__store;

typedef pawl_status (*pawl__row_fn)(const pawl__row *row, void *user, pawl_error *err);

/** The rows of a table, one after the other. Zero-initialised, it has none. */
typedef struct pawl__rows {
        pawl__table table;
        void *of; /**< what the store reads them from */
        size_t at, n;
} pawl__rows;

struct pawl__store {
        /** The row with the key that *row holds. PAWL_ENOTFOUND, without a message, when there is
         *  none. Its texts are valid until that row is put again; while an event is applied, at
         *  most until its end; otherwise until the next call. */
        pawl_status (*get)(pawl__store *store, pawl__table table, pawl__row *row, pawl_error *err);
        /** Insert a row, or replace the one with the same key. Copies. */
        pawl_status (*put)(
                pawl__store *store, pawl__table table, const pawl__row *row, pawl_error *err);
        /** Insert a row whose key the table does not have. A store in a database may find that it
         * has it when the rows are written: PAWL_ESTATE then. Copies. */
        pawl_status (*insert)(
                pawl__store *store, pawl__table table, const pawl__row *row, pawl_error *err);
        /** Like put, for one of very many, which no event asks for soon: it takes no memory. */
        pawl_status (*add)(
                pawl__store *store, pawl__table table, const pawl__row *row, pawl_error *err);
        /** Begin to read every row, in the order of pawl__row_cmp_order(). Nothing may be put until
         *  rows_end. On failure *rows is as it was. */
        pawl_status (*rows)(
                pawl__rows *rows, pawl__store *store, pawl__table table, pawl_error *err);
        /** The next row; PAWL_DONE behind the last one. Its texts are valid until the next call. */
        pawl_status (*rows_next)(pawl__rows *rows, pawl__row *row, pawl_error *err);
        void (*rows_end)(pawl__rows *rows);
        /** Every row, in that order. fn must not put. */
        pawl_status (*each)(pawl__store *store, pawl__table table, pawl__row_fn fn, void *user,
                pawl_error *err);
        void (*free)(pawl__store *store);
};

/** Refuse a row that was to be inserted and is there: PAWL_ESTATE. */
pawl_status pawl__store_has_it(pawl__table table, const pawl__row *row, pawl_error *err);

/** What `each` is in every store. */
pawl_status pawl__store_each(
        pawl__store *store, pawl__table table, pawl__row_fn fn, void *user, pawl_error *err);

/** Rows in memory. */
PAWL_MUST_CHECK pawl_status pawl__store_memory(pawl__store **out, pawl_error *err);
/** Rows in the log's own tables; statements are prepared once and kept. */
PAWL_MUST_CHECK pawl_status pawl__store_sql(pawl__store **out, pawl_log *log, pawl_error *err);
/** Rows in a temporary file, which goes with the store. They are cached (state/sql.h): at first
 *  there are none. */
PAWL_MUST_CHECK pawl_status pawl__store_scratch(pawl__store **out, pawl_error *err);
