/* Pruning: a payload goes, its hash stays, and with it the chain (events/verify.c). */
#include "events/handle.h"

/* The event as it is, its payload's hash taken; *there: it has a payload still. */
static pawl_status read_payload(bool *there, unsigned char hash[32], pawl_log *log, uint64_t seq)
{
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl_event event;
        pawl_status status = pawl__log_event(&event, &arena, log, seq);

        *there = !status && event.payload.data != NULL;
        if (*there)
                status = pawl__log_event_intact(log, &event);
        if (*there && !status)
                status = pawl__sha256(
                        log->hasher, hash, event.payload.data, event.payload.len, &log->err);
        pawl__arena_free(&arena);
        return status;
}

pawl_status pawl__tx_prune(pawl_log *log, uint64_t seq)
{
        unsigned char hash[32];
        bool there;
        pawl_status status = read_payload(&there, hash, log, seq);

        if (status || !there)
                return status;
        status = pawl__log_run(log, PAWL__STMT_PRUNED_PUT, "prune", "ih", (int64_t)seq, hash);
        if (!status)
                status = pawl__log_run(log, PAWL__STMT_PAYLOAD_DROP, "prune", "i", (int64_t)seq);
        return status;
}

pawl_status pawl_log_shrink(uint64_t *freed, pawl_log *log)
{
        TRY(pawl__log_usable(log, NULL));

        uint64_t bytes = 0;
        pawl_status status = pawl__tx_may_begin(log);

        if (!status && log->engine->shrink)
                status = log->engine->shrink(&bytes, log);
        if (!status && freed)
                *freed = bytes;
        return status;
}
