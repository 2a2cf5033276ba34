#include "service/thread.h"
#include "base/error.h"
#include <errno.h>
#include <string.h>

int64_t service_now_us(void)
{
        struct timespec at;

        clock_gettime(CLOCK_MONOTONIC, &at);
        return (int64_t)at.tv_sec * 1000000 + at.tv_nsec / 1000;
}

int64_t service_now_ms(void)
{
        return service_now_us() / 1000;
}

struct timespec service_in_ms(unsigned ms)
{
        const int64_t us = service_now_us() + (int64_t)ms * 1000;

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
