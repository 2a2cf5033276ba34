/**
 * @file glossary/foreign.h
 * @brief Glossary events that spec-kitty wrote, taken over as the first events of a log.
 *
 * Its log is JSON Lines, an object an event, as Python's json.dumps(event, sort_keys=True) writes
 * it: {"event_type", "event_id", "mission_id", "run_id", "step_id", "timestamp", ...}; members of
 * the event may be in an object "payload". Each becomes an event of the same type with a member
 * `origin` {file, line, event_id, sha256, more}: where it comes from, the SHA-256 of its line in
 * Python's form, and the members that have no place elsewhere. Runs and steps that it names begin
 * with events of their own, as this log wants them to.
 */
#pragma once

#include "events/log.h"

typedef struct pawl__foreign pawl__foreign;

/** @p actor is who takes over, where an event names nobody; it must outlive the object. */
PAWL_MUST_CHECK pawl_status pawl__foreign_new(
        pawl__foreign **out, pawl_text actor, pawl_error *err);
void pawl__foreign_free(pawl__foreign *foreign);

/**
 * Take one line; a blank one is none.
 * @param file  its name, without directories.
 * @return any failure but PAWL_ENOMEM: it is not taken, and the message says why, without where it
 *         stands. What was taken stays.
 */
PAWL_MUST_CHECK pawl_status pawl__foreign_take(
        pawl__foreign *foreign, pawl_text file, size_t line, pawl_text text, pawl_error *err);

/** Lines that were taken, and the events that they became. */
size_t pawl__foreign_lines(const pawl__foreign *foreign);
size_t pawl__foreign_events(const pawl__foreign *foreign);

/** All of them as one transaction. PAWL_EEXISTS: the log is not empty. */
PAWL_MUST_CHECK pawl_status pawl__foreign_commit(
        pawl__foreign *foreign, pawl_log *log, pawl_error *err);
