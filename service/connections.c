#include "service/connections.h"
#include "base/error.h"
#include "service/thread.h"
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>

/* States of TCP by their numbers in tcpi_state, which <linux/tcp.h> has no names for. */
enum { STATE_CLOSE = 7, STATE_CLOSE_WAIT = 8 };

/* What a connection is about. */
typedef enum phase {
        RESTING,   /* nothing of a request was seen */
        ASKING,    /* some of a request is there */
        WAITING,   /* for its answer */
        ANSWERING, /* the answer is on its way */
        STREAMING,
        CLOSING /* it took too long */
} phase;

struct service_connection {
        service_connections *clients;
        service_connection *next, **link;
        int fd;
        phase phase;
        int64_t until_ms;  /* ASKING and ANSWERING: closed then */
        int64_t left_ms;   /* since when the other end sends no more; 0: it may */
        uint64_t received; /* bytes that had come when it began to rest */
        bool known;        /* a request with a token that is ours came by it */
};

struct service_connections {
        service_gauges *gauges;
        unsigned request_ms, answer_ms;
        bool tls; /* no plain words fit in */
        pthread_t thread;
        pthread_mutex_t lock; /* of what follows, and of every client */
        pthread_cond_t ends;
        service_connection *first;
        size_t owed;    /* answers that are not out */
        size_t n, most; /* connections, those that are being closed apart; and how many there may be
                         */
        bool ending;
};

/* What the kernel knows of it: bytes received, ever, and whether the other end sends no more. */
static bool ask_kernel(uint64_t *received, int fd)
{
        struct tcp_info info;
        socklen_t len = sizeof info;

        memset(&info, 0, sizeof info);
        if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len) != 0)
                return false;
        *received = info.tcpi_bytes_received;
        return info.tcpi_state == STATE_CLOSE || info.tcpi_state == STATE_CLOSE_WAIT;
}

static void set_phase(service_connection *client, phase to)
{
        client->clients->owed += to == WAITING || to == ANSWERING;
        client->clients->owed -= client->phase == WAITING || client->phase == ANSWERING;
        client->clients->n -= to == CLOSING && client->phase != CLOSING;
        client->phase = to;
}

/* Nobody else writes to a connection whose request is not whole. */
static void close_late(service_connection *client)
{
        static const char late[] = "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n"
                                   "Content-Length: 0\r\n\r\n";

        if (client->phase == ASKING && !client->clients->tls &&
                send(client->fd, late, sizeof late - 1, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
                client->until_ms = 0; /* closed without a word */
        set_phase(client, CLOSING);
        shutdown(client->fd, SHUT_RDWR);
        atomic_fetch_add(&client->clients->gauges->timeouts, 1);
}

/*
 * Who sends no more, and has not sent the whole of a request, never will. The library sees that by
 * itself, but not where the end came together with the bytes before it.
 */
static bool has_left(service_connection *client, int64_t now, uint64_t *received)
{
        if (!ask_kernel(received, client->fd)) {
                client->left_ms = 0;
                return false;
        }
        if (!client->left_ms)
                client->left_ms = now;
        return now - client->left_ms > SERVICE_LEFT_MS;
}

static void look(service_connection *client, int64_t now)
{
        uint64_t received = 0;

        if (client->phase == RESTING || client->phase == ASKING) {
                if (has_left(client, now, &received)) {
                        set_phase(client, CLOSING);
                        shutdown(client->fd, SHUT_RDWR);
                        return;
                }
                if (client->phase == RESTING && received > client->received) {
                        set_phase(client, ASKING);
                        client->until_ms = now + client->clients->request_ms;
                }
        }
        if ((client->phase == ASKING || client->phase == ANSWERING) && now > client->until_ms)
                close_late(client);
}

static void *sweep(void *user)
{
        service_connections *clients = user;

        pthread_mutex_lock(&clients->lock);
        while (!clients->ending) {
                const struct timespec until = service_in_ms(SERVICE_SWEEP_MS);
                pthread_cond_timedwait(&clients->ends, &clients->lock, &until);
                const int64_t now = service_now_ms();
                for (service_connection *client = clients->first; client; client = client->next)
                        look(client, now);
        }
        pthread_mutex_unlock(&clients->lock);
        return NULL;
}

static void free_clients(service_connections *clients)
{
        pthread_cond_destroy(&clients->ends);
        pthread_mutex_destroy(&clients->lock);
        free(clients);
}

/*
 * One connection more than there may be: the oldest goes that has not shown a token and is owed no
 * answer. So strangers, silent or slow, keep nobody out who shows one soon after connecting. Where
 * all have, the library's own limit, which is higher, lets the next wait.
 */
static void make_room(service_connections *clients)
{
        service_connection *oldest = NULL;

        for (service_connection *client = clients->first; client; client = client->next)
                if (!client->known && (client->phase == RESTING || client->phase == ASKING))
                        oldest = client; /* the newest stands first */
        if (oldest) {
                set_phase(oldest, CLOSING);
                shutdown(oldest->fd, SHUT_RDWR);
        }
}

pawl_status service_connections_start(
        service_connections **out, service_site *site, unsigned most, pawl_error *err)
{
        const service_options *options = site->options;
        service_connections *clients = calloc(1, sizeof *clients);

        if (!clients)
                return pawl__nomem(err);
        clients->gauges = &site->gauges;
        clients->most = most;
        clients->tls = options->tls_cert != NULL;
        clients->request_ms = options->request_ms ? options->request_ms : SERVICE_REQUEST_MS;
        clients->answer_ms = options->answer_ms ? options->answer_ms : SERVICE_ANSWER_MS;
        pthread_mutex_init(&clients->lock, NULL);
        service_cond_init(&clients->ends);
        const pawl_status status = service_thread_start(&clients->thread, sweep, clients, err);
        if (status)
                free_clients(clients);
        else
                *out = clients;
        return status;
}

void service_connections_stop(service_connections *clients)
{
        if (!clients)
                return;
        pthread_mutex_lock(&clients->lock);
        clients->ending = true;
        pthread_cond_signal(&clients->ends);
        pthread_mutex_unlock(&clients->lock);
        pthread_join(clients->thread, NULL);
        free_clients(clients);
}

service_connection *service_connection_open(service_connections *clients, int fd)
{
        service_connection *client = calloc(1, sizeof *client);

        if (!client)
                return NULL;
        client->clients = clients;
        client->fd = fd;
        pthread_mutex_lock(&clients->lock);
        if (clients->n++ >= clients->most)
                make_room(clients);
        client->next = clients->first;
        client->link = &clients->first;
        if (client->next)
                client->next->link = &client->next;
        clients->first = client;
        pthread_mutex_unlock(&clients->lock);
        atomic_fetch_add(&clients->gauges->connections, 1);
        return client;
}

void service_connection_close(service_connection *client)
{
        if (!client)
                return;
        service_connections *clients = client->clients;
        pthread_mutex_lock(&clients->lock);
        set_phase(client, CLOSING);
        *client->link = client->next;
        if (client->next)
                client->next->link = client->link;
        pthread_mutex_unlock(&clients->lock);
        free(client);
        atomic_fetch_sub(&clients->gauges->connections, 1);
}

void service_connection_read(service_connection *client)
{
        if (!client)
                return;
        pthread_mutex_lock(&client->clients->lock);
        if (client->phase == RESTING) {
                set_phase(client, ASKING);
                client->until_ms = service_now_ms() + client->clients->request_ms;
        }
        pthread_mutex_unlock(&client->clients->lock);
}

void service_connection_known(service_connection *client)
{
        if (!client)
                return;
        pthread_mutex_lock(&client->clients->lock);
        client->known = true;
        pthread_mutex_unlock(&client->clients->lock);
}

bool service_connection_handle(service_connection *client)
{
        if (!client)
                return true;
        pthread_mutex_lock(&client->clients->lock);
        const bool in_time = client->phase != CLOSING;
        if (in_time)
                set_phase(client, WAITING);
        pthread_mutex_unlock(&client->clients->lock);
        return in_time;
}

void service_connection_answer(service_connection *client, bool stream)
{
        if (!client)
                return;
        pthread_mutex_lock(&client->clients->lock);
        if (client->phase != CLOSING) {
                set_phase(client, stream ? STREAMING : ANSWERING);
                client->until_ms = service_now_ms() + client->clients->answer_ms;
        }
        pthread_mutex_unlock(&client->clients->lock);
}

void service_connection_keepalive(service_connection *client)
{
        if (!client)
                return;
        pthread_mutex_lock(&client->clients->lock);
        if (client->phase != CLOSING) {
                set_phase(client, RESTING);
                client->left_ms = 0;
                ask_kernel(&client->received, client->fd);
        }
        pthread_mutex_unlock(&client->clients->lock);
}

size_t service_connections_owed(service_connections *clients)
{
        pthread_mutex_lock(&clients->lock);
        const size_t n = clients->owed;
        pthread_mutex_unlock(&clients->lock);
        return n;
}
