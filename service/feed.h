/**
 * @file service/feed.h
 * @brief The events of a log as they come, to any number of streams (server-sent events).
 *
 * One thread follows the head of the log, as `eventlog tail -f` does, and formats each new event
 * once, into a ring of the newest; every stream copies from there. A stream whose next event is
 * older than the ring, because it resumes or its reader is slow, gets pages from the log by a
 * second thread. So a slow reader costs one page at most, however far it is behind. Without streams
 * both threads sleep.
 *
 * A stream is a source of bytes (service/answer.h). It ends when the feed is stopped, and with an
 * "event: error" where the log cannot be read any more, was replaced, or ends before what was
 * shown.
 */
#ifndef SERVICE_FEED_H
#define SERVICE_FEED_H

#include "service/answer.h"
#include <pawl/events.h>

typedef struct service_feed service_feed;

/** Follow the log at @p path, once there is a stream. PAWL_ENOMEM, PAWL_EIO (no thread). */
PAWL_MUST_CHECK pawl_status service_feed_open(
        service_feed **out, const char *path, pawl_error *err);

/** Read the log now: this process appended something. From any thread; NULL is allowed. */
void service_feed_poke(service_feed *feed);

/** End every stream and the threads. Streams that are open may be read to their end and closed
 *  after it: the last close frees the feed. NULL is allowed. */
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
 * A stream of the events after @p since; @p head is the log's head as the caller has just read it,
 * at least @p since.
 * @param[out] out  the caller closes it.
 * @return PAWL_ENOMEM; PAWL_ESTATE when the feed was stopped; while the log cannot be followed,
 * why.
 */
PAWL_MUST_CHECK pawl_status service_feed_source(service_source *out, service_feed *feed,
        const service_feed_filter *filter, uint64_t since, uint64_t head, pawl_error *err);

/** Append one event in the format of a stream. */
PAWL_MUST_CHECK pawl_status service_feed_write(
        pawl__buf *out, pawl_log *log, const pawl_event *event, pawl_error *err);

#endif
