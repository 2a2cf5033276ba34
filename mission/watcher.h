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
 * Safe in a program with threads: between fork() and the command's start only system calls are
 * made. The watcher keeps no descriptor of this process but those named here.
 */
#ifndef PAWL_MISSION_WATCHER_H
#define PAWL_MISSION_WATCHER_H

#include <spawn.h>
#include <stdbool.h>
#include <sys/types.h>

/** What to start: the arguments of posix_spawnp(). */
typedef struct pawl__watched_start {
        char *const *argv, *const *env;
        const posix_spawn_file_actions_t *actions;
        const posix_spawnattr_t *attributes;
        int lock_fd; /**< kept open until nothing of the command lives; 0: none */
} pawl__watched_start;

typedef struct pawl__watcher {
        pid_t outer;   /**< a child of this process */
        pid_t command; /**< its pid is its own until pawl__watcher_close() */
        int fd;        /**< can be read when the command has ended, or the watcher has */
        bool lost; /**< the watcher has ended: the command was killed, its exit status is unknown */
        int exit_code; /**< -1 as long as it is not known that it has ended */
        int killed_by; /**< its signal, or 0 */
} pawl__watcher;

/** Start the command. 0, or an errno as posix_spawnp() gives it: then nothing was started. */
int pawl__watcher_start(pawl__watcher *out, const pawl__watched_start *start);

/** Has the command ended? To be asked when fd can be read; never blocks. */
bool pawl__watcher_ended(pawl__watcher *watcher);

/** Send a signal to every process of the command, those in sessions of their own too; and SIGCONT,
 *  since a stopped process would not get it. */
void pawl__watcher_signal(const pawl__watcher *watcher, int signal);

/** End the watcher. @p kill: every process of the command is killed, and gone when this returns;
 *  else what it left behind is left alone. */
void pawl__watcher_close(pawl__watcher *watcher, bool kill);

#endif
