#include "command/table.h"
#include "base/error.h"
#include "base/lazy.h"
#include "base/number.h"
#include "base/sources.h"
#include "command/find.h"
#include "command/json.h"
#include "command/printable.h"
#include <libsmartcols.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

enum {
        BATCH = 256,    /* rows that wait for their widths */
        LEAST_TEXT = 4, /* columns of a terminal that are left to one that is cut */
        LEAST_OTHER = 10,
        LEAST_NAME = 24,
        LEAST_BESIDE = 16 /* beside a name, before that is cut */
};

#define SCOLS_FUNCTIONS(X)                                                                         \
        X(scols_cell_get_data)                                                                     \
        X(scols_cell_set_data)                                                                     \
        X(scols_column_get_header)                                                                 \
        X(scols_column_get_width)                                                                  \
        X(scols_line_get_cell)                                                                     \
        X(scols_line_set_data)                                                                     \
        X(scols_new_table)                                                                         \
        X(scols_print_table)                                                                       \
        X(scols_table_enable_noencoding)                                                           \
        X(scols_table_enable_noheadings)                                                           \
        X(scols_table_get_column)                                                                  \
        X(scols_table_is_noheadings)                                                               \
        X(scols_table_new_column)                                                                  \
        X(scols_table_new_line)                                                                    \
        X(scols_table_set_stream)                                                                  \
        X(scols_table_set_termforce)                                                               \
        X(scols_unref_table)

static struct {
        SCOLS_FUNCTIONS(PAWL__LAZY_FIELD)
} scols;

#define SYMBOL(name) PAWL__LAZY_SYMBOL(__typeof__(scols), name),
static const pawl__lazy_symbol symbols[] = {SCOLS_FUNCTIONS(SYMBOL)};

PAWL__LAZY_NOTE("tables", "tables for people", "required", SMARTCOLS_SONAME);

static pawl__lazy library = {SMARTCOLS_SONAME, "libsmartcols", symbols,
        sizeof symbols / sizeof symbols[0], &scols, NULL, PTHREAD_MUTEX_INITIALIZER, false};

typedef struct column {
        const cli_field *field;
        size_t width;
} column;

struct cli_table {
        size_t n, waiting;
        FILE *stream;
        pawl_log *log;
        struct libscols_table *scols;
        pawl__buf cell; /* scratch */
        size_t width;   /* columns of the terminal; 0: none, nothing is cut */
        struct libscols_line *lines[BATCH];
        column columns[];
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

static bool is_number(cli_type type)
{
        return type == CLI_AS_INTEGER || type == CLI_AS_SIZE || type == CLI_AS_NUMBER;
}

/* A table for the rows to come: under a header, or as wide as what was printed before. */
static struct libscols_table *make_table(const cli_table *table, bool printed)
{
        struct libscols_table *made = scols.scols_new_table();
        bool ok = made && !scols.scols_table_enable_noencoding(made, 1) &&
                  !scols.scols_table_enable_noheadings(made, printed) &&
                  !scols.scols_table_set_termforce(made, SCOLS_TERMFORCE_NEVER) &&
                  !scols.scols_table_set_stream(made, table->stream);
        char header[32] = "";

        for (size_t i = 0; ok && i < table->n; i++) {
                const column *c = &table->columns[i];
                int flags = (is_number(c->field->type) ? SCOLS_FL_RIGHT : 0) |
                            (printed ? SCOLS_FL_STRICTWIDTH : 0);
                if (!printed)
                        header_of(header, c->field->title);
                ok = scols.scols_table_new_column(made, header, (double)c->width, flags) != NULL;
        }
        if (!ok) {
                scols.scols_unref_table(made);
                return NULL;
        }
        return made;
}

pawl_status cli_table_new(
        cli_table **out, FILE *stream, const cli_field *fields, pawl_log *log, pawl_error *err)
{
        size_t n = 0;

        TRY(pawl__lazy_load(&library, err));
        for (const cli_field *field = fields; field->type != CLI_AS_NOTHING; field++)
                n += field->title != NULL;
        cli_table *table = calloc(1, sizeof *table + n * sizeof table->columns[0]);
        if (!table)
                return pawl__nomem(err);
        for (const cli_field *field = fields; table->n < n; field++)
                if (field->title)
                        table->columns[table->n++].field = field;
        table->stream = stream;
        table->log = log;
        /* Widths are counted in characters of UTF-8 whatever the user's locale: texts are UTF-8,
         * and output must not change with the locale. */
        setlocale(LC_CTYPE, "C.UTF-8");
        table->width = cli_terminal_width(stream);
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
        scols.scols_unref_table(table->scols);
        pawl__buf_free(&table->cell);
        free(table);
}

static pawl_status format_text(
        cli_table *table, const cli_field *field, const void *item, pawl_error *err)
{
        char buf[CLI_WORD_MAX];
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl_text text = {NULL, 0};
        pawl_status status = PAWL_OK;

        if (!field->has || field->has(item))
                text = cli_field_text(field, item, buf);
        if (field->type == CLI_AS_ID && text.data)
                status = cli_short_id(&text, table->log, field->table, &arena, err);
        if (text.data)
                pawl__printable(&table->cell, text);
        else
                pawl__buf_addc(&table->cell, '-');
        pawl__arena_free(&arena);
        return status;
}

/* The text of a cell into table->cell. */
static pawl_status format_cell(
        cli_table *table, const cli_field *field, const void *item, pawl_error *err)
{
        char number[32];
        const void *value = (const char *)item + field->at;

        pawl__buf_clear(&table->cell);
        switch (field->type) {
        case CLI_AS_INTEGER:
                pawl__buf_addf(&table->cell, "%lld", (long long)cli_field_integer(field, item));
                return PAWL_OK;
        case CLI_AS_SIZE:
                cli_size_text(number, (uint64_t)cli_field_integer(field, item));
                pawl__buf_adds(&table->cell, number);
                return PAWL_OK;
        case CLI_AS_TIME:
                pawl__time_format(number, cli_field_integer(field, item));
                number[10] = ' ';
                pawl__buf_add(&table->cell, number, 19);
                return PAWL_OK;
        case CLI_AS_NUMBER:
                pawl__buf_add(
                        &table->cell, number, pawl__number_format(number, *(const double *)value));
                return PAWL_OK;
        default:
                return format_text(table, field, item, err);
        }
}

pawl_status cli_table_row(cli_table *table, const void *item, pawl_error *err)
{
        struct libscols_line *line = scols.scols_table_new_line(table->scols, NULL);

        if (!line)
                return pawl__nomem(err);
        for (size_t i = 0; i < table->n; i++) {
                pawl_status status = format_cell(table, table->columns[i].field, item, err);
                if (status)
                        return status;
                if (table->cell.failed || scols.scols_line_set_data(line, i,
                                                  table->cell.data ? table->cell.data : ""))
                        return pawl__nomem(err);
        }
        table->lines[table->waiting] = line;
        if (++table->waiting < BATCH)
                return PAWL_OK;
        return cli_table_flush(table, err);
}

/* ---- Widths ---------------------------------------------------------------------------------- */

static bool cut_cell(cli_table *table, struct libscols_cell *cell, size_t most)
{
        const char *text = scols.scols_cell_get_data(cell);
        size_t cut;

        if (!text || cli_measure(pawl__text(text), most, &cut) <= most)
                return true;
        cli_measure(pawl__text(text), most - 1, &cut);
        pawl__buf_clear(&table->cell);
        return !pawl__buf_add(&table->cell, text, cut) && !pawl__buf_adds(&table->cell, "…") &&
               !scols.scols_cell_set_data(cell, table->cell.data);
}

/* Take columns off the widest that may be cut so, until the table fits; gives its width. */
static size_t narrow(cli_table *table, size_t width, cli_cut cut, size_t least)
{
        while (width > table->width) {
                size_t widest = table->n;
                for (size_t i = 0; i < table->n; i++)
                        if (table->columns[i].field->cut == cut &&
                                table->columns[i].width > least &&
                                (widest == table->n ||
                                        table->columns[i].width > table->columns[widest].width))
                                widest = i;
                if (widest == table->n)
                        break;
                table->columns[widest].width--;
                width--;
        }
        return width;
}

/* The header, or the text of the waiting row before @p row. */
static struct libscols_cell *cell_at(const cli_table *table, size_t row, size_t at)
{
        if (row > 0)
                return scols.scols_line_get_cell(table->lines[row - 1], at);
        return scols.scols_column_get_header(scols.scols_table_get_column(table->scols, at));
}

/* Find widths that fit the terminal, and cut what is wider. False: no memory. */
static bool fit(cli_table *table)
{
        const size_t first = scols.scols_table_is_noheadings(table->scols) ? 1 : 0;
        size_t width = table->n - 1, cut;
        bool names = false;

        for (size_t i = 0; i < table->n; i++) {
                names |= table->columns[i].field->cut == CLI_CUT_NAME;
                for (size_t row = first; row <= table->waiting; row++) {
                        const char *text = scols.scols_cell_get_data(cell_at(table, row, i));
                        size_t wide = text ? cli_measure(pawl__text(text), 0, &cut) : 0;
                        if (wide > table->columns[i].width)
                                table->columns[i].width = wide;
                }
                width += table->columns[i].width;
        }
        width = narrow(table, width, CLI_CUT, names ? LEAST_BESIDE : LEAST_TEXT);
        width = narrow(table, width, CLI_CUT_NAME, LEAST_NAME);
        width = narrow(table, width, CLI_CUT_LAST, LEAST_OTHER);
        narrow(table, width, CLI_CUT, LEAST_TEXT);
        for (size_t i = 0; i < table->n; i++)
                for (size_t row = first; row <= table->waiting; row++)
                        if (table->columns[i].field->cut &&
                                !cut_cell(table, cell_at(table, row, i), table->columns[i].width))
                                return false;
        return true;
}

pawl_status cli_table_flush(cli_table *table, pawl_error *err)
{
        if (table->waiting == 0)
                return PAWL_OK;
        if ((table->width && !fit(table)) || scols.scols_print_table(table->scols))
                return pawl__nomem(err);
        for (size_t i = 0; i < table->n; i++)
                table->columns[i].width =
                        scols.scols_column_get_width(scols.scols_table_get_column(table->scols, i));
        struct libscols_table *next = make_table(table, true);
        if (!next)
                return pawl__nomem(err);
        scols.scols_unref_table(table->scols);
        table->scols = next;
        table->waiting = 0;
        return PAWL_OK;
}

pawl_status cli_table_end(cli_table *table, pawl_status status, pawl_error *err)
{
        if (!status)
                status = cli_table_flush(table, err);
        cli_table_free(table);
        return status;
}

pawl_status cli_table_print(FILE *stream, const cli_field *fields, pawl_log *log, const void *items,
        size_t n, size_t each, pawl_error *err)
{
        cli_table *table = NULL;
        pawl_status status = n ? cli_table_new(&table, stream, fields, log, err) : PAWL_OK;

        for (size_t i = 0; i < n && !status; i++)
                status = cli_table_row(table, (const char *)items + i * each, err);
        return n ? cli_table_end(table, status, err) : status;
}

pawl_status cli_print_list(const cli_call *cli, pawl_log *log, const cli_field *fields,
        const void *items, size_t n, size_t each, pawl_error *err)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        if (!cli_given(cli, "json"))
                return cli_table_print(cli->in->out, fields, log, items, n, each, err);
        cli_list_json(&w, NULL, fields, items, n, each);
        return cli_print_json(cli, &w, err);
}
