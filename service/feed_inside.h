/**
 * @file service/feed_inside.h
 * @brief The internals of a feed, which its two threads and its streams share.
 *
 * One lock guards all of it; it is never held while waiting for a disk. service_wake() is called
 * under it.
 */
#ifndef SERVICE_FEED_INSIDE_H
#define SERVICE_FEED_INSIDE_H

#include "service/feed.h"
#include "service/feed_ring.h"
#include <pthread.h>

typedef struct service_stream service_stream;

struct service_stream {
        service_feed *feed;
        service_stream *before, *after; /* all of the feed's */
        service_stream *queued_after;   /* in the queue for a page */
        service_async_body *body;       /* NULL: not started */
        service_feed_filter filter;
        uint64_t next;  /* the next event */
        size_t offset;  /* bytes of it that were sent, from the ring */
        pawl__buf page; /* from the log, sent before anything of the ring */
        size_t page_at;
        const char *note; /* sent between two events; NULL: nothing */
        char *note_own;   /* the same, where it is to be freed */
        size_t note_at;
        int64_t sent_ms; /* when something was last sent */
        bool sleeping;   /* the last read had nothing */
        bool paging;     /* queued for a page, or the second thread reads one */
        bool busy;       /* the second thread uses it */
        bool ended;      /* nothing comes after what there is */
        bool closed;     /* to be freed by the thread that uses it */
};

struct service_feed {
        pthread_mutex_t lock;
        pthread_cond_t look, page; /* for the first and the second thread */
        pthread_t follower, pager;
        char *path;
        service_ring ring;
        service_stream *streams;            /* newest first */
        service_stream *queue, *queue_last; /* for pages */
        pawl_error broken;   /* why the log cannot be followed; status PAWL_OK: it can */
        uint64_t generation; /* of the log's file, which may be replaced */
        unsigned users;      /* the feed's owner, and each stream */
        bool poked, stopping;
};

/* ---- Streams (service/feed_stream.c), under the lock ----------------------------------------- */

/** Does the stream show such an event? */
bool service_stream_wants(const service_stream *stream, pawl_text type, pawl_text run_id);
/** Skip events of the ring that it does not show; wake it if it sleeps and there is more. */
void service_stream_look(service_stream *stream);
/** End it; with an error, which is shown. */
void service_stream_end(service_stream *stream, const pawl_error *why);
/** A comment to keep the connection alive, if nothing was sent for long. */
void service_stream_beat(service_stream *stream, int64_t now_ms);
/** Give it what was read for it: PAWL_OK, the page of events before @p next; or the failure. */
void service_stream_paged(service_stream *stream, pawl_status status, pawl__buf *page,
        uint64_t next, pawl_error *err);
/** Release a reference to the feed; the last one frees it. Takes and releases the lock. */
void service_feed_leave(service_feed *feed);

/* ---- The log of a thread (service/feed_log.c), without the lock ------------------------
 */

/** A log that is followed: the file that had the name when it was opened. */
typedef struct service_feed_log {
        pawl_log *log; /* NULL: not open */
        uint64_t device, inode;
} service_feed_log;

PAWL_MUST_CHECK pawl_status service_feed_log_open(
        service_feed_log *log, const char *path, pawl_error *err);
void service_feed_log_close(service_feed_log *log);
/** Its head. PAWL_ENOTFOUND where another file, or none, has its name now; PAWL_ESTATE where it
 * ends before @p shown. */
PAWL_MUST_CHECK pawl_status service_feed_log_head(
        uint64_t *head, service_feed_log *log, const char *path, uint64_t shown, pawl_error *err);

/** The second thread (service/feed_page.c). */
void *service_feed_pager(void *feed);

#endif
