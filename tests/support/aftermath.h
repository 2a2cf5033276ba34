/**
 * @file tests/support/aftermath.h
 * @brief What the processes find that come after a power cut: a reader, and one that goes on.
 */
#pragma once

#include "events/sqlite/sqlite.h"
#include "support/power.h"

/** What a workload knows about its own log, FOLDER/.pawl/events.db. */
struct aftermath {
        const pawl__schema *schema; /**< NULL: today's */
        const char *key;            /**< of its chain; NULL: none */
        pawl_status (*more)(
                pawl_log *log, bool readonly, pawl_error *err); /**< NULL: nothing more */
};

/** The check of a power_sweep, whose user is a struct aftermath: the log ends where a transaction
 * could, not before what was promised; it verifies; its tables are what the events say; it can be
 * appended to. Of some states, a reader sees the same before anybody has repaired anything. */
power_verdict aftermath_check(power_state *state, const void *user);
