/* A replay of everything, from nothing into memory, and into a temporary file as that of a large
 * log is, beside a plain SELECT * of the same rows in the order of seq over the same file.
 *
 *   build/bench/bench_replay [EVENTS]     (default 1000000) */
#include "bench/filled_log.h"
#include "state/projection.h"
#include <malloc.h>
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

/* With the state of so many events in memory. *bytes: what the state takes of it. */
static double replay_ns(pawl_log *log, uint64_t events, uint64_t *head, double *bytes)
{
        struct mallinfo2 before = mallinfo2();
        unsigned char hash[32];
        pawl__store *store;
        pawl_error err;
        double start = bench_now_ns();

        if (pawl__replay_within(events, &store, head, hash, log, NULL, &err))
                bench_die(err.message);
        double taken = bench_now_ns() - start;
        struct mallinfo2 after = mallinfo2();
        *bytes =
                (double)(after.uordblks + after.hblkhd) - (double)(before.uordblks + before.hblkhd);
        store->free(store);
        return taken;
}

/* A fifth of the events mean the same state: each step has fewer terms, which change no table. */
static void compare_memory(size_t events)
{
        bench_series few = {NULL, 0, 0}, many = {NULL, 0, 0};
        static filled_log filled;
        uint64_t head;
        double bytes;

        filled_open(&filled, "few.db", events / 5, FILLED_TERMS);
        replay_ns(filled.log, UINT64_MAX, &head, &bytes);
        bench_add(&few, bytes);
        pawl_log_close(filled.log);
        filled_open(&filled, "many.db", events, 5 * FILLED_TERMS + 4 * FILLED_STEP_EVENTS);
        replay_ns(filled.log, UINT64_MAX, &head, &bytes);
        bench_add(&many, bytes);
        pawl_log_close(filled.log);
        bench_answer(&(bench_question){.what = "memory of a replay, 10^6 events",
                             .beside = "of 200,000 events that mean the same state",
                             .unit = "bytes",
                             .target = 1.05},
                &many, &few);
        bench_clear(&few);
        bench_clear(&many);
}

int main(int argc, char **argv)
{
        static filled_log filled;
        bench_series raw = {NULL, 0, 0}, replay = {NULL, 0, 0}, file = {NULL, 0, 0};
        size_t events = bench_count(argc, argv, 1000000), rows = 0;
        uint64_t head = 0;
        double bytes;

        bench_folder();
        compare_memory(events);
        filled_open(&filled, "events.db", events, FILLED_TERMS);
        for (int i = 0; i < ROUNDS; i++) {
                bench_add(&raw, select_ns("events.db", &rows));
                bench_add(&replay, replay_ns(filled.log, UINT64_MAX, &head, &bytes));
                bench_add(&file, replay_ns(filled.log, 0, &head, &bytes));
        }
        if (rows != head)
                bench_die("the two did not read the same");
        pawl_log_close(filled.log);
        bench_answer(&(bench_question){.what = "replay of 10^6 events, to state, an event",
                             .beside = "SELECT * in the order of seq",
                             .target = 4,
                             .per = (double)rows},
                &replay, &raw);
        bench_answer(&(bench_question){.what = "replay of 10^6 events, into a file, an event",
                             .beside = "into memory",
                             .target = 2.5,
                             .per = (double)rows},
                &file, &replay);
        return 0;
}
