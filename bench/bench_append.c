/* A durable append of a step's checkpoint, alone and in batches of 100: the event in its chain, the
 * rows of state that follow from it, their indexes. Beside raw SQLite that writes the same rows,
 * and beside write + fdatasync of 4 KiB into a file that has its length.
 *
 *   build/bench/bench_append [APPENDS]     (default 2000) */
#include "bench/checkpoints.h"
#include "bench/raw_twin.h"
#include "bench/write.h"

/* The rows of state that StepCheckpointed writes. A blob it has none. */
static const twin_table tables[] = {
        {"events", "seq > ?1"},
        {"checkpoints",
                "retry_token IN (SELECT payload ->> '$.retry_token' FROM events WHERE seq > ?1)"},
        {"steps", "run_id = '" CHECKPOINTS_RUN
                  "' AND step_id IN (SELECT step_id FROM events WHERE seq > ?1)"},
        {"runs", "run_id = '" CHECKPOINTS_RUN "'"},
        {"projection", "id = 1"},
};

struct bench {
        checkpoints c;
        raw_twin twin;
};

static void set_up(struct bench *b, size_t steps)
{
        checkpoints_open(&b->c, "events.db", steps, 2);
        raw_twin_open(&b->twin, "events.db", "raw.db", tables, sizeof tables / sizeof tables[0]);
}

static void tear_down(struct bench *b)
{
        raw_twin_close(&b->twin);
        pawl_log_close(b->c.log);
}

static void compare(struct bench *b, size_t rounds, size_t n, const bench_question *beside_raw,
        const bench_question *beside_page)
{
        bench_series log = {NULL, 0, 0}, raw = {NULL, 0, 0}, page = {NULL, 0, 0};

        for (size_t i = 0; i < rounds; i++) {
                uint64_t since = b->c.seq;
                checkpoints_make(&b->c, n);
                bench_add(&page, bench_write_ns());
                bench_add(&log, checkpoints_append_ns(&b->c, n));
                raw_twin_take(&b->twin, since, "");
                bench_write_ns(); /* both come to memory that a wait has left cold */
                bench_add(&raw, raw_twin_write_ns(&b->twin));
        }
        bench_answer(beside_raw, &log, &raw);
        if (beside_page)
                bench_answer(beside_page, &log, &page);
        bench_clear(&log);
        bench_clear(&raw);
        bench_clear(&page);
}

int main(int argc, char **argv)
{
        static struct bench b;
        size_t rounds = bench_count(argc, argv, 2000), batches = rounds / 10 + 1;

        bench_folder();
        set_up(&b, rounds + batches * CHECKPOINTS_BATCH);
        compare(&b, rounds, 1,
                &(bench_question){.what = "durable append of one event",
                        .beside = "raw SQLite, the same rows",
                        .target = 1.25},
                &(bench_question){.what = "durable append of one event",
                        .beside = "write + fdatasync, 4 KiB",
                        .target = 2.5});
        compare(&b, batches, CHECKPOINTS_BATCH,
                &(bench_question){.what = "durable append in batches of 100, an event",
                        .beside = "raw SQLite, the same rows",
                        .target = 1.6,
                        .per = CHECKPOINTS_BATCH},
                NULL);
        tear_down(&b);
        return 0;
}
