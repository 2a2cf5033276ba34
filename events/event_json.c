/* An event as people and other programs get it: contract section 6. */
#include "base/json_write.h"
#include "base/sources.h"
#include "events/handle.h"

pawl_status pawl__event_json(pawl__buf *out, const pawl_event *e, const unsigned char *mac)
{
        size_t start = out->len;
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;
        char time[28], prev[65], hash[65], mac_hex[65];

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
        pawl_status status = pawl__json_end_writer(&w);
        if (!status)
                status = pawl__buf_add(out, w.buf.data, w.buf.len);
        if (status)
                out->len = start;
        pawl__json_writer_free(&w);
        return status;
}
