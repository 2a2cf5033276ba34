/*
 * The size of the write-ahead log.
 *
 * A checkpoint moves pages from the -wal into the database; when all are moved, and no reader reads
 * from the -wal any more, the next writer starts it again from its beginning. SQLite's automatic
 * checkpoint never waits: where readers come and go all the time one of them is always in the way,
 * and the -wal grows without an end. So the hook that SQLite calls after each commit is ours:
 *
 *  - from checkpoint_frames on, a passive checkpoint at each commit: just what SQLite does.
 *  - from restart_frames on, a checkpoint that keeps new writers out and waits for the readers, for
 *    wait_ms in all. New readers then read from the database alone, so that those of a few
 *    milliseconds are soon gone.
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

int pawl__wal_checkpoint(pawl_log *log, int mode, int64_t wait_us, int *frames, int *moved)
{
        int n = -1, done = -1;

        log->file->wal.left_us = wait_us;
        (void)sqlite3_busy_handler(log->file->db, wait_shortly, &log->file->wal);
        int rc = sqlite3_wal_checkpoint_v2(log->file->db, "main", mode, &n, &done);
        (void)sqlite3_busy_handler(log->file->db, pawl__busy, log);
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

/* The checkpoint that waits. *moved: how many frames were moved when the passive one had ended. */
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
        } while ((rc & 0xff) == SQLITE_BUSY && done >= 0 && left_us > 0);
        if (rc == SQLITE_OK) {
                wal->retry_frames = 0;
                wal->wait_ms = wal->limits.wait_ms;
                return;
        }
        wal->retry_frames = frames + wal->limits.restart_frames;
        if ((rc & 0xff) != SQLITE_BUSY || done < 0) /* the disk; somebody else moves the pages */
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
        (void)pawl__wal_checkpoint(log, SQLITE_CHECKPOINT_PASSIVE, 0, NULL, &moved);
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
