/* One stream of a feed: what it sends next. */
#include "base/error.h"
#include "base/json_write.h"
#include "service/feed_inside.h"
#include "service/thread.h"
#include <stdlib.h>

enum { BEAT_MS = 15000 };

bool service_stream_wants(const service_stream *s, pawl_text type, pawl_text run_id)
{
        return service_lets_pass(s->filter.type, type) &&
               service_lets_pass(s->filter.run_id, run_id);
}

/* ---- What goes out ------------------------------------------------------------------------------
 */

static size_t least(size_t a, size_t b)
{
        return a < b ? a : b;
}

static size_t take_note(service_stream *s, char *out, size_t max)
{
        size_t n = least(max, strlen(s->note + s->note_at));

        memcpy(out, s->note + s->note_at, n);
        s->note_at += n;
        if (s->note[s->note_at] == '\0') {
                free(s->note_own);
                s->note = s->note_own = NULL;
                s->note_at = 0;
        }
        return n;
}

static size_t take_page(service_stream *s, char *out, size_t max)
{
        size_t n = least(max, s->page.len - s->page_at);

        memcpy(out, s->page.data + s->page_at, n);
        s->page_at += n;
        if (s->page_at == s->page.len) {
                pawl__buf_free(&s->page);
                s->page_at = 0;
        }
        return n;
}

/* Some bytes of the next event. */
static size_t take_entry(service_stream *s, const service_ring_entry *entry, char *out, size_t max)
{
        size_t n = least(max, entry->len - s->offset);

        memcpy(out, entry->text + s->offset, n);
        s->offset += n;
        if (s->offset == entry->len) {
                s->offset = 0;
                s->next++;
        }
        return n;
}

/* The entry of the next event that it shows; NULL: the ring has none. */
static const service_ring_entry *next_entry(service_stream *s)
{
        const service_ring_entry *entry;

        while ((entry = service_ring_get(&s->feed->ring, s->next)) != NULL) {
                if (s->offset || service_stream_wants(s, entry->type, entry->run_id))
                        return entry;
                s->next++;
        }
        return NULL;
}

/* The next event is older than the ring: the second thread reads it. */
static void ask_for_page(service_stream *s)
{
        service_feed *feed = s->feed;

        s->paging = true;
        s->queued_after = NULL;
        if (feed->queue_last)
                feed->queue_last->queued_after = s;
        else
                feed->queue = s;
        feed->queue_last = s;
        pthread_cond_signal(&feed->page);
}

static size_t take(service_stream *s, char *out, size_t max)
{
        const service_ring_entry *entry;

        if (s->page.len)
                return take_page(s, out, max);
        if (s->note && s->offset == 0)
                return take_note(s, out, max);
        if (s->ended || s->paging)
                return 0;
        if ((entry = next_entry(s)) != NULL)
                return take_entry(s, entry, out, max);
        if (s->next < s->feed->ring.first)
                ask_for_page(s);
        return 0;
}

static ssize_t stream_read(void *user, char *out, size_t max)
{
        service_stream *s = user;
        size_t n = 0, more;

        pthread_mutex_lock(&s->feed->lock);
        s->sleeping = false;
        while (n < max && (more = take(s, out + n, max - n)) > 0)
                n += more;
        bool over = n == 0 && s->ended;
        if (n)
                s->sent_ms = service_now_ms();
        s->sleeping = n == 0 && !over;
        pthread_mutex_unlock(&s->feed->lock);
        return over ? -1 : (ssize_t)n;
}

/* ---- From other threads
 * -----------------------------------------------------------------------------
 */

static void wake(service_stream *s)
{
        if (!s->sleeping || !s->body)
                return;
        s->sleeping = false;
        service_wake(s->body);
}

void service_stream_look(service_stream *s)
{
        if (s->paging || s->ended || !s->sleeping)
                return;
        if (next_entry(s) || s->next < s->feed->ring.first)
                wake(s);
}

void service_stream_beat(service_stream *s, int64_t now_ms)
{
        if (s->ended || s->note || !s->sleeping || now_ms - s->sent_ms < BEAT_MS)
                return;
        s->note = ": keep-alive\n\n";
        wake(s);
}

/* "event: error" and the message, on a new line where one was begun. Without memory the stream ends
 * without it. */
static char *error_text(const pawl_error *why, bool after)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;
        pawl__buf text = PAWL__BUF_INIT;

        pawl__json_open_object(&w);
        pawl__json_name(&w, "error");
        service_error_object(&w, why, 0);
        pawl__json_close_object(&w);
        if (!pawl__json_end_writer(&w) && pawl__buf_addf(&text, "%sevent: error\ndata: %s\n\n",
                                                  after ? "\n\n" : "", w.buf.data))
                pawl__buf_free(&text);
        pawl__json_writer_free(&w);
        return text.data;
}

void service_stream_end(service_stream *s, const pawl_error *why)
{
        if (s->ended)
                return;
        s->ended = true;
        const bool after = s->note_at > 0;
        free(s->note_own);
        s->note = s->note_own = NULL;
        s->note_at = 0;
        /* in the middle of an event it would be read as part of the event */
        if (why && s->offset == 0)
                s->note = s->note_own = error_text(why, after);
        wake(s);
}

void service_stream_paged(
        service_stream *s, pawl_status status, pawl__buf *page, uint64_t next, pawl_error *err)
{
        s->paging = s->busy = false;
        if (status)
                service_stream_end(s, err);
        if (s->ended)
                return;
        s->next = next;
        if (page->len) {
                s->page = *page;
                *page = (pawl__buf)PAWL__BUF_INIT;
                s->page_at = least(s->offset, s->page.len - 1); /* within the page's first event */
                s->offset = 0;
        }
        if (page->len == 0 && s->page.len == 0 && next < s->feed->ring.first)
                ask_for_page(s); /* nothing to show, and there is more */
        else
                wake(s);
}

/* ---- Its life -----------------------------------------------------------------------------------
 */

static void stream_start(void *user, service_async_body *body)
{
        service_stream *s = user;

        pthread_mutex_lock(&s->feed->lock);
        s->body = body;
        pthread_mutex_unlock(&s->feed->lock);
}

static void unlink_stream(service_stream *s)
{
        if (s->before)
                s->before->after = s->after;
        else
                s->feed->streams = s->after;
        if (s->after)
                s->after->before = s->before;
}

/* Remove it from the queue for pages. */
static void unqueue(service_stream *s)
{
        service_feed *feed = s->feed;
        service_stream *last = NULL;

        for (service_stream **at = &feed->queue; *at; at = &(*at)->queued_after) {
                if (*at != s) {
                        last = *at;
                        continue;
                }
                *at = s->queued_after;
                if (!s->queued_after)
                        feed->queue_last = last;
                break;
        }
}

static void stream_close(void *user)
{
        service_stream *s = user;
        service_feed *feed = s->feed;

        pthread_mutex_lock(&feed->lock);
        unlink_stream(s);
        s->body = NULL;
        s->closed = true;
        free(s->note_own);
        pawl__buf_free(&s->page);
        if (s->paging && !s->busy)
                unqueue(s);
        if (!s->busy) /* else the second thread frees it */
                free(s);
        pthread_mutex_unlock(&feed->lock);
        service_feed_leave(feed);
}

static service_stream *make(const service_feed_filter *filter)
{
        service_stream *s = calloc(1, sizeof *s + filter->type.len + filter->run_id.len);
        char *texts = (char *)(s + 1);

        if (!s)
                return NULL;
        if (filter->type.data) {
                memcpy(texts, filter->type.data, filter->type.len);
                s->filter.type = pawl__text_n(texts, filter->type.len);
                texts += filter->type.len;
        }
        if (filter->run_id.data) {
                memcpy(texts, filter->run_id.data, filter->run_id.len);
                s->filter.run_id = pawl__text_n(texts, filter->run_id.len);
        }
        return s;
}

/* Add it to the streams, unless the feed is stopping or broken. */
static pawl_status enter(service_feed *feed, service_stream *s, uint64_t head, pawl_error *err)
{
        if (feed->stopping)
                return pawl__fail(err, PAWL_ESTATE, "events: the service is stopping; ask again");
        if (feed->broken.status) {
                if (err)
                        *err = feed->broken;
                return feed->broken.status;
        }
        /* without streams the ring was not kept up to date; or it was another log's */
        if (!feed->streams && head != feed->ring.head)
                service_ring_reset(&feed->ring, head);
        s->after = feed->streams;
        if (feed->streams)
                feed->streams->before = s;
        feed->streams = s;
        feed->users++;
        pthread_cond_signal(&feed->look);
        return PAWL_OK;
}

pawl_status service_feed_source(service_source *out, service_feed *feed,
        const service_feed_filter *filter, uint64_t since, uint64_t head, pawl_error *err)
{
        service_stream *s = make(filter);

        if (!s)
                return pawl__nomem(err);
        s->feed = feed;
        s->next = since + 1;
        s->note = "retry: 2000\n\n";
        s->sent_ms = service_now_ms();
        pthread_mutex_lock(&feed->lock);
        pawl_status status = enter(feed, s, head, err);
        pthread_mutex_unlock(&feed->lock);
        if (status) {
                free(s);
                return status;
        }
        *out = (service_source){stream_start, stream_read, stream_close, s};
        return PAWL_OK;
}
