/**
 * @file mission/notify.h
 * @brief Telling by a command what became of a run: the event's JSON on its standard input.
 */
#pragma once

#include <pawl/events.h>

typedef struct pawl__notify_command {
        pawl_log *log;
        char *const *argv;         /**< ended by NULL */
        const char *directory;     /**< where it runs, and what argv[0] with a '/' is taken from */
        bool (*stops)(void *user); /**< true ends the command; NULL: nothing but its time does */
        void *user;
} pawl__notify_command;

/** Run the command with the event @p seq on its standard input, for 10 s at most. PAWL_ESTEP: it
 *  failed; PAWL_EBUSY: it was given up; PAWL_EINTERRUPTED: it was stopped; or it could not be
 *  started, or the event not be read. */
PAWL_MUST_CHECK pawl_status pawl__notify_run(
        const pawl__notify_command *teller, uint64_t seq, pawl_error *err);
