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
 * @param[out] port  the one that it is.
 * @return PAWL_EEXISTS where somebody else listens there, PAWL_EACCESS for a port that is not ours
 *         to take, PAWL_EINVAL for an address that this machine does not have, PAWL_EIO.
 */
PAWL_MUST_CHECK pawl_status service_listen(
        int *fd, uint16_t *port, const char *address, uint16_t wanted, pawl_error *err);

#endif
