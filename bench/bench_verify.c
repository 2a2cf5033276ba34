/* pawl_log_verify over a log, beside reading the same rows with raw SQLite and taking one SHA-256
 * over their payloads' bytes and one over the rest, as the chain does; and a cursor beside reading
 * alone. In turn, medians.
 *
 *   build/bench/bench_verify [EVENTS]     (default 200000) */
#include "base/digest.h"
#include "base/text.h"
#include "bench/measure.h"
#include <pawl/events.h>
#include <sqlite3.h>
#include <string.h>
#include <unistd.h>

enum { PAYLOAD = 600, ROUNDS = 7, COLUMNS = 12, FIRST_TEXT = 4, PAYLOAD_COLUMN = 9 };

struct bench {
        char folder[64], path[96];
        pawl_log *log;
        sqlite3 *raw;
        sqlite3_stmt *select;
        pawl__hasher *hasher;
        size_t events;
};

static void fill(struct bench *b)
{
        char payload[PAYLOAD + 1];
        pawl_event *events = calloc(b->events, sizeof *events);
        int len = snprintf(payload, sizeof payload,
                "{\"glossary_version_id\":\"v1\",\"scope_id\":\"core\",\"text\":\"");

        if (!events)
                bench_die("out of memory");
        memset(payload + len, 'x', PAYLOAD - 2 - (size_t)len);
        memcpy(payload + PAYLOAD - 2, "\"}", 3);
        for (size_t i = 0; i < b->events; i++)
                events[i] = (pawl_event){.type = pawl__text("GlossaryScopeActivated"),
                        .mission_id = pawl__text("refund-service"),
                        .run_id = pawl__text("2f4c3a52-7f4e-4be0-a1c3-0d5d8a1d9b11"),
                        .step_id = pawl__text("specify"),
                        .actor = pawl__text("user:ana"),
                        .payload = pawl__text_n(payload, PAYLOAD)};
        if (pawl_log_append(NULL, b->log, events, b->events, 0))
                bench_die(pawl_log_errmsg(b->log));
        free(events);
}

static void set_up(struct bench *b)
{
        pawl_log_options options = PAWL_LOG_OPTIONS_INIT;
        pawl_error err = PAWL_ERROR_INIT;

        strcpy(b->folder, "/var/tmp/pawl-bench-XXXXXX");
        if (!mkdtemp(b->folder))
                bench_die("cannot make a folder");
        snprintf(b->path, sizeof b->path, "%s/events.db", b->folder);
        options.flags = PAWL_LOG_CREATE;
        if (pawl_log_open(&b->log, b->path, &options, &err) || pawl__hasher_new(&b->hasher, &err))
                bench_die(err.message);
        fill(b);
        if (sqlite3_open(b->path, &b->raw) != SQLITE_OK ||
                sqlite3_prepare_v2(b->raw, "SELECT * FROM events ORDER BY seq", -1, &b->select,
                        NULL) != SQLITE_OK)
                bench_die(sqlite3_errmsg(b->raw));
}

static void tear_down(struct bench *b)
{
        char name[128];
        static const char *const suffixes[] = {"", "-wal", "-shm"};

        sqlite3_finalize(b->select);
        sqlite3_close(b->raw);
        pawl_log_close(b->log);
        pawl__hasher_free(b->hasher);
        for (size_t i = 0; i < 3; i++) {
                snprintf(name, sizeof name, "%s%s", b->path, suffixes[i]);
                unlink(name);
        }
        rmdir(b->folder);
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
                        if (pawl__sha256(b->hasher, digest, data, len))
                                bench_die("hash");
                } else if (len && at + len <= sizeof rest) {
                        memcpy(rest + at, data, len);
                        at += len;
                }
        }
        if (hash && pawl__sha256(b->hasher, digest, rest, at))
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

static void verify(struct bench *b)
{
        pawl_verify_result result;

        if (pawl_log_verify(&result, b->log, 0, NULL) || result.events != b->events)
                bench_die(pawl_log_errmsg(b->log));
}

static void cursor(struct bench *b)
{
        pawl_cursor *cursor;
        pawl_event event;
        size_t n = 0;

        if (pawl_cursor_open(&cursor, b->log, 0))
                bench_die(pawl_log_errmsg(b->log));
        while (pawl_cursor_next(cursor, &event) == PAWL_OK)
                n++;
        pawl_cursor_close(cursor);
        if (n != b->events)
                bench_die("events are missing");
}

int main(int argc, char **argv)
{
        static const struct {
                const char *name;
                void (*work)(struct bench *b);
                int yardstick;
        } work[] = {
                {"raw SQLite: read", raw_read, -1},
                {"pawl_cursor_next", cursor, 0},
                {"raw SQLite: read and SHA-256", raw_hash, -1},
                {"pawl_log_verify", verify, 2},
        };
        bench_series series[4] = {{0}};
        struct bench b = {0};

        b.events = bench_count(argc, argv, 200000);
        set_up(&b);
        for (int round = 0; round < ROUNDS; round++)
                for (int i = 0; i < 4; i++) {
                        double start = bench_now_ns();
                        work[i].work(&b);
                        bench_add(&series[i], bench_now_ns() - start);
                }
        printf("All of %zu events, us\n", b.events);
        for (int i = 0; i < 4; i++)
                bench_row(work[i].name, &series[i],
                        work[i].yardstick < 0 ? NULL : &series[work[i].yardstick]);
        for (int i = 0; i < 4; i++)
                free(series[i].ns);
        tear_down(&b);
        return 0;
}
