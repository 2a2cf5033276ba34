/*
 * The size of the write-ahead log.
 *
 * A checkpoint moves pages from the -wal into the database; when all are moved, and no reader reads
 * from the -wal any more, the next writer starts it again from its beginning. SQLite's automatic
 * checkpoint never waits: where readers come and go all the time one of them is always in the way,
 * and the -wal grows without an end. So the hook that SQLite calls after each commit is ours:
 *
 *  - from checkpoint_frames on, a checkpoint at each commit that waits for nobody.
 *  - from restart_frames on, a checkpoint that waits for the readers, for wait_ms in all. New
 *    readers then read from the database alone, so that those of a few milliseconds are soon gone.
 *
 * Every checkpoint holds SQLite's write lock. Until version 3.51.3 SQLite can lose committed pages
 * if a writer starts the -wal again beside a checkpoint that has read where the -wal ended before:
 * the checkpoint then counts frames as moved that are written later. SQLite excludes writers in all
 * modes but the passive one, but falls back to that where the write lock is busy. So the lock's
 * request is answered here, and a busy one ends the checkpoint. The checkpoint at the last close of
 * a connection needs nothing of this: it holds the file's exclusive lock.
 *
 * The second one is tried for a few milliseconds first, and then for longer: SQLite waits until
 * nobody holds a reader's mark that was too old when it began, even though the next reader has set
 * that mark anew meanwhile and others go on to share it. If none gets through, the next one comes
 * when the -wal has grown by as much again: a reader that stays costs a wait in some thousands of
 * commits. Where readers did come and go, that one takes four times as long.
 *
 * A reader that stays (a transaction that a program left open) pins the -wal, whatever is done
 * here. From warn_bytes on there is a warning, which names the process.
 *
 * None of this can fail a commit, which is on disk before: a checkpoint that fails is repeated
 * after the next commit.
 */
#include "events/sqlite/sqlite.h"
#include <time.h>

enum { HOUR_MS = 3600 * 1000, HOLDERS = 64, LONGER = 4, LONGEST = 16 };
enum { PAUSE_US = 500, FIRST_TRY_US = 4000 };
enum {
        WRITE_LOCK = 0, /* WAL_WRITE_LOCK of SQLite's WAL-mode file format, 2.3.1 */
        WRITER_BUSY = SQLITE_BUSY_SNAPSHOT
};

const pawl__wal_limits pawl__wal_limits_default = {
        .checkpoint_frames = 1000,
        .restart_frames = 4000,
        .wait_ms = 100,
        .warn_bytes = 64 << 20,
};

static int wait_shortly(void *user, int count)
{
        pawl__wal *wal = user;
        struct timespec pause = {0, PAUSE_US * 1000};

        (void)count;
        if (wal->left_us < PAUSE_US)
                return 0;
        nanosleep(&pause, NULL);
        wal->left_us -= PAUSE_US;
        return 1;
}

/* SQLite falls back to a passive checkpoint for SQLITE_BUSY alone, not for an extended code. From
 * that request on the file has its own methods again. */
static int checkpoint_lock(sqlite3_file *file, int offset, int n, int flags)
{
        pawl__wal *wal = (pawl__wal *)(uintptr_t)file->pMethods;
        int rc;

        file->pMethods = wal->system; /* its functions may look there */
        do
                rc = wal->system->xShmLock(file, offset, n, flags);
        while (rc == SQLITE_BUSY && offset == WRITE_LOCK && wait_shortly(wal, 0));
        if (offset == WRITE_LOCK)
                return rc == SQLITE_BUSY ? WRITER_BUSY : rc;
        file->pMethods = &wal->methods;
        return rc;
}

int pawl__wal_checkpoint(pawl_log *log, int mode, int64_t wait_us, int *frames, int *moved)
{
        pawl__wal *wal = &log->file->wal;
        sqlite3_file *file = NULL;
        int n = -1, done = -1;
        int rc = sqlite3_file_control(log->file->db, "main", SQLITE_FCNTL_FILE_POINTER, &file);

        if (rc == SQLITE_OK && file && file->pMethods) {
                wal->left_us = wait_us;
                wal->system = file->pMethods;
                wal->methods = *wal->system;
                wal->methods.xShmLock = checkpoint_lock;
                file->pMethods = &wal->methods;
                (void)sqlite3_busy_handler(log->file->db, wait_shortly, wal);
                rc = sqlite3_wal_checkpoint_v2(log->file->db, "main", mode, &n, &done);
                (void)sqlite3_busy_handler(log->file->db, pawl__busy, log);
                file->pMethods = wal->system;
        }
        if (frames)
                *frames = n;
        if (moved)
                *moved = done;
        return rc;
}

/* Of those that read now, one that did so before the wait; a short reader may be among either, so
 * that one that is in both is taken, and this process last. 0: none is known. */
static int64_t who_stays(const pawl_log *log, const int64_t *before, size_t n_before)
{
        int64_t now[HOLDERS], stays = 0;
        size_t n = pawl__lock_holders(now, HOLDERS, log, PAWL__LOCK_READ);

        for (size_t i = 0; i < n; i++)
                for (size_t j = 0; j < n_before; j++)
                        if (now[i] == before[j] && (stays == 0 || stays == log->self.pid))
                                stays = now[i];
        return stays;
}

/* No frame was moved in all that time: a reader stays. */
static void warn(pawl_log *log, int64_t bytes, const int64_t *before, size_t n_before)
{
        pawl__wal *wal = &log->file->wal;
        char who[PAWL__PROCESS_NAME] = "another program";
        int64_t now_ms = pawl__boot_ms(log);

        if (wal->warned && now_ms - wal->warned_ms < HOUR_MS)
                return;
        wal->warned = true;
        wal->warned_ms = now_ms;
        int64_t pid = who_stays(log, before, n_before);
        if (pid > 0)
                pawl__process_name(who, pid);
        pawl__fail(&log->warning, PAWL_EBUSY,
                "%s: its write-ahead log has grown to %lld MiB, as %s keeps an old state of the "
                "log open; end that transaction or that process",
                log->path, (long long)(bytes >> 20), who);
}

/* The checkpoint that waits. @p moved: how many frames the one before had moved. */
static void restart(pawl_log *log, int frames, int moved)
{
        pawl__wal *wal = &log->file->wal;
        int64_t before[HOLDERS], bytes = pawl__log_path_size(log, "-wal");
        bool large = bytes >= wal->limits.warn_bytes;
        size_t n = large ? pawl__lock_holders(before, HOLDERS, log, PAWL__LOCK_READ) : 0;
        int64_t left_us = (int64_t)wal->wait_ms * 1000, try_us = FIRST_TRY_US;
        int rc, total, done;

        do {
                if (try_us > left_us)
                        try_us = left_us;
                rc = pawl__wal_checkpoint(log, SQLITE_CHECKPOINT_RESTART, try_us, &total, &done);
                left_us -= try_us;
                try_us *= 2;
        } while ((rc == WRITER_BUSY || (rc == SQLITE_BUSY && done >= 0)) && left_us > 0);
        if (rc == SQLITE_OK) {
                wal->retry_frames = 0;
                wal->wait_ms = wal->limits.wait_ms;
                return;
        }
        wal->retry_frames = frames + wal->limits.restart_frames;
        if (rc != SQLITE_BUSY || done < 0) /* the disk; somebody else writes or moves the pages */
                return;
        bool stuck = done == moved && done < total;
        if (stuck)
                wal->wait_ms = wal->limits.wait_ms;
        else if (wal->wait_ms < wal->limits.wait_ms * LONGEST)
                wal->wait_ms *= LONGER;
        if (stuck && large)
                warn(log, bytes, before, n);
}

static int after_commit(void *user, sqlite3 *db, const char *name, int frames)
{
        pawl_log *log = user;
        pawl__wal *wal = &log->file->wal;
        int moved;

        (void)db, (void)name;
        if (frames < wal->limits.checkpoint_frames)
                return SQLITE_OK;
        (void)pawl__wal_checkpoint(log, SQLITE_CHECKPOINT_FULL, 0, NULL, &moved);
        if (frames < wal->limits.restart_frames)
                wal->retry_frames = 0;
        else if (frames >= wal->retry_frames)
                restart(log, frames, moved);
        return SQLITE_OK;
}

void pawl__wal_watch(pawl_log *log)
{
        log->file->wal.wait_ms = log->file->wal.limits.wait_ms;
        sqlite3_wal_hook(log->file->db, after_commit, log);
}
