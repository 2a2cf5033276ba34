/*
 * Which processes have the log locked, from /proc/locks. SQLite locks bytes of the -shm file
 * (its WAL-mode file format, section 2.3.1), each process once, however many connections it has.
 * Neither that file nor any other of the log is opened here (log_path.c says why not).
 */
#include "events/sqlite/sqlite.h"
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

static const struct {
        const char *kind;
        unsigned char first, last;
} bytes_of[] = {
        [PAWL__LOCK_WRITE] = {"WRITE", 120, 120}, /* WAL_WRITE_LOCK */
        [PAWL__LOCK_READ] = {"READ", 123, 127},   /* WAL_READ_LOCK(0) to (4) */
};

/* One line, such as "7: POSIX  ADVISORY  WRITE 4711 fe:01:131 120 120"; neighbouring bytes that one
 * process locks are one range. The pid, or 0 for a line about something else. */
static int64_t holder_of(const char *line, const struct stat *file, pawl__lock lock)
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
        if (strcmp(kind, bytes_of[lock].kind) != 0 || inode != file->st_ino ||
                major_no != major(file->st_dev) || minor_no != minor(file->st_dev))
                return 0;
        return from <= bytes_of[lock].last && bytes_of[lock].first <= to ? pid : 0;
}

static size_t read_holders(int64_t *pids, size_t max, const struct stat *shm, pawl__lock lock)
{
        char line[256];
        size_t n = 0;
        FILE *locks = fopen("/proc/locks", "re");

        if (!locks)
                return 0;
        while (n < max && fgets(line, sizeof line, locks)) {
                int64_t pid = holder_of(line, shm, lock);
                size_t i = 0;
                while (i < n && pids[i] != pid)
                        i++;
                if (pid > 0 && i == n)
                        pids[n++] = pid;
        }
        fclose(locks);
        return n;
}

size_t pawl__lock_holders(int64_t *pids, size_t max, const pawl_log *log, pawl__lock lock)
{
        enum {
                TRIES = 4
        }; /* a line is skipped where locks come and go between two reads of the file */
        struct stat shm;
        size_t n = 0;

        if (!log->file->side || pawl__log_path_size(log, "-shm") < 0 ||
                stat(log->file->side, &shm) != 0)
                return 0;
        for (int i = 0; i < TRIES && n == 0; i++)
                n = read_holders(pids, max, &shm, lock);
        return n;
}

/* The command's name may hold anything: it goes into a message of one line. */
static void read_command(char *out, size_t size, int64_t pid)
{
        char path[64];

        snprintf(path, sizeof path, "/proc/%" PRId64 "/comm", pid);
        out[0] = '\0';
        FILE *file = fopen(path, "re");
        if (!file)
                return;
        size_t len = fread(out, 1, size - 1, file);
        fclose(file);
        while (len > 0 && out[len - 1] == '\n')
                len--;
        out[len] = '\0';
        for (size_t i = 0; i < len; i++)
                if ((unsigned char)out[i] < ' ' || (unsigned char)out[i] > '~')
                        out[i] = '?';
}

void pawl__process_name(char out[PAWL__PROCESS_NAME], int64_t pid)
{
        char command[32];

        read_command(command, sizeof command, pid);
        if (command[0])
                snprintf(out, PAWL__PROCESS_NAME, "process %" PRId64 " (%s)", pid, command);
        else
                snprintf(out, PAWL__PROCESS_NAME, "process %" PRId64, pid);
}
