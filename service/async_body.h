/**
 * @file service/async_body.h
 * @brief A source on its way into a connection, which sleeps while the source has nothing.
 *
 * Locks, outermost first: the source's own, a flow's, the library's. So a source may call
 * service_wake() with its lock held, and close() may take it.
 */
#ifndef SERVICE_FLOW_H
#define SERVICE_FLOW_H

#include "service/answer.h"
#include "service/library.h"

/** The flows of one server. Zero-initialised but for the lock. */
typedef struct service_async_bodies {
        const service_mhd *mhd;
        pthread_mutex_t lock;
        service_async_body *first;
        bool ending;               /**< no flow sleeps any more */
        void (*ended)(void *user); /**< called once for each flow, when it is gone */
        void *user;
} service_async_bodies;

void service_async_bodies_init(
        service_async_bodies *flows, const service_mhd *mhd, void (*ended)(void *user), void *user);
void service_async_bodies_free(service_async_bodies *flows);

/** A response that takes from the source, which is closed with it. NULL: no memory, and it is
 *  closed; flows->ended is called in any case. On the thread of the connections. */
struct MHD_Response *service_async_response(service_async_bodies *flows,
        struct MHD_Connection *connection, const service_source *source);

/** End all that there are and that come, as if their sources had ended. */
void service_async_bodies_end(service_async_bodies *flows);

#endif
