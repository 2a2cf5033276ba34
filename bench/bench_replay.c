/* A replay of everything, from nothing into memory, beside a plain SELECT * of the same rows in the
 * order of seq over the same file.
 *
 *   build/bench/bench_replay [EVENTS]     (default 1000000) */
#include "bench/filled_log.h"
#include <sqlite3.h>

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
        static filled_log filled;
        bench_series raw = {NULL, 0, 0}, replay = {NULL, 0, 0};
        size_t rows = 0;
        uint64_t head = 0;

        bench_folder();
        filled_open(&filled, "events.db", bench_count(argc, argv, 1000000), FILLED_TERMS);
        for (int i = 0; i < ROUNDS; i++) {
                bench_add(&raw, select_ns("events.db", &rows));
                bench_add(&replay, replay_ns(filled.log, &head));
        }
        if (rows != head)
                bench_die("the two did not read the same");
        pawl_log_close(filled.log);
        bench_answer(&(bench_question){.what = "replay of 10^6 events, to state, an event",
                             .beside = "SELECT * in the order of seq",
                             .target = 4,
                             .per = (double)rows},
                &replay, &raw);
        return 0;
}
