/**
 * @file service/worker.h
 * @brief A worker: the log of one thread, and the handling of its requests; the threads, and the
 * queue of their jobs.
 *
 * One worker is reserved for jobs that only read: writers that wait for the log's lock delay no
 * reader.
 */
#pragma once

#include "pipeline/question.h"
#include "service/site.h"
#include <sys/stat.h>

struct service_worker {
        service_site *site;
        pthread_mutex_t lock; /**< of what follows, against other threads */
        pawl_log *log;        /**< NULL: not open */
        dev_t device;         /**< of the open file: its path may lead to another by now */
        ino_t inode;
        unsigned opened; /**< how often a log was opened */
        bool interrupted;
        pawl__question_clock asked;
        int64_t settle_ms; /**< when service_worker_settle() does something again */
};

void service_worker_init(service_worker *worker, service_site *site);
void service_worker_free(service_worker *worker);

/** Is the log open, and does its path still lead to the open file? */
bool service_worker_has_log(const service_worker *worker);
/**
 * Open the log unless it is open; where its path leads to another file now, open that.
 * @return as pawl_log_open().
 */
PAWL_MUST_CHECK pawl_status service_worker_open(service_worker *worker, pawl_error *err);
/** The same for a request, after the feed has put back a log that had vanished. (service/ready.c)
 */
PAWL_MUST_CHECK pawl_status service_worker_ready(service_worker *worker, pawl_error *err);

/** Of the feed's, which keeps the log: put it back where it has vanished, and have it open. See
 *  service_feed_keep(). */
PAWL_MUST_CHECK pawl_status service_worker_keep(service_worker *worker, pawl_error *err);

/** Every now and then: record what nobody answered in time. What fails is tried again. */
void service_worker_settle(service_worker *worker);

/** Interrupt the present command and all future ones: from any thread. */
void service_worker_interrupt(service_worker *worker);
/** Interrupt the present command, or stop doing so: from the worker's own thread. NULL is allowed.
 */
void service_worker_cancel(service_worker *worker, bool on);

/**
 * The checks before the body of a request is read: route, token, query, actor. Fills @p call except
 * its worker and log. False: @p answer says why not. The request must outlive it.
 */
bool service_admit(service_answer *answer, service_call *call, service_site *site,
        const service_request *request);

/** May the call do what has these of a route's traits, SERVICE_CHANGES and SERVICE_WORKSPACE?
 *  PAWL_EREADONLY, PAWL_EINVAL: @p what and @p name, together, cannot be done. */
PAWL_MUST_CHECK pawl_status service_may(const service_call *call, const char *what,
        const char *name, unsigned traits, pawl_error *err);

/** Run an admitted call to its answer, in this worker. */
void service_run(service_answer *answer, service_call *call, service_worker *worker);

/** Both, from a request to its answer, without a connection. */
void service_handle(service_answer *answer, service_worker *worker, const service_request *request);

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

/** Reserve a place in the queue; service_pool_put() must follow. False: it is full, or stopped. */
bool service_pool_reserve(service_pool *pool);
void service_pool_put(service_pool *pool, service_job *job);

/** Wait for running and queued jobs, which are interrupted at their next statement after @p
 *  grace_ms; end the workers and close their logs. NULL is allowed, here and below. */
void service_pool_stop(service_pool *pool, unsigned grace_ms);
void service_pool_free(service_pool *pool);

/** The monotonic clock, by which threads wait. */
int64_t service_now_ms(void);

/** The time @p ms from now, for pthread_cond_timedwait() on a condition of service_cond_init(). */
struct timespec service_in_ms(unsigned ms);
void service_cond_init(pthread_cond_t *cond);

/** PAWL_EIO, PAWL_ENOMEM: the limit is reached. */
PAWL_MUST_CHECK pawl_status service_thread_start(
        pthread_t *out, void *(*run)(void *user), void *user, pawl_error *err);
