/* Recomputing the chain, row by row, and with the log's key the MACs beside it: some hundred rows a
 * read transaction, which takes a few milliseconds. A writer that starts the write-ahead log again
 * waits for it (events/sqlite/wal.c). */
#include "events/handle.h"

enum { ROWS = 512 };

typedef struct checking {
        pawl_log *log;
        pawl__buf scratch;
        uint64_t last, head;
        unsigned char last_hash[32];
        uint64_t anchor_seq;
        const unsigned char *anchor_hash;
        pawl__key_fit key;
        pawl__query *macs;    /* in step with the rows; NULL: no MACs are checked */
        pawl__event_fn judge; /* of each event whose hash is right; may be NULL */
        void *judge_user;
        pawl_error *why;
} checking;

pawl_status pawl__log_payload_hash(
        unsigned char out[32], pawl_log *log, const pawl_event *e, pawl_error *err)
{
        pawl__query *row;

        if (e->payload.data)
                return pawl__sha256(log->hasher, out, e->payload.data, e->payload.len, err);
        pawl_status status =
                pawl__log_row(&row, log, PAWL__STMT_PRUNED, "verify it", err, "i", (int64_t)e->seq);
        if (status)
                return status;
        if (!row)
                return pawl__damaged(log, err, e->seq, "its payload is gone and was not pruned");
        if (!pawl__query_hash(out, row, 0))
                status = pawl__damaged(
                        log, err, e->seq, "the hash of its pruned payload is not 32 bytes");
        pawl__query_reset(row);
        return status;
}

static pawl_status check_event(checking *c, const pawl_event *e)
{
        unsigned char inner[32], hash[32];
        pawl_status status = pawl__log_payload_hash(inner, c->log, e, c->why);

        if (status)
                return status;
        if (memcmp(e->prev, c->last_hash, 32) != 0)
                return pawl__damaged(c->log, c->why, e->seq,
                        "its prev is not the hash of the event before: one of the two was "
                        "exchanged");
        if (pawl__chain_hash(hash, c->log->hasher, &c->scratch, e, inner))
                return pawl__nomem(c->why);
        if (memcmp(hash, e->hash, 32) != 0)
                return pawl__damaged(c->log, c->why, e->seq,
                        "its hash does not fit: its payload or its envelope was changed");
        if (c->anchor_hash && e->seq == c->anchor_seq && memcmp(hash, c->anchor_hash, 32) != 0)
                return pawl__damaged(c->log, c->why, e->seq,
                        "its hash is not the anchor's: the log was rewritten up to here");
        return PAWL_OK;
}

static const char other_head[] = "its hash is not the one that the log's head has";

/* It verifies. */
static void take_event(checking *c, const pawl_event *e)
{
        memcpy(c->last_hash, e->hash, 32);
        c->last = e->seq;
}

static pawl_status other_key(checking *c)
{
        return pawl__fail(c->why, PAWL_EKEY,
                "%s: the key is not this log's, or the log was made again under another; give the "
                "key that it was made with, or put back a copy",
                c->log->path);
}

/* The event's hash is what it should be: is its MAC? */
static pawl_status check_mac(checking *c, const pawl_event *e)
{
        pawl_log *log = c->log;
        unsigned char mac[32], there[32];
        const char *wrong = NULL;
        const pawl_status status = pawl__query_step(c->macs, "verify it", c->why);

        if (status < 0)
                return status != PAWL_EDAMAGED ? status
                                               : pawl__fail_prefix(c->why, status, "seq %llu",
                                                         (unsigned long long)e->seq);
        if (pawl__mac_of(log->key, mac, e->hash, sizeof e->hash))
                return pawl__nomem(c->why);
        if (status == PAWL_DONE || (uint64_t)pawl__query_integer(c->macs, 0) != e->seq)
                wrong = "its MAC is missing";
        else if (!pawl__query_hash(there, c->macs, 1))
                wrong = "its MAC is not 32 bytes";
        else if (!pawl__mac_same(mac, there))
                wrong = "its MAC does not fit its hash: it was not made with the key";
        /* key_check is that of another key: the first MAC shows whether the key or the check is
         * wrong. */
        if (c->key == PAWL__KEY_OTHER)
                return wrong ? other_key(c)
                             : pawl__damaged(log, c->why, e->seq,
                                       "its MAC fits, but the check of the key was changed");
        return wrong ? pawl__damaged(log, c->why, e->seq, wrong) : PAWL_OK;
}

/* The statement for the MACs of the rows that are read next. */
static pawl_status begin_macs(checking *c, uint64_t until)
{
        if (c->key != PAWL__KEY_FITS && c->key != PAWL__KEY_OTHER)
                return PAWL_OK;
        pawl_status status = pawl__log_query(&c->macs, c->log, PAWL__STMT_MAC_RANGE, c->why);
        if (!status)
                pawl__query_bind(c->macs, "ii", (int64_t)c->last, (int64_t)until);
        return status;
}

/* A MAC without its event is left if the log's tail was cut without its MACs. */
static pawl_status check_last_mac(checking *c)
{
        pawl__query *end;
        pawl_status status =
                pawl__log_row(&end, c->log, PAWL__STMT_MAC_END, "verify it", c->why, "");

        if (status)
                return status;
        int64_t last_event = pawl__query_integer(end, 0), last_mac = pawl__query_integer(end, 1);
        pawl__query_reset(end);
        if (last_mac <= last_event)
                return PAWL_OK;
        return pawl__fail(c->why, PAWL_EDAMAGED,
                "seq %lld: the event is missing: the log ends at %lld and there are MACs up to "
                "%lld, so its tail was cut; put back a copy",
                (long long)last_event + 1, (long long)last_event, (long long)last_mac);
}

static pawl_status check_rows(checking *c)
{
        pawl_log *log = c->log;
        const uint64_t until = c->head - c->last > ROWS ? c->last + ROWS : c->head;
        pawl__query *range;
        pawl_event event;
        pawl_status read = PAWL_OK, status = pawl__log_query(&range, log, PAWL__STMT_RANGE, c->why);

        if (!status)
                status = begin_macs(c, until);
        if (status)
                return status;
        pawl__query_bind(range, "ii", (int64_t)c->last, (int64_t)until);
        while (!status && c->last < until &&
                (read = pawl__query_step(range, "verify it", c->why)) == PAWL_OK) {
                status = pawl__row_event(&event, log, range, c->last + 1, c->why);
                if (!status)
                        status = check_event(c, &event);
                if (!status && c->macs)
                        status = check_mac(c, &event);
                if (!status && c->judge)
                        status = c->judge(
                                &event, pawl__event_type_of(event.type), c->judge_user, c->why);
                if (!status)
                        take_event(c, &event);
        }
        pawl__query_reset(range);
        pawl__query_reset(c->macs);
        if (read == PAWL_EDAMAGED)
                return pawl__fail_prefix(c->why, read, "seq %llu", (unsigned long long)c->last + 1);
        if (read < 0)
                return read;
        if (!status && read == PAWL_DONE)
                status = pawl__damaged(log, c->why, c->last + 1, "the event is missing");
        return status;
}

/* Readers begin at 1: only other programs would see a row below it. */
static pawl_status check_first(checking *c)
{
        pawl__query *first;
        pawl_status status =
                pawl__log_row(&first, c->log, PAWL__STMT_FIRST, "verify it", c->why, "");

        if (status)
                return status;
        const int64_t seq = first ? pawl__query_integer(first, 0) : 1;
        pawl__query_reset(first);
        if (seq < 1) {
                c->last = 0; /* no event before it is verified */
                return pawl__fail(c->why, PAWL_EDAMAGED,
                        "seq %lld: an event was put before the first one; the log is damaged: put "
                        "back a copy, or go on from one that verifies",
                        (long long)seq);
        }
        return PAWL_OK;
}

static pawl_status check_all(checking *c)
{
        unsigned char hash[32];
        pawl_status status = pawl__view_refresh(c->log, c->why);

        if (status)
                return status;
        if (c->log->engine->forget)
                c->log->engine->forget(c->log);
        status = pawl__key_fit_of(&c->key, c->log, c->why);
        if (status)
                return status;
        if (c->key == PAWL__KEY_NONE && c->log->key)
                return pawl__damaged(c->log, c->why, 1,
                        "it has no MAC: the log has no key, was stripped of it or made without");
        status = pawl__head_read(&c->head, hash, c->log, c->why);
        if (status == PAWL_EDAMAGED) { /* the end cannot be read: find out how far it is sound */
                c->head = INT64_MAX;
                status = PAWL_OK;
        }
        while (!status && c->last < c->head)
                status = check_rows(c);
        if (!status && c->head && memcmp(hash, c->last_hash, 32) != 0)
                status = pawl__damaged(c->log, c->why, c->head, other_head);
        if (!status && c->anchor_seq > c->head)
                status = pawl__fail(c->why, PAWL_EDAMAGED,
                        "seq %llu: the event is missing: the log ends at %llu and the anchor is "
                        "%llu, so its tail was cut; put back a copy",
                        (unsigned long long)c->head + 1, (unsigned long long)c->head,
                        (unsigned long long)c->anchor_seq);
        if (!status && c->key == PAWL__KEY_OTHER)
                status = other_key(c); /* there was no event to tell by */
        if (!status && c->key == PAWL__KEY_FITS)
                status = check_last_mac(c);
        return status ? status : check_first(c);
}

/* ---- The last event, before another is appended ---------------------------------------------- */

static pawl_status check_last(
        uint64_t seq, const unsigned char hash[32], pawl_log *log, pawl_error *err)
{
        checking c = {.log = log,
                .scratch = PAWL__BUF_INIT,
                .last = seq - 1,
                .head = seq,
                .key = log->key ? PAWL__KEY_FITS : PAWL__KEY_NONE,
                .why = err};
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl_event before;
        pawl_status status = PAWL_OK;

        if (seq > 1 && !(status = pawl__log_event(&before, &arena, log, seq - 1)))
                memcpy(c.last_hash, before.hash, 32);
        if (status == PAWL_ENOTFOUND)
                status = pawl__damaged(log, err, seq - 1, "the event is missing");
        else if (status && err != &log->err)
                *err = log->err;
        if (!status)
                status = check_rows(&c);
        if (!status && memcmp(c.last_hash, hash, 32) != 0)
                status = pawl__damaged(log, err, seq, other_head);
        pawl__arena_free(&arena);
        pawl__buf_free(&c.scratch);
        return status;
}

/* Does the log still have the last event that this handle appended or verified? Its files may have
 * been written over in their places, all of them, with their times kept (events/sqlite/files.c). */
static pawl_status check_sound(uint64_t seq, pawl_log *log, pawl_error *err)
{
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl_event event;
        pawl_status status = PAWL_ENOTFOUND;

        if (seq > log->sound_seq)
                status = pawl__log_event(&event, &arena, log, log->sound_seq);
        const bool there = !status && memcmp(event.hash, log->sound_hash, 32) == 0;
        pawl__arena_free(&arena);
        if (there || (status && status != PAWL_ENOTFOUND)) {
                if (status)
                        *err = log->err;
                return status;
        }
        return pawl__fail(err, PAWL_EDAMAGED,
                "%s: is not the log that was opened any more: event %llu, which was recorded, is gone from it; put "
                "back a copy that has it",
                log->path, (unsigned long long)log->sound_seq);
}

/* One of the rows that show that the log's end is sound: our last sound event, the one before the
 * last, the last. */
static pawl_status check_end(checking *c, const pawl_event *e, const unsigned char hash[32])
{
        const pawl_log *log = c->log;
        pawl_status status = PAWL_OK;

        if (e->seq == log->sound_seq && memcmp(e->hash, log->sound_hash, 32) != 0)
                return PAWL_EDAMAGED;
        if (e->seq == c->head)
                status = check_event(c, e);
        if (!status && e->seq == c->head && c->macs)
                status = check_mac(c, e);
        if (!status && e->seq == c->head && memcmp(e->hash, hash, 32) != 0)
                status = PAWL_EDAMAGED;
        if (!status)
                take_event(c, e);
        return status;
}

/* Where a read is dear, one shows what check_sound() and check_last() look for one by one. False:
 * they say what is wrong. */
static bool ends_are_sound(uint64_t seq, const unsigned char hash[32], pawl_log *log)
{
        pawl_error why = PAWL_ERROR_INIT;
        checking c = {.log = log,
                .scratch = PAWL__BUF_INIT,
                .last = seq - 1,
                .head = seq,
                .key = log->key ? PAWL__KEY_FITS : PAWL__KEY_NONE,
                .why = &why};
        bool sound_is_there = log->sound_seq == 0;
        pawl__query *row = NULL;
        pawl_event event;

        if (!log->engine->keeps_rows || seq <= log->sound_seq)
                return false;
        pawl_status status = begin_macs(&c, seq);
        c.last = 0;
        if (!status)
                status = pawl__log_row(&row, log, PAWL__STMT_ENDS, "verify it", &why, "i",
                        (int64_t)log->sound_seq);
        while (!status && row) {
                status = pawl__row_event(
                        &event, log, row, (uint64_t)pawl__query_integer(row, 0), &why);
                if (!status)
                        status = check_end(&c, &event, hash);
                sound_is_there |= !status && event.seq == log->sound_seq;
                if (!status)
                        status = pawl__query_step(row, "verify it", &why);
        }
        pawl__query_reset(row);
        pawl__query_reset(c.macs);
        pawl__buf_free(&c.scratch);
        return status == PAWL_DONE && sound_is_there && c.last == seq;
}

pawl_status pawl__head_check(
        uint64_t seq, const unsigned char hash[32], pawl_log *log, pawl_error *err)
{
        pawl_status status = PAWL_OK;

        if (seq == log->sound_seq && memcmp(hash, log->sound_hash, 32) == 0)
                return PAWL_OK;
        if (!ends_are_sound(seq, hash, log)) {
                status = log->sound_seq ? check_sound(seq, log, err) : PAWL_OK;
                if (!status && seq)
                        status = check_last(seq, hash, log, err);
        }
        if (status)
                return status;
        log->sound_seq = seq;
        memcpy(log->sound_hash, hash, 32);
        return PAWL_OK;
}

pawl_status pawl__log_check_head(pawl_log *log, pawl_error *err)
{
        unsigned char hash[32];
        uint64_t seq;
        pawl_status status = pawl__head_read(&seq, hash, log, err);

        return status ? status : pawl__head_check(seq, hash, log, err);
}

pawl_status pawl__chain_verify(pawl_verify_result *result, pawl_log *log, uint64_t anchor_seq,
        const unsigned char *anchor_hash, pawl__event_fn judge, void *user)
{
        TRY(pawl__log_usable(log, NULL));

        checking c = {.log = log,
                .scratch = PAWL__BUF_INIT,
                .anchor_seq = anchor_seq,
                .anchor_hash = anchor_hash,
                .judge = judge,
                .judge_user = user,
                .why = &log->err};
        pawl_status status = check_all(&c);

        pawl__buf_free(&c.scratch);
        if (status && status != PAWL_EDAMAGED)
                return status;
        result->events = c.last;
        result->keyed = c.key != PAWL__KEY_NONE;
        result->bad_seq = status ? c.last + 1 : 0;
        result->why = status ? log->err : (pawl_error)PAWL_ERROR_INIT;
        return status;
}
