#include "support/left_logs.h"
#include "support/test.h"
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

/* Adds a line to that file of $PAWL_TEST_LOGS, which is this process's own: others may be another
 * user's, or may not write long files. */
static void add_line(const char *file, const char *first, const char *second)
{
        const char *left = getenv("PAWL_TEST_LOGS");
        char path[4096], line[8192];

        if (!left)
                return;
        snprintf(path, sizeof path, "%s/%s-%d", left, file, (int)getpid());
        const int len = snprintf(
                line, sizeof line, "%s%s%s\n", first, second ? "\t" : "", second ? second : "");
        const int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        if (fd >= 0)
                (void)!fchmod(fd, 0666); /* it may become another user */
        if (fd < 0 || write(fd, line, (size_t)len) != len || close(fd) != 0)
                abort();
}

void log_damaged(const char *log)
{
        add_line("damaged", log, NULL);
}

void log_by_hand(const char *log)
{
        add_line("by_hand", log, NULL);
}

void log_on_server(const char *url)
{
        add_line("servers", url, NULL);
}

/* Does the header of SQLite's file say that it is a log (schema.sql, application_id)? */
static bool is_log(const char *path)
{
        char header[72] = {0};
        const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

        if (fd < 0)
                return false;
        const bool is = read(fd, header, sizeof header) == sizeof header &&
                        memcmp(header, "SQLite format 3", 16) == 0 &&
                        memcmp(header + 68, "Pawl", 4) == 0;
        close(fd);
        return is;
}

/* The kept one may be on another file system. */
static void move(const char *from, const char *to)
{
        struct stat st;

        if (rename(from, to) == 0 || errno != EXDEV)
                return;
        const int in = open(from, O_RDONLY | O_CLOEXEC);
        const int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (in < 0 || out < 0 || fstat(in, &st) != 0)
                abort();
        while (sendfile(out, in, NULL, (size_t)st.st_size) > 0)
                continue;
        close(in);
        close(out);
}

void log_removed(const char *path)
{
        static atomic_uint removed;
        const char *left = getenv("PAWL_TEST_LOGS");
        char from[4096], to[4096];

        if (!left || !is_log(path))
                return;
        const unsigned n = atomic_fetch_add(&removed, 1);
        if (n >= 256 && n % 16 != 0)
                return;
        const int len = snprintf(to, sizeof to, "%s/%d-%u", left, (int)getpid(), n);
        move(path, to);
        add_line("kept", to, path);
        snprintf(from, sizeof from, "%s-wal", path);
        memcpy(to + len, "-wal", 5);
        move(from, to);
}
