/**
 * @file mission/watcher.h
 * @brief A process between this one and a step's command, by which nothing of the command outlives
 * either.
 *
 * It starts the command and adopts what the command's processes leave behind (it is their
 * subreaper, prctl(2)), so all of them are its descendants, in whatever session. When this process
 * dies, however that is, the watcher kills every one of them. It is two processes, so that neither
 * can be killed without the other noticing: an inner one that does all this, and an outer one that
 * waits for its end.
 *
 * One whose command has ended and left nothing behind can take the next one: a run keeps as many as
 * it has commands at once.
 *
 * Safe in a program with threads: between fork() and the command's start only system calls are
 * made. The watcher keeps no descriptor of this process but those named here.
 */
#pragma once

#include <spawn.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { PAWL__WATCHED_FDS = 4, PAWL__WATCHERS_IDLE = 128 };

/** What to start: the arguments of posix_spawnp(). */
typedef struct pawl__watched_start {
        char *const *argv, *const *env;
        const posix_spawn_file_actions_t *actions;
        const posix_spawnattr_t *attributes;
        int lock_fd;    /**< kept open until nothing of the command lives; 0: none */
        const int *fds; /**< those that the actions name */
        size_t n_fds;
} pawl__watched_start;

typedef struct pawl__watcher {
        pid_t outer;   /**< a child of this process */
        pid_t command; /**< its pid is its own until pawl__watcher_close() */
        int fd;        /**< can be read when the command has ended, or the watcher has */
        bool lost; /**< the watcher has ended: the command was killed, its exit status is unknown */
        int exit_code; /**< -1 as long as it is not known that it has ended */
        int killed_by; /**< its signal, or 0 */
        size_t n_fds;
        struct pawl__watcher_shared *shared; /**< the next command; NULL: there can be none */
} pawl__watcher;

/** Those whose commands have ended, of commands of one lock whose actions are alike. */
typedef struct pawl__watchers {
        pawl__watcher list[PAWL__WATCHERS_IDLE];
        size_t n;
} pawl__watchers;

/** Start the command, by one of @p watchers that is free or another; NULL: another, for this
 *  command alone. 0, or an errno as posix_spawnp() gives it: then nothing was started. */
int pawl__watcher_start(
        pawl__watcher *out, const pawl__watched_start *start, pawl__watchers *watchers);

/** Has the command ended? To be asked when fd can be read; never blocks. */
bool pawl__watcher_ended(pawl__watcher *watcher);

/** Send a signal to every process of the command, those in sessions of their own too; and SIGCONT,
 *  since a stopped process would not get it. */
void pawl__watcher_signal(const pawl__watcher *watcher, int signal);

/** Be done with it. @p kill: every process of the command is killed, and gone when this returns;
 *  else what it left behind is left alone, and the watcher joins @p watchers (NULL: it ends). */
void pawl__watcher_close(pawl__watcher *watcher, bool kill, pawl__watchers *watchers);

/** End those that are idle. */
void pawl__watchers_end(pawl__watchers *watchers);
