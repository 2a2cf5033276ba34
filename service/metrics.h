/**
 * @file service/metrics.h
 * @brief What is counted, and its text for Prometheus (exposition format 0.0.4).
 *
 * Counting is allowed from any thread, and never waits.
 */
#ifndef SERVICE_METRICS_H
#define SERVICE_METRICS_H

#include "service/route.h"
#include <stdatomic.h>

typedef struct service_metrics service_metrics;

/** Gauges, and counters that belong to no route. */
typedef struct service_gauges {
        atomic_long connections, streams, busy, queued;
        atomic_size_t body_bytes; /**< of requests that are queued or running */
        atomic_ullong unauthorized, timeouts;
} service_gauges;

/** @param tables  the routes, each of which is counted separately. */
PAWL_MUST_CHECK pawl_status service_metrics_new(
        service_metrics **out, const service_route *const *tables, pawl_error *err);
void service_metrics_free(service_metrics *metrics);

/** One request was answered. @p route NULL: there was none for it. */
void service_metrics_count(
        service_metrics *metrics, const service_route *route, unsigned status, uint64_t us);

/** Append the lines of what was counted. */
void service_metrics_write(
        pawl__buf *out, const service_metrics *metrics, const service_gauges *gauges);

/** One gauge: its help, type and value, each on a line. */
void service_metrics_gauge(pawl__buf *out, const char *name, const char *help, uint64_t value);

#endif
