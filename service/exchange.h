/**
 * @file service/exchange.h
 * @brief One request of a connection, from its first line to its answer.
 */
#ifndef SERVICE_EXCHANGE_H
#define SERVICE_EXCHANGE_H

#include "service/connections.h"
#include "service/library.h"
#include "service/worker.h"

/** What exchanges need of their server. */
typedef struct service_parts {
        const service_mhd *mhd;
        service_site *site;
        service_pool *pool;
        service_connections *connections;
        atomic_bool
                stopping; /**< new requests are answered with 503, and their connections closed */
} service_parts;

/** The library's callbacks; @p user is the service_parts. */
void *service_exchange_begin(void *user, const char *target, struct MHD_Connection *connection);
enum MHD_Result service_exchange_go_on(void *user, struct MHD_Connection *connection,
        const char *url, const char *method, const char *version, const char *data, size_t *len,
        void **exchange);
void service_exchange_end(void *user, struct MHD_Connection *connection, void **exchange,
        enum MHD_RequestTerminationCode why);
void service_exchange_connection(void *user, struct MHD_Connection *connection, void **client,
        enum MHD_ConnectionNotificationCode what);

#endif
