/* Who keeps the log locked, as the kernel tells in /proc/locks. */
#include "events/handle.h"
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

/* The byte of the -shm file that SQLite locks to write in WAL mode (its WAL-mode file format,
 * section 2.3.1: WAL_WRITE_LOCK). */
enum { WRITE_BYTE = 120 };

/* One line, such as "7: POSIX  ADVISORY  WRITE 4711 fe:01:131 120 120". */
static int64_t writer_of(const char *line, const struct stat *file)
{
        unsigned major_no, minor_no;
        uint64_t inode, from, to = 0;
        int64_t pid;
        char kind[16], end[24];

        if (sscanf(line, "%*s %*s %*s %15s %" SCNd64 " %x:%x:%" SCNu64 " %" SCNu64 " %23s", kind,
                    &pid, &major_no, &minor_no, &inode, &from, end) != 7)
                return 0;
        if (strcmp(end, "EOF") == 0)
                to = UINT64_MAX;
        else if (sscanf(end, "%" SCNu64, &to) != 1)
                return 0;
        if (strcmp(kind, "WRITE") != 0 || inode != file->st_ino ||
                major_no != major(file->st_dev) || minor_no != minor(file->st_dev))
                return 0;
        return from <= WRITE_BYTE && WRITE_BYTE <= to ? pid : 0;
}

int64_t pawl__lock_holder(const pawl_log *log)
{
        struct stat shm;
        char line[256];
        int64_t pid = 0;

        if (!log->side || pawl__place_size(log, "-shm") < 0 || stat(log->side, &shm) != 0)
                return 0;
        FILE *locks = fopen("/proc/locks", "re");
        if (!locks)
                return 0;
        while (pid <= 0 && fgets(line, sizeof line, locks))
                pid = writer_of(line, &shm);
        fclose(locks);
        return pid;
}
