/* An event as people and other programs get it: contract section 6. */
#include "base/json_read.h"
#include "base/json_write.h"
#include "base/sources.h"
#include "events/handle.h"

/* The payload goes out as it is: it must be one JSON value on one line. */
static pawl_status check_payload(const pawl_event *e, pawl_error *err)
{
        pawl__json_reader reader;
        pawl__json_token token = {.type = PAWL__JSON_NULL};
        pawl_error why = PAWL_ERROR_INIT;
        pawl_status status = PAWL_OK;

        if (e->payload.len && memchr(e->payload.data, '\n', e->payload.len))
                return pawl__fail(err, PAWL_EDAMAGED,
                        "seq %llu: payload: is not on one line; run `eventlog verify`",
                        (unsigned long long)e->seq);
        pawl__json_reader_init(&reader, e->payload.data, e->payload.len);
        while (!status && token.type != PAWL__JSON_FINISHED)
                status = pawl__json_next(&reader, &token, &why);
        return status ? pawl__fail(err, PAWL_EDAMAGED, "seq %llu: payload: %s",
                                (unsigned long long)e->seq, why.message)
                      : PAWL_OK;
}

pawl_status pawl__event_json(
        pawl__buf *out, const pawl_event *e, const unsigned char *mac, pawl_error *err)
{
        const size_t start = out->len;
        pawl__json_writer w = {.buf = *out}; /* borrowed: what is there is written on */
        char time[28], prev[65], hash[65], mac_hex[65];

        if (e->payload.data) {
                pawl_status status = check_payload(e, err);
                if (status)
                        return status;
        }
        pawl__time_format(time, e->time_us);
        pawl__hex(prev, e->prev, 32);
        pawl__hex(hash, e->hash, 32);
        pawl__json_open_object(&w);
        pawl__json_member_integer(&w, "seq", (int64_t)e->seq);
        pawl__json_member_text(&w, "type", e->type);
        pawl__json_member_integer(&w, "v", e->v);
        pawl__json_member_string(&w, "time", time);
        pawl__json_member_text(&w, "mission_id", e->mission_id);
        pawl__json_member_text(&w, "run_id", e->run_id);
        pawl__json_member_text(&w, "step_id", e->step_id);
        pawl__json_member_text(&w, "session_id", e->session_id);
        pawl__json_member_text(&w, "actor", e->actor);
        pawl__json_member_raw(&w, "payload", e->payload.data ? e->payload : pawl__text("null"));
        pawl__json_member_string(&w, "prev", prev);
        pawl__json_member_string(&w, "hash", hash);
        if (mac) {
                pawl__hex(mac_hex, mac, 32);
                pawl__json_member_string(&w, "mac", mac_hex);
        }
        pawl__json_close_object(&w);
        const pawl_status status = pawl__json_end_writer(&w);
        *out = w.buf;
        if (status && out->data)
                out->data[out->len = start] = '\0';
        return status ? pawl__nomem(err) : PAWL_OK;
}

pawl_status pawl__log_event_json(
        pawl__buf *out, pawl_log *log, const pawl_event *e, pawl_error *err)
{
        unsigned char mac[32], payload_hash[32];
        char hex[65];
        bool keyed;
        pawl_status status = pawl__log_mac(&keyed, mac, log, e->seq);

        if (status)
                return pawl__log_failed(log, status, err);
        if (!e->payload.data)
                status = pawl__log_payload_hash(payload_hash, log, e, err);
        if (!status)
                status = pawl__event_json(out, e, keyed ? mac : NULL, err);
        if (status || e->payload.data)
                return status;
        pawl__hex(hex, payload_hash, 32);
        out->len--; /* the brace */
        return pawl__buf_addf(out, ",\"payload_hash\":\"%s\"}", hex) ? pawl__nomem(err) : PAWL_OK;
}
