/* A durable append, alone and in batches of 100, beside raw SQLite that inserts the same rows into
 * the same schema at the same durability (WAL, synchronous=FULL), and beside write + fdatasync of 4
 * KiB into a file that has its length: in turn, medians.
 *
 *   build/bench/bench_append [APPENDS]     (default 2000) */
#include "base/text.h"
#include "bench/measure.h"
#include <fcntl.h>
#include <pawl/events.h>
#include <sqlite3.h>
#include <string.h>
#include <unistd.h>

enum { BATCH = 100, PAYLOAD = 600, PAGE = 4096, PAGES = 1024 };

struct bench {
        char folder[64], path[96], raw_path[96], file_path[96];
        pawl_log *log;
        sqlite3 *raw;
        sqlite3_stmt *begin, *insert, *commit;
        int64_t raw_seq;
        int file;
        int64_t page;
        char payload[PAYLOAD + 1];
        pawl_event events[BATCH];
};

static void sql(struct bench *b, const char *text)
{
        if (sqlite3_exec(b->raw, text, NULL, NULL, NULL) != SQLITE_OK)
                bench_die(sqlite3_errmsg(b->raw));
}

static void prepare(struct bench *b, sqlite3_stmt **out, const char *text)
{
        if (sqlite3_prepare_v3(b->raw, text, -1, SQLITE_PREPARE_PERSISTENT, out, NULL) != SQLITE_OK)
                bench_die(sqlite3_errmsg(b->raw));
}

static void step(struct bench *b, sqlite3_stmt *stmt)
{
        if (sqlite3_step(stmt) != SQLITE_DONE)
                bench_die(sqlite3_errmsg(b->raw));
        sqlite3_reset(stmt);
}

static void make_log(pawl_log **out, const char *path)
{
        pawl_log_options options = PAWL_LOG_OPTIONS_INIT;
        pawl_error err = PAWL_ERROR_INIT;

        options.flags = PAWL_LOG_CREATE;
        if (pawl_log_open(out, path, &options, &err))
                bench_die(err.message);
}

static void set_up(struct bench *b)
{
        static const char zero[PAGE];
        pawl_log *schema;

        strcpy(b->folder, "/var/tmp/pawl-bench-XXXXXX"); /* on a disk: /tmp may be memory */
        if (!mkdtemp(b->folder))
                bench_die("cannot make a folder");
        snprintf(b->path, sizeof b->path, "%s/events.db", b->folder);
        snprintf(b->raw_path, sizeof b->raw_path, "%s/raw.db", b->folder);
        snprintf(b->file_path, sizeof b->file_path, "%s/file", b->folder);
        make_log(&b->log, b->path);
        make_log(&schema, b->raw_path);
        pawl_log_close(schema);
        if (sqlite3_open(b->raw_path, &b->raw) != SQLITE_OK)
                bench_die("cannot open the raw database");
        sql(b, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cell_size_check = ON");
        prepare(b, &b->begin, "BEGIN IMMEDIATE");
        prepare(b, &b->commit, "COMMIT");
        prepare(b, &b->insert, "INSERT INTO events VALUES (?1,?2,1,?3,?4,?5,?6,NULL,?7,?8,?9,?9)");
        b->file = open(b->file_path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        for (int i = 0; i < PAGES; i++)
                if (write(b->file, zero, PAGE) != PAGE)
                        bench_die("cannot write");
        if (fsync(b->file) != 0)
                bench_die("cannot sync");
        int len = snprintf(b->payload, sizeof b->payload,
                "{\"glossary_version_id\":\"v1\",\"scope_id\":\"core\",\"text\":\"");
        memset(b->payload + len, 'x', PAYLOAD - 2 - (size_t)len);
        memcpy(b->payload + PAYLOAD - 2, "\"}", 3);
        for (int i = 0; i < BATCH; i++)
                b->events[i] = (pawl_event){.type = pawl__text("GlossaryScopeActivated"),
                        .mission_id = pawl__text("refund-service"),
                        .run_id = pawl__text("2f4c3a52-7f4e-4be0-a1c3-0d5d8a1d9b11"),
                        .step_id = pawl__text("specify"),
                        .actor = pawl__text("user:ana"),
                        .payload = pawl__text_n(b->payload, PAYLOAD)};
}

static void tear_down(struct bench *b)
{
        static const char *const names[] = {"events.db", "events.db-wal", "events.db-shm", "raw.db",
                "raw.db-wal", "raw.db-shm", "file"};
        char path[128];

        sqlite3_finalize(b->begin);
        sqlite3_finalize(b->insert);
        sqlite3_finalize(b->commit);
        sqlite3_close(b->raw);
        pawl_log_close(b->log);
        close(b->file);
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
                snprintf(path, sizeof path, "%s/%s", b->folder, names[i]);
                unlink(path);
        }
        rmdir(b->folder);
}

static void append(struct bench *b, size_t n)
{
        if (pawl_log_append(NULL, b->log, b->events, n, 0))
                bench_die(pawl_log_errmsg(b->log));
}

static void bind(sqlite3_stmt *stmt, int index, pawl_text text)
{
        sqlite3_bind_text64(stmt, index, text.data, text.len, SQLITE_STATIC, SQLITE_UTF8);
}

static void insert_raw(struct bench *b, size_t n)
{
        static const unsigned char hash[32] = {1};

        step(b, b->begin);
        for (size_t i = 0; i < n; i++) {
                const pawl_event *e = &b->events[i];
                sqlite3_bind_int64(b->insert, 1, ++b->raw_seq);
                bind(b->insert, 2, e->type);
                sqlite3_bind_int64(b->insert, 3, 1795178100000000 + b->raw_seq);
                bind(b->insert, 4, e->mission_id);
                bind(b->insert, 5, e->run_id);
                bind(b->insert, 6, e->step_id);
                bind(b->insert, 7, e->actor);
                bind(b->insert, 8, e->payload);
                sqlite3_bind_blob(b->insert, 9, hash, sizeof hash, SQLITE_STATIC);
                step(b, b->insert);
        }
        step(b, b->commit);
}

static void write_page(struct bench *b, size_t n)
{
        static char page[PAGE];

        (void)n;
        memset(page, (int)(b->page & 0xff), sizeof page);
        if (pwrite(b->file, page, PAGE, b->page++ % PAGES * PAGE) != PAGE ||
                fdatasync(b->file) != 0)
                bench_die("cannot write");
}

static void measure(
        bench_series *series, struct bench *b, void (*work)(struct bench *b, size_t n), size_t n)
{
        double start = bench_now_ns();

        work(b, n);
        bench_add(series, bench_now_ns() - start);
}

static void compare(struct bench *b, size_t rounds, size_t n, const char *what)
{
        bench_series log = {0}, raw = {0}, page = {0};
        char name[64];

        for (size_t i = 0; i < rounds; i++) {
                measure(&page, b, write_page, n);
                measure(&raw, b, insert_raw, n);
                measure(&log, b, append, n);
        }
        bench_row("write + fdatasync, 4 KiB", &page, NULL);
        snprintf(name, sizeof name, "raw SQLite, %s", what);
        bench_row(name, &raw, &page);
        snprintf(name, sizeof name, "pawl_log_append, %s", what);
        bench_row(name, &log, &raw);
        free(log.ns);
        free(raw.ns);
        free(page.ns);
}

int main(int argc, char **argv)
{
        struct bench b = {0};
        size_t rounds = bench_count(argc, argv, 2000);

        set_up(&b);
        printf("Durable appends of %d-byte payloads, us; each ratio is to the row above it\n",
                PAYLOAD);
        compare(&b, rounds, 1, "one event");
        compare(&b, rounds / 20 + 1, BATCH, "100 events");
        tear_down(&b);
        return 0;
}
