/* pawl_log_verify over a log, beside reading the same rows with raw SQLite and taking one SHA-256
 * over their payloads' bytes and one over the rest, as the chain does; with the log's key, beside
 * without; its memory, beside that for a tenth of the events; the Merkle tree and a proof, as
 * `eventlog prove` reads them, beside verify; and a cursor beside reading alone.
 *
 *   build/bench/bench_verify [EVENTS]     (default 1000000) */
#include "base/digest.h"
#include "base/text.h"
#include "bench/measure.h"
#include "events/log.h"
#include "events/merkle.h"
#include <pawl/events.h>
#include <sqlite3.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAYLOAD = 600, ROUNDS = 5, COLUMNS = 12, PAYLOAD_COLUMN = 9, BATCH = 10000, PART = 10 };

static const unsigned char key[32] = {1, 2, 3};

struct bench {
        pawl_log *plain, *keyed; /* the same log, opened without its key and with it */
        sqlite3 *raw;
        sqlite3_stmt *select;
        pawl__hasher *hasher;
        size_t events;
};

static pawl_log *open_log(const char *path, unsigned flags, bool with_key)
{
        pawl_log_options options = PAWL_LOG_OPTIONS_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        pawl_log *log;

        options.flags = flags;
        options.key = with_key ? key : NULL;
        options.key_len = with_key ? sizeof key : 0;
        if (pawl_log_open(&log, path, &options, &err))
                bench_die(err.message);
        return log;
}

static void fill(const char *path, size_t n)
{
        static pawl_event events[BATCH];
        static char payload[PAYLOAD + 1];
        pawl_log *log = open_log(path, PAWL_LOG_CREATE, true);
        int len = snprintf(payload, sizeof payload,
                "{\"glossary_version_id\":\"v1\",\"scope_id\":\"core\",\"text\":\"");

        memset(payload + len, 'x', PAYLOAD - 2 - (size_t)len);
        memcpy(payload + PAYLOAD - 2, "\"}", 3);
        for (size_t i = 0; i < BATCH; i++)
                events[i] = (pawl_event){.type = pawl__text("GlossaryScopeActivated"),
                        .mission_id = pawl__text("refund-service"),
                        .actor = pawl__text("user:ana"),
                        .payload = pawl__text_n(payload, PAYLOAD)};
        for (size_t left = n; left > 0;) {
                size_t now = left < BATCH ? left : BATCH;
                if (pawl__log_append(NULL, log, events, now, 0))
                        bench_die(pawl_log_errmsg(log));
                left -= now;
        }
        pawl_log_close(log);
}

static void set_up(struct bench *b)
{
        pawl_error err = PAWL_ERROR_INIT;

        bench_folder();
        fill("part.db", b->events / PART + 1);
        fill("events.db", b->events);
        b->plain = open_log("events.db", PAWL_LOG_READONLY, false);
        b->keyed = open_log("events.db", PAWL_LOG_READONLY, true);
        if (pawl__hasher_new(&b->hasher, &err))
                bench_die(err.message);
        if (sqlite3_open_v2("events.db", &b->raw, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK ||
                sqlite3_prepare_v2(b->raw, "SELECT * FROM events ORDER BY seq", -1, &b->select,
                        NULL) != SQLITE_OK)
                bench_die(sqlite3_errmsg(b->raw));
}

static void tear_down(struct bench *b)
{
        sqlite3_finalize(b->select);
        sqlite3_close(b->raw);
        pawl_log_close(b->plain);
        pawl_log_close(b->keyed);
        pawl__hasher_free(b->hasher);
}

/* The columns of a row, as they are; with hash, their bytes through SHA-256. */
static size_t read_row(struct bench *b, bool hash)
{
        unsigned char digest[32], rest[512];
        size_t bytes = 0, at = 0;

        for (int c = 0; c < COLUMNS; c++) {
                size_t len = (size_t)sqlite3_column_bytes(b->select, c);
                const void *data = sqlite3_column_blob(b->select, c);
                bytes += len;
                if (!hash)
                        continue;
                if (c == PAYLOAD_COLUMN) {
                        if (pawl__sha256(b->hasher, digest, data, len, NULL))
                                bench_die("hash");
                } else if (len && at + len <= sizeof rest) {
                        memcpy(rest + at, data, len);
                        at += len;
                }
        }
        if (hash && pawl__sha256(b->hasher, digest, rest, at, NULL))
                bench_die("hash");
        return bytes;
}

static void read_raw(struct bench *b, bool hash)
{
        size_t rows = 0, bytes = 0;

        while (sqlite3_step(b->select) == SQLITE_ROW) {
                bytes += read_row(b, hash);
                rows++;
        }
        sqlite3_reset(b->select);
        if (rows != b->events || bytes == 0)
                bench_die("rows are missing");
}

static void raw_read(struct bench *b)
{
        read_raw(b, false);
}

static void raw_hash(struct bench *b)
{
        read_raw(b, true);
}

static void verify_log(pawl_log *log, size_t events)
{
        pawl_verify_result result;

        if (pawl_log_verify(&result, log, 0, NULL) || result.events != events)
                bench_die(pawl_log_errmsg(log));
}

static void verify(struct bench *b)
{
        verify_log(b->plain, b->events);
}

static void verify_with_key(struct bench *b)
{
        verify_log(b->keyed, b->events);
}

/* What `eventlog note` reads, too: it leaves the proof out. */
static void prove(struct bench *b)
{
        pawl__merkle_part parts[PAWL__PROOF_MAX];
        pawl__merkle_reading reading = {.size = b->events, .parts = parts};
        pawl_error err = PAWL_ERROR_INIT;

        reading.n_parts = pawl__merkle_inclusion(parts, b->events / 2, b->events);
        if (pawl__merkle_read(&reading, b->plain, &err))
                bench_die(err.message);
}

static void cursor(struct bench *b)
{
        pawl_cursor *cursor;
        pawl_event event;
        size_t n = 0;

        if (pawl_cursor_open(&cursor, b->plain, 0))
                bench_die(pawl_log_errmsg(b->plain));
        while (pawl_cursor_next(cursor, &event) == PAWL_OK)
                n++;
        pawl_cursor_close(cursor);
        if (n != b->events)
                bench_die("events are missing");
}

/* The peak of a process that opens the log and verifies it, in bytes. */
static double peak_memory(const char *path, size_t events)
{
        struct rusage usage;
        int status;
        pid_t child = fork();

        if (child == 0) {
                pawl_log *log = open_log(path, PAWL_LOG_READONLY, true);
                verify_log(log, events);
                _exit(0);
        }
        if (child < 0 || wait4(child, &status, 0, &usage) != child || status != 0)
                bench_die("a child could not verify");
        return (double)usage.ru_maxrss * 1024;
}

static double time_of(struct bench *b, void (*work)(struct bench *b))
{
        double start = bench_now_ns();

        work(b);
        return bench_now_ns() - start;
}

int main(int argc, char **argv)
{
        enum { READ, CURSOR, HASH, VERIFY, KEYED, PROVE, WORKS };
        static void (*const works[WORKS])(struct bench * b) = {
                raw_read, cursor, raw_hash, verify, verify_with_key, prove};
        bench_series series[WORKS] = {{0}}, memory = {0}, memory_of_part = {0};
        struct bench b = {0};

        b.events = bench_count(argc, argv, 1000000);
        double per = (double)b.events;
        set_up(&b);
        for (int round = 0; round < ROUNDS; round++) {
                for (int i = 0; i < WORKS; i++)
                        bench_add(&series[i], time_of(&b, works[i]));
                bench_add(&memory, peak_memory("events.db", b.events));
                bench_add(&memory_of_part, peak_memory("part.db", b.events / PART + 1));
        }
        bench_note("%zu events of %d-byte payloads: verify takes %.2f s and at most %.1f MiB",
                b.events, PAYLOAD, bench_median(&series[VERIFY]) / 1e9,
                bench_median(&memory) / 1048576);
        bench_answer(&(bench_question){.what = "verify, an event",
                             .beside = "reading its row and SHA-256 over it, raw SQLite",
                             .target = 1.7,
                             .per = per},
                &series[VERIFY], &series[HASH]);
        bench_answer(&(bench_question){.what = "verify with the key, an event",
                             .beside = "verify without",
                             .per = per},
                &series[KEYED], &series[VERIFY]);
        bench_answer(&(bench_question){.what = "the Merkle tree and a proof, an event",
                             .beside = "verify",
                             .per = per},
                &series[PROVE], &series[VERIFY]);
        bench_answer(&(bench_question){.what = "verify: peak memory of the process",
                             .beside = "for a tenth of the events",
                             .unit = "bytes",
                             .target = 1.1},
                &memory, &memory_of_part);
        bench_answer(&(bench_question){.what = "cursor, an event",
                             .beside = "reading its row, raw SQLite",
                             .per = per},
                &series[CURSOR], &series[READ]);
        for (int i = 0; i < WORKS; i++)
                bench_clear(&series[i]);
        bench_clear(&memory);
        bench_clear(&memory_of_part);
        tear_down(&b);
        return 0;
}
