/* A write transaction of the engine: begun where the log ends as this handle knows it, and
 * committed with what the projector derives, or rolled back. */
#include "events/handle.h"

static void undo(pawl_log *log, bool large)
{
        for (size_t i = 0; i < PAWL__STMTS; i++)
                pawl__query_reset(log->queries[i]);
        log->engine->rollback(log, large);
        pawl__blobs_forget(log);
        log->writing = false;
}

pawl_status pawl__tx_rollback(pawl_log *log, pawl_status status, bool large)
{
        const pawl_error kept = log->err;

        undo(log, large);
        if (log->projecting)
                log->projector.abandon(log->projector.user);
        log->err = kept;
        return status;
}

pawl_status pawl__tx_may_begin(pawl_log *log)
{
        pawl_error *err = &log->err;

        if (log->flags & PAWL_LOG_READONLY)
                return pawl__fail(err, PAWL_EREADONLY,
                        "%s: the log was opened for reading only; open it for writing", log->path);
        if (log->lost.status) {
                log->err = log->lost;
                return log->err.status;
        }
        if (log->keyed && !log->key)
                return pawl__key_missing(log, err);
        if (log->writing)
                return pawl__fail(err, PAWL_ESTATE,
                        "%s: an append is under way on this log; let it end first", log->path);
        return pawl__log_interrupted(log, err);
}

pawl_status pawl__tx_begin(pawl_log *log, bool again)
{
        pawl_error *err = &log->err;
        pawl_status status = pawl__tx_may_begin(log);

        if (status)
                return status;
        status = log->engine->begin(log, again);
        if (status)
                return status;
        log->writing = true;
        pawl__blobs_begin(log);
        log->now_us = pawl__wall_us(log);
        status = pawl__head_check(log->head_seq, log->head_hash, log, err);
        if (status) {
                const pawl_error kept = log->err;
                undo(log, false);
                log->err = kept;
                return status;
        }
        if (log->projecting)
                status = log->projector.begin(log->projector.user, err);
        return status ? pawl__tx_rollback(log, status, false) : PAWL_OK;
}

pawl_status pawl__tx_commit(pawl_log *log)
{
        pawl_status status = PAWL_OK;

        if (log->projecting)
                status = log->projector.flush(log->projector.user, &log->err);
        if (!status)
                status = log->engine->commit(log);
        if (status)
                return pawl__tx_rollback(log, status, false);
        log->writing = false;
        pawl__blobs_commit(log);
        log->sound_seq = log->head_seq;
        memcpy(log->sound_hash, log->head_hash, 32);
        return PAWL_OK;
}

pawl_status pawl__log_write_begin(pawl_log *log, pawl_error *err)
{
        const pawl_status status = log->engine->begin(log, false);

        return status ? pawl__log_failed(log, status, err) : PAWL_OK;
}

pawl_status pawl__log_write_end(pawl_log *log, pawl_status status, pawl_error *err)
{
        if (!status && (status = log->engine->commit(log)))
                status = pawl__log_failed(log, status, err);
        if (status)
                log->engine->rollback(log, false);
        return status;
}
