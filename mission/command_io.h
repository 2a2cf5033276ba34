/**
 * @file mission/command_io.h
 * @brief A command that runs: its input fed, its output gathered, its standard error passed on, its
 * end awaited.
 */
#pragma once

#include "mission/command.h"
#include "mission/watcher.h"

enum { PAWL__ERR_CHUNK = 4096 }; /* PIPE_BUF: what a pipe that is ready takes without blocking */

/** A command that was started as the leader of a process group of its own. Times are milliseconds
 *  of CLOCK_MONOTONIC: they bound waits and decide nothing that is recorded. */
struct pawl__child {
        pawl__command command;
        pawl__watcher watcher;     /**< closing it is the caller's */
        int in_fd, out_fd, err_fd; /**< the parent's ends, non-blocking; -1 once closed */
        size_t written;            /**< bytes of the input */
        pawl__buf output;
        int interrupted_by; /**< the first signal that was forwarded; 0: none */

        const pawl__command_waits *waits;
        bool ended, discard;
        bool deaf;                 /**< this process's standard error takes nothing any more */
        char err[PAWL__ERR_CHUNK]; /**< read of the command's */
        pawl_text shown;           /**< of that, what is left to be written to this process's */
        size_t err_owed;           /**< bytes that were in the pipe when the command ended */
        pawl_status why; /**< PAWL_OK until something other than the command itself ends it */
        int64_t now, tick_at, kill_at, silent_at, close_at, err_since;
};

/** It was started just now. */
void pawl__child_begin(pawl__child *child);

/**
 * Wait for any of these, none of which is done, once and for up to most_ms (-1: as long as it
 * takes); feed them, read from them, and forward a signal that is read from @p signal_fd to all.
 *
 * A child's output ends when nobody holds it open any more. If a process that the command left
 * behind does, then it ends with the first silence after the command's end, and some time after it
 * at the latest; that process is left alone. Its standard error ends likewise, once what the
 * command itself wrote there is passed on. How long each is: the command's waits.
 * @return the signal, or 0.
 */
int pawl__children_wait(pawl__child *const *list, size_t n, int *signal_fd, int64_t most_ms);

/** The command has ended and its output too, and the descriptors are closed. */
bool pawl__child_done(const pawl__child *child);

/**
 * What that is for.
 * @return PAWL_OK; PAWL_ETOOBIG, PAWL_ENOMEM, PAWL_EIO or what tick returned: its processes got
 * TERM, and KILL later; PAWL_EINTERRUPTED: a signal was forwarded to the group, and all get KILL
 * some time after the first. In each case the watcher is to be closed so that nothing is left.
 */
pawl_status pawl__child_came_to(const pawl__child *child);

/** Forward a signal to its group; it comes to PAWL_EINTERRUPTED. */
void pawl__child_forward(pawl__child *child, int signal);
/** End it with TERM, and KILL later; it comes to @p why. */
void pawl__child_stop(pawl__child *child, pawl_status why);
