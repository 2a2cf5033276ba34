#include "service/listen.h"
#include "base/error.h"
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define BACKLOG 1024

typedef union any_address {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
} any_address;

static socklen_t fill(any_address *out, const char *address, uint16_t port)
{
        memset(out, 0, sizeof *out);
        if (inet_pton(AF_INET, address, &out->v4.sin_addr) == 1) {
                out->v4.sin_family = AF_INET;
                out->v4.sin_port = htons(port);
                return sizeof out->v4;
        }
        if (inet_pton(AF_INET6, address, &out->v6.sin6_addr) == 1) {
                out->v6.sin6_family = AF_INET6;
                out->v6.sin6_port = htons(port);
                return sizeof out->v6;
        }
        return 0;
}

static pawl_status fail(const char *address, uint16_t port, pawl_error *err)
{
        const int code = errno;
        const char *fix = "look at the network with `ip address`";
        pawl_status status = PAWL_EIO;

        if (code == EADDRINUSE) {
                status = PAWL_EEXISTS;
                fix = "another program listens there: give another port with --listen";
        } else if (code == EACCES || code == EPERM) {
                status = PAWL_EACCESS;
                fix = "give a port from 1024 up with --listen";
        } else if (code == EADDRNOTAVAIL || code == EINVAL || code == EAFNOSUPPORT) {
                status = PAWL_EINVAL;
                fix = "give an address of this machine with --listen";
        }
        return pawl__fail(
                err, status, "%s port %u: %s; %s", address, (unsigned)port, strerror(code), fix);
}

pawl_status service_listen(
        int *out, uint16_t *port, const char *address, uint16_t wanted, pawl_error *err)
{
        any_address at;
        socklen_t len = fill(&at, address, wanted);
        const int on = 1;

        errno = EINVAL;
        const int fd = len ? socket(at.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC,
                                     IPPROTO_TCP)
                           : -1;
        if (fd < 0)
                return fail(address, wanted, err);
        if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
                bind(fd, &at.any, len) != 0 || listen(fd, BACKLOG) != 0 ||
                getsockname(fd, &at.any, &len) != 0) {
                pawl_status status = fail(address, wanted, err);
                close(fd);
                return status;
        }
        *port = ntohs(at.any.sa_family == AF_INET ? at.v4.sin_port : at.v6.sin6_port);
        *out = fd;
        return PAWL_OK;
}
