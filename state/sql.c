#include "state/sql.h"
#include "base/error.h"
#include <stdlib.h>

void pawl__sql_columns(pawl__buf *out, pawl__table table, int n)
{
        for (int c = 0; c < n; c++)
                pawl__buf_addf(out, "%s%s", c ? ", " : "", pawl__tables[table].column[c].name);
}

void pawl__sql_select(pawl__buf *out, const pawl_log *log, pawl__table table)
{
        const pawl__table_def *def = &pawl__tables[table];

        pawl__buf_adds(out, "SELECT ");
        for (int c = 0; c < def->stored; c++) {
                const pawl__column *column = &def->column[c];
                bool there = column->since <= pawl__log_version(log);
                if (c)
                        pawl__buf_adds(out, ", ");
                pawl__buf_adds(out, there                        ? column->name
                                    : column->type == PAWL__TEXT ? "NULL"
                                                                 : "0");
        }
}

static void match_key(pawl__buf *sql, const pawl__table_def *def)
{
        for (int c = 0; c < def->keys; c++)
                pawl__buf_addf(sql, "%s%s = ?%d", c ? " AND " : "", def->column[c].name, c + 1);
}

void pawl__sql_get(pawl__buf *sql, const pawl_log *log, pawl__table table)
{
        const pawl__table_def *def = &pawl__tables[table];

        pawl__sql_select(sql, log, table);
        pawl__buf_addf(sql, " FROM {%s} WHERE ", def->name);
        match_key(sql, def);
}

void pawl__sql_insert(pawl__buf *sql, const pawl_log *log, pawl__table table)
{
        (void)log; /* what is written to is of today */
        const pawl__table_def *def = &pawl__tables[table];

        pawl__buf_addf(sql, "INSERT INTO {=%s} ({log_id,}", def->name);
        pawl__sql_columns(sql, table, def->stored);
        pawl__buf_adds(sql, ") VALUES ({log,}");
        for (int c = 0; c < def->stored; c++)
                pawl__buf_addf(sql, "%s?%d", c ? ", " : "", c + 1);
        pawl__buf_addc(sql, ')');
}

void pawl__sql_put(pawl__buf *sql, const pawl_log *log, pawl__table table)
{
        const pawl__table_def *def = &pawl__tables[table];

        pawl__sql_insert(sql, log, table);
        pawl__buf_adds(sql, " ON CONFLICT ({log_id,}");
        pawl__sql_columns(sql, table, def->keys);
        pawl__buf_adds(sql, ") DO UPDATE SET ");
        for (int c = def->keys; c < def->stored; c++)
                pawl__buf_addf(sql, "%s%s = excluded.%s", c > def->keys ? ", " : "",
                        def->column[c].name, def->column[c].name);
}

void pawl__sql_update(pawl__buf *sql, pawl__table table, uint32_t set)
{
        const pawl__table_def *def = &pawl__tables[table];
        int at = def->keys;

        pawl__buf_addf(sql, "UPDATE {=%s} SET ", def->name);
        for (int c = def->keys; c < def->stored; c++)
                if (set >> c & 1) {
                        pawl__buf_addf(sql, "%s%s = ?%d", at > def->keys ? ", " : "",
                                def->column[c].name, at + 1);
                        at++;
                }
        pawl__buf_adds(sql, " WHERE {log AND} ");
        match_key(sql, def);
}

void pawl__sql_each(pawl__buf *sql, const pawl_log *log, pawl__table table)
{
        const pawl__table_def *def = &pawl__tables[table];

        pawl__sql_select(sql, log, table);
        pawl__buf_addf(sql, " FROM {%s} ORDER BY %s, ", def->name, def->column[def->order].name);
        if (def->then >= 0)
                pawl__buf_addf(sql, "%s, ", def->column[def->then].name);
        pawl__sql_columns(sql, table, def->keys);
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
        if (table == PAWL__STEPS)
                pawl__step_split(row);
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

/* A statement of its own each time: a table may be listed twice at once, and a listing is rare. */
pawl_status pawl__sql_rows(pawl__rows *rows, pawl_log *log, pawl__table table, pawl_error *err)
{
        pawl__buf sql = PAWL__BUF_INIT;
        pawl__query *query = NULL;
        pawl_status status = pawl__log_interrupted(log, err);

        if (!status && pawl__tables[table].since <= pawl__log_version(log)) {
                pawl__sql_each(&sql, log, table);
                status = pawl__buf_check(&sql, err);
                if (!status)
                        status = pawl__query_prepare(&query, log, sql.data, err);
                pawl__buf_free(&sql);
        }
        if (!status)
                *rows = (pawl__rows){.table = table, .of = query};
        return status;
}

pawl_status pawl__sql_rows_next(pawl__rows *rows, pawl__row *row, pawl_error *err)
{
        const pawl_status status =
                rows->of ? pawl__query_step(rows->of, PAWL__READING, err) : PAWL_DONE;

        if (!status)
                pawl__sql_row(row, rows->table, rows->of);
        return status;
}

void pawl__sql_rows_end(pawl__rows *rows)
{
        pawl__query_finalize(rows->of);
}
