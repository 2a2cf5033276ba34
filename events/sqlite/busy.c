/* Waiting for the lock of the log. */
#include "events/sqlite/sqlite.h"
#include <sys/stat.h>
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

/* Sixty processes that poll leave the one that they wait for so little CPU that it did not commit
 * for 5 s on two busy cores. So a waiter polls less often after SOON and LATE looks, about half a
 * second and two seconds. */
enum { SOON = 1500, LATE = 3000, SOON_US = 1000, LATE_US = 4000 };

/* When something was last written to the write-ahead log. */
static struct timespec last_write(const pawl_log *log)
{
        struct stat wal = {0};

        if (pawl__log_path_size(log, "-wal") >= 0)
                (void)stat(log->file->side, &wal);
        return wal.st_mtim;
}

void pawl__quiet_begin(pawl_log *log)
{
        log->file->quiet.patience =
                pawl__patience_of((int64_t)log->busy_ms * 1000 - log->waited_us);
        log->file->quiet.since = last_write(log);
}

bool pawl__quiet_moved(pawl_log *log)
{
        const struct timespec now = last_write(log), since = log->file->quiet.since;

        if (now.tv_sec == since.tv_sec && now.tv_nsec == since.tv_nsec)
                return false;
        log->file->quiet.since = now;
        log->file->quiet.patience = pawl__patience_of((int64_t)log->busy_ms * 1000);
        return true;
}

int pawl__busy(void *user, int count)
{
        const long us = count < SOON ? PAUSE_US : count < LATE ? SOON_US : LATE_US;
        const struct timespec pause = {0, us * 1000};
        pawl_log *log = user;

        if (log->file->turn == PAWL__TURN_WAITS || pawl__interrupt_waits(log))
                return 0;
        if (count == 0)
                pawl__quiet_begin(log);
        if (pawl__patience_over(&log->file->quiet.patience) && !pawl__quiet_moved(log))
                return 0;
        nanosleep(&pause, NULL);
        return 1;
}
