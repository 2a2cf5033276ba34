/* Events that are verified in order, and stay so: what is read of them again must be what was
 * verified. The chain makes it enough to verify those that came since. */
#include "base/mac.h"
#include "events/handle.h"
#include <stdlib.h>

static const char other_prev[] =
        "its prev is not the hash of the event before: one of the two was exchanged";

/* The event's own hash and, with the key, its MAC. */
static pawl_status check_itself(pawl_log *log, const pawl_event *event, pawl_error *err)
{
        unsigned char inner[32], hash[32], mac[32], there[32];
        pawl__buf scratch = PAWL__BUF_INIT;
        bool has = false;
        pawl_status status = pawl__log_payload_hash(inner, log, event, err);

        if (!status && pawl__chain_hash(hash, log->hasher, &scratch, event, inner))
                status = pawl__nomem(err);
        pawl__buf_free(&scratch);
        if (!status && memcmp(hash, event->hash, 32) != 0)
                return pawl__damaged(log, err, event->seq,
                        "its hash does not fit: its payload or its envelope was changed");
        if (status || !log->key)
                return status;
        status = pawl__log_failed(log, pawl__log_mac(&has, there, log, event->seq), err);
        if (!status && pawl__mac_of(log->key, mac, event->hash, 32))
                status = pawl__nomem(err);
        if (!status && (!has || !pawl__mac_same(mac, there)))
                status = pawl__damaged(log, err, event->seq,
                        "its MAC is missing or does not fit its hash: it was not made with the key");
        return status;
}

static pawl_status check(pawl_log *log, const pawl_event *event, pawl_error *err)
{
        if (memcmp(event->hash, log->verified.hashes[event->seq - 1], 32) != 0)
                return pawl__damaged(
                        log, err, event->seq, "it was exchanged since it was verified");
        return check_itself(log, event, err);
}

typedef struct walk {
        pawl_log *log;
        pawl__event_fn fn;
        void *user;
} walk;

static pawl_status take(const pawl_event *event, pawl__event_type type, void *user, pawl_error *err)
{
        static const unsigned char none[32] = {0};
        const walk *w = user;
        struct pawl__verified *v = &w->log->verified;
        pawl_status status;

        if (memcmp(event->prev, v->n ? v->hashes[v->n - 1] : none, 32) != 0)
                return pawl__damaged(w->log, err, event->seq, other_prev);
        if (pawl__grow(&v->hashes, &v->cap, (size_t)v->n + 1, sizeof *v->hashes))
                return pawl__nomem(err);
        status = check_itself(w->log, event, err);
        if (!status)
                status = w->fn(event, type, w->user, err);
        if (!status)
                memcpy(v->hashes[v->n++], event->hash, 32);
        return status;
}

pawl_status pawl__log_verified_walk(pawl_log *log, pawl__event_fn fn, void *user, pawl_error *err)
{
        walk w = {log, fn, user};
        unsigned char hash[32];
        uint64_t head = 0;
        pawl_status status;

        if (log->writing) /* the events of an open transaction may never be */
                return PAWL_OK;
        status = pawl__log_failed(log, pawl_log_head(&head, hash, log), err);
        if (!status && head < log->verified.n)
                return pawl__damaged(log, err, head + 1, "the event is missing");
        if (!status && head > log->verified.n)
                status = pawl__log_walk(log, log->verified.n, head, take, &w, err);
        if (!status && head && memcmp(hash, log->verified.hashes[head - 1], 32) != 0)
                status = pawl__damaged(log, err, head, "it was exchanged since it was verified");
        return status;
}

void pawl__log_verified_guard(pawl_log *log, bool on)
{
        log->verified.check = on ? check : NULL;
}

const unsigned char *pawl__log_verified_hash(const pawl_log *log, uint64_t seq)
{
        return seq && seq <= log->verified.n ? log->verified.hashes[seq - 1] : NULL;
}

pawl_status pawl__log_event_sound(pawl_log *log, const pawl_event *event, pawl_error *err)
{
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl_event next;
        pawl_status status = check_itself(log, event, err);

        if (!status) {
                status = pawl__log_event(&next, &arena, log, event->seq + 1);
                if (status != PAWL_ENOTFOUND)
                        status = pawl__log_failed(log, status, err);
                if (!status && memcmp(next.prev, event->hash, 32) != 0)
                        status = pawl__damaged(log, err, next.seq, other_prev);
        }
        pawl__arena_free(&arena);
        return status == PAWL_ENOTFOUND ? PAWL_OK : status;
}
