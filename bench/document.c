#include "bench/document.h"
#include "base/json_write.h"
#include "bench/measure.h"

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

void bench_document(pawl__buf *out, size_t size)
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
