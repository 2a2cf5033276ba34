/**
 * @file service/pulse.h
 * @brief The thread that reads the log's head once a second, for service/health.h.
 */
#ifndef SERVICE_PULSE_H
#define SERVICE_PULSE_H

#include "service/site.h"

PAWL_MUST_CHECK pawl_status service_pulse_start(
        service_pulse **out, service_site *site, pawl_error *err);
/**
 * Keep the log that this service has, by its pulse's handle, which alone does it: put it back where
 * nothing stands at its path any more, save it beside what stands there. From any thread; NULL and
 * a service that only reads keep nothing. Also done at each beat.
 * @return PAWL_OK: the path can be looked at. Else the log is neither here nor there but open
 * still, or what is to be said of where it was saved.
 */
PAWL_MUST_CHECK pawl_status service_pulse_keep(service_pulse *pulse, pawl_error *err);
/** NULL is allowed. */
void service_pulse_stop(service_pulse *pulse);

#endif
