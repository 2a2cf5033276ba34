/* What a checkpoint takes on disk: its event, the rows of state that it writes, their indexes.
 *
 *   build/bench/bench_disk [CHECKPOINTS]     (default 20000) */
#include "bench/checkpoints.h"
#include "bench/raw_twin.h"
#include <string.h>
#include <sys/stat.h>

/* The database's size with everything in it that is still in the write-ahead log. */
static double size_of(const char *path)
{
        sqlite3 *db = raw_open(path);
        struct stat st;

        if (sqlite3_wal_checkpoint_v2(db, "main", SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL) ||
                stat(path, &st))
                bench_die("cannot tell the size");
        sqlite3_close(db);
        return (double)st.st_size;
}

static void measure(size_t n, size_t scopes, const char *what)
{
        bench_series bytes = {NULL, 0, 0}, allowed = {NULL, 0, 0};
        static checkpoints c;
        size_t payloads = 0;
        char path[32];

        snprintf(path, sizeof path, "scopes-%zu.db", scopes);
        memset(&c, 0, sizeof c);
        checkpoints_open(&c, path, n, scopes);
        double before = size_of(path);
        for (size_t i = 0; i < n; i += CHECKPOINTS_BATCH) {
                checkpoints_make(&c, CHECKPOINTS_BATCH);
                for (size_t k = 0; k < CHECKPOINTS_BATCH; k++)
                        payloads += c.events[k].payload.len;
                checkpoints_append_ns(&c, CHECKPOINTS_BATCH);
        }
        bench_add(&bytes, (size_of(path) - before) / (double)n);
        bench_add(&allowed, 1.5 * (double)payloads / (double)n + 150);
        bench_answer(&(bench_question){.what = what,
                             .beside = "1.5 times its payload, and 150",
                             .unit = "bytes",
                             .target = 1},
                &bytes, &allowed);
        bench_clear(&bytes);
        bench_clear(&allowed);
        pawl_log_close(c.log);
}

int main(int argc, char **argv)
{
        size_t n = bench_count(argc, argv, 20000);

        n -= n % CHECKPOINTS_BATCH;
        bench_folder();
        measure(n, 1, "a checkpoint on disk, one scope");
        measure(n, 2, "a checkpoint on disk, two scopes");
        measure(n, 3, "a checkpoint on disk, three scopes");
        return 0;
}
