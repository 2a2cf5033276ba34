/**
 * @file service/listen.h
 * @brief The socket that a service listens at.
 */
#ifndef SERVICE_LISTEN_H
#define SERVICE_LISTEN_H

#include <pawl/base.h>

/**
 * Listen at an address ("127.0.0.1", "::1") and a port; 0: any that is free.
 * @param[out] fd    non-blocking; the caller's.
 * @param[out] port  the actual one.
 * @return PAWL_EEXISTS where another program listens, PAWL_EACCESS for a privileged port,
 *         PAWL_EINVAL for an address that this machine does not have, PAWL_EIO.
 */
PAWL_MUST_CHECK pawl_status service_listen(
        int *fd, uint16_t *port, const char *address, uint16_t wanted, pawl_error *err);

#endif
