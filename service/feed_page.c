/*
 * The second thread of a feed: pages of the log for streams whose next event is older than the
 * ring, in turn. A page has at least one event, ends soon after PAGE_BYTES, and scans SCAN events
 * at most; it may have none that the stream shows.
 */
#include "events/log.h"
#include "service/feed_inside.h"
#include <stdlib.h>

enum { PAGE_BYTES = 16 * 1024, SCAN = 4096 };

/* Read a page. *next: the event after the last one read. */
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

/* The file may have been replaced: then the open log is not the one that the streams follow. */
static pawl_status right_log(
        service_feed_log *log, uint64_t *of, uint64_t generation, const char *path, pawl_error *err)
{
        if (*of != generation)
                service_feed_log_close(log);
        *of = generation;
        return log->log ? PAWL_OK : service_feed_log_open(log, path, err);
}

/* Take the first stream out of the queue. */
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
