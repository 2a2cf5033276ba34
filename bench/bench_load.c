/* What is asked of the state tables, in a log of 1,000 events and in one of 1,000,000, in turn: a
 * checkpoint by its token, the latest of a step, the open conflicts. Of each log 128 steps, spread
 * over all of it, again and again in no order.
 *
 *   build/bench/bench_load [EVENTS]     (default 1000000, the larger log) */
#include "bench/filled_log.h"
#include "checkpoint/checkpoint.h"

enum { SMALL = 1000, ROUNDS = 100 };

static pawl__arena arena;
static pawl_error err;

static void by_token(filled_log *f, const filled_sample *at)
{
        pawl__checkpoint checkpoint;

        if (pawl__checkpoint_load(&checkpoint, &arena, f->log, pawl__text(at->token), &err))
                bench_die(err.message);
}

static void latest_of_step(filled_log *f, const filled_sample *at)
{
        pawl__checkpoint checkpoint;
        pawl__row step = {0};

        step.v[PAWL__STEP_RUN].text = pawl__text(at->run);
        step.v[PAWL__STEP_ID].text = pawl__text(at->step);
        if (pawl__state_get(f->state, PAWL__STEPS, &step, &arena, &err) ||
                pawl__checkpoint_load(
                        &checkpoint, &arena, f->log, step.v[PAWL__STEP_TOKEN].text, &err))
                bench_die(err.message);
}

static void open_conflicts(filled_log *f, const filled_sample *at)
{
        pawl_text any = {NULL, 0};
        pawl__row *rows;
        size_t n;

        (void)at;
        if (pawl__state_conflicts(&rows, &n, f->state, any, any, true, &arena, &err))
                bench_die(err.message);
        if (n != FILLED_OPEN)
                bench_die("not the conflicts that are open");
}

static double ask_ns(
        filled_log *f, void (*ask)(filled_log *f, const filled_sample *at), size_t round)
{
        const filled_sample *at = &f->sample[round * 77 % f->n_sample];

        pawl__arena_clear(&arena);
        double start = bench_now_ns();
        ask(f, at);
        return bench_now_ns() - start;
}

int main(int argc, char **argv)
{
        static const struct {
                const char *what;
                void (*ask)(filled_log *f, const filled_sample *at);
        } questions[] = {
                {"checkpoint by token, 10^6 events", by_token},
                {"latest checkpoint of a step, 10^6 events", latest_of_step},
                {"20 open conflicts, 10^6 events", open_conflicts},
        };
        static filled_log small, large;

        bench_folder();
        filled_open(&small, "small.db", SMALL, FILLED_TERMS);
        filled_open(&large, "large.db", bench_count(argc, argv, 1000000), FILLED_TERMS);
        for (size_t q = 0; q < sizeof questions / sizeof questions[0]; q++) {
                bench_series in_small = {NULL, 0, 0}, in_large = {NULL, 0, 0};
                for (size_t i = 0; i < (size_t)ROUNDS * FILLED_SAMPLES; i++) {
                        bench_add(&in_small, ask_ns(&small, questions[q].ask, i));
                        bench_add(&in_large, ask_ns(&large, questions[q].ask, i));
                }
                bench_answer(&(bench_question){.what = questions[q].what,
                                     .beside = "in 10^3 events",
                                     .target = 1.2},
                        &in_large, &in_small);
                bench_clear(&in_small);
                bench_clear(&in_large);
        }
        pawl_log_close(small.log);
        pawl_log_close(large.log);
        pawl__arena_free(&arena);
        return 0;
}
