/* A checkpoint by its token in a log on PostgreSQL of 1,000 events, and in one of 1,000,000, in
 * turn: of each log 128 steps, spread over all of it, again and again in no order. Both are copied
 * from files.
 *
 *   build/bench/bench_load_server [EVENTS]     (default 1000000, the larger log;
 * $PAWL_BENCH_POSTGRES: a URL; needs psql) */
#include "bench/filled_log.h"
#include "bench/postgres.h"
#include "bench/spawn.h"
#include "checkpoint/checkpoint.h"

enum { SMALL = 1000, ROUNDS = 20 };

static pawl__arena arena;
static pawl_error err;

/* Filled in a file, copied, and opened where it was copied to. */
static void open_copy(filled_log *f, const char *name, size_t events, const char *server)
{
        char *pawl = (char *)(uintptr_t)bench_tool("pawl");
        char file[64], to[700];

        snprintf(file, sizeof file, "%s.db", name);
        snprintf(to, sizeof to, "%s#%s-%.0f", server, name, bench_now_ns());
        filled_open(f, file, events, FILLED_TERMS);
        pawl_log_close(f->log);
        bench_spawn_ns((char *[]){pawl, "copy", file, to, NULL});
        if (pawl_log_open(&f->log, to, NULL, &err) || pawl__state_of(&f->state, f->log, &err))
                bench_die(err.message);
}

/* What a server does in the background for a minute after so many rows, before anything is measured
 * beside it. */
static void settle(const char *server)
{
        bench_spawn_ns((char *[]){"psql", (char *)(uintptr_t)server, "-qc", "VACUUM ANALYZE", "-c",
                "CHECKPOINT", NULL});
}

static double by_token_ns(filled_log *f, size_t round)
{
        const filled_sample *at = &f->sample[round * 77 % f->n_sample];
        pawl__checkpoint checkpoint;

        pawl__arena_clear(&arena);
        const double start = bench_now_ns();
        if (pawl__checkpoint_load(&checkpoint, &arena, f->log, pawl__text(at->token), &err))
                bench_die(err.message);
        return bench_now_ns() - start;
}

int main(int argc, char **argv)
{
        bench_series in_small = {NULL, 0, 0}, in_large = {NULL, 0, 0};
        static filled_log small, large;

        bench_folder();
        const char *server = bench_postgres_start();
        open_copy(&small, "small", SMALL, server);
        open_copy(&large, "large", bench_count(argc, argv, 1000000), server);
        settle(server);
        for (size_t i = 0; i < (size_t)ROUNDS * FILLED_SAMPLES; i++) {
                bench_add(&in_small, by_token_ns(&small, i));
                bench_add(&in_large, by_token_ns(&large, i));
        }
        bench_answer(&(bench_question){.what = "checkpoint by token on PostgreSQL, 10^6 events",
                             .beside = "in 10^3 events",
                             .target = 1.2},
                &in_large, &in_small);
        bench_clear(&in_small);
        bench_clear(&in_large);
        pawl_log_close(small.log);
        pawl_log_close(large.log);
        pawl__arena_free(&arena);
        bench_postgres_stop();
        return 0;
}
