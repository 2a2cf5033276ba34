/* Packs of contents: rows of many, and where each content is. See events/log.h. */
#include "events/handle.h"
#include <assert.h>

enum { SINCE = 5 }; /* the schema version that has the tables; older ones are only read */

pawl_status pawl__log_pack_last(int64_t *pack, pawl_log *log)
{
        pawl__query *row = NULL;
        pawl_status status = pawl__log_row(
                &row, log, PAWL__STMT_PACK_LAST, "read the packs of contents", &log->err, "");

        if (!status)
                *pack = row ? pawl__query_integer(row, 0) : 0;
        pawl__query_reset(row);
        return status;
}

pawl_status pawl__log_pack_put(pawl_log *log, int64_t pack, pawl_text heads, pawl_text data)
{
        assert(log->preparing);
        return pawl__log_run(log, PAWL__STMT_PACK_PUT, "keep the contents of files", "ibb", pack,
                heads.data, heads.len, data.data, data.len);
}

static pawl_status damaged(pawl_log *log, int64_t pack)
{
        if (pawl__view_stale(log))
                return pawl__damaged(log, &log->err, 0, "");
        return pawl__fail(&log->err, PAWL_EDAMAGED,
                "contents: pack %lld is not bytes; put back a copy of the log", (long long)pack);
}

static pawl_status add_bytes(
        pawl__buf *out, pawl_log *log, pawl__query *row, int column, int64_t pack)
{
        const pawl__sql_value value = pawl__query_value(row, column);
        const pawl_text bytes = value.as.bytes;

        if (value.type != PAWL__SQL_BYTES)
                return damaged(log, pack);
        if ((!bytes.data && (bytes.len || pawl__query_nomem(row))) ||
                pawl__buf_add(out, bytes.data, bytes.len))
                return pawl__nomem(&log->err);
        return PAWL_OK;
}

pawl_status pawl__log_pack_get(pawl__buf *heads, pawl__buf *data, pawl_log *log, int64_t pack)
{
        pawl__query *row = NULL;
        pawl_status status = pawl__view_refresh(log, &log->err);

        if (!status && log->version >= SINCE)
                status =
                        pawl__log_row(&row, log, data ? PAWL__STMT_PACK_GET : PAWL__STMT_PACK_HEADS,
                                "read the contents of files", &log->err, "i", pack);
        if (!status && !row)
                status = pawl__fail(&log->err, PAWL_ENOTFOUND,
                        "contents: pack %lld is not in the log; put back a copy of the log",
                        (long long)pack);
        if (!status && row)
                status = add_bytes(heads, log, row, 0, pack);
        if (!status && row && data)
                status = add_bytes(data, log, row, 1, pack);
        pawl__query_reset(row);
        return status;
}

pawl_status pawl__log_pack_drop(pawl_log *log, int64_t pack)
{
        assert(log->preparing);
        return pawl__log_run(log, PAWL__STMT_PACK_DROP, "remove the contents of files", "i", pack);
}

/* ---- Where each content is ------------------------------------------------------------------- */

pawl_status pawl__log_packed_put(
        pawl_log *log, const unsigned char hash[32], pawl__pack_place place)
{
        assert(log->preparing);
        return pawl__log_run(log, PAWL__STMT_PACKED_PUT, "keep the content of a file", "hii", hash,
                place.pack, place.at);
}

pawl_status pawl__log_packed_drop(pawl_log *log, const unsigned char hash[32])
{
        assert(log->preparing);
        return log->version < SINCE ? PAWL_OK
                                    : pawl__log_run(log, PAWL__STMT_PACKED_DROP,
                                              "remove the content of a file", "h", hash);
}

/* The row is not trusted: another program may have written it. */
static pawl_status take_place(pawl__pack_place *out, pawl_log *log, pawl__query *row, int column)
{
        const pawl__sql_value pack = pawl__query_value(row, column);
        const pawl__sql_value at = pawl__query_value(row, column + 1);

        if (pack.type == PAWL__SQL_INTEGER && at.type == PAWL__SQL_INTEGER && pack.as.integer > 0 &&
                at.as.integer >= 0) {
                *out = (pawl__pack_place){pack.as.integer, at.as.integer};
                return PAWL_OK;
        }
        if (pawl__view_stale(log))
                return pawl__damaged(log, &log->err, 0, "");
        return pawl__fail(&log->err, PAWL_EDAMAGED,
                "contents: the place of one is none; put back a copy of the log");
}

pawl_status pawl__log_packed_get(pawl__pack_place *out, pawl_log *log, const unsigned char hash[32])
{
        pawl__query *row = NULL;
        pawl__pack_place place = {0, 0};
        pawl_status status = pawl__view_refresh(log, &log->err);

        if (!status && log->version >= SINCE)
                status = pawl__log_row(&row, log, PAWL__STMT_PACKED_GET,
                        "read the content of a file", &log->err, "h", hash);
        if (!status && row)
                status = take_place(&place, log, row, 0);
        pawl__query_reset(row);
        if (!status)
                *out = place;
        return status;
}

pawl_status pawl__log_content_find(unsigned char hash[32], pawl__pack_place *place, pawl_log *log,
        const unsigned char half[16])
{
        unsigned char from[32] = {0}, to[32];
        pawl__query *row = NULL;
        pawl__pack_place found = {0, 0};
        pawl_status status = pawl__view_refresh(log, &log->err);

        memcpy(from, half, 16);
        memset(to, 0xff, sizeof to);
        memcpy(to, half, 16);
        if (!status && log->version >= SINCE)
                status = pawl__log_row(&row, log, PAWL__STMT_PACKED_FIND,
                        "read the content of a file", &log->err, "hh", from, to);
        if (!status && row)
                status = take_place(&found, log, row, 0);
        const bool packed = !status && row;
        if (!status && !row)
                status = pawl__log_row(&row, log, PAWL__STMT_PARTS_FIND,
                        "read the content of a file", &log->err, "hh", from, to);
        if (!status && (!row || !pawl__query_hash(from, row, packed ? 2 : 0)))
                status = PAWL_ENOTFOUND;
        pawl__query_reset(row);
        if (status == PAWL_ENOTFOUND) {
                char hex[33];
                pawl__hex(hex, half, 16);
                return pawl__fail(&log->err, status,
                        "content %.16s: is not in the log; it was pruned or never kept", hex);
        }
        if (!status) {
                *place = found;
                memcpy(hash, from, 32);
        }
        return status;
}

/* A query of its own: fn may be long, and list again. */
pawl_status pawl__log_packed_each(pawl_log *log, pawl__packed_fn fn, void *user)
{
        pawl__query *row = NULL;
        pawl_status row_or_end = PAWL_OK, status = pawl__view_refresh(log, &log->err);

        if (!status && log->version < SINCE)
                return PAWL_OK;
        if (!status)
                status = pawl__query_prepare(
                        &row, log, log->engine->sql[PAWL__STMT_PACKED_EACH], &log->err);
        while (!status && (row_or_end = pawl__query_step(
                                   row, "read the contents of files", &log->err)) == PAWL_OK) {
                unsigned char hash[32];
                pawl__pack_place place = {0, 0};
                if (!pawl__query_hash(hash, row, 0))
                        status = pawl__fail(&log->err, PAWL_EDAMAGED,
                                "contents: there is a row whose hash is not 32 bytes; put back a "
                                "copy of the log");
                if (!status)
                        status = take_place(&place, log, row, 1);
                if (!status)
                        status = fn(hash, place, user);
        }
        pawl__query_finalize(row);
        return status || row_or_end == PAWL_DONE ? status : row_or_end;
}
