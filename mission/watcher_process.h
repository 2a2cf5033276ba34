/**
 * @file mission/watcher_process.h
 * @brief What runs in the watcher of a step's command, and what it is told.
 *
 * System calls alone, since it is a fork of a program with threads; what is in memory there is as
 * it was at the fork, but for the arguments of later commands.
 */
#pragma once

#include "mission/watcher.h"

/** What this process asks of the watcher: one byte, a signal to send or one of these. A socket that
 *  is closed without a release asks to kill. */
enum {
        PAWL__WATCHER_RELEASE = 0,
        PAWL__WATCHER_FREE =
                254, /**< the command has ended: say whether another may come, or end */
        PAWL__WATCHER_START = 255 /**< the command that is in the shared memory, with descriptors */
};

/** What the watcher says: of each command its pid, or why there is none; then how it ended, as
 *  waitid() tells it; {0, 0}: another may come. */
typedef struct pawl__watcher_report {
        int value, how;
} pawl__watcher_report;

/** A later command, in memory that both processes have at one address. */
struct pawl__watcher_shared {
        char **argv, **env;
        char *buf[]; /**< for the words of both, and their text */
};

typedef struct pawl__watched {
        const pawl__watched_start *start; /**< of the first command */
        const struct pawl__watcher_shared *shared;
        int socket;
        pid_t parent, outer;
        int parent_fd; /**< a pidfd; -1: the kernel has none */
        /* Set by the inner process, which shares its memory with the outer one. */
        pid_t command; /**< 0: none is at work */
        bool ended, done;
} pawl__watched;

/** All of the watcher, in the child of a fork() with all signals blocked. It does not return. */
_Noreturn void pawl__watcher_process(pawl__watched *w);
