/*
 * Events: pages by seq, one, and the stream. A page that is narrowed looks at SCAN events at most,
 * and says where the next one begins: so it may be short, or empty, with more to come.
 */
#include "base/error.h"
#include "command/find.h"
#include "events/log.h"
#include "service/feed.h"
#include "service/site.h"
#include "state/run_range.h"
#include <inttypes.h>
#include <stdlib.h>

enum {
        LIMIT = 100, /* of a page, by default */
        LIMIT_MAX = 1000,
        SCAN = 65536
};
#define PAGE_BYTES (4 * 1024 * 1024) /* of a page, or one event if that is more */

typedef struct page {
        pawl_log *log;
        pawl__event_filter filter; /* the range that is looked at */
        uint64_t limit;
        struct entry {
                size_t at, len; /* in text */
        } * entries;
        size_t n, cap;
        pawl__buf text;
        uint64_t head, next; /* next 0: there is none */
        uint64_t last;       /* none behind it passes */
        pawl_error err;
} page;

static pawl_status keep(page *p, const pawl_event *event)
{
        const size_t at = p->text.len;

        if (pawl__grow(&p->entries, &p->cap, p->n + 1, sizeof *p->entries))
                return pawl__nomem(&p->err);
        pawl_status status = pawl__log_event_json(&p->text, p->log, event, &p->err);
        if (!status)
                p->entries[p->n++] = (struct entry){at, p->text.len - at};
        return status;
}

static bool is_full(const page *p)
{
        return p->n >= p->limit || p->text.len >= PAGE_BYTES;
}

/* Read what passes, until the page is full or the range was looked at; *last: the last one kept. */
static pawl_status read_range(uint64_t *last, page *p)
{
        pawl_cursor *cursor;
        pawl_event event;
        pawl_status status = pawl__cursor_find(&cursor, p->log, &p->filter);

        if (status)
                return pawl__log_failed(p->log, status, &p->err);
        while (!status && !is_full(p)) {
                status = pawl_cursor_next(cursor, &event);
                if (status < 0)
                        pawl__log_failed(p->log, status, &p->err);
                if (!status)
                        status = keep(p, &event);
                if (!status)
                        *last = event.seq;
        }
        pawl_cursor_close(cursor);
        return status == PAWL_DONE ? PAWL_OK : status;
}

/* How many events a page looks at. */
static uint64_t scan(const page *p)
{
        const pawl__event_filter *f = &p->filter;

        return f->type.data || f->run_id.data || f->step_id.data ? SCAN : p->limit;
}

static pawl_status read_on(page *p)
{
        const uint64_t since = p->filter.since, left = p->last > since ? p->last - since : 0;
        uint64_t last = 0;

        if (!left)
                return PAWL_OK;
        p->filter.before = since + (left < scan(p) ? left : scan(p)) + 1;
        pawl_status status = read_range(&last, p);
        if (!is_full(p))
                last = p->filter.before - 1;
        p->next = last < p->last ? last : 0;
        return status;
}

/* The newest first, which are then put in order. */
static pawl_status read_back(page *p)
{
        const uint64_t least = p->filter.since; /* none up to there is wanted */
        uint64_t last = 0;

        if (p->filter.before > p->last)
                p->filter.before = p->last + 1;
        if (p->filter.before <= least + 1)
                return PAWL_OK;
        if (p->filter.before - 1 - least > scan(p))
                p->filter.since = p->filter.before - 1 - scan(p);
        p->filter.back = true;
        pawl_status status = read_range(&last, p);
        if (!is_full(p))
                last = p->filter.since + 1;
        p->next = last > least + 1 ? last : 0;
        for (size_t i = 0; i < p->n / 2; i++) {
                const struct entry other = p->entries[i];
                p->entries[i] = p->entries[p->n - 1 - i];
                p->entries[p->n - 1 - i] = other;
        }
        return status;
}

/* ---- The route --------------------------------------------------------------------------- */

static void write_page(service_answer *answer, const page *p)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        (void)!pawl__buf_reserve(&w.buf, p->text.len + p->n + 80); /* its failure sticks */
        pawl__json_open_object(&w);
        pawl__json_name(&w, "events");
        pawl__json_open_array(&w);
        for (size_t i = 0; i < p->n; i++)
                pawl__json_raw(
                        &w, pawl__text_n(p->text.data + p->entries[i].at, p->entries[i].len));
        pawl__json_close_array(&w);
        pawl__json_name(&w, "next");
        if (p->next)
                pawl__json_integer(&w, (int64_t)p->next);
        else
                pawl__json_null(&w);
        pawl__json_member_integer(&w, "head", (int64_t)p->head);
        pawl__json_close_object(&w);
        service_answer_json(answer, 200, &w);
}

static pawl_status read_head(uint64_t *head, pawl_log *log, pawl_error *err)
{
        unsigned char hash[32];
        pawl_status status = pawl_log_head(head, hash, log);

        return status ? pawl__log_failed(log, status, err) : PAWL_OK;
}

/* To where the run's events are. */
static pawl_status narrow_to_run(page *p)
{
        pawl__event_filter range;

        TRY(pawl__run_range(&range, p->log, p->filter.run_id, &p->err));
        if (p->filter.since < range.since)
                p->filter.since = range.since;
        if (range.before && range.before <= p->last)
                p->last = range.before - 1;
        return PAWL_OK;
}

static pawl_status read_page(page *p, const service_request *request)
{
        pawl__event_filter *f = &p->filter;

        TRY(service_query_number(&p->limit, request, "limit", 1, LIMIT_MAX, &p->err));
        TRY(service_query_number(&f->since, request, "since", 0, INT64_MAX, &p->err));
        TRY(service_query_number(&f->before, request, "before", 1, INT64_MAX, &p->err));
        TRY(read_head(&p->head, p->log, &p->err));
        p->last = p->head;
        if (f->run_id.data)
                TRY(narrow_to_run(p));
        return f->before ? read_back(p) : read_on(p);
}

void service_api_events(service_answer *answer, service_call *call)
{
        page p = {.log = call->log,
                .filter = {.type = service_query(call->request, "type"),
                        .run_id = service_query(call->request, "run"),
                        .step_id = service_query(call->request, "step")},
                .limit = LIMIT,
                .err = PAWL_ERROR_INIT};
        pawl__arena arena = PAWL__ARENA_INIT;

        if (cli_whole_run(&p.filter.run_id, call->log, &arena, &p.err) ||
                read_page(&p, call->request))
                service_answer_fail(answer, &p.err);
        else
                write_page(answer, &p);
        free(p.entries);
        pawl__buf_free(&p.text);
        pawl__arena_free(&arena);
}

void service_api_event(service_answer *answer, service_call *call)
{
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__buf json = PAWL__BUF_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        pawl_event event;
        uint64_t seq = 0;
        pawl_status status = PAWL_OK;

        if (!cli_parse_number(&seq, call->params[0].data) || seq == 0)
                status = pawl__fail(&err, PAWL_ENOTFOUND,
                        "seq \"%.*s\": is no number; give digits alone, from 1 up",
                        PAWL__FMT(call->params[0]));
        if (!status && (status = pawl__log_event(&event, &arena, call->log, seq)))
                pawl__log_failed(call->log, status, &err);
        if (!status)
                status = pawl__log_event_json(&json, call->log, &event, &err);
        if (status)
                service_answer_fail(answer, &err);
        else
                service_answer_body(answer, 200, SERVICE_JSON, &json);
        pawl__buf_free(&json);
        pawl__arena_free(&arena);
}

/* ---- The stream -------------------------------------------------------------------------- */

/* The event before the first of the stream: Last-Event-ID, else the query, else the head. */
static pawl_status begins_after(
        uint64_t *since, const service_call *call, uint64_t head, pawl_error *err)
{
        const pawl_text seen = call->request->headers[SERVICE_LAST_EVENT_ID];
        uint64_t at = head;
        pawl_status status = service_query_number(&at, call->request, "since", 0, INT64_MAX, err);

        if (!status)
                status = service_query_number(
                        &at, call->request, "last_event_id", 0, INT64_MAX, err);
        if (!status && seen.data && !cli_parse_number(&at, seen.data))
                status = pawl__fail(err, PAWL_EINVAL,
                        "Last-Event-ID \"%.*s\": is no seq; send the id of the last event seen",
                        PAWL__FMT(seen));
        if (!status && at > head)
                status = pawl__fail(err, PAWL_ESTATE,
                        "event %" PRIu64 ": the log ends at %" PRIu64 ", before it; ask without "
                        "Last-Event-ID, or for what is there",
                        at, head);
        if (!status)
                *since = at;
        return status;
}

void service_api_stream(service_answer *answer, service_call *call)
{
        service_feed_filter filter = {
                .type = service_query(call->request, "type"),
                .run_id = service_query(call->request, "run"),
        };
        pawl_error err = PAWL_ERROR_INIT;
        uint64_t head = 0, since = 0;
        service_stream *stream;
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl_status status = read_head(&head, call->log, &err);

        if (!status)
                status = cli_whole_run(&filter.run_id, call->log, &arena, &err);
        if (!status)
                status = begins_after(&since, call, head, &err);
        if (!status && !call->site->feed)
                status = pawl__fail(&err, PAWL_ESTATE, "events: no stream is to be had; ask again");
        if (!status)
                status = service_feed_stream(&stream, call->site->feed, &filter, since, &err);
        pawl__arena_free(&arena);
        if (status)
                service_answer_fail(answer, &err);
        else
                service_answer_stream(answer, stream);
}
