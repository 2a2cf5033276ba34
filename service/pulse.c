#include "service/pulse.h"
#include "base/error.h"
#include "events/log.h"
#include "service/thread.h"
#include "service/worker.h"
#include <stdlib.h>

struct service_pulse {
        service_worker worker;   /* its log keeps what a path leads to no more */
        pthread_mutex_t reading; /* held by whoever uses the log */
        pthread_t thread;
        pthread_mutex_t lock;
        pthread_cond_t ends;
        bool ending;
};

static void beat(service_pulse *pulse)
{
        service_health *health = &pulse->worker.site->health;
        pawl_error err = PAWL_ERROR_INIT;
        unsigned char hash[32];
        uint64_t head = 0;

        service_health_begin(health, service_now_ms());
        pthread_mutex_lock(&pulse->reading);
        pawl_status status = service_worker_ready(&pulse->worker, &err);
        if (!status && (status = pawl_log_head(&head, hash, pulse->worker.log)))
                pawl__log_failed(pulse->worker.log, status, &err);
        pthread_mutex_unlock(&pulse->reading);
        service_health_read(health, status ? &err : NULL);
}

pawl_status service_pulse_keep(service_pulse *pulse, pawl_error *err)
{
        if (!pulse)
                return PAWL_OK;
        pthread_mutex_lock(&pulse->reading);
        const pawl_status status = service_worker_keep(&pulse->worker, err);
        pthread_mutex_unlock(&pulse->reading);
        return status;
}

static void *run(void *user)
{
        service_pulse *pulse = user;

        pthread_mutex_lock(&pulse->lock);
        while (!pulse->ending) {
                pthread_mutex_unlock(&pulse->lock);
                beat(pulse);
                const struct timespec until = service_in_ms(SERVICE_PULSE_MS);
                pthread_mutex_lock(&pulse->lock);
                while (!pulse->ending &&
                        !pthread_cond_timedwait(&pulse->ends, &pulse->lock, &until))
                        ;
        }
        pthread_mutex_unlock(&pulse->lock);
        return NULL;
}

static void free_pulse(service_pulse *pulse)
{
        service_worker_free(&pulse->worker);
        pthread_cond_destroy(&pulse->ends);
        pthread_mutex_destroy(&pulse->lock);
        pthread_mutex_destroy(&pulse->reading);
        free(pulse);
}

pawl_status service_pulse_start(service_pulse **out, service_site *site, pawl_error *err)
{
        service_pulse *pulse = calloc(1, sizeof *pulse);

        if (!pulse)
                return pawl__nomem(err);
        service_worker_init(&pulse->worker, site);
        pthread_mutex_init(&pulse->lock, NULL);
        pthread_mutex_init(&pulse->reading, NULL);
        service_cond_init(&pulse->ends);
        pulse->worker.keeps = true;
        pawl_status status = service_worker_ready(&pulse->worker, err);
        if (!status)
                status = service_thread_start(&pulse->thread, run, pulse, err);
        if (status)
                free_pulse(pulse);
        else
                *out = pulse;
        return status;
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
        free_pulse(pulse);
}
