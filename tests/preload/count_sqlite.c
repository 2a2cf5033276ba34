/*
 * For LD_PRELOAD: how much work a program gives to SQLite, as figures that do not depend on time.
 *
 *   SQLITE_WORK=F   the file F gets one line: the steps of SQLite's virtual machine, which rise
 * with each row that is looked at, and the bytes of the columns that were read
 *
 * What the program starts is left alone: LD_PRELOAD is taken out of the environment.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#define EXPORT __attribute__((visibility("default")))
enum { STMTSTATUS_VM_STEP = 4 };

typedef struct sqlite3_stmt sqlite3_stmt;
EXPORT int sqlite3_reset(sqlite3_stmt *statement);
EXPORT int sqlite3_finalize(sqlite3_stmt *statement);
EXPORT int sqlite3_value_bytes(void *value);
EXPORT int sqlite3_blob_read(void *blob, void *to, int n, int at);

static char work_file[4096];
static long long steps, bytes;

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
        fprintf(file, "%lld %lld\n", steps, bytes);
        fclose(file);
}

static void count(sqlite3_stmt *statement)
{
        int (*status)(sqlite3_stmt *, int, int) =
                (int (*)(sqlite3_stmt *, int, int))dlsym(RTLD_NEXT, "sqlite3_stmt_status");

        if (statement && status)
                steps += status(statement, STMTSTATUS_VM_STEP, 1);
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
