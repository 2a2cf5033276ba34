/*
 * The second thread of a feed: pages of the log for streams that stand before the ring, one after
 * the other, so that each comes to its turn. A page is one event at least, ends soon after
 * PAGE_BYTES, and looks at SCAN events at most; it may hold none that the stream shows.
 */
#include "events/log.h"
#include "service/feed_inside.h"
#include <stdlib.h>

enum { PAGE_BYTES = 16 * 1024, SCAN = 4096 };

/* Read on for it. *next: the event after the last one looked at. */
static pawl_status read_page(pawl__buf *page, uint64_t *next, const service_stream *s,
        pawl_log *log, uint64_t from, pawl_error *err)
{
        pawl_cursor *cursor;
        pawl_event event;
        unsigned looked = 0;
        pawl_status status = pawl_cursor_open(&cursor, log, from - 1);

        *next = from;
        if (status)
                return pawl__log_failed(log, status, err);
        while (page->len < PAGE_BYTES && looked++ < SCAN) {
                status = pawl_cursor_next(cursor, &event);
                if (status < 0)
                        pawl__log_failed(log, status, err);
                if (!status && service_stream_wants(s, event.type, event.run_id))
                        status = service_feed_write(page, log, &event, err);
                if (status)
                        break;
                *next = event.seq + 1;
        }
        pawl_cursor_close(cursor);
        return status == PAWL_DONE ? PAWL_OK : status;
}

/* The file may have been replaced since: then what is open is another log than the streams'. */
static pawl_status right_log(
        service_feed_log *log, uint64_t *of, uint64_t generation, const char *path, pawl_error *err)
{
        if (*of != generation)
                service_feed_log_close(log);
        *of = generation;
        return log->log ? PAWL_OK : service_feed_log_open(log, path, err);
}

/* The first one that waits, out of the queue. */
static service_stream *first(service_feed *feed)
{
        service_stream *s = feed->queue;

        feed->queue = s->queued_after;
        if (!feed->queue)
                feed->queue_last = NULL;
        s->busy = true;
        return s;
}

static void serve(service_feed *feed, service_feed_log *log, uint64_t *of)
{
        pawl__buf page = PAWL__BUF_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        service_stream *s = first(feed);
        uint64_t from = s->next, next = from, generation = feed->generation;

        pthread_mutex_unlock(&feed->lock);
        pawl_status status = right_log(log, of, generation, feed->path, &err);
        if (!status)
                status = read_page(&page, &next, s, log->log, from, &err);
        pthread_mutex_lock(&feed->lock);
        if (s->closed)
                free(s);
        else
                service_stream_paged(s, status, &page, next, &err);
        pawl__buf_free(&page);
}

void *service_feed_pager(void *user)
{
        service_feed *feed = user;
        service_feed_log log = {.log = NULL};
        uint64_t of = 0;

        pthread_mutex_lock(&feed->lock);
        while (!feed->stopping) {
                if (feed->queue)
                        serve(feed, &log, &of);
                else
                        pthread_cond_wait(&feed->page, &feed->lock);
        }
        pthread_mutex_unlock(&feed->lock);
        service_feed_log_close(&log);
        return NULL;
}
