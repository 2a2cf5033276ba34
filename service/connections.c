#include "service/connections.h"
#include "base/error.h"
#include "service/long_call.h"
#include <linux/tcp.h>
#include <malloc.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>

/* States of TCP by their numbers in tcpi_state, which <linux/tcp.h> has no names for. */
enum { STATE_CLOSE = 7, STATE_CLOSE_WAIT = 8 };

struct service_connection {
        service_connections *all;
        service_connection *next, **link;
        int fd;
        service_connection_state state;
        int64_t until_ms;  /* SERVICE_READING and SERVICE_ANSWERING: when it is closed */
        int64_t left_ms;   /* when the other end closed its side; 0: it has not */
        uint64_t received; /* bytes received before SERVICE_KEEPALIVE */
        bool known;        /* a request on it had a valid token; of the thread of connections */
};

struct service_connections {
        service_site *site;
        service_gauges *gauges;
        unsigned request_ms, answer_ms;
        bool tls; /* plain text cannot be sent */
        pthread_t thread;
        pthread_mutex_t lock; /* of what follows, and of every connection */
        pthread_cond_t ends;
        service_connection *first;
        size_t n, most; /* connections without those being closed; the limit */
        size_t peak;    /* the most there were since memory was given back; of the thread */
        bool ending;
};

/* From the kernel: all bytes received, and whether the other end has closed its side. */
static bool peer_closed(uint64_t *received, int fd)
{
        struct tcp_info info;
        socklen_t len = sizeof info;

        memset(&info, 0, sizeof info);
        if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len) != 0)
                return false;
        *received = info.tcpi_bytes_received;
        return info.tcpi_state == STATE_CLOSE || info.tcpi_state == STATE_CLOSE_WAIT;
}

static void shut(service_connection *connection)
{
        connection->all->n--;
        connection->state = SERVICE_CLOSING;
        shutdown(connection->fd, SHUT_RDWR);
}

/* No other thread writes to a connection whose request is incomplete. */
static void close_late(service_connection *connection)
{
        static const char late[] = "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n"
                                   "Content-Length: 0\r\n\r\n";

        if (connection->state == SERVICE_READING && !connection->all->tls &&
                send(connection->fd, late, sizeof late - 1, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
                connection->until_ms = 0; /* closed without a 408 */
        shut(connection);
        atomic_fetch_add(&connection->all->gauges->timeouts, 1);
}

/*
 * The other end has closed its side before the request was complete. The library detects that,
 * except where the end arrives together with the last bytes.
 */
static bool has_left(service_connection *connection, int64_t now, uint64_t *received)
{
        if (!peer_closed(received, connection->fd)) {
                connection->left_ms = 0;
                return false;
        }
        if (!connection->left_ms)
                connection->left_ms = now;
        return now - connection->left_ms > SERVICE_LEFT_MS;
}

static void look(service_connection *connection, int64_t now)
{
        uint64_t received = 0;

        if (connection->state == SERVICE_KEEPALIVE || connection->state == SERVICE_READING) {
                if (has_left(connection, now, &received)) {
                        shut(connection);
                        return;
                }
                if (connection->state == SERVICE_KEEPALIVE && received > connection->received) {
                        connection->state = SERVICE_READING;
                        connection->until_ms = now + connection->all->request_ms;
                }
        }
        if ((connection->state == SERVICE_READING || connection->state == SERVICE_ANSWERING) &&
                now > connection->until_ms)
                close_late(connection);
}

/* Many connections have ended: the kernel gets what the allocator keeps of them. */
static void give_back(service_connections *connections, size_t n)
{
        enum { MANY = 256 };

        if (n > connections->peak)
                connections->peak = n;
        if (connections->peak < MANY || n > connections->peak / 2)
                return;
        connections->peak = n;
#ifdef __GLIBC__
        malloc_trim(0);
#endif
}

static void *sweep(void *user)
{
        service_connections *connections = user;

        pthread_mutex_lock(&connections->lock);
        while (!connections->ending) {
                const struct timespec until = service_in_ms(SERVICE_SWEEP_MS);
                pthread_cond_timedwait(&connections->ends, &connections->lock, &until);
                const int64_t now = service_now_ms();
                for (service_connection *connection = connections->first; connection;
                        connection = connection->next)
                        look(connection, now);
                const size_t n = connections->n;
                pthread_mutex_unlock(&connections->lock);
                give_back(connections, n);
                service_long_calls_beat(connections->site->long_calls, now);
                pthread_mutex_lock(&connections->lock);
        }
        pthread_mutex_unlock(&connections->lock);
        return NULL;
}

static void free_connections(service_connections *connections)
{
        pthread_cond_destroy(&connections->ends);
        pthread_mutex_destroy(&connections->lock);
        free(connections);
}

/*
 * The limit is exceeded: close the oldest connection that has not shown a token and has no answer
 * pending. So connections without a token, silent or slow, cannot keep out one that shows a token
 * soon after connecting. Where all have shown one, the library's own limit, which is higher, makes
 * the next connection wait.
 */
static void make_room(service_connections *connections)
{
        service_connection *oldest = NULL;

        for (service_connection *connection = connections->first; connection;
                connection = connection->next)
                if (!connection->known && (connection->state == SERVICE_KEEPALIVE ||
                                                  connection->state == SERVICE_READING))
                        oldest = connection; /* the newest is first */
        if (oldest)
                shut(oldest);
}

pawl_status service_connections_start(
        service_connections **out, service_site *site, unsigned most, pawl_error *err)
{
        const service_options *options = site->options;
        service_connections *connections = calloc(1, sizeof *connections);

        if (!connections)
                return pawl__nomem(err);
        connections->site = site;
        connections->gauges = &site->gauges;
        connections->most = most;
        connections->tls = options->tls_cert != NULL;
        connections->request_ms = options->request_ms ? options->request_ms : SERVICE_REQUEST_MS;
        connections->answer_ms = options->answer_ms ? options->answer_ms : SERVICE_ANSWER_MS;
        pthread_mutex_init(&connections->lock, NULL);
        service_cond_init(&connections->ends);
        const pawl_status status =
                service_thread_start(&connections->thread, sweep, connections, err);
        if (status)
                free_connections(connections);
        else
                *out = connections;
        return status;
}

void service_connections_stop(service_connections *connections)
{
        if (!connections)
                return;
        pthread_mutex_lock(&connections->lock);
        connections->ending = true;
        pthread_cond_signal(&connections->ends);
        pthread_mutex_unlock(&connections->lock);
        pthread_join(connections->thread, NULL);
        free_connections(connections);
}

service_connection *service_connection_open(service_connections *connections, int fd)
{
        service_connection *connection = calloc(1, sizeof *connection);

        if (!connection)
                return NULL;
        connection->all = connections;
        connection->fd = fd;
        pthread_mutex_lock(&connections->lock);
        if (connections->n++ >= connections->most)
                make_room(connections);
        connection->next = connections->first;
        connection->link = &connections->first;
        if (connection->next)
                connection->next->link = &connection->next;
        connections->first = connection;
        pthread_mutex_unlock(&connections->lock);
        atomic_fetch_add(&connections->gauges->connections, 1);
        return connection;
}

void service_connection_close(service_connection *connection)
{
        if (!connection)
                return;
        service_connections *connections = connection->all;
        pthread_mutex_lock(&connections->lock);
        connections->n -= connection->state != SERVICE_CLOSING;
        *connection->link = connection->next;
        if (connection->next)
                connection->next->link = connection->link;
        pthread_mutex_unlock(&connections->lock);
        free(connection);
        atomic_fetch_sub(&connections->gauges->connections, 1);
}

void service_connection_known(service_connection *connection)
{
        if (connection)
                connection->known = true;
}

bool service_connection_set(service_connection *connection, service_connection_state to)
{
        if (!connection)
                return true;
        service_connections *all = connection->all;
        pthread_mutex_lock(&all->lock);
        const bool open = connection->state != SERVICE_CLOSING;
        if (open && (to != SERVICE_READING || connection->state == SERVICE_KEEPALIVE)) {
                connection->state = to;
                connection->until_ms = service_now_ms() +
                                       (to == SERVICE_READING ? all->request_ms : all->answer_ms);
                connection->left_ms = 0;
                if (to == SERVICE_KEEPALIVE)
                        peer_closed(&connection->received, connection->fd);
        }
        pthread_mutex_unlock(&all->lock);
        return open;
}

size_t service_connections_owed(service_connections *connections)
{
        size_t n = 0;

        pthread_mutex_lock(&connections->lock);
        for (service_connection *at = connections->first; at; at = at->next)
                n += at->state == SERVICE_HANDLING || at->state == SERVICE_ANSWERING;
        pthread_mutex_unlock(&connections->lock);
        return n;
}
