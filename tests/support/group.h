/**
 * @file tests/support/group.h
 * @brief Threads that write with a handle each, of which the first stands still in its sync while
 * the others wait.
 */
#pragma once

#include "events/group.h"
#include "events/handle.h"
#include "state/state.h"
#include "support/event_log.h"

/** A thread's one write: an append, or the claim of a run. */
typedef struct writer {
        pawl_log *log;
        pawl_event event;
        uint64_t fence;
        const char *claims;
        pthread_t thread;
        pawl_status status;
        uint64_t seq;
} writer;

/** An event_log on the VFS that fails, with one event. */
int group_setup(void **state);
int group_teardown(void **state);
#define GROUP_TEST(name) UNIT_TEST_WITH(name, event_log *f, group_setup, group_teardown)

/** The log, with a projector. */
pawl_log *group_with_state(pawl_log *log);
writer group_appending(pawl_log *log, pawl_event event);
void group_start(writer *w);
/** w[0] syncs and stands still there; the others wait, in this order. */
void group_write_all(writer *w, size_t n);
/** Let it go on, and wait for the first @p n to end. */
void group_join_all(writer *w, size_t n);
void group_close_all(writer *w, size_t n);
/** Its write is the nth event after that of the setup. */
void group_check_in(const writer *w, uint64_t nth);
void group_check_refused(const writer *w, pawl_status status, const char *says);
/** The chain is whole, so many events longer than after the setup, and the state tables are what it
 *  means. */
void group_check_log(event_log *f, uint64_t events);
