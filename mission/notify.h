/**
 * @file mission/notify.h
 * @brief Telling by a command what became of a run: the event's JSON on its standard input.
 */
#ifndef PAWL_MISSION_NOTIFY_H
#define PAWL_MISSION_NOTIFY_H

#include "mission/runner.h"

typedef struct pawl__notice {
        pawl_log *log;
        char *const *argv;     /**< ended by NULL; taken from @p directory */
        const char *directory; /**< where it runs */
        const pawl__row *run;
        int64_t seq;      /**< of the event */
        pawl_text actor;  /**< of the event that says that it was told */
        int64_t until_ms; /* by the boot clock */
} pawl__notice;

/** Tell of the event, and record that (RunNotified).
 *  PAWL_ESTEP: the command failed; PAWL_EBUSY: it was given up after 10 s; or it could not be
 *  started, read or recorded. */
PAWL_MUST_CHECK pawl_status pawl__notify(pawl__notice *n, pawl_error *err);

#endif
