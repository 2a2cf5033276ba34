/* A row of the table events as an event. The row is not trusted, since any program may have written
 * it: only that the engine can read it is assumed. */
#include "events/handle.h"
#include <limits.h>

pawl_status pawl__damaged(pawl_log *log, pawl_error *err, uint64_t seq, const char *what)
{
        if (pawl__view_stale(log))
                return pawl__fail(err, PAWL_EBUSY,
                        "%s: somebody began to write the log while it was read; read it again",
                        log->path);
        return pawl__fail(err, PAWL_EDAMAGED,
                "seq %llu: %s; the log is damaged: put back a copy, or go on from one that "
                "verifies",
                (unsigned long long)seq, what);
}

/* The first and last microsecond of the years 0001 to 9999, which RFC 3339 can write. */
bool pawl__time_writable(int64_t time_us)
{
        return time_us >= INT64_C(-62135596800000000) && time_us <= INT64_C(253402300799999999);
}

enum { SEQ, TYPE, V, TIME, MISSION, RUN, STEP, SESSION, ACTOR, PAYLOAD, PREV, HASH };

/* The text of a column, which may be NULL where that is allowed. */
static const char *take_text(
        pawl_text *out, pawl__query *row, int column, bool nullable, const char *wrong)
{
        const pawl__sql_value value = pawl__query_value(row, column);

        if (value.type == PAWL__SQL_NULL && nullable) {
                *out = (pawl_text){NULL, 0};
                return NULL;
        }
        if (value.type != PAWL__SQL_TEXT)
                return wrong;
        *out = value.as.bytes;
        if (!out->data || !pawl__utf8_valid(out->data, out->len))
                return wrong;
        return NULL;
}

static const char *take(pawl_event *e, pawl__query *row)
{
        static const struct {
                size_t at;
                const char *wrong;
                int column;
                bool nullable;
        } texts[] = {
                {offsetof(pawl_event, type), "its type is not text", TYPE, false},
                {offsetof(pawl_event, mission_id), "its mission_id is not text", MISSION, true},
                {offsetof(pawl_event, run_id), "its run_id is not text", RUN, true},
                {offsetof(pawl_event, step_id), "its step_id is not text", STEP, true},
                {offsetof(pawl_event, session_id), "its session_id is not text", SESSION, true},
                {offsetof(pawl_event, actor), "its actor is not text", ACTOR, true},
                {offsetof(pawl_event, payload), "its payload is not text", PAYLOAD, true},
        };
        const char *wrong = NULL;
        const pawl__sql_value v = pawl__query_value(row, V), time = pawl__query_value(row, TIME);

        if (v.type != PAWL__SQL_INTEGER || v.as.integer < 1 || v.as.integer > INT_MAX)
                return "its v is not a version number";
        e->v = (int)v.as.integer;
        e->time_us = time.as.integer;
        if (time.type != PAWL__SQL_INTEGER || !pawl__time_writable(e->time_us))
                return "its time is not a time";
        for (size_t i = 0; i < sizeof texts / sizeof texts[0] && !wrong; i++)
                wrong = take_text((pawl_text *)(void *)((char *)e + texts[i].at), row,
                        texts[i].column, texts[i].nullable, texts[i].wrong);
        if (!wrong && !pawl__query_hash(e->prev, row, PREV))
                wrong = "its prev is not 32 bytes";
        if (!wrong && !pawl__query_hash(e->hash, row, HASH))
                wrong = "its hash is not 32 bytes";
        return wrong;
}

pawl_status pawl__row_event(
        pawl_event *out, pawl_log *log, pawl__query *range, uint64_t expected, pawl_error *err)
{
        pawl_event event;
        const char *wrong;

        event.seq = (uint64_t)pawl__query_integer(range, SEQ);
        if (event.seq != expected)
                return pawl__damaged(log, err, expected, "the event is missing");
        wrong = take(&event, range);
        if (wrong && pawl__query_nomem(range))
                return pawl__nomem(err);
        if (wrong)
                return pawl__damaged(log, err, expected, wrong);
        const pawl_status status = log->verified.check && event.seq <= log->verified.n
                                           ? log->verified.check(log, &event, err)
                                           : PAWL_OK;
        if (!status)
                *out = event;
        return status;
}

pawl_status pawl__head_read(uint64_t *seq, unsigned char hash[32], pawl_log *log, pawl_error *err)
{
        pawl__query *row;
        pawl_status status = pawl__log_row(&row, log, PAWL__STMT_HEAD, "read it", err, "");

        if (status)
                return status;
        if (!row) {
                *seq = 0;
                memset(hash, 0, 32);
                return PAWL_OK;
        }
        int64_t last = pawl__query_integer(row, 0);
        const char *wrong = last < 1                          ? "its seq is not positive"
                            : !pawl__query_hash(hash, row, 1) ? "its hash is not 32 bytes"
                                                              : NULL;
        if (wrong)
                status = pawl__damaged(log, err, (uint64_t)last, wrong);
        else
                *seq = (uint64_t)last;
        pawl__query_reset(row);
        return status;
}
