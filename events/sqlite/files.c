/*
 * Whether the files at a log's path are those that are open. Only names are looked up, since no
 * file of a log may be opened but by SQLite (log_path.c).
 *
 * A file that was replaced has another inode. One that was overwritten in place has not; but in WAL
 * mode SQLite writes the database in checkpoints only, and the index of the -wal says how far those
 * have come. If the database was written and they have not moved, another program wrote it.
 */
#include "events/sqlite/sqlite.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

/* lstat() without the times. Where those of a file were asked for, Linux 6.13 and later give it a
 * new one at the next write, and the inode goes into ext4's journal, for which the next sync waits:
 * one of the -wal took 190 us instead of 130. */
static int look_up(const char *path, struct stat *st)
{
#ifdef STATX_INO
        struct statx now;

        if (statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_INO | STATX_SIZE, &now) == 0) {
                st->st_dev = makedev(now.stx_dev_major, now.stx_dev_minor);
                st->st_ino = now.stx_ino;
                st->st_size = (off_t)now.stx_size;
                return 0;
        }
#endif
        return lstat(path, st);
}

/* What has the name PATH + @p suffix: its inode; 0: nothing. Of another file system: none of ours.
 * Times are those of the database alone. */
ino_t pawl__inode_at(const pawl_log *log, const char *suffix, struct stat *st)
{
        memcpy(log->file->side_end, suffix, strlen(suffix) + 1);
        st->st_size = 0;
        if ((*suffix ? look_up(log->file->side, st) : lstat(log->file->side, st)) != 0)
                return 0;
        return st->st_dev == log->device ? st->st_ino : (ino_t)-1;
}

/* How far checkpoints have come, as the index of the -wal says (SQLite's WAL-mode file
 * format, 2.1.1 and 2.1.2). Without a -wal SQLite has no index open, and would not close one. */
static bool read_progress(pawl__stamp *out, const pawl_log *log)
{
        enum { REGION = 32768, SALTS = 32, MOVED = 96, MOVING = 128 };
        sqlite3_file *file = NULL;
        void volatile *region = NULL;

        if (!log->file->wal_inode ||
                sqlite3_file_control(log->file->db, "main", SQLITE_FCNTL_FILE_POINTER, &file) ||
                !file || !file->pMethods || file->pMethods->iVersion < 2 ||
                file->pMethods->xShmMap(file, 0, REGION, 0, &region) != SQLITE_OK || !region)
                return false;
        const volatile unsigned char *at = region;
        out->salts[0] = *(const volatile uint32_t *)(const volatile void *)(at + SALTS);
        out->salts[1] = *(const volatile uint32_t *)(const volatile void *)(at + SALTS + 4);
        out->moved = *(const volatile uint32_t *)(const volatile void *)(at + MOVED);
        out->moving = *(const volatile uint32_t *)(const volatile void *)(at + MOVING);
        return true;
}

static bool same_time(const pawl__stamp *stamp, const struct stat *st)
{
        return stamp->size == st->st_size &&
               stamp->mtime_ns == (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
}

static void set_time(pawl__stamp *stamp, const struct stat *st)
{
        stamp->size = st->st_size;
        stamp->mtime_ns = (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
}

/* Was the database written by something else than a checkpoint? One that is at work, or was cut
 * off, cannot be told from that; but none leaves less than a page. */
static bool is_overwritten(pawl_log *log, const struct stat *st)
{
        enum { LEAST_PAGE = 512 };
        pawl__stamp *was = &log->file->stamp, now;

        if (!read_progress(&now, log))
                return false;
        if (st->st_size < LEAST_PAGE)
                return true;
        if (!same_time(was, st) && memcmp(was->salts, now.salts, sizeof now.salts) == 0 &&
                was->moved == now.moved && was->moving == now.moving)
                return now.moved == now.moving;
        set_time(&now, st);
        *was = now;
        return false;
}

void pawl__files_note_time(pawl_log *log)
{
        struct stat st;

        if (pawl__inode_at(log, "", &st) && read_progress(&log->file->stamp, log))
                set_time(&log->file->stamp, &st);
}

void pawl__files_note(pawl_log *log)
{
        struct stat st;

        log->file->wal_inode = pawl__inode_at(log, "-wal", &st);
        log->file->shm_inode = pawl__inode_at(log, "-shm", &st);
        pawl__files_note_time(log);
}

bool pawl__files_same(pawl_log *log)
{
        struct stat db, st;

        return pawl__inode_at(log, "", &db) == log->inode &&
               pawl__inode_at(log, "-wal", &st) == log->file->wal_inode &&
               pawl__inode_at(log, "-shm", &st) == log->file->shm_inode &&
               !is_overwritten(log, &db);
}

/* Is the log's directory a directory of its own, or nothing? A link leads to somebody else's. */
bool pawl__is_directory(const char *directory)
{
        struct stat st;

        return lstat(directory, &st) == 0 ? S_ISDIR(st.st_mode) : errno == ENOENT;
}

char *pawl__directory_of(const pawl_log *log)
{
        size_t len = (size_t)(strrchr(log->path, '/') - log->path);

        return strndup(log->path, len ? len : 1);
}

pawl__presence pawl__side_files_presence(const pawl_log *log)
{
        struct stat st;
        ino_t wal = pawl__inode_at(log, "-wal", &st);

        if (wal != log->file->wal_inode)
                return st.st_size == 0 ? PAWL__FILES_SIDE_GONE : PAWL__FILES_OTHER;
        ino_t shm = pawl__inode_at(log, "-shm", &st);
        if (shm != log->file->shm_inode)
                return shm == 0 ? PAWL__FILES_SIDE_GONE : PAWL__FILES_OTHER;
        return PAWL__FILES_SAME;
}

pawl_status pawl__files_presence(pawl__presence *out, pawl_log *log)
{
        struct stat st;
        char *directory = pawl__directory_of(log);

        if (!directory)
                return pawl__nomem(&log->err);
        const bool real = pawl__is_directory(directory);
        free(directory);
        const int error = lstat(log->path, &st) == 0 ? 0 : errno;
        if (error && error != ENOENT && error != ENOTDIR && error != ELOOP)
                return pawl__fail_errno(&log->err, error, log->path, "look for the log");
        pawl__presence beside = pawl__side_files_presence(log);
        if (error)
                *out = real && error == ENOENT && beside != PAWL__FILES_OTHER ? PAWL__FILES_GONE
                                                                              : PAWL__FILES_OTHER;
        else if (st.st_dev != log->device || st.st_ino != log->inode)
                *out = PAWL__FILES_OTHER;
        else
                *out = is_overwritten(log, &st) ? PAWL__FILES_OVERWRITTEN : beside;
        return PAWL_OK;
}

int64_t pawl__log_path_size(const pawl_log *log, const char *suffix)
{
        struct stat st;

        memcpy(log->file->side_end, suffix, strlen(suffix) + 1);
        return stat(log->file->side, &st) == 0 ? (int64_t)st.st_size : -1;
}

bool pawl__sqlite_stale(const pawl_log *log)
{
        return log->file->unlocked &&
               (pawl__log_path_size(log, "-shm") >= 0 ||
                       pawl__log_path_size(log, "-wal") != log->file->wal_size);
}
