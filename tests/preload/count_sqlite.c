/*
 * For LD_PRELOAD: how much work a program gives to SQLite and to the file system, as figures that
 * do not depend on time.
 *
 *   SQLITE_WORK=F   the file F gets one line: the steps of SQLite's virtual machine, which rise
 * with each row that is looked at, the bytes of the columns that were read, the statements that
 * were done, and the files and directories that were opened
 *
 * What the program starts is left alone: LD_PRELOAD is taken out of the environment.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
enum { STMTSTATUS_VM_STEP = 4 };

typedef struct sqlite3_stmt sqlite3_stmt;
EXPORT int sqlite3_reset(sqlite3_stmt *statement);
EXPORT int sqlite3_finalize(sqlite3_stmt *statement);
EXPORT int sqlite3_value_bytes(void *value);
EXPORT int sqlite3_blob_read(void *blob, void *to, int n, int at);

static char work_file[4096];
static long long steps, bytes, statements, opened;

__attribute__((constructor)) static void begin(void)
{
        const char *file = getenv("SQLITE_WORK");

        if (file)
                snprintf(work_file, sizeof work_file, "%s", file);
        unsetenv("LD_PRELOAD");
}

__attribute__((destructor)) static void end(void)
{
        FILE *file = *work_file ? fopen(work_file, "we") : NULL;

        if (!file)
                return;
        fprintf(file, "%lld %lld %lld %lld\n", steps, bytes, statements, opened);
        fclose(file);
}

static void count(sqlite3_stmt *statement)
{
        int (*status)(sqlite3_stmt *, int, int) =
                (int (*)(sqlite3_stmt *, int, int))dlsym(RTLD_NEXT, "sqlite3_stmt_status");

        const int done = statement && status ? status(statement, STMTSTATUS_VM_STEP, 1) : 0;
        steps += done;
        statements += done > 0;
}

EXPORT int sqlite3_reset(sqlite3_stmt *statement)
{
        int (*real)(sqlite3_stmt *) = (int (*)(sqlite3_stmt *))dlsym(RTLD_NEXT, "sqlite3_reset");

        count(statement);
        return real(statement);
}

EXPORT int sqlite3_finalize(sqlite3_stmt *statement)
{
        int (*real)(sqlite3_stmt *) = (int (*)(sqlite3_stmt *))dlsym(RTLD_NEXT, "sqlite3_finalize");

        count(statement);
        return real(statement);
}

EXPORT int sqlite3_value_bytes(void *value)
{
        int (*real)(void *) = (int (*)(void *))dlsym(RTLD_NEXT, "sqlite3_value_bytes");
        const int n = real(value);

        bytes += n;
        return n;
}

EXPORT int sqlite3_blob_read(void *blob, void *to, int n, int at)
{
        int (*real)(void *, void *, int, int) =
                (int (*)(void *, void *, int, int))dlsym(RTLD_NEXT, "sqlite3_blob_read");

        bytes += n;
        return real(blob, to, n, at);
}

EXPORT int openat(int directory, const char *path, int flags, ...)
{
        int (*real)(int, const char *, int, mode_t) =
                (int (*)(int, const char *, int, mode_t))dlsym(RTLD_NEXT, "openat");
        va_list more;

        va_start(more, flags);
        const mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(more, mode_t) : 0;
        va_end(more);
        opened++;
        return real(directory, path, flags, mode);
}

/* openat2() has no function of libc's. */
EXPORT long syscall(long number, ...)
{
        long (*real)(long, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
        long a[6];
        va_list more;

        va_start(more, number);
        for (int i = 0; i < 6; i++)
                a[i] = va_arg(more, long);
        va_end(more);
        opened += number == SYS_openat2;
        return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
