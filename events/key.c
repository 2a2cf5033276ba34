/*
 * The key of the chain. The hashes reveal a change of the log, unless the attacker computes them
 * again, which needs no secret. A MAC over each hash, which covers all events before it, can be
 * computed with the key only.
 *
 * A log is keyed from its creation or never: otherwise an attacker without the key could cut the
 * log back to where it had none, and continue from there.
 */
#include "events/handle.h"

/* key_check is the MAC of this text. It is shorter than a hash, so no event has the same MAC. */
static const char label[] = "pawl chain key 1";

pawl_status pawl__key_take(pawl_log *log, const void *key, size_t len, pawl_error *err)
{
        if (!key && len == 0)
                return PAWL_OK;
        if (!key || len < PAWL_KEY_MIN || len > PAWL_KEY_MAX)
                return pawl__fail(err, PAWL_EINVAL,
                        "options: the key has %zu bytes; give %d to %d, or none", len, PAWL_KEY_MIN,
                        PAWL_KEY_MAX);
        return pawl__mac_new(&log->key, key, len, err);
}

static pawl_status own_check(unsigned char out[32], pawl_log *log, pawl_error *err)
{
        return pawl__mac_of(log->key, out, label, sizeof label - 1) ? pawl__nomem(err) : PAWL_OK;
}

pawl_status pawl__key_set(pawl_log *log, pawl_error *err)
{
        unsigned char check[32];
        pawl__query *put;

        if (!log->key)
                return PAWL_OK;
        pawl_status status = own_check(check, log, err);
        if (!status)
                status = pawl__log_query(&put, log, PAWL__STMT_KEY_PUT, err);
        if (status)
                return status;
        pawl__query_bind(put, "h", check);
        return pawl__query_run(put, NULL, "make its tables", err);
}

/* The log's key_check. *keyed false: it has none, as no log of version 1 has. */
static pawl_status read_check(bool *keyed, unsigned char check[32], pawl_log *log, pawl_error *err)
{
        pawl__query *row = NULL;
        pawl_status status = pawl__log_row(&row, log, PAWL__STMT_KEY_TABLE, "read it", err, "");
        const bool table = row && pawl__query_integer(row, 0) > 0;

        *keyed = false;
        pawl__query_reset(row);
        row = NULL;
        if (!status && table)
                status = pawl__log_row(&row, log, PAWL__STMT_KEY_GET, "read it", err, "");
        *keyed = row != NULL;
        if (row && !pawl__query_hash(check, row, 0))
                status = pawl__damaged(log, err, 1, "the check of the log's key is not 32 bytes");
        pawl__query_reset(row);
        return status;
}

pawl_status pawl__key_fit_of(pawl__key_fit *out, pawl_log *log, pawl_error *err)
{
        unsigned char check[32], own[32];
        bool keyed;
        pawl_status status = read_check(&keyed, check, log, err);

        if (!status && keyed && log->key)
                status = own_check(own, log, err);
        if (status)
                return status;
        if (!keyed)
                *out = PAWL__KEY_NONE;
        else if (!log->key)
                *out = PAWL__KEY_UNKNOWN;
        else
                *out = pawl__mac_same(check, own) ? PAWL__KEY_FITS : PAWL__KEY_OTHER;
        return PAWL_OK;
}

pawl_status pawl__key_open(pawl_log *log, pawl_error *err)
{
        pawl__key_fit fit;
        pawl_status status = pawl__key_fit_of(&fit, log, err);

        if (status)
                return status;
        if (fit == PAWL__KEY_OTHER)
                return pawl__fail(err, PAWL_EKEY,
                        "%s: the key is not this log's; give the one that it was made with",
                        log->path);
        if (fit == PAWL__KEY_NONE && log->key)
                return pawl__fail(err, PAWL_EKEY,
                        "%s: a key was given, and this log was made without one; leave the key "
                        "out, or make another log with it",
                        log->path);
        log->keyed = fit != PAWL__KEY_NONE;
        log->keyed_known = true;
        return PAWL_OK;
}

pawl_status pawl__key_missing(const pawl_log *log, pawl_error *err)
{
        return pawl__fail(err, PAWL_EKEY,
                "%s: the log is keyed, and takes no event without its key; open "
                "it with its key",
                log->path);
}

pawl_status pawl__key_seal(pawl_log *log, const pawl_event *event)
{
        unsigned char mac[32];

        if (pawl__mac_of(log->key, mac, event->hash, sizeof event->hash))
                return pawl__nomem(&log->err);
        return pawl__log_run(log, PAWL__STMT_MAC_PUT, "append", "ih", (int64_t)event->seq, mac);
}

pawl_status pawl__log_mac(bool *there, unsigned char out[32], pawl_log *log, uint64_t seq)
{
        unsigned char check[32];
        pawl__query *row = NULL;
        pawl_status status = PAWL_OK;

        *there = false;
        if (!log->keyed_known) {
                status = read_check(&log->keyed, check, log, &log->err);
                log->keyed_known = !status;
        }
        if (!status && log->keyed)
                status = pawl__log_row(
                        &row, log, PAWL__STMT_MAC_GET, "read it", &log->err, "i", (int64_t)seq);
        *there = row && pawl__query_hash(out, row, 0);
        pawl__query_reset(row);
        return status;
}
