/**
 * @file service/library.h
 * @brief libmicrohttpd, loaded when a service starts: it brings GnuTLS and what that needs.
 */
#ifndef SERVICE_LIBRARY_H
#define SERVICE_LIBRARY_H

#include "base/lazy.h"
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
        X(MHD_create_response_from_buffer_with_free_callback)                                      \
        X(MHD_create_response_from_callback)                                                       \
        X(MHD_add_response_header)                                                                 \
        X(MHD_queue_response)                                                                      \
        X(MHD_destroy_response)

/** Its functions, under their own names. */
typedef struct service_mhd {
        SERVICE_MHD_FUNCTIONS(PAWL__LAZY_FIELD)
} service_mhd;

/** Load it, unless it is. PAWL_ENOTFOUND where it is not installed. Static. */
PAWL_MUST_CHECK pawl_status service_mhd_load(const service_mhd **out, pawl_error *err);

#endif
