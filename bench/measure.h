/**
 * @file bench/measure.h
 * @brief What every benchmark shares: the clock, a series and its median, and the row it prints.
 */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline void bench_die(const char *why)
{
        fprintf(stderr, "bench: %s\n", why);
        exit(1);
}

/** The first argument as a count, or @p otherwise. */
static inline size_t bench_count(int argc, char **argv, size_t otherwise)
{
        unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 10) : otherwise;

        return n ? n : otherwise;
}

static inline double bench_now_ns(void)
{
        struct timespec now;

        clock_gettime(CLOCK_MONOTONIC, &now);
        return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/** Measurements in nanoseconds. Zero-initialised is empty. */
typedef struct bench_series {
        double *ns;
        size_t n, cap;
} bench_series;

static inline void bench_add(bench_series *series, double ns)
{
        if (series->n == series->cap) {
                series->cap = series->cap ? series->cap * 2 : 64;
                series->ns = realloc(series->ns, series->cap * sizeof *series->ns);
                if (!series->ns)
                        bench_die("out of memory");
        }
        series->ns[series->n++] = ns;
}

static inline int bench_order(const void *a, const void *b)
{
        double x = *(const double *)a, y = *(const double *)b;

        return (x > y) - (x < y);
}

/** The value below which @p part (0..1) of the series lies; sorts it. */
static inline double bench_quantile(bench_series *series, double part)
{
        if (series->n == 0)
                return 0;
        qsort(series->ns, series->n, sizeof *series->ns, bench_order);
        return series->ns[(size_t)(part * (double)(series->n - 1))];
}

static inline double bench_median(bench_series *series)
{
        return bench_quantile(series, 0.5);
}

/**
 * Print "NAME | median us | p10 | p90 | ratio", a row of the table that scripts/bench collects. The
 * ratio is that of the medians, @p yardstick's taken in the same run; NULL: none.
 */
static inline void bench_row(const char *name, bench_series *series, bench_series *yardstick)
{
        printf("| %-44s | %12.2f | %12.2f | %12.2f |", name, bench_median(series) / 1e3,
                bench_quantile(series, 0.1) / 1e3, bench_quantile(series, 0.9) / 1e3);
        if (yardstick)
                printf(" %6.2fx |\n", bench_median(series) / bench_median(yardstick));
        else
                printf("         |\n");
}

#endif
