/* A replay of everything, from nothing into memory, beside a plain SELECT * of the same rows in the
 * order of seq over the same file, in turn; medians.
 *
 *   build/bench/bench_replay [EVENTS]     (default 200000) */
#include "bench/filled_log.h"
#include <sqlite3.h>
#include <unistd.h>

enum { ROUNDS = 9 };

/* Every column of every row is looked at, as far as SQLite hands it out without a copy. */
static double select_ns(const char *path, size_t *rows)
{
        double start = bench_now_ns();
        sqlite3 *db;
        sqlite3_stmt *stmt = NULL;
        size_t seen = 0; /* so that nothing is left out */

        *rows = 0;
        if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) ||
                sqlite3_prepare_v2(db, "SELECT * FROM events ORDER BY seq", -1, &stmt, NULL))
                bench_die("cannot read the log");
        while (sqlite3_step(stmt) == SQLITE_ROW) {
                for (int c = 0; c < sqlite3_column_count(stmt); c++)
                        seen += sqlite3_column_blob(stmt, c) != NULL;
                ++*rows;
        }
        sqlite3_finalize(stmt);
        sqlite3_close(db);
        if (seen < *rows)
                bench_die("a row without columns");
        return bench_now_ns() - start;
}

static double replay_ns(pawl_log *log, uint64_t *head)
{
        unsigned char hash[32];
        pawl__store *store;
        pawl_error err;
        double start = bench_now_ns();

        if (pawl__replay(&store, head, hash, log, NULL, &err))
                bench_die(err.message);
        double taken = bench_now_ns() - start;
        store->free(store);
        return taken;
}

int main(int argc, char **argv)
{
        char folder[] = "/tmp/pawl-bench-XXXXXX", path[64], command[96];
        static filled_log filled;
        bench_series raw = {0}, replay = {0};
        size_t rows = 0;
        uint64_t head = 0;

        if (!mkdtemp(folder))
                bench_die("cannot make a folder");
        snprintf(path, sizeof path, "%s/events.db", folder);
        filled_open(&filled, path, bench_count(argc, argv, 200000));
        for (int i = 0; i < ROUNDS; i++) {
                bench_add(&raw, select_ns(path, &rows));
                bench_add(&replay, replay_ns(filled.log, &head));
        }
        if (rows != head)
                bench_die("the two did not read the same");
        pawl_log_close(filled.log);
        bench_row("SELECT * FROM events ORDER BY seq", &raw, NULL);
        bench_row("replay from nothing", &replay, &raw);
        printf("%zu events; %.2f and %.2f million a second; target 4x\n", rows,
                (double)rows * 1e3 / bench_median(&raw),
                (double)rows * 1e3 / bench_median(&replay));
        snprintf(command, sizeof command, "rm -r %s", folder);
        return system(command) != 0;
}
