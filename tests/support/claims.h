/**
 * @file tests/support/claims.h
 * @brief Claims of one run, "run-1", by the fixture's process and by another.
 */
#pragma once

#include "support/event_log.h"

/** An event of the run, with what any type that the tests use must have. */
pawl_event claims_event(const char *type);
/** Claim it, which must succeed; the fence. */
uint64_t claims_take(pawl_log *log);
/** Claim a run and start it, with no steps yet; it stays this process's. */
void run_begin(pawl_log *log, const char *mission_id, const char *run_id);
/** The claim is refused as long as the holder stands, and nothing is written. */
void claims_check_held(event_log *f, pawl_log *log);
/** A log of another process: pid 200 on the same host and boot, unless the test changes that. */
pawl_log *claims_another(event_log *f);

/** Make @p log one of another machine, which has no more in common with the holders than the files:
 *  no kernel tells it who lives, only the leases do. Again, once a holder has renewed. */
void claims_elsewhere(pawl_log *log);
