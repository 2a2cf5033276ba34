/*
 * Reading events in order. A cursor copies a batch of rows and resets its statement before it hands
 * out the first, so that no read transaction stays open between calls: a slow reader does
 * not keep the write-ahead log from being recycled. Events are never changed, so two batches always
 * fit together.
 */
#include "events/handle.h"
#include <stdlib.h>

enum { BATCH_ROWS = 256, BATCH_BYTES = 1 << 20 };

struct pawl_cursor {
        pawl_log *log;
        uint64_t last, until; /* the last one copied, the last one to be read */
        pawl__arena arena;
        size_t at, n;
        pawl_event events[BATCH_ROWS];
};

static const size_t text_at[] = {offsetof(pawl_event, type), offsetof(pawl_event, mission_id),
        offsetof(pawl_event, run_id), offsetof(pawl_event, step_id),
        offsetof(pawl_event, session_id), offsetof(pawl_event, actor),
        offsetof(pawl_event, payload)};
enum { TEXTS = sizeof text_at / sizeof text_at[0] };

static pawl_text *text_of(pawl_event *event, size_t i)
{
        return (pawl_text *)(void *)((char *)event + text_at[i]);
}

/* Move the event's texts into the arena, in one piece. */
static bool keep(pawl_event *event, size_t *bytes, pawl__arena *arena)
{
        size_t size = 0;

        for (size_t i = 0; i < TEXTS; i++)
                size += text_of(event, i)->len + 1;
        char *to = pawl__arena_alloc(arena, size);
        if (!to)
                return false;
        for (size_t i = 0; i < TEXTS; i++) {
                pawl_text *text = text_of(event, i);
                if (!text->data)
                        continue;
                if (text->len)
                        memcpy(to, text->data, text->len);
                text->data = to;
                to += text->len + 1;
        }
        *bytes += size;
        return true;
}

/* Read at most max rows of the range. *n: how many there were. */
static pawl_status read_rows(pawl_event *events, size_t max, size_t *n, pawl__arena *arena,
        pawl_log *log, uint64_t since, uint64_t until)
{
        pawl__query *range;
        size_t rows = 0, bytes = 0;
        pawl_status status = pawl__log_query(&range, log, PAWL__STMT_RANGE, &log->err);

        if (status)
                return status;
        if (until - since > max) /* an engine may read the whole range at once */
                until = since + max;
        pawl__query_bind(range, "ii", (int64_t)since, (int64_t)until);
        while (!status && rows < max && bytes < BATCH_BYTES) {
                status = pawl__query_step(range, "read it", &log->err);
                if (!status)
                        status = pawl__row_event(
                                &events[rows], log, range, since + rows + 1, &log->err);
                if (!status && !keep(&events[rows], &bytes, arena))
                        status = pawl__nomem(&log->err);
                rows += !status;
        }
        pawl__query_reset(range);
        *n = rows;
        return status == PAWL_DONE ? PAWL_OK : status;
}

pawl_status pawl_cursor_open(pawl_cursor **out, pawl_log *log, uint64_t since)
{
        return pawl__cursor_open(out, log, since, UINT64_MAX);
}

pawl_status pawl__cursor_open(pawl_cursor **out, pawl_log *log, uint64_t since, uint64_t most)
{
        unsigned char hash[32];
        uint64_t head;
        pawl_status status = pawl__view_refresh(log, &log->err);

        if (!status)
                status = pawl__head_read(&head, hash, log, &log->err);
        if (status)
                return status;
        pawl_cursor *cursor = malloc(sizeof *cursor);
        if (!cursor)
                return pawl__nomem(&log->err);
        cursor->log = log;
        cursor->last = since;
        cursor->until = head > since && head - since > most ? since + most : head;
        cursor->arena = (pawl__arena)PAWL__ARENA_INIT;
        cursor->at = cursor->n = 0;
        *out = cursor;
        return PAWL_OK;
}

pawl_status pawl_cursor_next(pawl_cursor *cursor, pawl_event *event)
{
        if (cursor->at == cursor->n) {
                size_t n = 0;

                if (cursor->last >= cursor->until)
                        return PAWL_DONE;
                cursor->at = cursor->n = 0;
                pawl__arena_clear(&cursor->arena);
                pawl_status status = read_rows(cursor->events, BATCH_ROWS, &n, &cursor->arena,
                        cursor->log, cursor->last, cursor->until);
                /* Events before a damaged row are still returned; the failure comes again.
                 * Any other may not, and may have undone a transaction of the caller's. */
                if (n == 0 || (status && status != PAWL_EDAMAGED))
                        return status ? status
                                      : pawl__damaged(cursor->log, &cursor->log->err,
                                                cursor->last + 1, "the event is missing");
                cursor->n = n;
                cursor->last += n;
        }
        *event = cursor->events[cursor->at++];
        return PAWL_OK;
}

void pawl_cursor_close(pawl_cursor *cursor)
{
        if (!cursor)
                return;
        pawl__arena_free(&cursor->arena);
        free(cursor);
}

/* Beyond the end, or lost: the head of a log on a server stands beside its events. */
static pawl_status no_event(pawl_log *log, uint64_t seq)
{
        unsigned char hash[32];
        uint64_t head;
        pawl_status status = pawl__head_read(&head, hash, log, &log->err);

        if (status)
                return status;
        if (seq > 0 && seq <= head)
                return pawl__damaged(log, &log->err, seq, "the event is missing");
        return pawl__fail(&log->err, PAWL_ENOTFOUND,
                "seq %llu: there is no such event; `eventlog head` names the last one",
                (unsigned long long)seq);
}

pawl_status pawl__log_event(pawl_event *out, pawl__arena *arena, pawl_log *log, uint64_t seq)
{
        pawl_event event;
        size_t n = 0;
        pawl_status status = pawl__view_refresh(log, &log->err);

        if (!status && seq > 0 && seq <= INT64_MAX)
                status = read_rows(&event, 1, &n, arena, log, seq - 1, seq);
        if (!status && n == 0)
                return no_event(log, seq);
        if (!status)
                *out = event;
        return status;
}

pawl_status pawl__log_each(
        pawl_log *log, uint64_t since, pawl__event_fn fn, void *user, pawl_error *err)
{
        pawl_cursor *cursor = NULL;
        pawl_event event = {0};
        pawl_status stop = PAWL_OK, status = pawl_cursor_open(&cursor, log, since);

        while (!status && !stop && (status = pawl_cursor_next(cursor, &event)) == PAWL_OK)
                stop = fn(&event, pawl__event_type_of(event.type), user, err);
        pawl_cursor_close(cursor);
        if (status < 0)
                return pawl__log_failed(log, status, err);
        return stop == PAWL_DONE ? PAWL_OK : stop;
}
