/**
 * @file service/connections.h
 * @brief The connections there are, and closing those that take too long.
 *
 * The library closes a connection on which nothing moves for SERVICE_IDLE_S. One that sends a byte
 * now and then would stay: so each request has a time by which it must be there, whole, counted
 * from its first byte, and each answer one by which it must be taken. A thread looks four times a
 * second. What the library has read of a request that is not whole cannot be seen from here, but
 * what the kernel has received can (TCP_INFO).
 */
#ifndef SERVICE_CLIENTS_H
#define SERVICE_CLIENTS_H

#include "service/site.h"

#define SERVICE_IDLE_S         60 /* these three where the options do not say */
#define SERVICE_REQUEST_MS     15000
#define SERVICE_ANSWER_MS      300000
#define SERVICE_CLIENTS_MAX    2048
#define SERVICE_SWEEP_MS       250
#define SERVICE_LEFT_MS        1000 /* after the other end's last byte, without a whole request */
#define SERVICE_CONNECTION_MEM (24 * 1024) /* bytes of the library's, for a connection */

typedef struct service_connections service_connections;
typedef struct service_connection service_connection;

/** Start the thread, for @p most connections at once. Of the site's options those that say how long
 *  things may take. */
PAWL_MUST_CHECK pawl_status service_connections_start(
        service_connections **out, service_site *site, unsigned most, pawl_error *err);
/** End it. Every connection must be gone. NULL is allowed. */
void service_connections_stop(service_connections *clients);

/** A connection came. NULL: no memory. */
service_connection *service_connection_open(service_connections *clients, int fd);
/** It is about to be closed. NULL is allowed, here and below. */
void service_connection_close(service_connection *client);

/** The first line of a request is there. */
void service_connection_read(service_connection *client);
/** A request came by it that has a token of ours: it makes room for nobody any more. */
void service_connection_known(service_connection *client);
/** All of a request is there. False: it took too long, and the connection is being closed. */
bool service_connection_handle(service_connection *client);
/** The answer begins; as a stream, which may take as long as it likes. */
void service_connection_answer(service_connection *client, bool stream);
/** The answer is out. */
void service_connection_keepalive(service_connection *client);

/** How many wait for an answer or are taking it; streams are not counted. */
size_t service_connections_owed(service_connections *clients);

#endif
