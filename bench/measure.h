/**
 * @file bench/measure.h
 * @brief What every benchmark shares: the clock, series of measurements, a folder, and the row that
 *        it prints.
 *
 * A benchmark measures a figure and its yardstick in turn, so that both meet the same disk and the
 * same neighbours, and prints one line of JSON a question, which scripts/bench puts into its table:
 *
 *   {"what":…,"beside":…,"unit":"ns","n":…,"figure":{"median","p10","p90"},"yardstick":{…},
 *    "ratio":…,"ratio_p10":…,"ratio_p90":…,"target":…}
 *
 * ratio is that of the medians; its spread is that of the pairs. A target is the ratio that a
 * figure may have at most. Whatever else a benchmark has to say goes to stderr, with bench_note().
 */
#pragma once

#include <pawl/base.h>
#include <stdio.h>
#include <stdlib.h>

/** Print why, and exit 1: a benchmark that cannot measure has no use. */
_Noreturn void bench_die(const char *why);

/** A line for people, on stderr. */
void bench_note(const char *format, ...) PAWL_PRINTF(1, 2);

/** The first argument as a count, or @p otherwise. */
size_t bench_count(int argc, char **argv, size_t otherwise);

double bench_now_ns(void);

/** Measurements, in nanoseconds unless a question says otherwise. Zero-initialised is empty. */
typedef struct bench_series {
        double *ns;
        size_t n, cap;
} bench_series;

void bench_add(bench_series *series, double ns);
void bench_clear(bench_series *series); /**< and free */

/** The value below which @p part (0..1) of the series lies. The series stays in its order. */
double bench_quantile(const bench_series *series, double part);
double bench_median(const bench_series *series);

/** What is asked of a figure. */
typedef struct bench_question {
        const char *what;
        const char *beside; /**< the yardstick's name; NULL: there is none */
        const char *unit;   /**< "ns" where NULL; "bytes", "calls" */
        double target;      /**< ratio to the yardstick, at most; 0: none is asked */
        double per;         /**< both are divided by it, as a batch by its events; 0: not */
} bench_question;

/** Print the row. The i-th measurements of both series are a pair; @p yardstick may be NULL. */
void bench_answer(
        const bench_question *question, const bench_series *figure, const bench_series *yardstick);

/** Make a fresh folder on a disk (in $TMPDIR, else /var/tmp: /tmp may be memory) and change to it.
 *  It is removed with all that is in it when the program exits. */
void bench_folder(void);
