/**
 * @file service/feed_ring.h
 * @brief The newest events, each as the text that streams send, in a bounded ring.
 */
#ifndef SERVICE_FEED_RING_H
#define SERVICE_FEED_RING_H

#include "base/text.h"
#include <pawl/events.h>

enum {
        SERVICE_RING_EVENTS = 4096,
        SERVICE_RING_BYTES = 4 * 1024 * 1024 /* of texts; one event alone may be more */
};

/** An event. Texts live as long as the entry. */
typedef struct service_ring_entry {
        char *text; /**< what is sent; followed by the other two */
        size_t len;
        pawl_text type, run_id;
} service_ring_entry;

/** The events first, first + 1, ... head; none of them while first is past the head. */
typedef struct service_ring {
        service_ring_entry *entries; /* SERVICE_RING_EVENTS, by seq modulo that */
        uint64_t first, head;
        size_t bytes;
} service_ring;

PAWL_MUST_CHECK pawl_status service_ring_open(service_ring *ring, uint64_t head);
void service_ring_close(service_ring *ring);
/** Drop everything; the next event is the one after @p head. */
void service_ring_reset(service_ring *ring, uint64_t head);
/** Add the event after the head; takes over @p text, and empties it. PAWL_ENOMEM: nothing changed.
 */
PAWL_MUST_CHECK pawl_status service_ring_add(
        service_ring *ring, const pawl_event *event, pawl__buf *text);
/** The entry of an event; NULL: it is not in the ring. */
const service_ring_entry *service_ring_get(const service_ring *ring, uint64_t seq);

#endif
