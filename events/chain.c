/* The chain: what of an event is hashed, and how (docs/reference/event-log.md). */
#include "base/json_write.h"
#include "base/sources.h"
#include "events/handle.h"

/* A member's value; the absent text is null. */
static void add_text(pawl__buf *out, const char *before, pawl_text text)
{
        pawl__buf_adds(out, before);
        if (text.data)
                pawl__json_quote(out, text);
        else
                pawl__buf_add(out, "null", 4);
}

static void add_integer(pawl__buf *out, const char *before, uint64_t value)
{
        char digits[20];
        size_t at = sizeof digits;

        do
                digits[--at] = (char)('0' + value % 10);
        while ((value /= 10) != 0);
        pawl__buf_adds(out, before);
        pawl__buf_add(out, digits + at, sizeof digits - at);
}

/* Members in the order of RFC 8785, which for these names is the alphabet's. */
static pawl_status envelope(pawl__buf *out, const pawl_event *e, const unsigned char *payload_hash)
{
        char time[28], hex[65];

        pawl__time_format(time, e->time_us);
        add_text(out, "{\"actor\":", e->actor);
        add_text(out, ",\"mission_id\":", e->mission_id);
        if (payload_hash) {
                pawl__hex(hex, payload_hash, 32);
                add_text(out, ",\"payload_hash\":", pawl__text_n(hex, 64));
        }
        add_text(out, ",\"run_id\":", e->run_id);
        add_integer(out, ",\"seq\":", e->seq);
        add_text(out, ",\"session_id\":", e->session_id);
        add_text(out, ",\"step_id\":", e->step_id);
        add_text(out, ",\"time\":", pawl__text_n(time, 27));
        add_text(out, ",\"type\":", e->type);
        add_integer(out, ",\"v\":", (uint64_t)e->v);
        pawl__buf_addc(out, '}');
        return pawl__buf_check(out, NULL);
}

pawl_status pawl__chain_envelope(pawl__buf *out, const pawl_event *event)
{
        return envelope(out, event, NULL);
}

pawl_status pawl__chain_leaf(
        pawl__buf *out, const pawl_event *event, const unsigned char payload_hash[32])
{
        return envelope(out, event, payload_hash);
}

pawl_status pawl__chain_hash(unsigned char out[32], pawl__hasher *hasher, pawl__buf *scratch,
        const pawl_event *event, const unsigned char payload_hash[32])
{
        pawl_status status;

        pawl__buf_clear(scratch);
        status = pawl__chain_envelope(scratch, event);
        if (!status)
                status = pawl__hasher_begin(hasher, NULL);
        if (!status)
                status = pawl__hasher_add(hasher, event->prev, 32);
        if (!status)
                status = pawl__hasher_add(hasher, payload_hash, 32);
        if (!status)
                status = pawl__hasher_add(hasher, scratch->data, scratch->len);
        return status ? status : pawl__hasher_end(hasher, out);
}

pawl_status pawl__log_event_intact(pawl_log *log, const pawl_event *event)
{
        unsigned char payload_hash[32], hash[32];

        pawl_status status = pawl__sha256(
                log->hasher, payload_hash, event->payload.data, event->payload.len, &log->err);
        if (status)
                return status;
        if (pawl__chain_hash(hash, log->hasher, &log->envelope, event, payload_hash))
                return pawl__nomem(&log->err);
        if (memcmp(hash, event->hash, 32) != 0)
                return pawl__damaged(log, &log->err, event->seq,
                        "its hash does not fit: its payload or its envelope was changed");
        return PAWL_OK;
}
