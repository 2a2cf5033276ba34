#include "service/worker.h"
#include "base/error.h"
#include "base/sources.h"
#include "base/system.h"
#include "events/log.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define KEEP_TRIES 10

/* ---- The log of a thread -------------------------------------------------------------------- */

void service_worker_init(service_worker *worker, service_site *site)
{
        *worker = (service_worker){.site = site};
        pthread_mutex_init(&worker->lock, NULL);
}

static void close_log(service_worker *worker)
{
        pthread_mutex_lock(&worker->lock);
        pawl_log *log = worker->log;
        worker->log = NULL;
        pthread_mutex_unlock(&worker->lock);
        pawl_log_close(log);
}

void service_worker_free(service_worker *worker)
{
        close_log(worker);
        pthread_mutex_destroy(&worker->lock);
}

/* Does the path still lead to the open file? */
static bool same_file(const service_worker *worker)
{
        struct stat st;

        if (pawl__log_is_url(worker->site->options->log_path))
                return true; /* the engine looks */
        return stat(worker->site->options->log_path, &st) == 0 && st.st_dev == worker->device &&
               st.st_ino == worker->inode;
}

/* A log that vanished is put back from the open handle; one that was replaced is saved. */
static pawl_status put_back(service_worker *worker, pawl_error *err)
{
        const char *path = worker->site->options->log_path;
        pawl_status status = PAWL_OK;
        struct stat st;

        if (!worker->log || worker->site->options->read_only)
                return PAWL_OK;
        /* it may vanish again while it is put back */
        for (int tries = 0; !status && tries < KEEP_TRIES && !same_file(worker); tries++) {
                if (stat(path, &st) == 0) {
                        worker->device = st.st_dev;
                        worker->inode = st.st_ino;
                }
                status =
                        pawl__log_keep(worker->log); /* the file that was looked at is ours, then */
        }
        if (!status)
                return PAWL_OK;
        worker->inode = 0; /* what is at the path is not ours */
        pawl__log_failed(worker->log, status, err);
        if (!pawl__log_saved(worker->log))
                return status;
        close_log(worker);
        return stat(path, &st) == 0 ? PAWL_OK : status;
}

pawl_status service_worker_keep(service_worker *worker, pawl_error *err)
{
        const pawl_status status = put_back(worker, err);

        return status ? status : service_worker_open(worker, err);
}

bool service_worker_has_log(const service_worker *worker)
{
        return worker->log && same_file(worker);
}

pawl_status service_worker_open(service_worker *worker, pawl_error *err)
{
        const service_options *from = worker->site->options;
        pawl_log_options options = PAWL_LOG_OPTIONS_INIT;
        struct stat st;
        pawl_log *log;

        if (service_worker_has_log(worker))
                return PAWL_OK;
        close_log(worker);
        options.flags = from->read_only ? PAWL_LOG_READONLY : 0;
        options.key = from->key;
        options.key_len = from->key_len;
        /* before it is opened: a file that is put there meanwhile is noticed at the next request */
        memset(&st, 0, sizeof st);
        if (!pawl__log_is_url(from->log_path) && stat(from->log_path, &st) != 0)
                return pawl__fail(err, pawl__errno_status(errno),
                        "%.300s: %s; put the log back, or start the service again", from->log_path,
                        strerrordesc_np(errno));
        TRY(pawl_log_open(&log, from->log_path, &options, err));
        pawl__log_impatient(log);
        pthread_mutex_lock(&worker->lock);
        worker->log = log;
        worker->opened++;
        worker->device = st.st_dev;
        worker->inode = st.st_ino;
        if (worker->interrupted)
                pawl_log_interrupt(log, true);
        pthread_mutex_unlock(&worker->lock);
        return PAWL_OK;
}

void service_worker_settle(service_worker *worker)
{
        pawl__state *state;
        pawl_error err = PAWL_ERROR_INIT;

        if (service_now_ms() < worker->settle_ms)
                return;
        worker->settle_ms = service_now_ms() + SERVICE_PULSE_MS;
        if (!pawl__state_of(&state, worker->log, &err))
                (void)!pawl__questions_settle(&worker->asked, worker->log, state, &err);
}

void service_worker_interrupt(service_worker *worker)
{
        pthread_mutex_lock(&worker->lock);
        worker->interrupted = true;
        if (worker->log)
                pawl_log_interrupt(worker->log, true);
        pthread_mutex_unlock(&worker->lock);
}

void service_worker_cancel(service_worker *worker, bool on)
{
        if (!worker)
                return;
        pthread_mutex_lock(&worker->lock);
        if (worker->log)
                pawl_log_interrupt(worker->log, on || worker->interrupted);
        pthread_mutex_unlock(&worker->lock);
}

/* ---- Time and threads ------------------------------------------------------------------------ */

int64_t service_now_ms(void)
{
        return pawl__monotonic_us() / 1000;
}

struct timespec service_in_ms(unsigned ms)
{
        const int64_t us = pawl__monotonic_us() + (int64_t)ms * 1000;

        return (struct timespec){us / 1000000, us % 1000000 * 1000};
}

void service_cond_init(pthread_cond_t *cond)
{
        pthread_condattr_t monotonic;

        pthread_condattr_init(&monotonic);
        pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
        pthread_cond_init(cond, &monotonic);
        pthread_condattr_destroy(&monotonic);
}

pawl_status service_thread_start(
        pthread_t *out, void *(*run)(void *user), void *user, pawl_error *err)
{
        const int code = pthread_create(out, NULL, run, user);

        if (!code)
                return PAWL_OK;
        return pawl__fail(err, code == ENOMEM ? PAWL_ENOMEM : PAWL_EIO,
                "a thread: %s; close some programs, or give fewer with --threads",
                strerrordesc_np(code));
}

/* ---- The workers ----------------------------------------------------------------------------- */

typedef struct member {
        service_pool *pool;
        service_worker worker;
        pthread_t thread;
} member;

struct service_pool {
        service_gauges *gauges; /* queued and busy are changed under the lock */
        pthread_mutex_t lock;   /* of what follows */
        pthread_cond_t work, idle;
        service_job *first, **last;
        size_t changing; /* jobs that run and change something */
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

        pool->gauges->queued--;
        pool->gauges->busy++;
        pool->changing += changes;
        pthread_mutex_unlock(&pool->lock);
        job->run(job, worker);
        pthread_mutex_lock(&pool->lock);
        pool->gauges->busy--;
        pool->changing -= changes;
        if (changes)
                pthread_cond_signal(&pool->work);
}

static void *work(void *user)
{
        member *self = user;
        service_pool *pool = self->pool;

        pthread_mutex_lock(&pool->lock);
        while (!pool->ending || pool->gauges->queued) {
                service_job *job = next_job(pool);
                if (job)
                        run(pool, job, &self->worker);
                else
                        pthread_cond_wait(&pool->work, &pool->lock);
                if (!pool->gauges->queued && !pool->gauges->busy)
                        pthread_cond_broadcast(&pool->idle);
        }
        pthread_cond_broadcast(&pool->work);
        pthread_mutex_unlock(&pool->lock);
        return NULL;
}

pawl_status service_pool_start(service_pool **out, service_site *site, unsigned n, pawl_error *err)
{
        service_pool *pool = calloc(1, sizeof *pool + n * sizeof pool->members[0]);
        pawl_status status = PAWL_OK;

        if (!pool)
                return pawl__nomem(err);
        pool->gauges = &site->gauges;
        pool->last = &pool->first;
        pthread_mutex_init(&pool->lock, NULL);
        pthread_cond_init(&pool->work, NULL);
        service_cond_init(&pool->idle);
        pthread_mutex_lock(&pool->lock);
        for (; !status && pool->n < n; pool->n += !status) {
                member *one = &pool->members[pool->n];
                one->pool = pool;
                service_worker_init(&one->worker, site);
                status = service_thread_start(&one->thread, work, one, err);
                if (status)
                        service_worker_free(&one->worker);
        }
        pthread_mutex_unlock(&pool->lock);
        if (status) {
                service_pool_stop(pool, 0);
                service_pool_free(pool);
        } else {
                *out = pool;
        }
        return status;
}

bool service_pool_reserve(service_pool *pool)
{
        pthread_mutex_lock(&pool->lock);
        const bool accepted =
                !pool->ending && pool->gauges->queued < (long)pool->n * SERVICE_QUEUE_MAX;
        pool->gauges->queued += accepted;
        pthread_mutex_unlock(&pool->lock);
        return accepted;
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

void service_pool_stop(service_pool *pool, unsigned grace_ms)
{
        const struct timespec until = service_in_ms(grace_ms);
        int code = 0;

        if (!pool)
                return;
        pthread_mutex_lock(&pool->lock);
        pool->ending = true;
        pthread_cond_broadcast(&pool->work);
        while ((pool->gauges->queued || pool->gauges->busy) && !code)
                code = pthread_cond_timedwait(&pool->idle, &pool->lock, &until);
        pthread_mutex_unlock(&pool->lock);
        for (unsigned i = 0; i < pool->n && code; i++)
                service_worker_interrupt(&pool->members[i].worker);
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
