/* Waiting for the lock of the log. */
#include "events/sqlite/sqlite.h"
#include <time.h>

/* No process is woken when the lock is released: a waiter polls, and a writer that has released the
 * lock and writes again finds it free at once. So growing sleeps starve the waiters: with sleeps
 * that grew to 50 ms, 21 to 28 of 32 processes that append all the time waited for their 5 s in
 * vain. With sleeps of equal length, shorter ones are fairer, until polling takes the CPU from the
 * writers. tests/durability/writers_test.c on two busy cores, two to
 * five runs each: 32 processes that append 10,000 events, ms of the slowest one, and the CPU of
 * both tests:
 *
 *   sleep, us    appends/s    p50    p99          longest      CPU, s
 *   50-150         610-720    16-26  540-830      1,370-4,010  18-26
 *   250          1,300-1,780  9-10   150-260        380-670    7.5
 *   100-400      1,140-1,910  4-9    150-470        370-1,170  6-8
 *   200-800      1,090-1,580  4-6    260-580        860-2,220  5
 *   500-1,500      610-790    1      1,020-1,880  2,520-2,620  4
 *   1,000          660-950    1      920-1,910    2,790-5,260  3 */
enum { PAUSE_US = 250 };

int pawl__busy(void *user, int count)
{
        static const struct timespec pause = {0, PAUSE_US * 1000};
        pawl_log *log = user;
        pawl__patience *patience = &log->file->patience;

        if (count == 0)
                *patience = pawl__patience_of((int64_t)log->busy_ms * 1000 - log->waited_us);
        if (pawl__patience_over(patience) || pawl__interrupt_waits(log))
                return 0;
        nanosleep(&pause, NULL);
        return 1;
}
