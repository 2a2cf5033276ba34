/**
 * @file service/pool.h
 * @brief The worker threads, and the queue of their jobs.
 *
 * One worker is reserved for jobs that only read: writers that wait for the log's lock delay no
 * reader.
 */
#ifndef SERVICE_POOL_H
#define SERVICE_POOL_H

#include "service/worker.h"

#define SERVICE_QUEUE_MAX 64 /* jobs in the queue for each worker, at most */

/** Something for a worker to do. Its memory is the caller's. */
typedef struct service_job {
        void (*run)(struct service_job *job, service_worker *worker);
        bool changes;
        struct service_job *next;
} service_job;

typedef struct service_pool service_pool;

/** Start @p n workers. PAWL_ENOMEM, PAWL_EIO (no threads). */
PAWL_MUST_CHECK pawl_status service_pool_start(
        service_pool **out, service_site *site, unsigned n, pawl_error *err);

/** Reserve a place in the queue; service_pool_put() must follow. False: it is full. */
bool service_pool_reserve(service_pool *pool);
void service_pool_put(service_pool *pool, service_job *job);

/** Wait until nothing is queued or runs, @p ms at most. False: something still is. */
bool service_pool_drain(service_pool *pool, unsigned ms);
/** Interrupt present and future jobs at their next statement. */
void service_pool_interrupt(service_pool *pool);
/** Wait for running and queued jobs, end the workers and close their logs; nothing can be reserved
 *  after it. NULL is allowed, here and below. */
void service_pool_stop(service_pool *pool);
void service_pool_free(service_pool *pool);

#endif
