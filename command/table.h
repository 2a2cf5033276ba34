/**
 * @file command/table.h
 * @brief A listing from one column table: the header, the alignment and the type in JSON.
 *
 * On a terminal free text is cut to fit it; elsewhere nothing is cut. Rows are printed in
 * batches, so that a listing of any length is shown in little memory; later batches keep the widths
 * of the earlier ones.
 */
#ifndef COMMAND_TABLE_H
#define COMMAND_TABLE_H

#include "base/text.h"
#include <stdio.h>

typedef enum cli_cell_type {
        CLI_CELL_TEXT,
        CLI_CELL_INTEGER,
        CLI_CELL_NUMBER,
        CLI_CELL_SIZE, /**< an integer of bytes; in a table "4.2 MB" */
        CLI_CELL_TIME  /**< of microseconds; for people alone, "2026-11-22 17:57:48", in UTC */
} cli_cell_type;

/** What becomes of a column where the table is wider than the terminal. */
typedef enum cli_cut {
        CLI_WHOLE,   /**< nothing: it is there to be copied, or is short */
        CLI_CUT,     /**< free text: has the room that the others leave, and ends in "…" */
        CLI_CUT_LAST /**< cut, too, where that is not enough */
} cli_cut;

typedef struct cli_column {
        const char *name;   /**< the member in JSON; the header is its upper case */
        cli_cell_type type; /**< numbers are aligned to the right */
        cli_cut cut;
} cli_column;

typedef union cli_cell {
        pawl_text text; /**< absent: null in JSON, "-" in a table */
        int64_t integer;
        double number;
} cli_cell;

typedef struct cli_table cli_table;

/**
 * @param stream  where it is printed; borrowed.
 * @param json    print one JSON array of objects in place of a table.
 */
PAWL_MUST_CHECK pawl_status cli_table_new(cli_table **out, FILE *stream, const cli_column *columns,
        size_t n, bool json, pawl_error *err);
/** One row of as many cells as columns. */
PAWL_MUST_CHECK pawl_status cli_table_row(cli_table *table, const cli_cell *cells, pawl_error *err);
/** Print the rows that wait. */
PAWL_MUST_CHECK pawl_status cli_table_flush(cli_table *table, pawl_error *err);
/** Print all that is left to print. */
PAWL_MUST_CHECK pawl_status cli_table_end(cli_table *table, pawl_error *err);
void cli_table_free(cli_table *table);

/** Give the table the row of element @p i of a list. */
typedef pawl_status (*cli_row_fn)(cli_table *table, const void *list, size_t i, pawl_error *err);
/** A whole table for people of a list of @p n_rows; nothing where there are none. */
PAWL_MUST_CHECK pawl_status cli_table_print(FILE *stream, const cli_column *columns, size_t n,
        cli_row_fn row, const void *list, size_t n_rows, pawl_error *err);

#endif
