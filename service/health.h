/**
 * @file service/health.h
 * @brief Whether the log can be read and written, as far as is known now.
 *
 * A thread of its own reads the log's head once a second: where the disk hangs, that thread hangs
 * and no other, and the answer to GET /healthz says since when. Writing is known from the last
 * command that wrote: a service does not write to see whether it can.
 */
#ifndef SERVICE_HEALTH_H
#define SERVICE_HEALTH_H

#include <pawl/base.h>
#include <pthread.h>
#include <stdbool.h>

#define SERVICE_PULSE_MS 1000
#define SERVICE_HANGS_MS 10000 /* without an answer from the log: it hangs */

typedef struct service_health {
        pthread_mutex_t lock;
        pawl_error reading, writing; /**< why the last one failed; PAWL_OK: it did not */
        int64_t asked_ms;            /**< when the log was asked last; 0: never, or it answered */
} service_health;

void service_health_init(service_health *health);
void service_health_free(service_health *health);

/** The log is about to be read; it was, or not (@p err says why; NULL: it was). */
void service_health_asks(service_health *health, int64_t now_ms);
void service_health_read(service_health *health, const pawl_error *err);
/** A command that changes ended. Failures that are the request's own are not taken for the log's.
 */
void service_health_wrote(service_health *health, const pawl_error *err);

/** Is all well? Else @p why has the reason, in one line. */
bool service_health_ok(service_health *health, int64_t now_ms, pawl_error *why);

#endif
