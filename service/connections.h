/**
 * @file service/connections.h
 * @brief The open connections; those that take too long are closed.
 *
 * The library closes a connection that is idle for SERVICE_IDLE_S. One that sends a byte now and
 * then would stay open: so each request has a time limit, counted from its first byte, and each
 * answer one for being received. A thread checks four times a second. What the library has read of
 * an incomplete request is not visible here; what the kernel has received is (TCP_INFO).
 */
#pragma once

#include "service/site.h"

#define SERVICE_IDLE_S          60 /* these three are defaults of the options */
#define SERVICE_REQUEST_MS      15000
#define SERVICE_ANSWER_MS       300000
#define SERVICE_CONNECTIONS_MAX 2048
#define SERVICE_SWEEP_MS        250
#define SERVICE_LEFT_MS         1000 /* after the other end closed its side in the middle of a request */
#define SERVICE_CONNECTION_MEM  (24 * 1024) /* bytes of the library for a connection */

typedef struct service_connections service_connections;
typedef struct service_connection service_connection;

/** Start the thread, for @p most connections at once. The time limits are the site's
 *  options. */
PAWL_MUST_CHECK pawl_status service_connections_start(
        service_connections **out, service_site *site, unsigned most, pawl_error *err);
/** Stop it. Every connection must be closed. NULL is allowed. */
void service_connections_stop(service_connections *connections);

/** A new connection. NULL: no memory. */
service_connection *service_connection_open(service_connections *connections, int fd);
/** It is about to be closed. NULL is allowed, here and below. */
void service_connection_close(service_connection *connection);

/** A request on it had a valid token: it is never closed to make room. */
void service_connection_known(service_connection *connection);

typedef enum service_connection_state {
        SERVICE_KEEPALIVE, /**< no byte of the next request has come */
        SERVICE_READING,   /**< a part of a request has come: from SERVICE_KEEPALIVE alone */
        SERVICE_HANDLING,  /**< the request is complete, its answer is not ready */
        SERVICE_ANSWERING, /**< the answer is being sent */
        SERVICE_STREAMING, /**< a stream, which has no time limit */
        SERVICE_CLOSING    /**< it was shut down: for taking too long, or to make room */
} service_connection_state;

/** What it does now. False: it is being closed, and stays so. */
bool service_connection_set(service_connection *connection, service_connection_state to);

/** How many answers are pending or being sent; without streams. */
size_t service_connections_owed(service_connections *connections);
