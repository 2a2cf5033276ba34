/*
 * What the input hash costs beside plain SHA-256 of the same text, at 1 KB, 100 KB and 10 MB of
 * mixed content; and the memory that it takes beside the text.
 *
 *   build/bench/bench_hash
 */
#include "base/digest.h"
#include "base/json_canon.h"
#include "bench/document.h"
#include "bench/measure.h"
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RUNS = 101, LARGE = 10000000 };

static void run(bool hash, pawl__hasher *hasher, const pawl__buf *text)
{
        unsigned char digest[PAWL__HASH_LEN];
        pawl_error err;

        if (hash ? pawl__json_canon_hash(digest, hasher, text->data, text->len, &err)
                 : pawl__sha256(hasher, digest, text->data, text->len, NULL))
                bench_die("cannot hash");
}

/* The largest resident size, in bytes, of a fresh child that makes the document, and hashes it or
 * not. */
static double resident(size_t size, bool hash)
{
        struct rusage usage;
        int status;
        const pid_t child = fork();

        if (child == 0) {
                pawl__hasher *hasher;
                pawl__buf text;
                if (pawl__hasher_new(&hasher, NULL))
                        _exit(1);
                bench_document(&text, size);
                run(false, hasher, &text);
                if (hash)
                        run(true, hasher, &text);
                _exit(0);
        }
        if (child < 0 || wait4(child, &status, 0, &usage) != child || status)
                bench_die("out of memory");
        return (double)usage.ru_maxrss * 1024;
}

/* Of a small text so many that the clock's own cost is nothing. */
static double run_ns(bool hash, pawl__hasher *hasher, const pawl__buf *text)
{
        const size_t times = text->len < 50000 ? 200000 / text->len : 1;
        const double start = bench_now_ns();

        for (size_t i = 0; i < times; i++)
                run(hash, hasher, text);
        return (bench_now_ns() - start) / (double)times;
}

static void measure(pawl__hasher *hasher, size_t size, const char *what, double target)
{
        bench_series hash = {NULL, 0, 0}, sha = {NULL, 0, 0};
        pawl__buf text;

        bench_document(&text, size);
        for (int i = 0; i < RUNS; i++) {
                bench_add(&sha, run_ns(false, hasher, &text));
                bench_add(&hash, run_ns(true, hasher, &text));
        }
        bench_answer(&(bench_question){.what = what, .beside = "SHA-256 alone", .target = target},
                &hash, &sha);
        bench_clear(&hash);
        bench_clear(&sha);
        pawl__buf_free(&text);
}

static void measure_memory(void)
{
        bench_series memory = {NULL, 0, 0}, text = {NULL, 0, 0};

        bench_add(&text, LARGE);
        bench_add(&memory, (double)LARGE + resident(LARGE, true) - resident(LARGE, false));
        bench_answer(&(bench_question){.what = "memory of an input hash, 10 MB, the text included",
                             .beside = "the text",
                             .unit = "bytes",
                             .target = 2},
                &memory, &text);
        bench_clear(&memory);
        bench_clear(&text);
}

int main(void)
{
        pawl__hasher *hasher;
        pawl_error err;

        if (pawl__hasher_new(&hasher, &err))
                bench_die(err.message);
        measure_memory();
        measure(hasher, 1000, "input hash, 1 KB", 4);
        measure(hasher, 100000, "input hash, 100 KB", 3);
        measure(hasher, LARGE, "input hash, 10 MB", 3);
        pawl__hasher_free(hasher);
        return 0;
}
