/**
 * @file service/server.h
 * @brief The service at an address: HTTP in, answers out.
 *
 * One thread serves all connections. It reads each request, calls service_admit() when the headers
 * have been read and hands an admitted request to the workers while the connection sleeps.
 */
#pragma once

#include "service/site.h"

typedef struct service_server service_server;

#define SERVICE_HEADERS_BYTES 16384      /* names and values of a request's headers, at most */
#define SERVICE_BODIES_BYTES  (64 << 20) /* bodies of all requests that wait or are under way */
#define SERVICE_GRACE_MS      5000       /* for what runs when the service is stopped */

/**
 * Listen, and answer from now on. @p site outlives the server.
 * @return PAWL_ENOTFOUND without libmicrohttpd; PAWL_EEXISTS where another program listens,
 *         PAWL_EACCESS for a privileged port, PAWL_EINVAL for an address that this
 *         machine does not have and for a certificate that fits no key, PAWL_EIO, PAWL_ENOMEM.
 */
PAWL_MUST_CHECK pawl_status service_server_start(
        service_server **out, service_site *site, pawl_error *err);

/** The port that it listens at; also where the option was 0. */
uint16_t service_server_port(const service_server *server);

/** Accept nothing more, let running requests finish (interrupted after SERVICE_GRACE_MS), send the
 * answers, end the streams, close. NULL is allowed. */
void service_server_stop(service_server *server);
