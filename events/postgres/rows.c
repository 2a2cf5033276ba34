/*
 * Many rows by one statement. What inserts one row of its parameters has a twin, whose parameters
 * are arrays with a value a row:
 *
 *     INSERT INTO t (log_id, a, b) VALUES (7, $1, $2) ON CONFLICT ...
 *     INSERT INTO t (log_id, a, b) SELECT 7, c1, c2 FROM unnest($1, $2) AS r (c1, c2) ON CONFLICT
 * ...
 *
 * Where a conflict updates the row that is there, a statement may have each key once.
 *
 * Events are compared with what was sent, by the server and within the same statement, which fails
 * (a division by zero) where a trigger stored something else. Those of arrays are found by their
 * seq, which has no gap.
 *
 *     INSERT ... RETURNING 1 / CAST((a, b) IS NOT DISTINCT FROM ($1, $2) AS integer)
 *
 * How many were stored is seen in the answer (exchange.c).
 */
#include "events/postgres/server.h"
#include <endian.h>
#include <stdlib.h>

static const char values[] = ") VALUES (", conflict[] = " ON CONFLICT (";

/* Its list of values, whose end is *end; NULL: it is no such statement. */
static const char *list_of(const char **end, const char *sql)
{
        const char *at = strncmp(sql, "INSERT INTO ", 12) == 0 ? strstr(sql, values) : NULL;

        *end = sql;
        if (!at)
                return NULL;
        at += sizeof values - 1;
        *end = at + strcspn(at, "()");
        return **end == ')' ? at : NULL;
}

int pawl__rows_keys(const char *sql)
{
        const char *end, *at = list_of(&end, sql);
        int keys = 0;

        if (!at)
                return -1;
        at = strstr(end, "DO UPDATE") ? strstr(end, conflict) : NULL;
        for (; at && *at != ')'; at++)
                keys += *at == ','; /* behind log_id */
        return keys;
}

static void put_numbered(pawl__buf *sql, char before, int n)
{
        for (int i = 1; i <= n; i++)
                pawl__buf_addf(sql, "%s%c%d", i > 1 ? "," : "", before, i);
}

/* The list of values, with other numbers. */
static void put_list(pawl__buf *sql, pawl_text list, const char *before, int more)
{
        for (const char *at = list.data, *end = at + list.len; at < end;)
                if (*at == '$') {
                        char *behind;
                        const long number = strtol(at + 1, &behind, 10);
                        pawl__buf_addf(sql, "%s%ld", before, number + more);
                        at = behind;
                } else {
                        pawl__buf_addc(sql, *at++);
                }
}

/* Behind the rows of events: are they those that were sent? */
static void put_comparison(pawl__buf *sql, const pawl__postgres_query *q, size_t n, bool few)
{
        static const char log_id[] = "(log_id, ";
        const char *columns = strstr(q->sql, log_id) + sizeof log_id - 1;
        const int len = (int)(strstr(columns, values) - columns);

        pawl__buf_adds(sql, " RETURNING 1 / CAST(");
        for (size_t row = 0; row < (few ? n : 1); row++) {
                pawl__buf_addf(
                        sql, "%s(%.*s) IS NOT DISTINCT FROM (", row ? " OR " : "", len, columns);
                for (int i = 1; i <= q->n; i++)
                        pawl__buf_addf(sql, few ? "%s$%d" : "%s($%d)[seq - ($1)[1] + 1]",
                                i > 1 ? ", " : "", (int)row * q->n + i);
                pawl__buf_addc(sql, ')');
        }
        pawl__buf_adds(sql, " AS integer)");
}

static bool is_few(const pawl__postgres_query *q, size_t n)
{
        return n <= PAWL__ROWS_FEW && n * (size_t)q->n <= PAWL__PARAMS_MAX;
}

static void put_twin(pawl__buf *sql, const pawl__postgres_query *q, size_t n)
{
        const bool few = is_few(q, n);
        const char *end, *at = list_of(&end, q->sql);
        const pawl_text list = {at, at ? (size_t)(end - at) : 0};

        if (few) {
                pawl__buf_add(sql, q->sql, (size_t)(end - q->sql));
                for (int i = 1; i < (int)n; i++) {
                        pawl__buf_adds(sql, "), (");
                        put_list(sql, list, "$", i * q->n);
                }
        } else {
                pawl__buf_add(sql, q->sql, (size_t)(end - q->sql) - list.len - sizeof values + 1);
                pawl__buf_adds(sql, ") SELECT ");
                put_list(sql, list, "c", 0);
                pawl__buf_adds(sql, " FROM unnest(");
                put_numbered(sql, '$', q->n);
                pawl__buf_adds(sql, ") AS r (");
                put_numbered(sql, 'c', q->n);
        }
        pawl__buf_adds(sql, end);
        if (q->which == PAWL__STMT_INSERT)
                put_comparison(sql, q, n, few);
}

/* The twin of so many rows, prepared when first used. */
static pawl_status twin_of(
        pawl__postgres_query **out, pawl__postgres_query *q, size_t n, pawl_error *err)
{
        pawl__postgres_query **twin = &q->twins[is_few(q, n) ? n : 0];
        pawl__buf sql = PAWL__BUF_INIT;
        pawl__query *query = NULL;
        pawl_status status = PAWL_OK;

        if (!*twin) {
                put_twin(&sql, q, n);
                status = pawl__buf_check(&sql, err);
                if (!status)
                        status = pawl__postgres_prepare(&query, q->log, sql.data, err);
                if (!status)
                        *twin = (pawl__postgres_query *)query;
                pawl__buf_free(&sql);
        }
        *out = *twin;
        return status;
}

static bool same_keys(const pawl__deferred *a, const pawl__deferred *b, int keys)
{
        for (int i = 0; i < keys; i++)
                if (!a->values[i] || !b->values[i] || a->lengths[i] != b->lengths[i] ||
                        memcmp(a->values[i], b->values[i], (size_t)a->lengths[i]) != 0)
                        return false;
        return true;
}

/* Does the row fit those before it? *types: of the columns, 0 where all were NULL so far. */
static bool fits(const pawl__deferred *rows, size_t n, Oid types[PAWL__PARAMS_MAX])
{
        const pawl__deferred *row = &rows[n];
        const int keys = row->query->keys;

        if (row->query != rows->query || n == (keys ? PAWL__ROWS_KEYED_MAX : PAWL__ROWS_MAX))
                return false;
        for (int i = 0; i < row->n; i++)
                if (types[i] && row->types[i] && types[i] != row->types[i])
                        return false;
        for (size_t i = 0; i < n && keys; i++)
                if (same_keys(&rows[i], row, keys))
                        return false;
        for (int i = 0; i < row->n; i++)
                types[i] = types[i] ? types[i] : row->types[i];
        return true;
}

static Oid array_of(Oid type)
{
        switch (type) {
        case 17: /* bytea */
                return 1001;
        case 20: /* int8 */
                return 1016;
        case 701: /* float8 */
                return 1022;
        default:
                return 1009; /* text */
        }
}

static void put_number(pawl__buf *out, size_t number)
{
        const uint32_t bytes = htobe32((uint32_t)number);

        pawl__buf_add(out, &bytes, sizeof bytes);
}

/* An array in the form of the protocol: one dimension, from 1 on. */
static void put_array(pawl__buf *out, const pawl__deferred *rows, size_t n, int column, Oid type)
{
        bool nulls = false;

        for (size_t i = 0; i < n; i++)
                nulls |= !rows[i].values[column];
        put_number(out, 1);
        put_number(out, nulls);
        put_number(out, type ? type : 25 /* text */);
        put_number(out, n);
        put_number(out, 1);
        for (size_t i = 0; i < n; i++) {
                const char *value = rows[i].values[column];
                put_number(out, value ? (size_t)rows[i].lengths[column] : SIZE_MAX);
                pawl__buf_add(out, value ? value : "", value ? (size_t)rows[i].lengths[column] : 0);
        }
}

/* Each row's parameters, behind those of the row before. */
static void bind_rows(pawl__postgres_query *q, const pawl__deferred *rows, size_t n)
{
        for (size_t at = 0; n; n--, at += (size_t)rows++->n)
                for (int i = 0; i < rows->n; i++) {
                        if (rows->types[i])
                                q->types[at + (size_t)i] = rows->types[i];
                        q->values[at + (size_t)i] = rows->values[i];
                        q->lengths[at + (size_t)i] = rows->lengths[i];
                }
}

static pawl_status bind_arrays(pawl__postgres_query *q, pawl__buf *arrays,
        const pawl__deferred *rows, size_t n, const Oid types[PAWL__PARAMS_MAX], pawl_error *err)
{
        size_t ends[PAWL__PARAMS_MAX];

        for (int i = 0; i < rows->n; i++) {
                put_array(arrays, rows, n, i, types[i]);
                ends[i] = arrays->len;
        }
        const pawl_status status = pawl__buf_check(arrays, err);
        for (int i = 0; i < rows->n && !status; i++) {
                const size_t begins = i ? ends[i - 1] : 0;
                q->types[i] = array_of(types[i]);
                q->values[i] = arrays->data + begins;
                q->lengths[i] = (int)(ends[i] - begins);
        }
        return status;
}

static pawl_status send_rows(
        const pawl__deferred *rows, size_t n, const Oid types[PAWL__PARAMS_MAX], pawl_error *err)
{
        pawl__buf arrays = PAWL__BUF_INIT;
        pawl__postgres_query *q = rows->query;
        const bool events = q->which == PAWL__STMT_INSERT;
        pawl_status status = n > 1 || events ? twin_of(&q, rows->query, n, err) : PAWL_OK;

        if (!status && is_few(rows->query, n))
                bind_rows(q, rows, n);
        else if (!status)
                status = bind_arrays(q, &arrays, rows, n, types, err);
        if (!status) {
                struct pawl__server *server = q->log->server;
                status = pawl__send(q, NULL, rows->doing, err);
                if (!status && events)
                        server->pending[server->n_pending - 1].events = n;
                pawl__postgres_reset(&q->base);
        }
        pawl__buf_free(&arrays);
        return status;
}

pawl_status pawl__rows_send(const pawl__deferred *rows, size_t most, pawl_error *err)
{
        pawl_status status = PAWL_OK;

        for (size_t i = 0, n; i < most && !status; i += n) {
                Oid types[PAWL__PARAMS_MAX] = {0};
                n = 1;
                if (rows[i].query->keys >= 0 && fits(&rows[i], 0, types))
                        while (i + n < most && fits(&rows[i], n, types))
                                n++;
                status = send_rows(&rows[i], n, types, err);
        }
        return status;
}
