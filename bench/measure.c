#include "bench/measure.h"
#include <ftw.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

_Noreturn void bench_die(const char *why)
{
        fprintf(stderr, "bench: %s\n", why);
        exit(1);
}

void bench_note(const char *format, ...)
{
        va_list args;

        va_start(args, format);
        vfprintf(stderr, format, args);
        va_end(args);
        fputc('\n', stderr);
}

size_t bench_count(int argc, char **argv, size_t otherwise)
{
        unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 10) : otherwise;

        return n ? n : otherwise;
}

double bench_now_ns(void)
{
        struct timespec now;

        clock_gettime(CLOCK_MONOTONIC, &now);
        return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

void bench_add(bench_series *series, double ns)
{
        if (series->n == series->cap) {
                series->cap = series->cap ? series->cap * 2 : 64;
                series->ns = realloc(series->ns, series->cap * sizeof *series->ns);
                if (!series->ns)
                        bench_die("out of memory");
        }
        series->ns[series->n++] = ns;
}

void bench_clear(bench_series *series)
{
        free(series->ns);
        *series = (bench_series){NULL, 0, 0};
}

static int order(const void *a, const void *b)
{
        double x = *(const double *)a, y = *(const double *)b;

        return (x > y) - (x < y);
}

double bench_quantile(const bench_series *series, double part)
{
        size_t n = series->n;

        if (n == 0)
                return 0;
        double *sorted = malloc(n * sizeof *sorted);
        if (!sorted)
                bench_die("out of memory");
        memcpy(sorted, series->ns, n * sizeof *sorted);
        qsort(sorted, n, sizeof *sorted, order);
        double value = sorted[(size_t)(part * (double)(n - 1) + 0.5)];
        free(sorted);
        return value;
}

double bench_median(const bench_series *series)
{
        return bench_quantile(series, 0.5);
}

static void print_spread(const char *name, const bench_series *series, double per)
{
        printf(",\"%s\":{\"median\":%.9g,\"p10\":%.9g,\"p90\":%.9g}", name,
                bench_median(series) / per, bench_quantile(series, 0.1) / per,
                bench_quantile(series, 0.9) / per);
}

void bench_answer(
        const bench_question *question, const bench_series *figure, const bench_series *yardstick)
{
        double per = question->per > 0 ? question->per : 1;

        printf("{\"what\":\"%s\",\"unit\":\"%s\",\"n\":%zu", question->what,
                question->unit ? question->unit : "ns", figure->n);
        print_spread("figure", figure, per);
        if (yardstick) {
                bench_series pairs = {NULL, 0, 0};
                if (yardstick->n != figure->n)
                        bench_die("a figure and its yardstick were not taken in pairs");
                for (size_t i = 0; i < figure->n; i++)
                        bench_add(&pairs, figure->ns[i] / yardstick->ns[i]);
                printf(",\"beside\":\"%s\"", question->beside);
                print_spread("yardstick", yardstick, per);
                printf(",\"ratio\":%.4g,\"ratio_p10\":%.4g,\"ratio_p90\":%.4g",
                        bench_median(figure) / bench_median(yardstick), bench_quantile(&pairs, 0.1),
                        bench_quantile(&pairs, 0.9));
                bench_clear(&pairs);
        }
        if (question->target > 0)
                printf(",\"target\":%.4g", question->target);
        printf("}\n");
        fflush(stdout);
}

/* ---- The folder ------------------------------------------------------------------------------ */

static char folder[4096];
static pid_t owner; /* children that exit leave it alone */

static int remove_one(const char *path, const struct stat *stat, int kind, struct FTW *at)
{
        (void)stat, (void)kind, (void)at;
        return remove(path);
}

static void remove_folder(void)
{
        if (getpid() == owner && (chdir("/") || nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS)))
                bench_note("bench: %s stays", folder);
}

void bench_folder(void)
{
        const char *parent = getenv("TMPDIR");

        snprintf(folder, sizeof folder, "%s/pawl-bench-XXXXXX", parent ? parent : "/var/tmp");
        if (!mkdtemp(folder) || chdir(folder))
                bench_die("cannot make a folder");
        owner = getpid();
        atexit(remove_folder);
}
