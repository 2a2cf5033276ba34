/**
 * @file session/session.h
 * @brief One sitting of a runner at a mission: its id, and the events that open and close it.
 */
#ifndef PAWL_SESSION_SESSION_H
#define PAWL_SESSION_SESSION_H

#include "state/state.h"

/** "session-YYYYMMDD-HHMMSS" in UTC, with "-2", "-3" ... where the log has that id already. */
PAWL_MUST_CHECK pawl_status pawl__session_id(
        char out[40], pawl__state *state, int64_t wall_us, pawl_error *err);

/** SessionStarted. @p like gives the envelope's ids. */
PAWL_MUST_CHECK pawl_status pawl__session_started(
        pawl__batch *batch, const pawl_event *like, pawl_error *err);

/** SessionEnded. @p status: "completed", "blocked", "interrupted" or "error"; @p reason may be
 * NULL. */
PAWL_MUST_CHECK pawl_status pawl__session_ended(pawl__batch *batch, const pawl_event *like,
        const char *status, const char *reason, pawl_error *err);

#endif
