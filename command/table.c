#include "command/table.h"
#include "base/error.h"
#include "base/json_write.h"
#include "base/number.h"
#include "base/sources.h"
#include "command/printable.h"
#include <libsmartcols.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>

enum {
        BATCH = 256,    /* rows that wait for their widths */
        LEAST_TEXT = 4, /* columns of a terminal that are left to one that is cut */
        LEAST_OTHER = 10
};

struct cli_table {
        const cli_column *columns;
        size_t n, waiting;
        bool json;
        FILE *stream;
        struct libscols_table *scols; /* NULL for JSON */
        pawl__json_writer writer;
        pawl__buf cell; /* scratch */
        size_t room;    /* columns of the terminal; 0: none, nothing is cut */
        struct libscols_line *lines[BATCH];
        size_t widths[];
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

/* A table for the rows to come: under a header, or as wide as what was printed before. */
static struct libscols_table *make_table(const cli_table *table, bool printed)
{
        struct libscols_table *made = scols_new_table();
        bool ok = made && !scols_table_enable_noencoding(made, 1) &&
                  !scols_table_enable_noheadings(made, printed) &&
                  !scols_table_set_termforce(made, SCOLS_TERMFORCE_NEVER) &&
                  !scols_table_set_stream(made, table->stream);
        char header[32] = "";

        for (size_t i = 0; ok && i < table->n; i++) {
                const cli_cell_type type = table->columns[i].type;
                int flags = (type == CLI_CELL_TEXT || type == CLI_CELL_TIME ? 0 : SCOLS_FL_RIGHT) |
                            (printed ? SCOLS_FL_STRICTWIDTH : 0);
                if (!printed)
                        header_of(header, table->columns[i].name);
                ok = scols_table_new_column(made, header, (double)table->widths[i], flags) != NULL;
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
        cli_table *table = calloc(1, sizeof *table + n * sizeof table->widths[0]);

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
        table->room = cli_terminal_width(stream);
        table->scols = make_table(table, false);
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
                else if (column->type != CLI_CELL_NUMBER)
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
        case CLI_CELL_TIME:
                pawl__time_format(number, cell->integer);
                number[10] = ' ';
                return pawl__buf_add(out, number, 19);
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
        table->lines[table->waiting] = line;
        if (++table->waiting < BATCH)
                return PAWL_OK;
        return cli_table_flush(table, err);
}

/* ---- Widths -------------------------------------------------------------------------------------
 */

/* The columns of a terminal that a text takes; *cut: the bytes of it that take @p room at most. */
static size_t measure(const char *text, size_t room, size_t *cut)
{
        mbstate_t state = {0};
        size_t width = 0, at = 0;

        *cut = 0;
        while (text[at]) {
                wchar_t c = L'?';
                size_t n = mbrtowc(&c, text + at, MB_CUR_MAX, &state);
                if (n > MB_CUR_MAX) { /* no UTF-8 */
                        state = (mbstate_t){0};
                        n = 1;
                }
                int columns = wcwidth(c);
                at += n;
                width += columns < 0 ? 1 : (size_t)columns;
                if (width <= room)
                        *cut = at;
        }
        return width;
}

static bool cut_cell(cli_table *table, struct libscols_cell *cell, size_t room)
{
        const char *text = scols_cell_get_data(cell);
        size_t cut;

        if (!text || measure(text, room, &cut) <= room)
                return true;
        measure(text, room - 1, &cut);
        pawl__buf_clear(&table->cell);
        return !pawl__buf_add(&table->cell, text, cut) && !pawl__buf_adds(&table->cell, "…") &&
               !scols_cell_set_data(cell, table->cell.data);
}

/* Take columns off the widest that may be cut so, until the table fits; gives its width. */
static size_t narrow(cli_table *table, size_t width, cli_cut cut, size_t least)
{
        while (width > table->room) {
                size_t widest = table->n;
                for (size_t i = 0; i < table->n; i++)
                        if (table->columns[i].cut == cut && table->widths[i] > least &&
                                (widest == table->n || table->widths[i] > table->widths[widest]))
                                widest = i;
                if (widest == table->n)
                        break;
                table->widths[widest]--;
                width--;
        }
        return width;
}

/* The header, or the text of the waiting row before @p row. */
static struct libscols_cell *cell_at(const cli_table *table, size_t row, size_t column)
{
        if (row > 0)
                return scols_line_get_cell(table->lines[row - 1], column);
        return scols_column_get_header(scols_table_get_column(table->scols, column));
}

/* Find widths that fit the terminal, and cut what is wider. False: no memory. */
static bool fit(cli_table *table)
{
        const size_t first = scols_table_is_noheadings(table->scols) ? 1 : 0;
        size_t width = table->n - 1, cut;

        for (size_t i = 0; i < table->n; i++) {
                for (size_t row = first; row <= table->waiting; row++) {
                        const char *text = scols_cell_get_data(cell_at(table, row, i));
                        size_t wide = text ? measure(text, 0, &cut) : 0;
                        if (wide > table->widths[i])
                                table->widths[i] = wide;
                }
                width += table->widths[i];
        }
        width = narrow(table, width, CLI_CUT, LEAST_TEXT);
        narrow(table, width, CLI_CUT_LAST, LEAST_OTHER);
        for (size_t i = 0; i < table->n; i++)
                for (size_t row = first; row <= table->waiting; row++)
                        if (table->columns[i].cut &&
                                !cut_cell(table, cell_at(table, row, i), table->widths[i]))
                                return false;
        return true;
}

pawl_status cli_table_flush(cli_table *table, pawl_error *err)
{
        if (table->waiting == 0)
                return PAWL_OK;
        if ((table->room && !fit(table)) || scols_print_table(table->scols))
                return pawl__nomem(err);
        for (size_t i = 0; i < table->n; i++)
                table->widths[i] = scols_column_get_width(scols_table_get_column(table->scols, i));
        struct libscols_table *next = make_table(table, true);
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
