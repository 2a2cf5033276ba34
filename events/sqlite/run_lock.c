/*
 * The kernel's word on who lives: each claim on a run is also a lock on the file PATH-lock.
 *
 * The file is a row of places of 32 bytes. A claim of a run writes its mark, a SHA-256 of
 * run and fence, into a place that is free, and holds an open-file-description lock (fcntl(2),
 * F_OFD_SETLK) on it for as long as it has the run: the kernel gives it up with the process, and
 * not before. So:
 *
 *  - its mark is there and its place is locked: the holder lives, whatever its clock, its boot id
 *    or its pid namespace look like from here;
 *  - its mark is there and its place is free: the holder is dead, where only one kernel can have
 *    the file system mounted; elsewhere that says nothing, as the lock may be another kernel's;
 *  - its mark is not there: nothing is known; the file was removed, or could not be made.
 *
 * A file system is one kernel's alone if it is one of those named below; network and shared ones,
 * and any that nobody has heard of, are not.
 */
#include "base/digest.h"
#include "base/file.h"
#include "events/sqlite/sqlite.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { PLACE = 32 };

static const int64_t one_kernels[] = {EXT4_SUPER_MAGIC, BTRFS_SUPER_MAGIC, F2FS_SUPER_MAGIC,
        TMPFS_MAGIC, RAMFS_MAGIC, OVERLAYFS_SUPER_MAGIC, XFS_SUPER_MAGIC, REISERFS_SUPER_MAGIC,
        0x2fc12fc1 /* ZFS */, 0xca451a4e /* bcachefs */, 0x3153464a /* JFS */, 0x3434 /* NILFS2 */,
        0x4d44 /* FAT */};

static bool is_one_kernels(int fd)
{
        struct statfs fs;

        if (fstatfs(fd, &fs) != 0)
                return false;
        for (size_t i = 0; i < sizeof one_kernels / sizeof one_kernels[0]; i++)
                if ((int64_t)(uint32_t)fs.f_type == one_kernels[i])
                        return true;
        return false;
}

static bool make_mark(unsigned char mark[PLACE], pawl_log *log, pawl_text run_id, uint64_t fence)
{
        char text[PAWL__ID_MAX + 32];
        pawl_error err = PAWL_ERROR_INIT;
        int len = snprintf(
                text, sizeof text, "%.*s %llu", PAWL__FMT(run_id), (unsigned long long)fence);

        return len > 0 && (size_t)len < sizeof text &&
               !pawl__sha256(log->hasher, mark, text, (size_t)len, &err);
}

static int open_file(const pawl_log *log, int flags)
{
        struct stat st;

        (void)pawl__log_path_size(log, "-lock"); /* names it in log->file->side */
        int fd = open(log->file->side, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
        if (fd >= 0 &&
                fd <= STDERR_FILENO) { /* one that a command is given is none of its own three */
                int above = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
                close(fd);
                fd = above;
        }
        /* As SQLite does it: root leaves no file behind that the log's owner cannot use. */
        if (fd >= 0 && flags & O_CREAT && geteuid() == 0 && stat(log->path, &st) == 0 &&
                st.st_uid != 0 && fchown(fd, st.st_uid, st.st_gid) != 0) {
                close(fd);
                fd = -1;
        }
        return fd;
}

static bool lock_place(int fd, int64_t at, short type)
{
        struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = at, .l_len = PLACE};

        return fcntl(fd, F_OFD_SETLK, &lock) == 0;
}

static bool read_place(unsigned char mark[PLACE], int fd, int64_t at)
{
        return pread(fd, mark, PLACE, at) == PLACE;
}

/* As far as that can be done: without it, the lease is waited out after a power cut. */
static void sync_mark(const pawl_log *log, int fd, bool is_first)
{
        const int len = (int)(strrchr(log->path, '/') - log->path);
        char folder[PATH_MAX];

        if (fdatasync(fd) != 0 || !is_first)
                return;
        if (snprintf(folder, sizeof folder, "%.*s/", len, log->path) < (int)sizeof folder)
                (void)pawl__sync_directory(folder);
}

/* The claim before may be the one that holds until this one is committed: its mark stays, and that
 * of the one before it is used again. */
void pawl__run_lock_take(pawl_log *log, pawl__lease *lease)
{
        static const unsigned char none[PLACE];
        const pawl_text run_id = pawl__text_n(lease->run_id, lease->run_len);
        unsigned char mark[PLACE], older[PLACE], there[PLACE];

        lease->lock_fd = -1;
        if (!make_mark(mark, log, run_id, lease->fence) ||
                !make_mark(older, log, run_id, lease->fence - 2))
                return;
        int fd = open_file(log, O_RDWR | O_CREAT);
        for (int64_t at = 0; fd >= 0; at += PLACE) {
                if (!lock_place(fd, at, F_WRLCK)) {
                        if (errno != EAGAIN && errno != EACCES)
                                break; /* no such locks here */
                        continue;
                }
                if (!read_place(there, fd, at) || memcmp(there, none, PLACE) == 0 ||
                        memcmp(there, older, PLACE) == 0 || memcmp(there, mark, PLACE) == 0) {
                        if (pwrite(fd, mark, PLACE, at) != PLACE)
                                break;
                        sync_mark(log, fd, at == 0);
                        lease->lock_fd = fd;
                        lease->lock_at = at;
                        return;
                }
                (void)lock_place(fd, at, F_UNLCK);
        }
        if (fd >= 0)
                close(fd);
}

void pawl__run_lock_drop(pawl__lease *lease)
{
        static const unsigned char none[PLACE];

        if (lease->lock_fd < 0)
                return;
        /* A mark that stays does no harm. Unlocked and not only closed: a child that was forked
         * meanwhile may have it open. */
        ssize_t wiped = pwrite(lease->lock_fd, none, PLACE, lease->lock_at);
        (void)wiped;
        (void)lock_place(lease->lock_fd, lease->lock_at, F_UNLCK);
        close(lease->lock_fd);
        lease->lock_fd = -1;
}

void pawl__run_lock_keep(pawl_log *log, pawl__lease *lease)
{
        struct stat ours, there;

        (void)pawl__log_path_size(log, "-lock");
        if (lease->lock_fd >= 0 && fstat(lease->lock_fd, &ours) == 0 &&
                stat(log->file->side, &there) == 0 && ours.st_ino == there.st_ino &&
                ours.st_dev == there.st_dev)
                return;
        if (lease->lock_fd >= 0)
                close(lease->lock_fd);
        pawl__run_lock_take(log, lease);
}

/* A process that died between its mark and its claim leaves the mark of the claim that comes next:
 * that one lives if any place of its mark is locked. */
pawl__life pawl__run_lock_state(pawl_log *log, pawl_text run_id, uint64_t fence)
{
        unsigned char mark[PLACE], there[PLACE];
        pawl__life life = PAWL__LIFE_UNKNOWN;

        if (run_id.len > PAWL__ID_MAX || !make_mark(mark, log, run_id, fence))
                return life;
        int fd = open_file(log, O_RDONLY);
        /* A claim that was killed before its commit has left the mark that the next one has, too:
         * the owner lives if any of them is locked. */
        for (int64_t at = 0; fd >= 0 && life != PAWL__LIFE_LIVES && read_place(there, fd, at);
                at += PLACE) {
                struct flock lock = {
                        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = at, .l_len = PLACE};
                if (memcmp(there, mark, PLACE) != 0)
                        continue;
                if (fcntl(fd, F_OFD_GETLK, &lock) != 0) {
                        life = PAWL__LIFE_UNKNOWN;
                        break;
                }
                if (lock.l_type != F_UNLCK) {
                        life = PAWL__LIFE_LIVES;
                        break;
                }
                if (is_one_kernels(fd))
                        life = PAWL__LIFE_OVER;
        }
        if (fd >= 0)
                close(fd);
        return life;
}
