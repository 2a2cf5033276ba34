#include "service/server.h"
#include "base/error.h"
#include "service/exchange.h"
#include "service/feed.h"
#include "service/listen.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define FILES_BESIDE 128 /* open files besides connections: logs, files of a workspace */
#define CLOSING_MAX  64  /* connections beyond the limit, while others are being closed */

struct service_server {
        service_parts parts;
        struct MHD_Daemon *daemon;
        uint16_t port;
        atomic_bool runs; /* the daemon's thread runs */
        char said[200];   /* the library's last message before that */
};

/* The limit of connections, by the limit of open files of the process. */
static unsigned connections_max(void)
{
        const rlim_t wanted = SERVICE_CONNECTIONS_MAX + CLOSING_MAX + FILES_BESIDE;
        struct rlimit limit;

        if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
                return SERVICE_CONNECTIONS_MAX;
        if (limit.rlim_cur < wanted) {
                limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
                if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
                        getrlimit(RLIMIT_NOFILE, &limit);
        }
        if (limit.rlim_cur >= wanted)
                return SERVICE_CONNECTIONS_MAX;
        return limit.rlim_cur > 2 * (CLOSING_MAX + FILES_BESIDE)
                       ? (unsigned)limit.rlim_cur - CLOSING_MAX - FILES_BESIDE
                       : CLOSING_MAX;
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
        const unsigned most = connections_max();
        service_server *server = calloc(1, sizeof *server);
        int fd = -1;

        if (!server)
                return pawl__nomem(err);
        service_parts *parts = &server->parts;
        parts->site = site;
        pawl_status status = service_mhd_load(&parts->mhd, err);
        if (status) {
                free(server);
                return status;
        }
        status = service_listen(&fd, &server->port, options->address, options->port, err);
        if (!status)
                status = service_connections_start(&parts->connections, site, most, err);
        if (!status)
                status = service_feed_open(&site->feed, site, err);
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
        free(server);
}
