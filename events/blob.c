/*
 * Contents kept by their hash.
 *
 * A handle remembers some that it put, and does not put them again: what a step gives is often what
 * the next one takes, or what it gave before. Only who appends an event may remove one, so they are
 * there as long as the log ends where this handle left it, which each append proves.
 */
#include "events/handle.h"

void pawl__blobs_forget(pawl_log *log)
{
        memset(log->kept, 0, sizeof log->kept);
        log->kept[0][0] = 1; /* no hash has its place there: not even one of zeros */
}

void pawl__blobs_begin(pawl_log *log)
{
        if (memcmp(log->kept_head, log->head_hash, 32) != 0)
                pawl__blobs_forget(log);
}

void pawl__blobs_commit(pawl_log *log)
{
        memcpy(log->kept_head, log->head_hash, 32);
}

pawl_status pawl__tx_blob(pawl_log *log, const unsigned char hash[32], pawl_text content)
{
        unsigned char *kept = log->kept[hash[0]];

        if (log->writing && memcmp(kept, hash, 32) == 0)
                return PAWL_OK;
        const pawl_status status = pawl__log_run(
                log, PAWL__STMT_BLOB_PUT, "keep the inputs", "hb", hash, content.data, content.len);
        if (!status && log->writing)
                memcpy(kept, hash, 32);
        return status;
}

static pawl_status compare(
        pawl_log *log, const unsigned char hash[32], const unsigned char found[32])
{
        char hex[65];

        if (memcmp(found, hash, 32) == 0)
                return PAWL_OK;
        pawl__hex(hex, hash, 32);
        return pawl__fail(&log->err, PAWL_EDAMAGED,
                "blob %.16s: its content was changed; put back a copy of the log", hex);
}

static pawl_status missing(pawl_log *log, const unsigned char hash[32])
{
        char hex[65];

        pawl__hex(hex, hash, 32);
        return pawl__fail(&log->err, PAWL_ENOTFOUND,
                "blob %.16s: is not in the log; it was pruned or never kept", hex);
}

/* Add the content to @p out, which may be NULL, and compare its hash, which is that of the bytes as
 * they now are. */
static pawl_status take(
        pawl__buf *out, pawl_log *log, const unsigned char hash[32], pawl__query *row)
{
        unsigned char found[32];
        const pawl_text content = pawl__query_bytes(row, 0);

        if (!content.data && content.len)
                return pawl__nomem(&log->err);
        pawl_status status = pawl__sha256(log->hasher, found, content.data, content.len, &log->err);
        if (!status)
                status = compare(log, hash, found);
        if (status || !out)
                return status;
        return pawl__buf_add(out, content.data, content.len) ? pawl__nomem(&log->err) : PAWL_OK;
}

pawl_status pawl__log_blob(pawl__buf *out, pawl_log *log, const unsigned char hash[32])
{
        pawl__query *row;
        pawl_status status = pawl__view_refresh(log, &log->err);

        if (!status)
                status = pawl__log_row(
                        &row, log, PAWL__STMT_BLOB_GET, "read it", &log->err, "h", hash);
        if (status)
                return status;
        if (!row)
                return missing(log, hash);
        status = take(out, log, hash, row);
        pawl__query_reset(row);
        return status;
}

pawl_status pawl__log_blob_check(pawl_log *log, const unsigned char hash[32])
{
        unsigned char found[32];

        if (!log->engine->blob_hash)
                return pawl__log_blob(NULL, log, hash);
        pawl_status status = pawl__view_refresh(log, &log->err);
        if (!status)
                status = log->engine->blob_hash(found, log, hash);
        if (status == PAWL_ENOTFOUND)
                return missing(log, hash);
        return status ? status : compare(log, hash, found);
}
