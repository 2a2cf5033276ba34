/*
 * A queue among processes that write. SQLite polls for its write lock: a process that releases it
 * and wants it again gets it at once, while the others sleep, and many that poll leave the CPU to
 * nobody. So a writer first takes an exclusive flock(2) on the log's directory, and releases it
 * once it has SQLite's lock. The kernel keeps the waiters in a chain and wakes one at a time, in
 * order of arrival; it drops the lock of a process that dies. Only the first one polls for SQLite's
 * lock, at a pace that leaves other programs their chance (busy.c).
 *
 * Normal path: the lock is free; two system calls an append.
 *
 * The lock is held: a thread waits in flock(2), which has no time limit, and the caller waits for
 * the thread. A caller that stops waiting leaves the thread in its place, for the handle's next
 * write; a thread that gets the lock while no caller waits for it releases it and ends.
 *
 * Failure modes: the lock is for fairness only and excludes nobody.
 *  - Nothing was committed for LOOK_US, and SQLite's lock is free: the first one is stopped, or
 *    another program locks the directory. The waiter takes SQLite's lock.
 *  - Nothing was committed for busy_ms: the write tries SQLite's lock a last time, and fails.
 *  - No lock on a directory (NFS, or one that the process cannot read), or no thread: every writer
 *    polls for SQLite's lock.
 */
#include "events/sqlite/sqlite.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

enum { LOOK_US = 100 * 1000, FREE_US = 20 * 1000 };

/* A thread that waits for the lock, and the handle that it waits for. The last of them frees it. */
struct pawl__queued {
        pthread_mutex_t mutex;
        pthread_cond_t ended;
        int fd; /* the directory, opened for this thread: its lock is another than the handle's */
        bool wanted;  /* the handle takes over the lock */
        bool done;    /* the thread has ended */
        bool locked;  /* and left the lock to the handle */
        bool dropped; /* the handle has ended */
};

void pawl__writer_queue_open(pawl_log *log)
{
        size_t len = (size_t)(strrchr(log->path, '/') - log->path);
        pawl__buf directory = PAWL__BUF_INIT;

        log->file->writer_queue_fd = -1;
        if (!pawl__buf_add(&directory, log->path, len) && !pawl__buf_adds(&directory, "/."))
                log->file->writer_queue_fd =
                        open(directory.data, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        pawl__buf_free(&directory);
}

/* ---- The thread ------------------------------------------------------------------------------ */

static void queued_free(struct pawl__queued *queued)
{
        pthread_cond_destroy(&queued->ended);
        pthread_mutex_destroy(&queued->mutex);
        free(queued);
}

/* Unlocked and not only closed: a child that was forked meanwhile may have it open. */
static void queued_unlock(const struct pawl__queued *queued)
{
        (void)flock(queued->fd, LOCK_UN);
        close(queued->fd);
}

static void *wait_for_lock(void *user)
{
        struct pawl__queued *queued = user;
        int rc;

        do
                rc = flock(queued->fd, LOCK_EX);
        while (rc != 0 && errno == EINTR);
        pthread_mutex_lock(&queued->mutex);
        queued->locked = rc == 0 && queued->wanted;
        if (!queued->locked)
                queued_unlock(queued);
        queued->done = true;
        const bool dropped = queued->dropped;
        pthread_cond_signal(&queued->ended);
        pthread_mutex_unlock(&queued->mutex);
        if (dropped)
                queued_free(queued);
        return NULL;
}

/* Without the caller's signals, which are the caller's to handle. */
static bool start_thread(struct pawl__queued *queued)
{
        pthread_attr_t attr;
        pthread_t thread;
        sigset_t all, before;
        bool started = false;

        if (pthread_attr_init(&attr) != 0)
                return false;
        (void)sigfillset(&all);
        if (pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED) == 0 &&
                pthread_sigmask(SIG_SETMASK, &all, &before) == 0) {
                started = pthread_create(&thread, &attr, wait_for_lock, queued) == 0;
                (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
        }
        pthread_attr_destroy(&attr);
        return started;
}

static bool make_condition(pthread_cond_t *condition)
{
        pthread_condattr_t attr;
        bool made;

        if (pthread_condattr_init(&attr) != 0)
                return false;
        made = pthread_condattr_setclock(&attr, CLOCK_MONOTONIC) == 0 &&
               pthread_cond_init(condition, &attr) == 0;
        pthread_condattr_destroy(&attr);
        return made;
}

/* NULL without memory, descriptors or threads. */
static struct pawl__queued *queued_new(const pawl_log *log)
{
        struct pawl__queued *queued = calloc(1, sizeof *queued);

        if (!queued)
                return NULL;
        if (pthread_mutex_init(&queued->mutex, NULL) != 0 || !make_condition(&queued->ended)) {
                free(queued);
                return NULL;
        }
        queued->wanted = true;
        queued->fd = openat(log->file->writer_queue_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (queued->fd >= 0 && start_thread(queued))
                return queued;
        if (queued->fd >= 0)
                close(queued->fd);
        queued_free(queued);
        return NULL;
}

/* Does the thread wait still? One that ended without a caller is freed. */
static bool queued_resume(struct pawl__queued *queued)
{
        pthread_mutex_lock(&queued->mutex);
        queued->wanted = !queued->done;
        const bool waits = queued->wanted;
        pthread_mutex_unlock(&queued->mutex);
        if (!waits)
                queued_free(queued);
        return waits;
}

/* Has the thread ended, until @p until_us? */
static bool queued_wait(struct pawl__queued *queued, int64_t until_us)
{
        const struct timespec until = {
                (time_t)(until_us / 1000000), (long)(until_us % 1000000) * 1000};
        int rc = 0;

        pthread_mutex_lock(&queued->mutex);
        while (!queued->done && rc != ETIMEDOUT)
                rc = pthread_cond_timedwait(&queued->ended, &queued->mutex, &until);
        const bool done = queued->done;
        pthread_mutex_unlock(&queued->mutex);
        return done;
}

/* The handle needs no lock any more; releases one that it has. Is the thread still waiting? */
static bool queued_leave(struct pawl__queued *queued, bool drop)
{
        pthread_mutex_lock(&queued->mutex);
        const bool done = queued->done;
        queued->wanted = false;
        queued->dropped = drop;
        pthread_mutex_unlock(&queued->mutex);
        if (!done)
                return true;
        if (queued->locked)
                queued_unlock(queued);
        queued_free(queued);
        return false;
}

/* ---- The handle ------------------------------------------------------------------------------ */

void pawl__writer_queue_close(pawl_log *log)
{
        if (log->file->queued)
                (void)queued_leave(log->file->queued, true);
        log->file->queued = NULL;
        if (log->file->writer_queue_fd >= 0)
                close(log->file->writer_queue_fd);
        log->file->writer_queue_fd = -1;
}

/* Lock the directory, or have a thread that waits for its lock, or do without. */
static void enter(pawl_log *log)
{
        struct pawl__file *file = log->file;
        int rc;

        file->turn = PAWL__TURN_FREE;
        if (file->writer_queue_fd < 0)
                return;
        do
                rc = flock(file->writer_queue_fd, LOCK_EX | LOCK_NB);
        while (rc != 0 && errno == EINTR);
        if (rc == 0)
                file->turn = PAWL__TURN_LOCKED;
        if (rc == 0 || errno != EWOULDBLOCK)
                return;
        if (!file->queued || !queued_resume(file->queued))
                file->queued = queued_new(log);
        if (!file->queued)
                return;
        file->turn = PAWL__TURN_WAITS;
        pawl__quiet_begin(log);
}

static bool is_write_lock_free(pawl_log *log)
{
        enum { WRITE_LOCK = 0 }; /* of SQLite's WAL-mode file format, 2.3.1 */
        sqlite3_file *file = NULL;

        if (sqlite3_file_control(log->file->db, "main", SQLITE_FCNTL_FILE_POINTER, &file) !=
                        SQLITE_OK ||
                file->pMethods->xShmLock(
                        file, WRITE_LOCK, 1, SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE) != SQLITE_OK)
                return false;
        (void)file->pMethods->xShmLock(
                file, WRITE_LOCK, 1, SQLITE_SHM_UNLOCK | SQLITE_SHM_EXCLUSIVE);
        return true;
}

/* Does the first process in the queue leave SQLite's lock free for longer than it sleeps? */
static bool is_queue_stuck(pawl_log *log)
{
        return is_write_lock_free(log) &&
               !queued_wait(log->file->queued, pawl__monotonic_us() + FREE_US) &&
               !pawl__quiet_moved(log) && is_write_lock_free(log);
}

/* Until it is the caller's turn, or SQLite's lock is worth a try: SQLITE_OK. */
static int wait_for_turn(pawl_log *log)
{
        struct pawl__file *file = log->file;
        pawl__patience *patience = &file->quiet.patience;

        while (file->turn == PAWL__TURN_WAITS) {
                const int64_t left = patience->left_us;
                if (queued_wait(
                            file->queued, patience->seen_us + (left < LOOK_US ? left : LOOK_US)))
                        file->turn = PAWL__TURN_FREE;
                else if (pawl__interrupt_waits(log))
                        return SQLITE_INTERRUPT;
                else if (!pawl__quiet_moved(log) &&
                         (pawl__patience_over(patience) || is_queue_stuck(log)))
                        break;
        }
        return SQLITE_OK;
}

void pawl__turn_begin(pawl_log *log)
{
        enter(log);
        (void)wait_for_turn(log);
}

void pawl__turn_end(pawl_log *log)
{
        struct pawl__file *file = log->file;

        if (file->turn == PAWL__TURN_LOCKED)
                (void)flock(file->writer_queue_fd, LOCK_UN);
        else if (file->queued && !queued_leave(file->queued, false))
                file->queued = NULL;
        file->turn = PAWL__TURN_FREE;
}

int pawl__turn_step(pawl_log *log, sqlite3_stmt *stmt)
{
        const struct pawl__file *file = log->file;
        int rc;

        enter(log);
        for (;;) {
                rc = wait_for_turn(log);
                if (rc == SQLITE_OK)
                        rc = sqlite3_step(stmt);
                if ((rc & 0xff) != SQLITE_BUSY || file->turn != PAWL__TURN_WAITS ||
                        file->quiet.patience.left_us <= 0)
                        break;
                (void)sqlite3_reset(stmt);
        }
        pawl__turn_end(log);
        return rc;
}
