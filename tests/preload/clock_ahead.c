/*
 * For LD_PRELOAD: a program whose clock of the time since boot, by which leases run out, is ahead.
 *
 *   CLOCK_AHEAD=F   the file F says by how many seconds; it is read at each look at the clock
 *   POLL_MAX=MS     poll() waits no longer than this, so that what is due by that clock is soon
 * seen
 *
 * What the program starts is left alone: LD_PRELOAD is taken out of the environment.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

static char ahead_file[4096];
static int poll_max = -1;

__attribute__((constructor)) static void begin(void)
{
        const char *ahead = getenv("CLOCK_AHEAD"), *max = getenv("POLL_MAX");

        if (ahead)
                snprintf(ahead_file, sizeof ahead_file, "%s", ahead);
        if (max)
                poll_max = (int)strtol(max, NULL, 10);
        unsetenv("LD_PRELOAD");
}

static long ahead_s(void)
{
        FILE *file = *ahead_file ? fopen(ahead_file, "re") : NULL;
        long seconds = 0;

        if (!file)
                return 0;
        if (fscanf(file, "%ld", &seconds) != 1)
                seconds = 0;
        fclose(file);
        return seconds;
}

EXPORT int clock_gettime(clockid_t clock, struct timespec *out)
{
        int result = (int)syscall(SYS_clock_gettime, clock, out);

        if (result == 0 && clock == CLOCK_BOOTTIME)
                out->tv_sec += ahead_s();
        return result;
}

EXPORT int poll(struct pollfd *fds, nfds_t n, int timeout_ms)
{
        int (*real)(struct pollfd *, nfds_t, int) =
                (int (*)(struct pollfd *, nfds_t, int))dlsym(RTLD_NEXT, "poll");

        if (poll_max >= 0 && (timeout_ms < 0 || timeout_ms > poll_max))
                timeout_ms = poll_max;
        return real(fds, n, timeout_ms);
}
