/* What every engine's statements have in common: their text, their parameters, and those that a log
 * keeps. */
#include "events/handle.h"
#include <string.h>

/* ---- Text ------------------------------------------------------------------------------------ */

/* What is in braces, for a log on a server. */
static void expand(pawl__buf *out, pawl_text what, const char *log_id)
{
        if (pawl__text_is(what, "log_id,"))
                pawl__buf_adds(out, "log_id,");
        else if (pawl__text_is(what, "log,"))
                pawl__buf_addf(out, "%s,", log_id);
        else if (pawl__text_is(what, "log AND"))
                pawl__buf_addf(out, "log_id = %s AND", log_id);
        else if (pawl__text_is(what, "log C"))
                pawl__buf_adds(out, "COLLATE \"C\"");
        else if (pawl__text_is(what, "CROSS JOIN"))
                pawl__buf_adds(out, "JOIN");
        else if (what.data[0] == '=')
                pawl__buf_addf(out, "pawl.%.*s", (int)what.len - 1, what.data + 1);
        else
                pawl__buf_addf(out, "(SELECT * FROM pawl.%.*s WHERE log_id = %s) AS %.*s",
                        PAWL__FMT(what), log_id, PAWL__FMT(what));
}

pawl_status pawl__sql_expand(pawl__buf *out, const char *sql, const char *log_id, pawl_error *err)
{
        for (; *sql; sql++) {
                if (*sql == '?' && log_id) {
                        pawl__buf_addc(out, '$');
                } else if (*sql == '{') {
                        const char *end = strchr(sql, '}');
                        const pawl_text what = {sql + 1, (size_t)(end - sql - 1)};
                        if (log_id)
                                expand(out, what, log_id);
                        else if (what.len < 3 || memcmp(what.data, "log", 3) != 0)
                                pawl__buf_add(out, what.data + (what.data[0] == '='),
                                        what.len - (what.data[0] == '='));
                        sql = end;
                } else {
                        pawl__buf_addc(out, *sql);
                }
        }
        return pawl__buf_check(out, err);
}

pawl_status pawl__query_prepare(pawl__query **out, pawl_log *log, const char *sql, pawl_error *err)
{
        return log->engine->prepare(out, log, sql, err);
}

/* ---- Parameters ------------------------------------------------------------------------------ */

void pawl__query_bind_list(pawl__query *query, const char *types, va_list list)
{
        for (int i = 1; *types; types++, i++)
                switch (*types) {
                case 'i':
                        pawl__query_bind_integer(query, i, va_arg(list, int64_t));
                        break;
                case 't':
                        pawl__query_bind_text(query, i, va_arg(list, pawl_text));
                        break;
                case 'h':
                        pawl__query_bind_bytes(query, i, va_arg(list, const void *), 32);
                        break;
                default: {
                        const void *data = va_arg(list, const void *);
                        pawl__query_bind_bytes(query, i, data, va_arg(list, size_t));
                        break;
                }
                }
}

void pawl__query_bind(pawl__query *query, const char *types, ...)
{
        va_list list;

        va_start(list, types);
        pawl__query_bind_list(query, types, list);
        va_end(list);
}

bool pawl__query_hash(unsigned char out[32], pawl__query *query, int column)
{
        const pawl_text bytes = pawl__query_bytes(query, column);

        if (bytes.len != 32 || !bytes.data)
                return false;
        memcpy(out, bytes.data, 32);
        return true;
}

/* ---- A log's own ----------------------------------------------------------------------------- */

pawl_status pawl__log_query(pawl__query **out, pawl_log *log, pawl__stmt which, pawl_error *err)
{
        pawl_status status = pawl__log_interrupted(log, err);

        if (!status && !log->queries[which])
                status = log->engine->prepare(
                        &log->queries[which], log, log->engine->sql[which], err);
        if (!status)
                *out = log->queries[which];
        return status;
}

void pawl__queries_finalize(pawl_log *log)
{
        for (size_t i = 0; i < PAWL__STMTS; i++) {
                pawl__query_finalize(log->queries[i]);
                log->queries[i] = NULL;
        }
}

pawl_status pawl__log_run(
        pawl_log *log, pawl__stmt which, const char *doing, const char *types, ...)
{
        pawl__query *query = NULL; /* -O3 cannot see that it is set */
        va_list list;
        pawl_status status = pawl__log_query(&query, log, which, &log->err);

        if (status)
                return status;
        va_start(list, types);
        pawl__query_bind_list(query, types, list);
        va_end(list);
        return pawl__query_run(query, NULL, doing, &log->err);
}

pawl_status pawl__log_row(pawl__query **row, pawl_log *log, pawl__stmt which, const char *doing,
        pawl_error *err, const char *types, ...)
{
        va_list list;

        *row = NULL;
        pawl_status status = pawl__log_query(row, log, which, err);
        if (status)
                return status;
        va_start(list, types);
        pawl__query_bind_list(*row, types, list);
        va_end(list);
        status = pawl__query_step(*row, doing, err);
        if (!status)
                return PAWL_OK;
        pawl__query_reset(*row);
        *row = NULL;
        return status == PAWL_DONE ? PAWL_OK : status;
}
