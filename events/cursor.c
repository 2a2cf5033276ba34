/*
 * Reading events in order. A cursor copies a batch of rows and resets its statement before it hands
 * out the first, so that no read transaction stays open between calls: a slow reader does
 * not keep the write-ahead log from being recycled. Events are never changed, so two batches always
 * fit together.
 */
#include "events/handle.h"
#include <stdlib.h>
#include <time.h>

enum { BATCH_ROWS = 256, BATCH_BYTES = 1 << 20 };

struct pawl_cursor {
        pawl_log *log;
        char *texts;               /* of the filter */
        uint64_t last, until;      /* the last one copied, the last one to be read */
        pawl__event_filter filter; /* of pawl__cursor_find(): what is still to be read */
        bool finds;
        pawl__arena arena;
        size_t at, n;
        pawl_event events[BATCH_ROWS];
};

static pawl_status check_cursor(const pawl_cursor *cursor)
{
        return pawl__log_usable(cursor ? cursor->log : NULL, NULL);
}

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

static bool takes_all(const pawl__event_filter *f)
{
        return !f->type.data && !f->run_id.data && !f->step_id.data;
}

/* The next rows that pass; the rest of the range is then what is behind them. */
static pawl_status find_rows(pawl_cursor *cursor, size_t *n)
{
        pawl__event_filter *f = &cursor->filter;
        pawl_log *log = cursor->log;
        pawl__query *found;
        size_t rows = 0, bytes = 0;
        pawl_status status = pawl__log_query(
                &found, log, f->back ? PAWL__STMT_FIND_BACK : PAWL__STMT_FIND, &log->err);

        if (status)
                return status;
        pawl__query_bind(found, "iittti", (int64_t)f->since, (int64_t)f->before, f->type, f->run_id,
                f->step_id, (int64_t)BATCH_ROWS);
        while (!status && rows < BATCH_ROWS && bytes < BATCH_BYTES) {
                status = pawl__query_step(found, "read it", &log->err);
                if (status)
                        break;
                const uint64_t expected = !takes_all(f) ? (uint64_t)pawl__query_integer(found, 0)
                                          : f->back     ? f->before - 1
                                                        : f->since + 1;
                status = pawl__row_event(&cursor->events[rows], log, found, expected, &log->err);
                if (!status && !keep(&cursor->events[rows], &bytes, &cursor->arena))
                        status = pawl__nomem(&log->err);
                if (!status)
                        *(f->back ? &f->before : &f->since) = cursor->events[rows++].seq;
        }
        pawl__query_reset(found);
        *n = rows;
        return status == PAWL_DONE ? PAWL_OK : status;
}

/* The filter's texts, in one piece of memory that the cursor has. */
static pawl_status own_filter(pawl_cursor *cursor, const pawl__event_filter *filter)
{
        pawl__event_filter *const own = &cursor->filter;
        pawl_text *const texts[] = {&own->type, &own->run_id, &own->step_id};
        size_t size = 1;

        *own = *filter;
        for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
                size += texts[i]->len;
        char *at = cursor->texts = malloc(size);
        if (!at)
                return pawl__nomem(&cursor->log->err);
        for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
                if (!texts[i]->data)
                        continue;
                if (texts[i]->len)
                        memcpy(at, texts[i]->data, texts[i]->len);
                texts[i]->data = at;
                at += texts[i]->len;
        }
        return PAWL_OK;
}

pawl_status pawl__cursor_find(pawl_cursor **out, pawl_log *log, const pawl__event_filter *filter)
{
        pawl_cursor *cursor = NULL;

        TRY(pawl__cursor_open(&cursor, log, filter->since, UINT64_MAX));
        const pawl_status status = own_filter(cursor, filter);
        if (status) {
                pawl_cursor_close(cursor);
                return status;
        }
        cursor->finds = true;
        if (filter->before && filter->before - 1 < cursor->until)
                cursor->until = filter->before - 1;
        cursor->filter.before = cursor->until + 1;
        *out = cursor;
        return PAWL_OK;
}

pawl_status pawl_cursor_open(pawl_cursor **out, pawl_log *log, uint64_t since)
{
        TRY(pawl__log_usable(log, NULL));

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
        cursor->texts = NULL;
        cursor->finds = false;
        cursor->filter = (pawl__event_filter){.since = 0};
        cursor->last = since;
        cursor->until = head > since && head - since > most ? since + most : head;
        cursor->arena = (pawl__arena)PAWL__ARENA_INIT;
        cursor->at = cursor->n = 0;
        *out = cursor;
        return PAWL_OK;
}

/* PAWL_OK: there are events that were not returned yet. */
static pawl_status read_ahead(pawl_cursor *cursor)
{
        size_t n = 0;

        if (cursor->at < cursor->n)
                return PAWL_OK;
        if (cursor->last >= cursor->until)
                return PAWL_DONE;
        cursor->at = cursor->n = 0;
        pawl__arena_clear(&cursor->arena);
        pawl_status status = cursor->finds
                                     ? find_rows(cursor, &n)
                                     : read_rows(cursor->events, BATCH_ROWS, &n, &cursor->arena,
                                               cursor->log, cursor->last, cursor->until);
        if (cursor->finds && !status && n == 0)
                return PAWL_DONE;
        /* Events before a damaged row are still returned; the failure comes again.
         * Any other may not, and may have undone a transaction of the caller's. */
        if (n == 0 || (status && status != PAWL_EDAMAGED))
                return status ? status
                              : pawl__damaged(cursor->log, &cursor->log->err, cursor->last + 1,
                                        "the event is missing");
        cursor->n = n;
        cursor->last += cursor->finds ? 0 : n;
        return PAWL_OK;
}

pawl_status pawl_cursor_next(pawl_cursor *cursor, pawl_event *event)
{
        TRY(check_cursor(cursor));

        const pawl_status status = read_ahead(cursor);

        if (!status)
                *event = cursor->events[cursor->at++];
        return status;
}

/* ---- Waited for -----------------------------------------------------------------------------
 */

/* What was appended since is to be read, too. */
static pawl_status reach_head(pawl_cursor *cursor)
{
        unsigned char hash[32];
        uint64_t head;
        const pawl_status status = pawl_log_head(&head, hash, cursor->log);

        if (status || head <= cursor->until)
                return status;
        if (cursor->filter.since < cursor->until) /* all up to there was looked at */
                cursor->filter.since = cursor->until;
        cursor->filter.before = head + 1;
        cursor->until = head;
        return PAWL_OK;
}

enum { LOOK_MS = 100 }; /* between two looks at a log that is waited for */

pawl_status pawl_cursor_wait(pawl_cursor *cursor, unsigned timeout_ms)
{
        TRY(check_cursor(cursor));

        const int64_t end = pawl__boot_ms(cursor->log) + timeout_ms;

        for (;;) {
                pawl_status status = read_ahead(cursor);
                if (status == PAWL_DONE && !(status = reach_head(cursor)))
                        status = read_ahead(cursor);
                const int64_t left = end - pawl__boot_ms(cursor->log);
                if (status != PAWL_DONE || left <= 0)
                        return status;
                const struct timespec pause = {0, (left < LOOK_MS ? left : LOOK_MS) * 1000000};
                nanosleep(&pause, NULL);
        }
}

void pawl_cursor_close(pawl_cursor *cursor)
{
        if (!cursor)
                return;
        free(cursor->texts);
        pawl__arena_free(&cursor->arena);
        free(cursor);
}

/* Is that seq within the log? The head of a log on a server is beside its events. */
static pawl_status is_within(pawl_log *log, uint64_t seq)
{
        unsigned char hash[32];
        uint64_t head;
        pawl_status status = pawl__head_read(&head, hash, log, &log->err);

        if (!status && (seq < 1 || seq > head))
                status = pawl__fail(&log->err, PAWL_ENOTFOUND,
                        "seq %llu: there is no such event; `eventlog head` names the last one",
                        (unsigned long long)seq);
        return status;
}

pawl_status pawl__log_event(pawl_event *out, pawl__arena *arena, pawl_log *log, uint64_t seq)
{
        pawl_event event;
        size_t n = 0;
        pawl_status status = pawl__view_refresh(log, &log->err);

        if (!status && seq > 0 && seq <= INT64_MAX)
                status = read_rows(&event, 1, &n, arena, log, seq - 1, seq);
        if (!status && n == 0)
                status = is_within(log, seq);
        if (!status && n == 0) /* It is lost, unless it was appended since the first look. */
                status = read_rows(&event, 1, &n, arena, log, seq - 1, seq);
        if (!status && n == 0)
                status = pawl__damaged(log, &log->err, seq, "the event is missing");
        if (!status)
                *out = event;
        return status;
}

pawl_status pawl__log_walk(pawl_log *log, uint64_t since, uint64_t until, pawl__event_fn fn,
        void *user, pawl_error *err)
{
        unsigned char hash[32];
        uint64_t head = 0;
        pawl__query *range;
        pawl_event event;
        pawl_status row = PAWL_OK, status = pawl__view_refresh(log, err);

        if (!status)
                status = pawl__head_read(&head, hash, log, err);
        if (until > head)
                until = head;
        while (!status && since < until) {
                const uint64_t stop = until - since > BATCH_ROWS ? since + BATCH_ROWS : until;
                status = pawl__log_query(&range, log, PAWL__STMT_RANGE, err);
                if (status)
                        break;
                pawl__query_bind(range, "ii", (int64_t)since, (int64_t)stop);
                while (!status && since < stop &&
                        (row = pawl__query_step(range, "read it", err)) == PAWL_OK) {
                        status = pawl__row_event(&event, log, range, since + 1, err);
                        if (!status)
                                status = fn(&event, pawl__event_type_of(event.type), user, err);
                        since++;
                }
                pawl__query_reset(range);
                if (row < 0)
                        return row;
                if (row == PAWL_DONE)
                        return pawl__damaged(log, err, since + 1, "the event is missing");
        }
        return status == PAWL_DONE ? PAWL_OK : status;
}

/* All that the cursor, which is closed then, has; @p status: of its opening. */
static pawl_status each(pawl_log *log, pawl_cursor *cursor, pawl_status status, pawl__event_fn fn,
        void *user, pawl_error *err)
{
        pawl_event event = {0};
        pawl_status stop = PAWL_OK;

        while (!status && !stop && (status = pawl_cursor_next(cursor, &event)) == PAWL_OK)
                stop = fn(&event, pawl__event_type_of(event.type), user, err);
        pawl_cursor_close(cursor);
        if (status < 0)
                return pawl__log_failed(log, status, err);
        return stop == PAWL_DONE ? PAWL_OK : stop;
}

pawl_status pawl__log_each(
        pawl_log *log, uint64_t since, pawl__event_fn fn, void *user, pawl_error *err)
{
        pawl_cursor *cursor = NULL;
        const pawl_status status = pawl_cursor_open(&cursor, log, since);

        return each(log, cursor, status, fn, user, err);
}

pawl_status pawl__log_each_of(pawl_log *log, const pawl__event_filter *filter, pawl__event_fn fn,
        void *user, pawl_error *err)
{
        pawl_cursor *cursor = NULL;
        const pawl_status status = pawl__cursor_find(&cursor, log, filter);

        return each(log, cursor, status, fn, user, err);
}

pawl_status pawl_log_head(uint64_t *seq, unsigned char hash[32], pawl_log *log)
{
        TRY(pawl__log_usable(log, NULL));

        uint64_t last = 0;
        unsigned char last_hash[32];
        pawl_status status = pawl__view_refresh(log, &log->err);

        if (!status)
                status = pawl__head_read(&last, last_hash, log, &log->err);
        if (!status) {
                *seq = last;
                memcpy(hash, last_hash, 32);
        }
        return status;
}
