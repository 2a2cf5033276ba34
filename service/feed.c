/* A feed's life, and its first thread, which follows the head of the log. */
#include "service/feed.h"
#include "base/error.h"
#include "events/log.h"
#include "service/feed_inside.h"
#include "service/thread.h"
#include <stdlib.h>
#include <string.h>

enum {
        LOOK_EVERY_MS = 200,
        TRY_EVERY_MS = 1000, /* while the log cannot be followed */
        AT_ONCE = 64         /* events that are added before streams are woken */
};

/* ---- Following the log --------------------------------------------------------------------------
 */

/* Add an event to the ring, unless the ring has passed it meanwhile. */
static pawl_status add(service_feed *feed, const pawl_event *event, pawl__buf *text)
{
        pawl_status status = PAWL_OK;

        pthread_mutex_lock(&feed->lock);
        if (event->seq > feed->ring.head + 1)
                service_ring_reset(&feed->ring, event->seq - 1);
        if (event->seq == feed->ring.head + 1)
                status = service_ring_add(&feed->ring, event, text);
        pthread_mutex_unlock(&feed->lock);
        return status;
}

static void show(service_feed *feed)
{
        pthread_mutex_lock(&feed->lock);
        for (service_stream *s = feed->streams; s; s = s->after)
                service_stream_look(s);
        pthread_mutex_unlock(&feed->lock);
}

/* Read new events into the ring; of more than it holds, only the newest: older ones are read from
 * the log. */
static pawl_status take_new(
        service_feed *feed, pawl_log *log, uint64_t since, uint64_t head, pawl_error *err)
{
        pawl__buf text = PAWL__BUF_INIT;
        pawl_cursor *cursor;
        pawl_event event;
        unsigned added = 0;
        pawl_status status;

        if (head - since > SERVICE_RING_EVENTS)
                since = head - SERVICE_RING_EVENTS;
        status = pawl_cursor_open(&cursor, log, since);
        if (status)
                return pawl__log_failed(log, status, err);
        while ((status = pawl_cursor_next(cursor, &event)) == PAWL_OK) {
                pawl__buf_clear(&text);
                status = service_feed_write(&text, log, &event, err);
                if (!status && add(feed, &event, &text))
                        status = pawl__nomem(err);
                if (status)
                        break;
                if (++added % AT_ONCE == 0)
                        show(feed);
        }
        if (status < 0 && !err->status)
                pawl__log_failed(log, status, err);
        pawl_cursor_close(cursor);
        pawl__buf_free(&text);
        show(feed);
        return status == PAWL_DONE ? PAWL_OK : status;
}

/* Another program may lock the log for a while; nothing is lost by waiting. */
static bool passes(pawl_status status)
{
        return status == PAWL_EBUSY || status == PAWL_EINTERRUPTED;
}

/* The log cannot be followed: end every stream with the reason. */
static void give_up(service_feed *feed, service_feed_log *log, const pawl_error *err)
{
        service_feed_log_close(log);
        pthread_mutex_lock(&feed->lock);
        feed->broken = *err;
        feed->generation++;
        for (service_stream *s = feed->streams; s; s = s->after)
                service_stream_end(s, err);
        pthread_mutex_unlock(&feed->lock);
}

/* Follow the log from its head on, for the first time or again: streams get older events by pages.
 */
static pawl_status begin(service_feed *feed, service_feed_log *log, pawl_error *err)
{
        uint64_t head = 0;
        pawl_status status = service_feed_log_open(log, feed->path, err);

        if (!status)
                status = service_feed_log_head(&head, log, feed->path, 0, err);
        if (status) {
                service_feed_log_close(log);
                return status;
        }
        pthread_mutex_lock(&feed->lock);
        service_ring_reset(&feed->ring, head);
        feed->broken = (pawl_error)PAWL_ERROR_INIT;
        pthread_mutex_unlock(&feed->lock);
        show(feed);
        return PAWL_OK;
}

static void look(service_feed *feed, service_feed_log *log)
{
        pawl_error err = PAWL_ERROR_INIT;
        uint64_t since, head = 0;
        pawl_status status;

        if (!log->log) {
                status = begin(feed, log, &err);
        } else {
                pthread_mutex_lock(&feed->lock);
                since = feed->ring.head;
                pthread_mutex_unlock(&feed->lock);
                status = service_feed_log_head(&head, log, feed->path, since, &err);
                if (!status && head > since)
                        status = take_new(feed, log->log, since, head, &err);
        }
        if (status && !passes(status))
                give_up(feed, log, &err);
}

/* ---- The thread ---------------------------------------------------------------------------------
 */

/* Wait until it is time to read the log, or until poked; without streams, until there is one. */
static void wait_a_little(service_feed *feed)
{
        const struct timespec until =
                service_in_ms(feed->broken.status ? TRY_EVERY_MS : LOOK_EVERY_MS);

        if (feed->poked || feed->stopping)
                return;
        if (feed->streams || feed->broken.status)
                pthread_cond_timedwait(&feed->look, &feed->lock, &until);
        else
                pthread_cond_wait(&feed->look, &feed->lock);
}

static void *follow(void *user)
{
        service_feed *feed = user;
        service_feed_log log = {.log = NULL};

        pthread_mutex_lock(&feed->lock);
        while (!feed->stopping) {
                wait_a_little(feed);
                feed->poked = false;
                bool wanted = (feed->streams || feed->broken.status) && !feed->stopping;
                pthread_mutex_unlock(&feed->lock);
                if (wanted)
                        look(feed, &log);
                int64_t now = service_now_ms();
                pthread_mutex_lock(&feed->lock);
                for (service_stream *s = feed->streams; s; s = s->after)
                        service_stream_beat(s, now);
        }
        pthread_mutex_unlock(&feed->lock);
        service_feed_log_close(&log);
        return NULL;
}

void service_feed_poke(service_feed *feed)
{
        if (!feed)
                return;
        pthread_mutex_lock(&feed->lock);
        feed->poked = true;
        pthread_cond_signal(&feed->look);
        pthread_mutex_unlock(&feed->lock);
}

/* ---- Its life -----------------------------------------------------------------------------------
 */

static void free_feed(service_feed *feed)
{
        service_ring_close(&feed->ring);
        pthread_cond_destroy(&feed->look);
        pthread_cond_destroy(&feed->page);
        pthread_mutex_destroy(&feed->lock);
        free(feed->path);
        free(feed);
}

void service_feed_leave(service_feed *feed)
{
        pthread_mutex_lock(&feed->lock);
        bool last = --feed->users == 0;
        pthread_mutex_unlock(&feed->lock);
        if (last)
                free_feed(feed);
}

static void stop_threads(service_feed *feed)
{
        pthread_mutex_lock(&feed->lock);
        feed->stopping = true;
        pthread_cond_signal(&feed->look);
        pthread_cond_signal(&feed->page);
        pthread_mutex_unlock(&feed->lock);
}

static pawl_status start_threads(service_feed *feed, pawl_error *err)
{
        pawl_status status = service_thread_start(&feed->follower, follow, feed, err);

        if (status)
                return status;
        status = service_thread_start(&feed->pager, service_feed_pager, feed, err);
        if (status) {
                stop_threads(feed);
                pthread_join(feed->follower, NULL);
        }
        return status;
}

pawl_status service_feed_open(service_feed **out, const char *path, pawl_error *err)
{
        service_feed *feed = calloc(1, sizeof *feed);

        if (!feed)
                return pawl__nomem(err);
        pthread_mutex_init(&feed->lock, NULL);
        service_cond_init(&feed->look);
        pthread_cond_init(&feed->page, NULL);
        feed->users = 1;
        feed->generation = 1;
        feed->path = strdup(path);
        pawl_status status = PAWL_OK;
        if (!feed->path || service_ring_open(&feed->ring, 0))
                status = pawl__nomem(err);
        if (!status)
                status = start_threads(feed, err);
        if (status) {
                free_feed(feed);
                return status;
        }
        *out = feed;
        return PAWL_OK;
}

void service_feed_stop(service_feed *feed)
{
        if (!feed)
                return;
        stop_threads(feed);
        pthread_join(feed->follower, NULL);
        pthread_join(feed->pager, NULL);
        pthread_mutex_lock(&feed->lock);
        for (service_stream *s = feed->streams; s; s = s->after)
                service_stream_end(s, NULL);
        pthread_mutex_unlock(&feed->lock);
        service_feed_leave(feed);
}
