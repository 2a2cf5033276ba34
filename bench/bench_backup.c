/* pawl_log_backup, which verifies the copy and syncs it, beside `cp` and `sync` of the same bytes,
 * and beside SQLite's own backup (.backup of sqlite3) with a sync, which verifies nothing. In turn,
 * medians.
 *
 *   build/bench/bench_backup [EVENTS]     (default 200000) */
#include "bench/filled_log.h"
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROUNDS = 5 };

/* By other processes: closing any descriptor of the log's file here would drop its locks. */
static void copy_file(void)
{
        if (system("cp --reflink=never events.db copy && sync copy") != 0)
                bench_die("cannot copy");
}

static void sync_copy(void)
{
        int fd = open("copy", O_WRONLY | O_CLOEXEC);

        if (fd < 0 || fsync(fd) != 0)
                bench_die("cannot sync");
        close(fd);
}

static void copy_raw(void)
{
        sqlite3 *from, *to;

        if (sqlite3_open_v2("events.db", &from, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK ||
                sqlite3_open("copy", &to) != SQLITE_OK ||
                sqlite3_exec(to, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF", NULL, NULL,
                        NULL) != SQLITE_OK)
                bench_die("cannot open");
        sqlite3_backup *backup = sqlite3_backup_init(to, "main", from, "main");
        if (!backup || sqlite3_backup_step(backup, -1) != SQLITE_DONE)
                bench_die(sqlite3_errmsg(to));
        sqlite3_backup_finish(backup);
        sqlite3_close(to);
        sqlite3_close(from);
        sync_copy();
}

static void copy_log(void)
{
        pawl_log_options options = PAWL_LOG_OPTIONS_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        pawl_log *log;

        options.flags = PAWL_LOG_READONLY;
        if (pawl_log_open(&log, "events.db", &options, &err))
                bench_die(err.message);
        if (pawl_log_backup(NULL, log, "copy", NULL, NULL))
                bench_die(pawl_log_errmsg(log));
        pawl_log_close(log);
}

static void measure(bench_series *series, void (*work)(void))
{
        double start = bench_now_ns();

        work();
        bench_add(series, bench_now_ns() - start);
        (void)unlink("copy");
}

int main(int argc, char **argv)
{
        bench_series file = {0}, raw = {0}, copy = {0};
        size_t events = bench_count(argc, argv, 200000);
        filled_log filled;
        struct stat st;

        bench_folder();
        filled_open(&filled, "events.db", events, FILLED_TERMS);
        pawl_log_close(filled.log);
        if (stat("events.db", &st) != 0)
                bench_die("cannot find the log");
        bench_note("a log of %zu events, %.0f MiB", events, (double)st.st_size / 1048576);
        for (int i = 0; i < ROUNDS; i++) {
                measure(&file, copy_file);
                measure(&raw, copy_raw);
                measure(&copy, copy_log);
        }
        bench_answer(&(bench_question){.what = "copy of a log of 200,000 events, verified",
                             .beside = "SQLite's backup of it, and sync"},
                &copy, &raw);
        bench_answer(&(bench_question){.what = "copy of a log of 200,000 events, verified",
                             .beside = "cp and sync"},
                &copy, &file);
        bench_clear(&file);
        bench_clear(&raw);
        bench_clear(&copy);
        return 0;
}
