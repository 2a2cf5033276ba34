/**
 * @file service/async_body.h
 * @brief The body of an answer from a source; its connection sleeps while the source has nothing.
 *
 * Locks, outermost first: the source's own, a body's, the library's. So a source may call
 * service_wake() while it holds its lock, and close() may take it.
 */
#ifndef SERVICE_ASYNC_BODY_H
#define SERVICE_ASYNC_BODY_H

#include "service/answer.h"
#include "service/library.h"

/** The bodies of one server. */
typedef struct service_async_bodies {
        const service_mhd *mhd;
        pthread_mutex_t lock;
        service_async_body *first;
        bool ending;               /**< no body sleeps any more */
        void (*ended)(void *user); /**< called once for each body, when it is freed */
        void *user;
} service_async_bodies;

void service_async_bodies_init(service_async_bodies *bodies, const service_mhd *mhd,
        void (*ended)(void *user), void *user);
void service_async_bodies_free(service_async_bodies *bodies);

/** A response that reads the source, which is closed with it. NULL: no memory, and it is
 *  closed; bodies->ended is called in any case. On the thread of the connections. */
struct MHD_Response *service_async_response(service_async_bodies *bodies,
        struct MHD_Connection *connection, const service_source *source);

/** End all present and future bodies, as if their sources had ended. */
void service_async_bodies_end(service_async_bodies *bodies);

#endif
