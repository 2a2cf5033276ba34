/**
 * @file service/pool.h
 * @brief The workers, and the jobs that wait for them.
 *
 * Of the workers, one is kept for jobs that only read: writers that wait for the log's lock hold up
 * no reader.
 */
#ifndef SERVICE_POOL_H
#define SERVICE_POOL_H

#include "service/worker.h"

#define SERVICE_QUEUE_MAX 64 /* jobs that may wait, for each worker */

/** Something to be done by a worker. Its memory is its maker's. */
typedef struct service_job {
        void (*run)(struct service_job *job, service_worker *worker);
        bool changes;
        struct service_job *next;
} service_job;

typedef struct service_pool service_pool;

/** Start @p n workers. PAWL_ENOMEM, PAWL_EIO (no threads). */
PAWL_MUST_CHECK pawl_status service_pool_start(
        service_pool **out, service_site *site, unsigned n, pawl_error *err);

/** May another job be put? The place is taken then, and service_pool_put() must follow. */
bool service_pool_reserve(service_pool *pool);
void service_pool_put(service_pool *pool, service_job *job);

/** Wait until nothing waits or runs, @p ms at most. True: so it is. */
bool service_pool_drain(service_pool *pool, unsigned ms);
/** End what runs, and what comes, at its next statement. */
void service_pool_interrupt(service_pool *pool);
/** Wait for what runs and waits, end the workers and close their logs; no place is given after it.
 *  NULL is allowed, here and below. */
void service_pool_stop(service_pool *pool);
void service_pool_free(service_pool *pool);

#endif
