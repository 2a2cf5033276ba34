#include "service/async_body.h"
#include <stdlib.h>

#define BLOCK 4096 /* bytes, at most, of one read */

struct service_async_body {
        service_async_bodies *bodies;
        struct MHD_Connection *connection;
        service_source source;
        service_async_body *next, **link; /* in the list of all bodies, under its lock */
        pthread_mutex_t lock;             /* of what follows */
        bool sleeping;                    /* the connection is suspended */
        bool woken;                       /* while it was not */
        bool ending;
};

void service_async_bodies_init(
        service_async_bodies *bodies, const service_mhd *mhd, void (*ended)(void *user), void *user)
{
        *bodies = (service_async_bodies){.mhd = mhd, .ended = ended, .user = user};
        pthread_mutex_init(&bodies->lock, NULL);
}

void service_async_bodies_free(service_async_bodies *bodies)
{
        pthread_mutex_destroy(&bodies->lock);
}

void service_wake(service_async_body *body)
{
        pthread_mutex_lock(&body->lock);
        if (body->sleeping) {
                body->sleeping = false;
                body->bodies->mhd->MHD_resume_connection(body->connection);
        } else {
                body->woken = true;
        }
        pthread_mutex_unlock(&body->lock);
}

/* The source had nothing. True: the connection sleeps; false: read again, or end. */
static bool sleeps(service_async_body *body)
{
        pthread_mutex_lock(&body->lock);
        const bool sleep = !body->woken && !body->ending;
        body->woken = false;
        if (sleep) {
                body->sleeping = true;
                body->bodies->mhd->MHD_suspend_connection(body->connection);
        }
        pthread_mutex_unlock(&body->lock);
        return sleep;
}

static bool is_ending(service_async_body *body)
{
        pthread_mutex_lock(&body->lock);
        const bool ending = body->ending;
        pthread_mutex_unlock(&body->lock);
        return ending;
}

static ssize_t take(void *user, uint64_t at, char *out, size_t max)
{
        service_async_body *body = user;

        (void)at;
        while (!is_ending(body)) {
                const ssize_t n = body->source.read(body->source.user, out, max);
                if (n > 0)
                        return n;
                if (n < 0)
                        break;
                if (sleeps(body))
                        return 0;
        }
        return MHD_CONTENT_READER_END_OF_STREAM;
}

static void end(void *user)
{
        service_async_body *body = user;
        service_async_bodies *bodies = body->bodies;

        pthread_mutex_lock(&bodies->lock);
        *body->link = body->next;
        if (body->next)
                body->next->link = body->link;
        pthread_mutex_unlock(&bodies->lock);
        body->source.close(body->source.user);
        pthread_mutex_destroy(&body->lock);
        free(body);
        bodies->ended(bodies->user);
}

struct MHD_Response *service_async_response(service_async_bodies *bodies,
        struct MHD_Connection *connection, const service_source *source)
{
        service_async_body *body = calloc(1, sizeof *body);

        if (!body) {
                source->close(source->user);
                bodies->ended(bodies->user);
                return NULL;
        }
        body->bodies = bodies;
        body->connection = connection;
        body->source = *source;
        pthread_mutex_init(&body->lock, NULL);
        pthread_mutex_lock(&bodies->lock);
        body->ending = bodies->ending;
        body->next = bodies->first;
        body->link = &bodies->first;
        if (body->next)
                body->next->link = &body->next;
        bodies->first = body;
        pthread_mutex_unlock(&bodies->lock);
        if (source->start)
                source->start(source->user, body);
        struct MHD_Response *response = bodies->mhd->MHD_create_response_from_callback(
                MHD_SIZE_UNKNOWN, BLOCK, take, body, end);
        if (!response)
                end(body);
        return response;
}

void service_async_bodies_end(service_async_bodies *bodies)
{
        pthread_mutex_lock(&bodies->lock);
        bodies->ending = true;
        for (service_async_body *body = bodies->first; body; body = body->next) {
                pthread_mutex_lock(&body->lock);
                body->ending = true;
                pthread_mutex_unlock(&body->lock);
                service_wake(body);
        }
        pthread_mutex_unlock(&bodies->lock);
}
