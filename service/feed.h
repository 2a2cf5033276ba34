/**
 * @file service/feed.h
 * @brief The events of a log as they come, to any number of streams (server-sent events).
 *
 * One thread reads the head of the log: once a second for GET /healthz, and more often while
 * there are streams. A stream knows its next event
 * and holds at most one page: some events, formatted. When it has sent them, the thread gives it
 * the next page. Streams that need the same events share one. So a slow reader costs one page,
 * however far behind it is. That thread's handle is also the one by which a log that vanished is
 * put back.
 */
#pragma once

#include "service/site.h"

#define SERVICE_PAGE_BYTES (16 * 1024) /* a page ends soon after that; one event may be more */

/** Follow the log of a site. PAWL_ENOMEM, PAWL_EIO (no thread), or as pawl_log_open(). */
PAWL_MUST_CHECK pawl_status service_feed_open(
        service_feed **out, service_site *site, pawl_error *err);
/**
 * Keep the log that this service has: put it back where nothing is at its path any more, save it
 * beside what is there. From any thread; NULL and a service that only reads keep nothing. Also done
 * at each look.
 * @return PAWL_OK: the path can be looked at. Else the log is neither here nor there but still
 *         open, or what is to be said of where it was saved.
 */
PAWL_MUST_CHECK pawl_status service_feed_keep(service_feed *feed, pawl_error *err);

/** Read the log now: this process appended something. From any thread; NULL is allowed. */
void service_feed_poke(service_feed *feed);

/** End every stream, and the thread. Open streams may be read to their end and closed after it: the
 *  last close frees the feed. NULL is allowed. */
void service_feed_stop(service_feed *feed);

/** Does it match? The absent text matches all. */
static inline bool service_lets_pass(pawl_text wanted, pawl_text is)
{
        return !wanted.data || pawl__text_eq(wanted, is);
}

/** Which events a stream shows. */
typedef struct service_feed_filter {
        pawl_text type, run_id;
} service_feed_filter;

/**
 * A stream of the events after @p since. It ends when the feed is stopped, and with an "event:
 * error" where the log cannot be read any more, was replaced, or ends before what was shown.
 * @return PAWL_ENOMEM; PAWL_ESTATE when the feed was stopped; while the log cannot be followed,
 *         why.
 */
PAWL_MUST_CHECK pawl_status service_feed_stream(service_stream **out, service_feed *feed,
        const service_feed_filter *filter, uint64_t since, pawl_error *err);
/** Send a comment on each stream on which nothing was sent in the 15 s before @p now_ms. */
void service_feed_beat(service_feed *feed, int64_t now_ms);

/** Append one event in the format of a stream. A failure leaves @p out as it was. */
PAWL_MUST_CHECK pawl_status service_feed_write(
        pawl__buf *out, pawl_log *log, const pawl_event *event, pawl_error *err);
