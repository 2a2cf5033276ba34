/**
 * @file service/notifier.h
 * @brief Telling by a command what becomes of every run of the log: blocked, failed, completed.
 *
 * A thread follows the log. How far it has told is in a file, so that a service that is started
 * again, however it ended, goes on there: each event is told at least once. A command that fails is
 * tried again, later each time, before the next event.
 */
#pragma once

#include "service/site.h"

typedef struct service_notifier service_notifier;

/** Of options.notify and its file; *out is NULL where there is none. The first time it begins at
 *  the log's end. PAWL_ENOMEM, PAWL_EIO. */
PAWL_MUST_CHECK pawl_status service_notifier_start(
        service_notifier **out, service_site *site, pawl_error *err);
/** A command that is at work is ended. NULL is allowed. */
void service_notifier_stop(service_notifier *notifier);
