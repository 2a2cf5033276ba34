/**
 * @file events/identity.h
 * @brief Who this process is, in terms that outlive it: what a lease records.
 *
 * A pid alone is used again. With the time the process started, the boot it belongs to and the pid
 * namespace that the number is from, it names one process for good.
 */
#pragma once

#include <stdint.h>

enum { PAWL__START_GONE = -1, PAWL__START_UNKNOWN = 0 };

typedef struct pawl__identity {
        char host[65];    /**< the host's name, cut to 64 bytes */
        char boot_id[37]; /**< the kernel's; "" when it cannot be read */
        int64_t pid;
        int64_t pid_start; /**< clock ticks since boot; PAWL__START_UNKNOWN without /proc */
        int64_t pid_ns;    /**< inode of the pid namespace; 0 without /proc */
        /** When the process with this pid started: PAWL__START_GONE when there is none or it is a
         *  zombie, PAWL__START_UNKNOWN when there is one and no more can be said. */
        int64_t (*start_of)(int64_t pid, void *user);
        void *user;
} pawl__identity;

/** This process, by /proc and the kernel. Never fails: what cannot be known is "" or 0. */
void pawl__identity_system(pawl__identity *out);
