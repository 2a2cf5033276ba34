/*
 * What the input hash costs beside plain SHA-256 of the same text, at 1 KB, 100 KB and 10 MB of
 * mixed content; and the memory that it takes beside the text.
 *
 *   build/bench/bench_hash
 *   build/bench/bench_hash --file PATH     write the 10 MB document, for bench/hash_node.mjs PATH
 */
#include "base/digest.h"
#include "base/json_canon.h"
#include "base/json_write.h"
#include "bench/measure.h"
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RUNS = 101, LARGE = 10000000 };

/* splitmix64: the same documents at each run. */
static uint64_t next_random(uint64_t *state)
{
        uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

        z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
        return z ^ z >> 31;
}

/* Of forty words five are not ASCII and three hold escapes. */
static const char *const words[] = {"refund", "lands", "in", "the", "workspace", "of", "a",
        "customer", "within", "three", "days", "Zürich", "café", "工作区", "глоссарий", "ledger",
        "policy", "\\\"quoted\\\"", "line\\nbreak", "\\u00e9tude", "checkpoint", "resume", "step",
        "mission", "is", "to", "and", "that", "answer", "context", "hash", "inputs", "when",
        "übermorgen", "which", "runs", "again", "session", "output", "with"};

struct maker {
        pawl__buf buf;
        uint64_t state;
        const char *line; /* before a member: "\n" and indentation, or nothing */
        const char *colon;
};

static void add(struct maker *m, const char *text)
{
        if (pawl__buf_adds(&m->buf, text))
                bench_die("out of memory");
}

static uint64_t below(struct maker *m, uint64_t n)
{
        return next_random(&m->state) % n;
}

static void add_words(struct maker *m, const char *name, uint64_t n)
{
        add(m, m->line);
        if (pawl__buf_addf(&m->buf, "\"%s\"%s\"", name, m->colon))
                bench_die("out of memory");
        for (uint64_t i = 0; i < n; i++) {
                add(m, i ? " " : "");
                add(m, words[below(m, sizeof words / sizeof words[0])]);
        }
        add(m, "\"");
}

static void add_integer(struct maker *m, const char *name, uint64_t limit)
{
        add(m, m->line);
        if (pawl__buf_addf(
                    &m->buf, "\"%s\"%s%llu", name, m->colon, (unsigned long long)below(m, limit)))
                bench_die("out of memory");
}

static void add_double(struct maker *m, const char *name, int digits)
{
        const double value =
                (double)(next_random(&m->state) >> 11) / 9007199254740992.0 * 360 - 180;

        add(m, m->line);
        if (pawl__buf_addf(&m->buf, "\"%s\"%s%.*g", name, m->colon, digits, value))
                bench_die("out of memory");
}

/* One record, its members out of order, as most programs write them. */
static void add_record(struct maker *m, bool pretty)
{
        m->line = pretty ? "\n      " : "";
        m->colon = pretty ? ": " : ":";
        add(m, pretty ? "\n    {" : "{");
        add_integer(m, "id", 1000000);
        add(m, ",");
        add_words(m, "title", 3 + below(m, 4));
        add(m, ",");
        add_words(m, "description", 10 + below(m, 30));
        add(m, ",");
        add_double(m, "confidence", 17);
        add(m, ",");
        add_integer(m, "attempts", 10);
        add(m, pretty ? ",\n      \"place\": {" : ",\"place\":{");
        m->line = pretty ? "\n        " : "";
        add_double(m, "lon", 17);
        add(m, ",");
        add_double(m, "lat", 6);
        add(m, ",");
        add_words(m, "city", 1);
        add(m, pretty ? "\n      },\n      \"tags\": [" : "},\"tags\":[");
        for (uint64_t i = 0, n = 1 + below(m, 5); i < n; i++) {
                add(m, i ? pretty ? ", \"" : ",\"" : "\"");
                add(m, words[below(m, sizeof words / sizeof words[0])]);
                add(m, "\"");
        }
        add(m, pretty ? "],\n      \"active\": true,\n      \"parent\": null,\n      \"counts\": ["
                      : "],\"active\":true,\"parent\":null,\"counts\":[");
        for (uint64_t i = 0, n = below(m, 12); i < n; i++)
                if (pawl__buf_addf(&m->buf, "%s%d", i ? pretty ? ", " : "," : "",
                            (int)below(m, 20000) - 10000))
                        bench_die("out of memory");
        add(m, pretty ? "]\n    }" : "]}");
}

static void make_document(pawl__buf *out, size_t size)
{
        struct maker m = {PAWL__BUF_INIT, 7, "", ":"};

        add(&m, "{\"version\":3,\"records\":[");
        for (bool first = true; m.buf.len + 30 < size; first = false) {
                add(&m, first ? "" : ",");
                add_record(&m, below(&m, 3) == 0);
        }
        add(&m, "],\"author\":\"bench\"}");
        *out = m.buf;
}

static void run(bool hash, pawl__hasher *hasher, const pawl__buf *text)
{
        unsigned char digest[PAWL__HASH_LEN];
        pawl_error err;

        if (hash ? pawl__json_canon_hash(digest, hasher, text->data, text->len, &err)
                 : pawl__sha256(hasher, digest, text->data, text->len))
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
                make_document(&text, size);
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

        make_document(&text, size);
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
        bench_add(&memory, LARGE + resident(LARGE, true) - resident(LARGE, false));
        bench_answer(&(bench_question){.what = "memory of an input hash, 10 MB, the text included",
                             .beside = "the text",
                             .unit = "bytes",
                             .target = 2},
                &memory, &text);
        bench_clear(&memory);
        bench_clear(&text);
}

static int write_file(const char *path)
{
        pawl__buf text;

        make_document(&text, LARGE);
        FILE *file = fopen(path, "wb");
        if (!file || fwrite(text.data, 1, text.len, file) != text.len || fclose(file)) {
                perror(path);
                return 1;
        }
        pawl__buf_free(&text);
        return 0;
}

int main(int argc, char **argv)
{
        pawl__hasher *hasher;
        pawl_error err;

        if (argc == 3 && strcmp(argv[1], "--file") == 0)
                return write_file(argv[2]);
        if (argc != 1) {
                fprintf(stderr, "usage: bench_hash [--file PATH]\n");
                return 2;
        }
        if (pawl__hasher_new(&hasher, &err))
                bench_die(err.message);
        measure_memory();
        measure(hasher, 1000, "input hash, 1 KB", 4);
        measure(hasher, 100000, "input hash, 100 KB", 3);
        measure(hasher, LARGE, "input hash, 10 MB", 3);
        pawl__hasher_free(hasher);
        return 0;
}
