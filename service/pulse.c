#include "service/pulse.h"
#include "base/error.h"
#include "service/worker.h"
#include <stdlib.h>
#include <time.h>

struct service_pulse {
        service_worker worker; /* its log is this thread's */
        pthread_t thread;
        pthread_mutex_t lock;
        pthread_cond_t ends;
        bool ending;
};

int64_t service_now_ms(void)
{
        struct timespec now;

        clock_gettime(CLOCK_MONOTONIC, &now);
        return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void beat(service_pulse *pulse)
{
        service_health *health = &pulse->worker.site->health;
        pawl_error err = PAWL_ERROR_INIT;
        unsigned char hash[32];
        uint64_t head = 0;

        service_health_asks(health, service_now_ms());
        pawl_status status = service_worker_ready(&pulse->worker, &err);
        if (!status && (status = pawl_log_head(&head, hash, pulse->worker.log)))
                pawl__fail(&err, status, "%s", pawl_log_errmsg(pulse->worker.log));
        service_health_read(health, head, status ? &err : NULL);
}

static void *run(void *user)
{
        service_pulse *pulse = user;

        pthread_mutex_lock(&pulse->lock);
        while (!pulse->ending) {
                struct timespec until;
                pthread_mutex_unlock(&pulse->lock);
                beat(pulse);
                clock_gettime(CLOCK_MONOTONIC, &until);
                until.tv_sec += SERVICE_PULSE_MS / 1000;
                pthread_mutex_lock(&pulse->lock);
                while (!pulse->ending &&
                        !pthread_cond_timedwait(&pulse->ends, &pulse->lock, &until))
                        ;
        }
        pthread_mutex_unlock(&pulse->lock);
        return NULL;
}

pawl_status service_pulse_start(service_pulse **out, service_site *site, pawl_error *err)
{
        service_pulse *pulse = calloc(1, sizeof *pulse);
        pthread_condattr_t monotonic;

        if (!pulse)
                return pawl__nomem(err);
        service_worker_init(&pulse->worker, site);
        pthread_mutex_init(&pulse->lock, NULL);
        pthread_condattr_init(&monotonic);
        pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
        pthread_cond_init(&pulse->ends, &monotonic);
        pthread_condattr_destroy(&monotonic);
        const int code = pthread_create(&pulse->thread, NULL, run, pulse);
        if (code) {
                service_worker_free(&pulse->worker);
                free(pulse);
                return pawl__fail(
                        err, PAWL_EIO, "a thread: %s; close some programs", strerror(code));
        }
        *out = pulse;
        return PAWL_OK;
}

void service_pulse_stop(service_pulse *pulse)
{
        if (!pulse)
                return;
        service_worker_interrupt(&pulse->worker);
        pthread_mutex_lock(&pulse->lock);
        pulse->ending = true;
        pthread_cond_signal(&pulse->ends);
        pthread_mutex_unlock(&pulse->lock);
        pthread_join(pulse->thread, NULL);
        service_worker_free(&pulse->worker);
        pthread_cond_destroy(&pulse->ends);
        pthread_mutex_destroy(&pulse->lock);
        free(pulse);
}
