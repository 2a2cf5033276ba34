/*
 * What the input hash costs beside plain SHA-256 of the same text, at 1 KB, 100 KB and 10 MB of
 * mixed content; and the memory that it takes beside the text.
 *
 *   bench_hash                 a line a size: median ns of both, ratio, memory
 *   bench_hash --file PATH     write the 10 MB document, for bench/hash_node.mjs PATH
 */
#include "base/digest.h"
#include "base/json_canon.h"
#include "base/json_tree.h"
#include "base/json_write.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { RUNS = 31, LARGE = 10000000 };

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
                abort();
}

static uint64_t below(struct maker *m, uint64_t n)
{
        return next_random(&m->state) % n;
}

static void add_words(struct maker *m, const char *name, uint64_t n)
{
        add(m, m->line);
        if (pawl__buf_addf(&m->buf, "\"%s\"%s\"", name, m->colon))
                abort();
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
                abort();
}

static void add_double(struct maker *m, const char *name, int digits)
{
        const double value =
                (double)(next_random(&m->state) >> 11) / 9007199254740992.0 * 360 - 180;

        add(m, m->line);
        if (pawl__buf_addf(&m->buf, "\"%s\"%s%.*g", name, m->colon, digits, value))
                abort();
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
                        abort();
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

static uint64_t now_ns(void)
{
        struct timespec t;

        clock_gettime(CLOCK_MONOTONIC, &t);
        return (uint64_t)t.tv_sec * 1000000000U + (uint64_t)t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
        const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

        return (x > y) - (x < y);
}

enum what { SHA256, HASH, TREE, N_WHATS };

static pawl__json_tree tree = PAWL__JSON_TREE_INIT;

static void run(enum what what, pawl__hasher *hasher, const pawl__buf *text)
{
        unsigned char hash[PAWL__HASH_LEN];
        pawl_error err;
        pawl_status status = PAWL_OK;

        switch (what) {
        case SHA256:
                status = pawl__sha256(hasher, hash, text->data, text->len);
                break;
        case HASH:
                status = pawl__json_canon_hash(hash, hasher, text->data, text->len, &err);
                break;
        case TREE:
        default:
                status = pawl__json_tree_read(&tree, text->data, text->len, &err);
        }
        if (status)
                abort();
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
                run(SHA256, hasher, &text);
                if (hash)
                        run(HASH, hasher, &text);
                _exit(0);
        }
        if (child < 0 || wait4(child, &status, 0, &usage) != child || status)
                abort();
        return (double)usage.ru_maxrss * 1024;
}

static void measure(pawl__hasher *hasher, size_t size)
{
        const size_t times = size < 50000 ? 2000000 / size : 1;
        uint64_t took[N_WHATS][RUNS];
        pawl__buf text;

        make_document(&text, size);
        for (int i = 0; i < RUNS; i++)
                for (int what = 0; what < N_WHATS; what++) {
                        const uint64_t start = now_ns();
                        for (size_t k = 0; k < times; k++)
                                run((enum what)what, hasher, &text);
                        took[what][i] = (now_ns() - start) / times;
                }
        for (int what = 0; what < N_WHATS; what++)
                qsort(took[what], RUNS, sizeof took[what][0], compare);
        const double sha = (double)took[SHA256][RUNS / 2], hash = (double)took[HASH][RUNS / 2];
        printf("%9zu bytes: SHA-256 %10.0f ns, canonical hash %10.0f ns (%.2fx), tree %10.0f ns",
                text.len, sha, hash, hash / sha, (double)took[TREE][RUNS / 2]);
        printf("\n");
        fflush(stdout);
        pawl__buf_free(&text);
}

int main(int argc, char **argv)
{
        pawl__hasher *hasher;
        pawl_error err;

        if (argc == 3 && strcmp(argv[1], "--file") == 0) {
                pawl__buf text;
                make_document(&text, LARGE);
                FILE *file = fopen(argv[2], "wb");
                if (!file || fwrite(text.data, 1, text.len, file) != text.len || fclose(file)) {
                        perror(argv[2]);
                        return 1;
                }
                pawl__buf_free(&text);
                return 0;
        }
        if (argc != 1) {
                fprintf(stderr, "usage: bench_hash [--file PATH]\n");
                return 2;
        }
        if (pawl__hasher_new(&hasher, &err)) {
                fprintf(stderr, "%s\n", err.message);
                return 1;
        }
        const double more = resident(LARGE, true) - resident(LARGE, false);
        printf("%9d bytes: text and hashing take %.2fx the text in memory\n", LARGE,
                1 + more / LARGE);
        fflush(stdout);
        measure(hasher, 1000);
        measure(hasher, 100000);
        measure(hasher, LARGE);
        pawl__json_tree_free(&tree);
        pawl__hasher_free(hasher);
        return 0;
}
