/**
 * @file mission/command.h
 * @brief Running one step's command: no shell, its own process group, input and output streamed.
 */
#pragma once

#include "base/text.h"

/** How long is waited, in milliseconds. */
typedef struct pawl__command_waits {
        int64_t term;      /**< from TERM to KILL, when we end a command */
        int64_t interrupt; /**< from a forwarded signal to KILL */
        int64_t silence;   /**< how long an output held open by others may pause after the end */
        int64_t left_open; /**< how long it is read in all after the end */
} pawl__command_waits;

/** 2 s, 10 s, 1 s and 10 s. */
extern const pawl__command_waits pawl__command_waits_usual;

typedef struct pawl__command {
        char *const *argv;      /**< ended by NULL; argv[0] with a '/' is taken from directory */
        const char *directory;  /**< where it runs, */
        const char *cwd;        /**< or in this one below it; NULL: there */
        const char *const *env; /**< "NAME=value", added to this process's, or "NAME", left out of
                                     them; ended by NULL */
        pawl_text input;        /**< its standard input; a reader that closes early is no error */
        size_t output_max;      /**< bytes; more kills it: PAWL_ETOOBIG */
        int signal_fd;          /**< a byte read is a signal to forward to the group; -1: none */
        unsigned tick_ms;       /**< how often tick is called; 0: never */
        pawl_status (*tick)(void *user); /**< a failure kills the command and is passed on */
        void (*signalled)(void *user);   /**< one was forwarded; NULL: nobody is told */
        void *tick_user;
        pawl_status (*log)(pawl_text *shown, const char *data, size_t len,
                void *user); /**< gets its standard error as it comes, and at its end no bytes. It
                                  sets what this process's standard error gets, which lives until
                                  the next call; NULL: all of it. A failure kills the command and
                                  is passed on */
        void *log_user;
        const pawl__command_waits *waits; /**< NULL: the usual ones */
        int lock_fd; /**< kept open until nothing of the command lives; 0: none */
        struct pawl__watchers
                *watchers; /**< of commands of the same lock, with log or without
                              (mission/watcher.h); NULL: it has a watcher of its own */
} pawl__command;

typedef struct pawl__command_result {
        int exit_code;      /**< 128 + signal when it was killed; -1: it never started */
        int killed_by;      /**< its signal, or 0 */
        int interrupted_by; /**< the signal that this process was asked to forward, or 0 */
        pawl__buf output;   /**< the caller's */
} pawl__command_result;

enum { PAWL__COMMANDS_MOST = 128 }; /**< that are waited for at once: each has descriptors */

typedef struct pawl__child pawl__child; /**< a command at work; mission/command_io.h */

/** Start it; what it points to must live until its end. On a failure, as pawl__command_run() tells
 *  it, nothing runs. */
PAWL_MUST_CHECK pawl_status pawl__command_start(
        pawl__child **out, const pawl__command *command, pawl_error *err);

/** What became of one that is done (pawl__child_done()), which is freed; as pawl__command_run(). */
PAWL_MUST_CHECK pawl_status pawl__command_end(
        pawl__command_result *result, pawl__child *child, pawl_error *err);

/**
 * Run it to its end, under a watcher (mission/watcher.h): if this process dies meanwhile, nothing
 * of the command lives on. Where the command was ended, nothing of it does either; what one that
 * ended by itself left behind is left alone. Its standard error goes to this process's, at once and
 * in order. Its output ends when nobody holds it open any more; if a process that it left behind
 * does, with the first silence after its end (a second), and soon after it at the latest (ten
 * seconds).
 *
 * @param[out] result  set in any case; the output is empty unless PAWL_OK.
 * @return PAWL_OK: it ended by itself or by a signal, see result; PAWL_ENOTFOUND or PAWL_EACCESS:
 * it could not be started, the message names the command and how to fix it; PAWL_ETOOBIG;
 *         PAWL_EINTERRUPTED: a signal was forwarded and it has ended since (killed after 10 s);
 *         or what tick returned; PAWL_EIO also when the watcher was killed, and the command with
 * it.
 */
PAWL_MUST_CHECK pawl_status pawl__command_run(
        pawl__command_result *result, const pawl__command *command, pawl_error *err);

/**
 * Would pawl__command_run() find argv[0], from directory? Nothing is run.
 * @return PAWL_ENOTFOUND or PAWL_EACCESS with the message that a run would give.
 */
PAWL_MUST_CHECK pawl_status pawl__command_find(const pawl__command *command, pawl_error *err);
