#include "command/table.h"
#include "base/error.h"
#include "base/json_write.h"
#include "base/number.h"
#include "command/printable.h"
#include <libsmartcols.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

#define BATCH 256 /* rows that wait for their widths */

struct cli_table {
        const cli_column *columns;
        size_t n, waiting;
        bool json;
        FILE *stream;
        struct libscols_table *scols; /* NULL for JSON */
        pawl__json_writer writer;
        pawl__buf cell; /* scratch */
};

static void header_of(char out[32], const char *name)
{
        size_t len = strlen(name);

        for (size_t i = 0; i <= len && i < 31; i++) {
                char c = name[i];
                out[i] = c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c == '_' ? ' ' : c;
        }
        out[31] = '\0';
}

/* A table for the rows to come: under a header, or after @p printed and at least as wide as it. */
static struct libscols_table *make_table(
        FILE *stream, const cli_column *columns, size_t n, struct libscols_table *printed)
{
        struct libscols_table *made = scols_new_table();
        bool ok = made && !scols_table_enable_noencoding(made, 1) &&
                  !scols_table_enable_noheadings(made, printed != NULL) &&
                  !scols_table_set_stream(made, stream);
        char header[32] = "";

        for (size_t i = 0; ok && i < n; i++) {
                int flags = (columns[i].type == CLI_CELL_TEXT ? 0 : SCOLS_FL_RIGHT) |
                            (columns[i].shrink ? SCOLS_FL_TRUNC : 0) |
                            (printed ? SCOLS_FL_STRICTWIDTH : 0);
                double width = 0;
                if (printed)
                        width = (double)scols_column_get_width(scols_table_get_column(printed, i));
                else
                        header_of(header, columns[i].name);
                ok = scols_table_new_column(made, header, width, flags) != NULL;
        }
        if (!ok) {
                scols_unref_table(made);
                return NULL;
        }
        return made;
}

pawl_status cli_table_new(cli_table **out, FILE *stream, const cli_column *columns, size_t n,
        bool json, pawl_error *err)
{
        cli_table *table = calloc(1, sizeof *table);

        if (!table)
                return pawl__nomem(err);
        table->columns = columns;
        table->n = n;
        table->json = json;
        table->stream = stream;
        if (json) {
                pawl__json_open_array(&table->writer);
                *out = table;
                return PAWL_OK;
        }
        /* Widths are counted in characters of UTF-8 whatever the user's locale: texts are UTF-8,
         * and output must not change with the locale. */
        setlocale(LC_CTYPE, "C.UTF-8");
        table->scols = make_table(stream, columns, n, NULL);
        if (!table->scols) {
                cli_table_free(table);
                return pawl__nomem(err);
        }
        *out = table;
        return PAWL_OK;
}

void cli_table_free(cli_table *table)
{
        if (!table)
                return;
        scols_unref_table(table->scols);
        pawl__json_writer_free(&table->writer);
        pawl__buf_free(&table->cell);
        free(table);
}

static void write_json_row(cli_table *table, const cli_cell *cells)
{
        pawl__json_open_object(&table->writer);
        for (size_t i = 0; i < table->n; i++) {
                const cli_column *column = &table->columns[i];
                if (column->type == CLI_CELL_TEXT)
                        pawl__json_member_text(&table->writer, column->name, cells[i].text);
                else if (column->type == CLI_CELL_INTEGER || column->type == CLI_CELL_SIZE)
                        pawl__json_member_integer(&table->writer, column->name, cells[i].integer);
                else
                        pawl__json_member_number(&table->writer, column->name, cells[i].number);
        }
        pawl__json_close_object(&table->writer);
}

static pawl_status format_cell(pawl__buf *out, cli_cell_type type, const cli_cell *cell)
{
        char number[32];

        switch (type) {
        case CLI_CELL_TEXT:
                if (!cell->text.data)
                        return pawl__buf_addc(out, '-');
                return pawl__printable(out, cell->text);
        case CLI_CELL_INTEGER:
                return pawl__buf_addf(out, "%lld", (long long)cell->integer);
        case CLI_CELL_SIZE:
                cli_size_text(number, (uint64_t)cell->integer);
                return pawl__buf_adds(out, number);
        case CLI_CELL_NUMBER:
                return pawl__buf_add(out, number, pawl__number_format(number, cell->number));
        }
        return PAWL_OK;
}

pawl_status cli_table_row(cli_table *table, const cli_cell *cells, pawl_error *err)
{
        if (table->json) {
                write_json_row(table, cells);
                return PAWL_OK;
        }
        struct libscols_line *line = scols_table_new_line(table->scols, NULL);
        if (!line)
                return pawl__nomem(err);
        for (size_t i = 0; i < table->n; i++) {
                pawl__buf_clear(&table->cell);
                if (format_cell(&table->cell, table->columns[i].type, &cells[i]) ||
                        scols_line_set_data(line, i, table->cell.data ? table->cell.data : ""))
                        return pawl__nomem(err);
        }
        if (++table->waiting < BATCH)
                return PAWL_OK;
        return cli_table_flush(table, err);
}

pawl_status cli_table_flush(cli_table *table, pawl_error *err)
{
        if (table->waiting == 0)
                return PAWL_OK;
        if (scols_print_table(table->scols))
                return pawl__nomem(err);
        struct libscols_table *next =
                make_table(table->stream, table->columns, table->n, table->scols);
        if (!next)
                return pawl__nomem(err);
        scols_unref_table(table->scols);
        table->scols = next;
        table->waiting = 0;
        return PAWL_OK;
}

pawl_status cli_table_end(cli_table *table, pawl_error *err)
{
        if (!table->json)
                return cli_table_flush(table, err);
        pawl__json_close_array(&table->writer);
        if (pawl__json_end_writer(&table->writer))
                return pawl__nomem(err);
        fwrite(table->writer.buf.data, 1, table->writer.buf.len, table->stream);
        fputc('\n', table->stream);
        return PAWL_OK;
}

pawl_status cli_table_print(FILE *stream, const cli_column *columns, size_t n, cli_row_fn row,
        const void *list, size_t n_rows, pawl_error *err)
{
        cli_table *table = NULL;
        pawl_status status = PAWL_OK;

        if (n_rows > 0)
                status = cli_table_new(&table, stream, columns, n, false, err);
        for (size_t i = 0; i < n_rows && !status; i++)
                status = row(table, list, i, err);
        if (table && !status)
                status = cli_table_end(table, err);
        cli_table_free(table);
        return status;
}
