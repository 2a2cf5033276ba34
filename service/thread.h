/**
 * @file service/thread.h
 * @brief Threads, and the monotonic clock that they wait by.
 */
#ifndef SERVICE_THREAD_H
#define SERVICE_THREAD_H

#include <pawl/base.h>
#include <pthread.h>
#include <time.h>

int64_t service_now_us(void);
int64_t service_now_ms(void);

/** The time @p ms from now, for pthread_cond_timedwait() on a condition of service_cond_init(). */
struct timespec service_in_ms(unsigned ms);
void service_cond_init(pthread_cond_t *cond);

/** PAWL_EIO, PAWL_ENOMEM: the limit is reached. */
PAWL_MUST_CHECK pawl_status service_thread_start(
        pthread_t *out, void *(*run)(void *user), void *user, pawl_error *err);

#endif
