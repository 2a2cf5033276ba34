#include "state/sql.h"
#include "base/error.h"
#include <stdlib.h>

void pawl__sql_columns(pawl__buf *out, pawl__table table, int first, int end)
{
        for (int c = first; c < end; c++)
                pawl__buf_addf(
                        out, "%s%s", c > first ? ", " : "", pawl__tables[table].column[c].name);
}

void pawl__sql_select(pawl__buf *out, const pawl_log *log, pawl__table table)
{
        const pawl__table_def *def = &pawl__tables[table];

        pawl__buf_adds(out, "SELECT ");
        for (int c = 0; c < def->stored; c++) {
                const pawl__column *column = &def->column[c];
                bool there = column->since <= pawl__log_version(log);
                pawl__buf_addf(out, "%s%s", c ? ", " : "",
                        there                        ? column->name
                        : column->type == PAWL__TEXT ? "NULL"
                                                     : "0");
        }
}

void pawl__sql_row(pawl__row *row, pawl__table table, pawl__query *query)
{
        const pawl__table_def *def = &pawl__tables[table];

        memset(row->v, 0, (size_t)def->columns * sizeof *row->v);
        for (int c = 0; c < def->stored; c++)
                switch (def->column[c].type) {
                case PAWL__TEXT:
                        row->v[c].text = pawl__query_text(query, c);
                        break;
                case PAWL__INT:
                        row->v[c].integer = pawl__query_integer(query, c);
                        break;
                case PAWL__REAL:
                        row->v[c].real = pawl__query_real(query, c);
                        break;
                }
}

pawl_status pawl__row_copy(pawl__row *row, pawl__table table, pawl__arena *arena, pawl_error *err)
{
        const pawl__table_def *def = &pawl__tables[table];

        for (int c = 0; c < def->columns; c++)
                if (def->column[c].type == PAWL__TEXT)
                        row->v[c].text = pawl__arena_copy(arena, row->v[c].text);
        return pawl__arena_check(arena, err);
}

pawl_status pawl__sql_collect(pawl__row **rows, size_t *n, pawl_log *log, pawl__table table,
        pawl__query *query, pawl__arena *arena, pawl_error *err)
{
        pawl__row *found = NULL, *kept = NULL;
        size_t count = 0, cap = 0;
        pawl_status status = pawl__log_interrupted(log, err);

        while (status == PAWL_OK &&
                (status = pawl__query_step(query, PAWL__READING, err)) == PAWL_OK) {
                if (pawl__grow(&found, &cap, count + 1, sizeof *found)) {
                        status = pawl__nomem(err);
                        break;
                }
                pawl__sql_row(&found[count], table, query);
                status = pawl__row_copy(&found[count++], table, arena, err);
        }
        if (status == PAWL_DONE)
                status = PAWL_OK;
        pawl__query_reset(query);
        if (status == PAWL_OK && !(kept = pawl__arena_array(arena, count, sizeof *kept)))
                status = pawl__nomem(err);
        if (status == PAWL_OK) {
                if (found && kept)
                        memcpy(kept, found, count * sizeof *kept);
                *rows = kept;
                *n = count;
        }
        free(found);
        return status;
}
