/**
 * @file command/table.h
 * @brief A listing for people of the fields that have a title: header, alignment, widths.
 *
 * On a terminal free text is cut to fit it; elsewhere nothing is cut. Rows are printed in
 * batches, so that a listing of any length is shown in little memory; later batches keep the widths
 * of the earlier ones.
 */
#pragma once

#include "command/fields.h"

typedef struct cli_table cli_table;

/**
 * @param stream  where it is printed; borrowed.
 * @param log     that ids are shortened by; borrowed. NULL: there are none.
 */
PAWL_MUST_CHECK pawl_status cli_table_new(
        cli_table **out, FILE *stream, const cli_field *fields, pawl_log *log, pawl_error *err);
/** A row of the struct that the fields are of. */
PAWL_MUST_CHECK pawl_status cli_table_row(cli_table *table, const void *item, pawl_error *err);
/** Print the rows that wait. */
PAWL_MUST_CHECK pawl_status cli_table_flush(cli_table *table, pawl_error *err);
/** Print what is left to print, if @p status is PAWL_OK, and free the table. Returns the first
 * failure. */
PAWL_MUST_CHECK pawl_status cli_table_end(cli_table *table, pawl_status status, pawl_error *err);
void cli_table_free(cli_table *table);

/** A whole table of @p n structs of @p each bytes; nothing where there are none. */
PAWL_MUST_CHECK pawl_status cli_table_print(FILE *stream, const cli_field *fields, pawl_log *log,
        const void *items, size_t n, size_t each, pawl_error *err);
/** Print a list as one JSON array with --json, else as a table; nothing for people where there is
 * none. @p log is the log that ids are shortened by. */
PAWL_MUST_CHECK pawl_status cli_print_list(const cli_call *cli, pawl_log *log,
        const cli_field *fields, const void *items, size_t n, size_t each, pawl_error *err);
