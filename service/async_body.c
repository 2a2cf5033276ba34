#include "service/async_body.h"
#include <stdlib.h>

#define BLOCK 4096 /* bytes that are asked for at once, at most */

struct service_async_body {
        service_async_bodies *flows;
        struct MHD_Connection *connection;
        service_source source;
        service_async_body *next, **link; /* of all flows; under their lock */
        pthread_mutex_t lock;             /* of what follows */
        bool sleeping;                    /* the connection is suspended */
        bool woken;                       /* while it was not */
        bool ending;
};

void service_async_bodies_init(
        service_async_bodies *flows, const service_mhd *mhd, void (*ended)(void *user), void *user)
{
        *flows = (service_async_bodies){.mhd = mhd, .ended = ended, .user = user};
        pthread_mutex_init(&flows->lock, NULL);
}

void service_async_bodies_free(service_async_bodies *flows)
{
        pthread_mutex_destroy(&flows->lock);
}

void service_wake(service_async_body *flow)
{
        pthread_mutex_lock(&flow->lock);
        if (flow->sleeping) {
                flow->sleeping = false;
                flow->flows->mhd->MHD_resume_connection(flow->connection);
        } else {
                flow->woken = true;
        }
        pthread_mutex_unlock(&flow->lock);
}

/* Nothing came. True: the connection sleeps; false: ask again, or end. */
static bool sleeps(service_async_body *flow)
{
        pthread_mutex_lock(&flow->lock);
        const bool sleep = !flow->woken && !flow->ending;
        flow->woken = false;
        if (sleep) {
                flow->sleeping = true;
                flow->flows->mhd->MHD_suspend_connection(flow->connection);
        }
        pthread_mutex_unlock(&flow->lock);
        return sleep;
}

static bool is_ending(service_async_body *flow)
{
        pthread_mutex_lock(&flow->lock);
        const bool ending = flow->ending;
        pthread_mutex_unlock(&flow->lock);
        return ending;
}

static ssize_t take(void *user, uint64_t at, char *out, size_t max)
{
        service_async_body *flow = user;

        (void)at;
        while (!is_ending(flow)) {
                const ssize_t n = flow->source.read(flow->source.user, out, max);
                if (n > 0)
                        return n;
                if (n < 0)
                        break;
                if (sleeps(flow))
                        return 0;
        }
        return MHD_CONTENT_READER_END_OF_STREAM;
}

static void end(void *user)
{
        service_async_body *flow = user;
        service_async_bodies *flows = flow->flows;

        pthread_mutex_lock(&flows->lock);
        *flow->link = flow->next;
        if (flow->next)
                flow->next->link = flow->link;
        pthread_mutex_unlock(&flows->lock);
        flow->source.close(flow->source.user);
        pthread_mutex_destroy(&flow->lock);
        free(flow);
        flows->ended(flows->user);
}

struct MHD_Response *service_async_response(service_async_bodies *flows,
        struct MHD_Connection *connection, const service_source *source)
{
        service_async_body *flow = calloc(1, sizeof *flow);

        if (!flow) {
                source->close(source->user);
                flows->ended(flows->user);
                return NULL;
        }
        flow->flows = flows;
        flow->connection = connection;
        flow->source = *source;
        pthread_mutex_init(&flow->lock, NULL);
        pthread_mutex_lock(&flows->lock);
        flow->ending = flows->ending;
        flow->next = flows->first;
        flow->link = &flows->first;
        if (flow->next)
                flow->next->link = &flow->next;
        flows->first = flow;
        pthread_mutex_unlock(&flows->lock);
        if (source->start)
                source->start(source->user, flow);
        struct MHD_Response *response = flows->mhd->MHD_create_response_from_callback(
                MHD_SIZE_UNKNOWN, BLOCK, take, flow, end);
        if (!response)
                end(flow);
        return response;
}

void service_async_bodies_end(service_async_bodies *flows)
{
        pthread_mutex_lock(&flows->lock);
        flows->ending = true;
        for (service_async_body *flow = flows->first; flow; flow = flow->next) {
                pthread_mutex_lock(&flow->lock);
                flow->ending = true;
                pthread_mutex_unlock(&flow->lock);
                service_wake(flow);
        }
        pthread_mutex_unlock(&flows->lock);
}
