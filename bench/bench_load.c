/* Loading a checkpoint by its token, in a log of 1,000 events and in one of 1,000,000, in turn: of
 * each 128 tokens, spread over the whole log, again and again in no order; medians.
 *
 *   build/bench/bench_load [EVENTS]     (default 1000000, the larger log) */
#include "bench/filled_log.h"
#include "checkpoint/checkpoint.h"
#include <unistd.h>

enum { SMALL = 1000, ROUNDS = 200 };

static double load_ns(filled_log *f, size_t i)
{
        static pawl__arena arena;
        const char *token = f->sample[i * 77 % f->n_sample];
        pawl__checkpoint checkpoint;
        pawl_error err;

        pawl__arena_clear(&arena);
        double start = bench_now_ns();
        if (pawl__checkpoint_load(&checkpoint, &arena, f->log, pawl__text(token), &err))
                bench_die(err.message);
        return bench_now_ns() - start;
}

int main(int argc, char **argv)
{
        char folder[] = "/tmp/pawl-bench-XXXXXX", path[64], command[96];
        static filled_log small, large;
        bench_series in_small = {0}, in_large = {0};
        size_t events = bench_count(argc, argv, 1000000);

        if (!mkdtemp(folder))
                bench_die("cannot make a folder");
        snprintf(path, sizeof path, "%s/small.db", folder);
        filled_open(&small, path, SMALL);
        snprintf(path, sizeof path, "%s/large.db", folder);
        filled_open(&large, path, events);
        for (size_t i = 0; i < (size_t)ROUNDS * FILLED_TOKENS; i++) {
                bench_add(&in_small, load_ns(&small, i));
                bench_add(&in_large, load_ns(&large, i));
        }
        pawl_log_close(small.log);
        pawl_log_close(large.log);
        bench_row("load by token, a log of 1,000 events", &in_small, NULL);
        printf("of %zu:\n", events);
        bench_row("load by token, the larger log", &in_large, &in_small);
        printf("target 1.2x\n");
        snprintf(command, sizeof command, "rm -r %s", folder);
        return system(command) != 0;
}
