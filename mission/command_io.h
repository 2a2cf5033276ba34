/**
 * @file mission/command_io.h
 * @brief A command that runs: its input fed, its output gathered, its standard error passed on, its
 * end awaited.
 */
#ifndef PAWL_MISSION_COMMAND_IO_H
#define PAWL_MISSION_COMMAND_IO_H

#include "mission/command.h"
#include "mission/watcher.h"

/** A command that was started as the leader of a process group of its own. */
typedef struct pawl__child {
        const pawl__command *command;
        pawl__watcher watcher;     /**< closing it is the caller's */
        int in_fd, out_fd, err_fd; /**< the parent's ends, non-blocking; -1 once closed */
        size_t written;            /**< bytes of the input */
        pawl__buf output;
        int interrupted_by; /**< the first signal that was forwarded; 0: none */
} pawl__child;

/**
 * Feed and read until the command has ended and its output too, and close the descriptors.
 *
 * The output ends when nobody holds it open any more. If a process that the command left behind
 * does, then it ends with the first silence after the command's end, and some time after it at the
 * latest; that process is left alone. Its standard error ends likewise, once what the command
 * itself wrote there is passed on.
 * @return PAWL_OK; PAWL_ETOOBIG, PAWL_ENOMEM, PAWL_EIO or what tick returned: its processes got
 * TERM, and KILL later; PAWL_EINTERRUPTED: a signal was forwarded to the group, and all get KILL
 * some time after the first. In each case the watcher is to be closed so that nothing is left. How
 * long each is: the command's waits.
 */
PAWL_MUST_CHECK pawl_status pawl__child_supervise(pawl__child *child);

#endif
