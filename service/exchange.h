/**
 * @file service/exchange.h
 * @brief One request of a connection, from its first line to its answer.
 */
#pragma once

#include "base/lazy.h"
#include "service/connections.h"
#include "service/worker.h"
#include <microhttpd.h>

#define SERVICE_MHD_FUNCTIONS(X)                                                                   \
        X(MHD_start_daemon)                                                                        \
        X(MHD_stop_daemon)                                                                         \
        X(MHD_quiesce_daemon)                                                                      \
        X(MHD_get_connection_info)                                                                 \
        X(MHD_get_connection_values_n)                                                             \
        X(MHD_suspend_connection)                                                                  \
        X(MHD_resume_connection)                                                                   \
        X(MHD_create_response_from_buffer)                                                         \
        X(MHD_create_response_from_callback)                                                       \
        X(MHD_add_response_header)                                                                 \
        X(MHD_queue_response)                                                                      \
        X(MHD_destroy_response)

/** Functions of libmicrohttpd under their own names. It is loaded when a service starts: it brings
 *  GnuTLS and what that needs. */
typedef struct service_mhd {
        SERVICE_MHD_FUNCTIONS(PAWL__LAZY_FIELD)
} service_mhd;

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
