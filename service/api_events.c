/*
 * Events: pages by seq, one, and the stream. A page scans SCAN events at most, whatever its filter,
 * and says where the next one begins: so it may be short, or empty, with more to come.
 */
#include "base/error.h"
#include "command/find.h"
#include "events/log.h"
#include "service/feed.h"
#include "service/site.h"
#include <inttypes.h>
#include <stdlib.h>

enum {
        LIMIT = 100, /* of a page, by default */
        LIMIT_MAX = 1000,
        SCAN = 16384,
        CHUNK = 256 /* events that are read at once, backwards */
};
#define PAGE_BYTES (4 * 1024 * 1024) /* of a page, or one event if that is more */

typedef struct page {
        pawl_log *log;
        pawl_text type, run, step; /* absent: any */
        uint64_t limit;
        struct entry {
                uint64_t seq;
                size_t at, len; /* in text */
        } * entries;
        size_t n, cap;
        pawl__buf text;
        uint64_t head, next; /* next 0: there is none */
        pawl_error err;
} page;

/* Add the event, if it passes the filter. */
static pawl_status keep(page *p, const pawl_event *event)
{
        const size_t at = p->text.len;

        if (!service_lets_pass(p->type, event->type) || !service_lets_pass(p->run, event->run_id) ||
                !service_lets_pass(p->step, event->step_id))
                return PAWL_OK;
        if (pawl__grow(&p->entries, &p->cap, p->n + 1, sizeof *p->entries))
                return pawl__nomem(&p->err);
        pawl_status status = pawl__log_event_json(&p->text, p->log, event, &p->err);
        if (!status)
                p->entries[p->n++] = (struct entry){event->seq, at, p->text.len - at};
        return status;
}

/* ---- From a seq on ----------------------------------------------------------------------- */

static bool is_full(const page *p)
{
        return p->n >= p->limit || p->text.len >= PAGE_BYTES;
}

/* Is there no filter? */
static bool takes_all(const page *p)
{
        return !p->type.data && !p->run.data && !p->step.data;
}

/* Read @p most events after @p since, at most, until the page is full if it is @p bounded. */
static pawl_status read_some(page *p, uint64_t since, uint64_t most, bool bounded, uint64_t *last)
{
        pawl_cursor *cursor;
        pawl_event event;
        pawl_status status = pawl__cursor_open(&cursor, p->log, since, most);

        *last = since;
        if (status)
                return pawl__log_failed(p->log, status, &p->err);
        while (!status && !(bounded && is_full(p))) {
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

static pawl_status read_on(page *p, uint64_t since)
{
        uint64_t last;
        pawl_status status = read_some(p, since, takes_all(p) ? p->limit : SCAN, true, &last);

        if (last > p->head && p->n)
                p->head = last;
        if (last < p->head)
                p->next = last;
        return status;
}

/* ---- Before a seq ---------------------------------------------------------------------------- */

static int by_seq(const void *a, const void *b)
{
        const struct entry *x = a, *y = b;

        return (x->seq > y->seq) - (x->seq < y->seq);
}

/* Keep the newest that fit a page; the events down to @p from have been read. */
static void trim(page *p, uint64_t from)
{
        size_t bytes = 0, first = p->n;

        if (p->n)
                qsort(p->entries, p->n, sizeof *p->entries, by_seq);
        while (first > 0 && p->n - first < p->limit && bytes < PAGE_BYTES)
                bytes += p->entries[--first].len;
        p->next = first > 0 ? p->entries[first].seq : from > 1 ? from : 0;
        p->n -= first;
        if (first)
                memmove(p->entries, p->entries + first, p->n * sizeof *p->entries);
}

static pawl_status read_back(page *p, uint64_t before)
{
        uint64_t from = before <= p->head ? before : p->head + 1;
        uint64_t looked = 0, last;
        pawl_status status = PAWL_OK;

        while (!status && from > 1 && !is_full(p) && looked < SCAN) {
                const uint64_t to = from;
                const uint64_t n = takes_all(p) && p->limit < CHUNK ? p->limit : CHUNK;
                from = to > n ? to - n : 1;
                looked += to - from;
                status = read_some(p, from - 1, to - from, false, &last);
        }
        if (!status)
                trim(p, from);
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

static pawl_status read_page(page *p, const service_request *request)
{
        const bool back = service_query(request, "before").data != NULL;
        uint64_t since = 0, before = 0;
        pawl_status status =
                service_query_number(&p->limit, request, "limit", 1, LIMIT_MAX, &p->err);

        if (!status)
                status = service_query_number(&since, request, "since", 0, INT64_MAX, &p->err);
        if (!status)
                status = service_query_number(&before, request, "before", 1, INT64_MAX, &p->err);
        if (!status && back && service_query(request, "since").data)
                status = pawl__fail(&p->err, PAWL_EINVAL,
                        "the query: since and before do not go together; give one of them");
        if (!status)
                status = read_head(&p->head, p->log, &p->err);
        if (status)
                return status;
        return back ? read_back(p, before) : read_on(p, since);
}

void service_api_events(service_answer *answer, service_call *call)
{
        page p = {.log = call->log,
                .type = service_query(call->request, "type"),
                .run = service_query(call->request, "run"),
                .step = service_query(call->request, "step"),
                .limit = LIMIT,
                .err = PAWL_ERROR_INIT};

        pawl__arena arena = PAWL__ARENA_INIT;

        if (cli_whole_run(&p.run, call->log, &arena, &p.err) || read_page(&p, call->request))
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
