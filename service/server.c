#include "service/server.h"
#include "base/error.h"
#include "service/exchange.h"
#include "service/feed.h"
#include "service/long_call.h"
#include "service/notifier.h"
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define FILES_BESIDE 128 /* open files besides connections: logs, files of a workspace */
#define BACKLOG      1024
#define CLOSING_MAX  64 /* connections beyond the limit, while others are being closed */

/* ---- The library ----------------------------------------------------------------------------- */

static service_mhd library;

#define SYMBOL(name) PAWL__LAZY_SYMBOL(service_mhd, name),
static const pawl__lazy_symbol symbols[] = {SERVICE_MHD_FUNCTIONS(SYMBOL)};

PAWL__LAZY_NOTE("service", "pawl serve", "recommended", MICROHTTPD_SONAME);

static pawl__lazy lazy = {MICROHTTPD_SONAME, "libmicrohttpd", symbols,
        sizeof symbols / sizeof symbols[0], &library, NULL, PTHREAD_MUTEX_INITIALIZER, false};

static pawl_status load(const service_mhd **out, pawl_error *err)
{
        const pawl_status status = pawl__lazy_load(&lazy, err);

        if (status == PAWL_OK)
                *out = &library;
        return status;
}

/* ---- The server ------------------------------------------------------------------------------ */

struct service_server {
        service_parts parts;
        struct MHD_Daemon *daemon;
        uint16_t port;
        atomic_bool runs; /* the daemon's thread runs */
        char said[200];   /* the library's last message before that */
};

/* The limit of connections, @p most if the limit of open files of the process allows it. */
static unsigned connections_max(unsigned most)
{
        const rlim_t wanted = (rlim_t)most + CLOSING_MAX + FILES_BESIDE;
        struct rlimit limit;

        if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
                return most;
        if (limit.rlim_cur < wanted) {
                limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
                if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
                        getrlimit(RLIMIT_NOFILE, &limit);
        }
        if (limit.rlim_cur >= wanted)
                return most;
        return limit.rlim_cur > 2 * (CLOSING_MAX + FILES_BESIDE)
                       ? (unsigned)limit.rlim_cur - CLOSING_MAX - FILES_BESIDE
                       : CLOSING_MAX;
}

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

static pawl_status listen_failed(const char *address, uint16_t port, pawl_error *err)
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

/* Listen at an address and a port; 0: any that is free. The socket is non-blocking. */
static pawl_status listen_at(
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
                return listen_failed(address, wanted, err);
        if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
                bind(fd, &at.any, len) != 0 || listen(fd, BACKLOG) != 0 ||
                getsockname(fd, &at.any, &len) != 0) {
                pawl_status status = listen_failed(address, wanted, err);
                close(fd);
                return status;
        }
        *port = ntohs(at.any.sa_family == AF_INET ? at.v4.sin_port : at.v6.sin6_port);
        *out = fd;
        return PAWL_OK;
}

/* Escapes stay as they were sent: service/request.h parses the request. */
static size_t leave_escapes(void *user, struct MHD_Connection *connection, char *text)
{
        (void)user;
        (void)connection;
        return strlen(text);
}

PAWL_PRINTF(2, 0)
static void note(void *user, const char *format, va_list args)
{
        service_server *server = user;

        if (!atomic_load(&server->runs))
                vsnprintf(server->said, sizeof server->said, format, args);
}

static pawl_status start_daemon(service_server *server, int fd, unsigned most, pawl_error *err)
{
        const service_options *options = server->parts.site->options;
        unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME |
                         MHD_USE_ERROR_LOG | (options->tls_cert ? MHD_USE_TLS : 0U);
        struct MHD_OptionItem tls[] = {
                {MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)(uintptr_t)options->tls_cert},
                {MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)(uintptr_t)options->tls_key},
                {MHD_OPTION_HTTPS_PRIORITIES, 0,
                        (void *)(uintptr_t) "SECURE128:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"},
                {MHD_OPTION_END, 0, NULL},
        };

        server->daemon = server->parts.mhd->MHD_start_daemon(flags, 0, NULL, NULL,
                service_exchange_go_on, &server->parts,          /**/
                MHD_OPTION_EXTERNAL_LOGGER, note, server,        /**/
                MHD_OPTION_LISTEN_SOCKET, fd,                    /**/
                MHD_OPTION_CONNECTION_LIMIT, most + CLOSING_MAX, /**/
                MHD_OPTION_CONNECTION_TIMEOUT,
                options->idle_s ? options->idle_s : (unsigned)SERVICE_IDLE_S, /**/
                MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)SERVICE_CONNECTION_MEM,
                MHD_OPTION_STRICT_FOR_CLIENT, 1,                   /**/
                MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1,              /**/
                MHD_OPTION_UNESCAPE_CALLBACK, leave_escapes, NULL, /**/
                MHD_OPTION_URI_LOG_CALLBACK, service_exchange_begin, &server->parts,
                MHD_OPTION_NOTIFY_COMPLETED, service_exchange_end, &server->parts,
                MHD_OPTION_NOTIFY_CONNECTION, service_exchange_connection, &server->parts,
                MHD_OPTION_ARRAY, options->tls_cert ? tls : tls + 3, MHD_OPTION_END);
        if (server->daemon) {
                atomic_store(&server->runs, true);
                return PAWL_OK;
        }
        close(fd);
        for (char *end = strchr(server->said, '\n'); end; end = NULL)
                *end = '\0';
        if (options->tls_cert)
                return pawl__fail(err, PAWL_EINVAL,
                        "TLS: does not start (%s); see that --tls-cert and --tls-key name a PEM "
                        "certificate and the key that it was made with",
                        server->said[0] ? server->said : "no reason given");
        return pawl__fail(err, PAWL_EIO, "HTTP: does not start (%s); close some programs",
                server->said[0] ? server->said : "no reason given");
}

pawl_status service_server_start(service_server **out, service_site *site, pawl_error *err)
{
        const service_options *options = site->options;
        const unsigned most = connections_max(
                options->connections ? options->connections : SERVICE_CONNECTIONS_MAX);
        service_server *server = calloc(1, sizeof *server);
        int fd = -1;

        if (!server)
                return pawl__nomem(err);
        service_parts *parts = &server->parts;
        parts->site = site;
        pawl_status status = load(&parts->mhd, err);
        if (status) {
                free(server);
                return status;
        }
        status = listen_at(&fd, &server->port, options->address, options->port, err);
        if (!status)
                status = service_long_calls_open(&site->long_calls, site, err);
        if (!status)
                status = service_connections_start(&parts->connections, site, most, err);
        if (!status)
                status = service_feed_open(&site->feed, site, err);
        if (!status)
                status = service_notifier_start(&site->notifier, site, err);
        if (!status)
                status = service_pool_start(&parts->pool, site,
                        options->threads ? options->threads : SERVICE_THREADS, err);
        if (!status)
                status = start_daemon(server, fd, most, err);
        else if (fd >= 0)
                close(fd);
        if (status)
                service_server_stop(server);
        else
                *out = server;
        return status;
}

uint16_t service_server_port(const service_server *server)
{
        return server->port;
}

/* Until the answers have been sent, or 2 s. */
static void wait_for_answers(service_server *server)
{
        const struct timespec a_moment = {0, 10 * 1000000};

        for (int i = 0; i < 200 && (service_connections_owed(server->parts.connections) > 0 ||
                                           atomic_load(&server->parts.site->gauges.streams) > 0);
                i++)
                nanosleep(&a_moment, NULL);
}

void service_server_stop(service_server *server)
{
        if (!server)
                return;
        service_parts *parts = &server->parts;
        const unsigned grace_ms = parts->site->options->grace_ms;
        int fd = -1;
        atomic_store(&parts->stopping, true);
        if (server->daemon) {
                fd = parts->mhd->MHD_quiesce_daemon(server->daemon);
                if (fd >= 0)
                        shutdown(fd, SHUT_RDWR); /* its thread may use it until it ends */
        }
        service_pool_stop(parts->pool, grace_ms ? grace_ms : SERVICE_GRACE_MS);
        service_notifier_stop(parts->site->notifier);
        parts->site->notifier = NULL;
        service_long_calls_stop(parts->site->long_calls);
        service_feed_stop(parts->site->feed); /* no worker makes another stream */
        parts->site->feed = NULL;
        if (server->daemon) {
                wait_for_answers(server);
                parts->mhd->MHD_stop_daemon(server->daemon);
        }
        if (fd >= 0)
                close(fd);
        service_connections_stop(parts->connections);
        service_pool_free(parts->pool);
        service_long_calls_free(parts->site->long_calls);
        parts->site->long_calls = NULL;
        free(server);
}
