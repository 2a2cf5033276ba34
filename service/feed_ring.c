#include "service/feed_ring.h"
#include <stdlib.h>

static service_ring_entry *place(const service_ring *ring, uint64_t seq)
{
        return &ring->entries[seq % SERVICE_RING_EVENTS];
}

/* Drop the oldest event. */
static void drop(service_ring *ring)
{
        service_ring_entry *entry = place(ring, ring->first++);

        ring->bytes -= entry->len;
        free(entry->text);
        *entry = (service_ring_entry){.text = NULL};
}

pawl_status service_ring_open(service_ring *ring, uint64_t head)
{
        *ring = (service_ring){.first = head + 1, .head = head};
        ring->entries = calloc(SERVICE_RING_EVENTS, sizeof *ring->entries);
        return ring->entries ? PAWL_OK : PAWL_ENOMEM;
}

void service_ring_reset(service_ring *ring, uint64_t head)
{
        while (ring->first <= ring->head)
                drop(ring);
        ring->first = head + 1;
        ring->head = head;
}

void service_ring_close(service_ring *ring)
{
        if (ring->entries)
                service_ring_reset(ring, ring->head);
        free(ring->entries);
        ring->entries = NULL;
}

pawl_status service_ring_add(service_ring *ring, const pawl_event *event, pawl__buf *text)
{
        size_t len = text->len, whole;
        pawl_status status = pawl__buf_add(text, event->type.data, event->type.len);

        if (!status && event->run_id.data)
                status = pawl__buf_add(text, event->run_id.data, event->run_id.len);
        char *data = status ? NULL : pawl__buf_take(text, &whole);
        if (!data) {
                text->len = len;
                return PAWL_ENOMEM;
        }
        while (ring->first <= ring->head && (ring->head - ring->first + 1 >= SERVICE_RING_EVENTS ||
                                                    ring->bytes + len > SERVICE_RING_BYTES))
                drop(ring);
        ring->head++;
        *place(ring, ring->head) = (service_ring_entry){
                .text = data,
                .len = len,
                .type = {data + len, event->type.len},
                .run_id = {event->run_id.data ? data + len + event->type.len : NULL,
                        event->run_id.len},
        };
        ring->bytes += len;
        return PAWL_OK;
}

const service_ring_entry *service_ring_get(const service_ring *ring, uint64_t seq)
{
        return seq >= ring->first && seq <= ring->head ? place(ring, seq) : NULL;
}
