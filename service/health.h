/**
 * @file service/health.h
 * @brief Whether the log can be read and written, as far as is known.
 *
 * A thread of its own reads the log's head once a second: where the disk hangs, only that thread
 * hangs, and GET /healthz says since when. Whether writing works is known from the last command
 * that wrote: the service does not write for a test.
 */
#ifndef SERVICE_HEALTH_H
#define SERVICE_HEALTH_H

#include <pawl/base.h>
#include <pthread.h>
#include <stdbool.h>

#define SERVICE_PULSE_MS 1000
#define SERVICE_HANGS_MS 10000 /* a read that takes longer hangs */

typedef struct service_health {
        pthread_mutex_t lock;
        pawl_error reading, writing; /**< why the last one failed; PAWL_OK: it did not */
        int64_t begun_ms;            /**< when the present read began; 0: none */
} service_health;

void service_health_init(service_health *health);
void service_health_free(service_health *health);

/** A read of the log begins; it ended (@p err says why it failed; NULL: it did not). */
void service_health_begin(service_health *health, int64_t now_ms);
void service_health_read(service_health *health, const pawl_error *err);
/** A command that changes something ended. Failures of the request itself are ignored. */
void service_health_wrote(service_health *health, const pawl_error *err);

/** Is the log healthy? Else @p why is the reason, in one line. */
bool service_health_ok(service_health *health, int64_t now_ms, pawl_error *why);

#endif
