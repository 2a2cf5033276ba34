/**
 * @file service/worker.h
 * @brief A worker: the log of one thread, and the handling of its requests.
 */
#ifndef SERVICE_WORKER_H
#define SERVICE_WORKER_H

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
        bool keeps; /**< it is the one that keeps the log: service/feed.h */
};

void service_worker_init(service_worker *worker, service_site *site);
void service_worker_free(service_worker *worker);

/**
 * Open the log unless it is open; where its path leads to another file now, open that.
 * @return as pawl_log_open().
 */
PAWL_MUST_CHECK pawl_status service_worker_ready(service_worker *worker, pawl_error *err);

/** Of the one that keeps the log: see service_feed_keep(). */
PAWL_MUST_CHECK pawl_status service_worker_keep(service_worker *worker, pawl_error *err);

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

/** Run an admitted call to its answer, in this worker. */
void service_run(service_answer *answer, service_call *call, service_worker *worker);

/** Both, from a request to its answer, without a connection. */
void service_handle(service_answer *answer, service_worker *worker, const service_request *request);

#endif
