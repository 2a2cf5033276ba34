/* What workspace checkpoints hold: bytes by hash and part, as they were put. See events/log.h. */
#include "events/handle.h"
#include <assert.h>

enum { SINCE = 4 }; /* the schema version that has the table; older ones are only read */

pawl_status pawl__log_content_put(pawl_log *log, const unsigned char hash[32], uint32_t part,
        uint64_t size, const void *data, size_t len)
{
        assert(log->preparing && size <= INT64_MAX);
        return pawl__log_run(log, PAWL__STMT_CONTENT_PUT, "keep the content of a file", "hiib",
                hash, (int64_t)part, (int64_t)size, data, len);
}

pawl_status pawl__log_content_drop(pawl_log *log, const unsigned char hash[32])
{
        assert(log->preparing);
        return pawl__log_run(
                log, PAWL__STMT_CONTENT_DROP, "remove the content of a file", "h", hash);
}

static pawl_status damaged(pawl_log *log, const unsigned char hash[32], const char *what)
{
        char hex[65];

        if (pawl__view_stale(log))
                return pawl__damaged(log, &log->err, 0, "");
        pawl__hex(hex, hash, 32);
        return pawl__fail(&log->err, PAWL_EDAMAGED, "content %.16s: %s; put back a copy of the log",
                hex, what);
}

static pawl_status missing(pawl_log *log, const unsigned char hash[32], uint32_t part)
{
        char hex[65];

        pawl__hex(hex, hash, 32);
        return pawl__fail(&log->err, PAWL_ENOTFOUND,
                "content %.16s: its part %lu is not in the log; it was pruned or never kept", hex,
                (unsigned long)part);
}

/* The row is not trusted: another program may have written it. */
static pawl_status take(pawl__buf *out, uint64_t *size, pawl_log *log, const unsigned char hash[32],
        pawl__query *row)
{
        const pawl__sql_value length = pawl__query_value(row, 0), value = pawl__query_value(row, 1);
        const pawl_text data = value.as.bytes;

        if (length.type != PAWL__SQL_INTEGER || length.as.integer < 0)
                return damaged(log, hash, "its size is not a size");
        if (value.type != PAWL__SQL_BYTES)
                return damaged(log, hash, "its data is not bytes");
        if (!data.data && (data.len || pawl__query_nomem(row)))
                return pawl__nomem(&log->err);
        if (pawl__buf_add(out, data.data, data.len))
                return pawl__nomem(&log->err);
        if (size)
                *size = (uint64_t)length.as.integer;
        return PAWL_OK;
}

pawl_status pawl__log_content_get(
        pawl__buf *out, uint64_t *size, pawl_log *log, const unsigned char hash[32], uint32_t part)
{
        pawl__query *row = NULL;
        pawl_status status = pawl__view_refresh(log, &log->err);

        if (!status && log->version >= SINCE)
                status = pawl__log_row(&row, log, PAWL__STMT_CONTENT_GET,
                        "read the content of a file", &log->err, "hi", hash, (int64_t)part);
        if (status)
                return status;
        if (!row)
                return missing(log, hash, part);
        status = take(out, size, log, hash, row);
        pawl__query_reset(row);
        return status;
}

pawl_status pawl__log_content_has(bool *has, pawl_log *log, const unsigned char hash[32])
{
        pawl__query *row = NULL;
        pawl_status status = pawl__view_refresh(log, &log->err);

        if (!status && log->version >= SINCE)
                status = pawl__log_row(&row, log, PAWL__STMT_CONTENT_HAS,
                        "read the content of a file", &log->err, "h", hash);
        if (!status)
                *has = row != NULL;
        pawl__query_reset(row);
        return status;
}

/* hash, its size, stored bytes, parts. */
static pawl_status tell(pawl_log *log, pawl__query *row, pawl__content_fn fn, void *user)
{
        static const unsigned char none[32];
        int64_t number[3];

        unsigned char hash[32];
        if (!pawl__query_hash(hash, row, 0))
                return damaged(log, none, "there is a row whose hash is not 32 bytes");
        for (int i = 0; i < 3; i++) {
                const pawl__sql_value value = pawl__query_value(row, 1 + i);
                number[i] = value.as.integer;
                if (value.type != PAWL__SQL_INTEGER || number[i] < 0)
                        return damaged(log, hash, "its size is not a size");
        }
        return fn(hash, (uint64_t)number[0], (uint64_t)number[1], (uint64_t)number[2], user);
}

/* The lengths are in the rows' headers: the data itself is not read. A query of its own: fn may be
 * long, and list again. */
pawl_status pawl__log_content_each(pawl_log *log, pawl__content_fn fn, void *user)
{
        pawl__query *row = NULL;
        pawl_status row_or_end = PAWL_OK, status = pawl__view_refresh(log, &log->err);

        if (!status && log->version < SINCE)
                return PAWL_OK;
        if (!status)
                status = pawl__query_prepare(
                        &row, log, log->engine->sql[PAWL__STMT_CONTENT_EACH], &log->err);
        while (!status && (row_or_end = pawl__query_step(
                                   row, "read the contents of files", &log->err)) == PAWL_OK)
                status = tell(log, row, fn, user);
        pawl__query_finalize(row);
        return status || row_or_end == PAWL_DONE ? status : row_or_end;
}
