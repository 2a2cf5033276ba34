#include "service/pool.h"
#include "base/error.h"
#include "service/thread.h"
#include <stdlib.h>

typedef struct member {
        service_pool *pool;
        service_worker worker;
        pthread_t thread;
} member;

struct service_pool {
        service_site *site;
        pthread_mutex_t lock; /* of what follows */
        pthread_cond_t work, idle;
        service_job *first, **last;
        size_t taken;    /* places: of jobs in the queue, and reserved */
        size_t running;  /* jobs */
        size_t changing; /* of them */
        bool ending;
        unsigned n; /* workers */
        member members[];
};

/* The first job that may run now, or NULL. */
static service_job *next_job(service_pool *pool)
{
        const bool readers_only = pool->n > 1 && pool->changing >= pool->n - 1;

        for (service_job **link = &pool->first; *link; link = &(*link)->next) {
                service_job *job = *link;
                if (job->changes && readers_only)
                        continue;
                *link = job->next;
                if (pool->last == &job->next)
                        pool->last = link;
                return job;
        }
        return NULL;
}

static void run(service_pool *pool, service_job *job, service_worker *worker)
{
        const bool changes = job->changes; /* the job may be gone when it has run */

        pool->taken--;
        pool->running++;
        pool->changing += changes;
        pthread_mutex_unlock(&pool->lock);
        atomic_fetch_sub(&pool->site->gauges.queued, 1);
        atomic_fetch_add(&pool->site->gauges.busy, 1);
        job->run(job, worker);
        atomic_fetch_sub(&pool->site->gauges.busy, 1);
        pthread_mutex_lock(&pool->lock);
        pool->running--;
        pool->changing -= changes;
        if (changes)
                pthread_cond_signal(&pool->work);
        if (pool->ending)
                pthread_cond_broadcast(&pool->work);
        if (!pool->running && !pool->taken)
                pthread_cond_broadcast(&pool->idle);
}

static void *work(void *user)
{
        member *self = user;
        service_pool *pool = self->pool;

        pthread_mutex_lock(&pool->lock);
        for (;;) {
                service_job *job = next_job(pool);
                if (job)
                        run(pool, job, &self->worker);
                else if (pool->ending && !pool->taken)
                        break;
                else
                        pthread_cond_wait(&pool->work, &pool->lock);
        }
        pthread_mutex_unlock(&pool->lock);
        return NULL;
}

pawl_status service_pool_start(service_pool **out, service_site *site, unsigned n, pawl_error *err)
{
        service_pool *pool = calloc(1, sizeof *pool + n * sizeof pool->members[0]);

        if (!pool)
                return pawl__nomem(err);
        pool->site = site;
        pool->last = &pool->first;
        pthread_mutex_init(&pool->lock, NULL);
        pthread_cond_init(&pool->work, NULL);
        service_cond_init(&pool->idle);
        pthread_mutex_lock(&pool->lock);
        for (; pool->n < n; pool->n++) {
                member *one = &pool->members[pool->n];
                one->pool = pool;
                service_worker_init(&one->worker, site);
                const pawl_status status = service_thread_start(&one->thread, work, one, err);
                if (status) {
                        pthread_mutex_unlock(&pool->lock);
                        service_worker_free(&one->worker);
                        service_pool_stop(pool);
                        service_pool_free(pool);
                        return status;
                }
        }
        pthread_mutex_unlock(&pool->lock);
        *out = pool;
        return PAWL_OK;
}

bool service_pool_reserve(service_pool *pool)
{
        pthread_mutex_lock(&pool->lock);
        const bool room = !pool->ending && pool->taken < (size_t)pool->n * SERVICE_QUEUE_MAX;
        pool->taken += room;
        pthread_mutex_unlock(&pool->lock);
        if (room)
                atomic_fetch_add(&pool->site->gauges.queued, 1);
        return room;
}

void service_pool_put(service_pool *pool, service_job *job)
{
        job->next = NULL;
        pthread_mutex_lock(&pool->lock);
        *pool->last = job;
        pool->last = &job->next;
        pthread_cond_signal(&pool->work);
        pthread_mutex_unlock(&pool->lock);
}

bool service_pool_drain(service_pool *pool, unsigned ms)
{
        const struct timespec until = service_in_ms(ms);
        int code = 0;

        pthread_mutex_lock(&pool->lock);
        while ((pool->running || pool->taken) && !code)
                code = pthread_cond_timedwait(&pool->idle, &pool->lock, &until);
        const bool idle = !pool->running && !pool->taken;
        pthread_mutex_unlock(&pool->lock);
        return idle;
}

void service_pool_interrupt(service_pool *pool)
{
        for (unsigned i = 0; i < pool->n; i++)
                service_worker_interrupt(&pool->members[i].worker);
}

void service_pool_stop(service_pool *pool)
{
        if (!pool)
                return;
        pthread_mutex_lock(&pool->lock);
        pool->ending = true;
        pthread_cond_broadcast(&pool->work);
        pthread_mutex_unlock(&pool->lock);
        for (unsigned i = 0; i < pool->n; i++) {
                pthread_join(pool->members[i].thread, NULL);
                service_worker_free(&pool->members[i].worker);
        }
}

void service_pool_free(service_pool *pool)
{
        if (!pool)
                return;
        pthread_cond_destroy(&pool->work);
        pthread_cond_destroy(&pool->idle);
        pthread_mutex_destroy(&pool->lock);
        free(pool);
}
