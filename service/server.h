/**
 * @file service/server.h
 * @brief The service at an address: HTTP in, answers out.
 *
 * One thread has all connections. It reads each request, asks service_admit() when the headers are
 * there and, for what is admitted, gives the whole to the workers while the connection sleeps.
 */
#ifndef SERVICE_SERVER_H
#define SERVICE_SERVER_H

#include "service/site.h"

typedef struct service_server service_server;

#define SERVICE_HEADERS_BYTES 16384      /* names and values of a request's headers, at most */
#define SERVICE_BODIES_BYTES  (64 << 20) /* bodies of all requests that wait or are under way */
#define SERVICE_GRACE_MS      5000       /* for what runs when the service is stopped */

/**
 * Listen, and answer from now on. @p site outlives the server.
 * @return PAWL_ENOTFOUND without libmicrohttpd; PAWL_EEXISTS where somebody else listens there,
 *         PAWL_EACCESS for a port that is not ours to take, PAWL_EINVAL for an address that this
 *         machine does not have and for a certificate that fits no key, PAWL_EIO, PAWL_ENOMEM.
 */
PAWL_MUST_CHECK pawl_status service_server_start(
        service_server **out, service_site *site, pawl_error *err);

/** Where it listens: the port that was free, where 0 was asked for. */
uint16_t service_server_port(const service_server *server);

/** Accept no more, let what runs finish (after SERVICE_GRACE_MS it is interrupted), send the
 * answers, end the streams, close. NULL is allowed. */
void service_server_stop(service_server *server);

#endif
