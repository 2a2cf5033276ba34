/**
 * @file service/pulse.h
 * @brief The thread that reads the log's head once a second, for service/health.h.
 */
#ifndef SERVICE_PULSE_H
#define SERVICE_PULSE_H

#include "service/site.h"

typedef struct service_pulse service_pulse;

PAWL_MUST_CHECK pawl_status service_pulse_start(
        service_pulse **out, service_site *site, pawl_error *err);
/** NULL is allowed. */
void service_pulse_stop(service_pulse *pulse);

#endif
