/* What `pawl serve` reads out of a log of 1,000,000 events: wrk asks it on loopback, by connections
 * that stay and by one a request, beside libmicrohttpd that has the same bytes already, and beside
 * raw SQLite that reads the same rows. The time of a request is a second over how many were
 * answered in it, by eight connections at once: with wrk on the same cores.
 *
 *   build/bench/bench_service [EVENTS]     (default 1000000; needs wrk) */
#include "bench/filled_log.h"
#include "bench/http_twin.h"
#include "bench/raw_twin.h"
#include "bench/served.h"
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 7, QUERIES = 20 };

typedef struct pace {
        double request_ns, p99_ns;
} pace;

static double time_of(const char *text)
{
        char *unit;
        const double value = strtod(text, &unit);

        return value * (unit[0] == 'u' ? 1e3 : unit[0] == 'm' && unit[1] == 's' ? 1e6 : 1e9);
}

/* A second of wrk. */
static pace measure(const served *s, unsigned port, const char *path, bool stays)
{
        char command[1024], line[512];
        pace result = {0, 0};

        snprintf(command, sizeof command,
                "wrk -t1 -c8 -d1s --latency -H 'Authorization: Bearer %s' %s"
                "'http://127.0.0.1:%u%s' 2>&1",
                s->token, stays ? "" : "-H 'Connection: close' ", port, path);
        FILE *wrk = popen(command, "r"); /* NOLINT(cert-env33-c): a command of ours */
        if (!wrk)
                bench_die("cannot start wrk");
        while (fgets(line, sizeof line, wrk)) {
                const char *at;
                if (strstr(line, "Non-2xx") || strstr(line, "Socket errors"))
                        bench_note("%s: %s", path, line);
                if ((at = strstr(line, " 99%")))
                        result.p99_ns = time_of(at + 4);
                if ((at = strstr(line, "Requests/sec:")))
                        result.request_ns = 1e9 / strtod(at + 13, NULL);
        }
        const int ended = pclose(wrk);
        if (ended || result.request_ns <= 0 || result.p99_ns <= 0) {
                bench_note("wrk ended with %d: %s", ended, line);
                bench_die("wrk failed; is it installed? (scripts/deps bench)");
        }
        return result;
}

/* ---- Raw SQLite ------------------------------------------------------------------------------ */

static sqlite3 *raw;

static double read_rows(sqlite3_stmt *const *queries)
{
        const double start = bench_now_ns();

        for (int i = 0; i < QUERIES; i++)
                for (sqlite3_stmt *const *q = queries; *q; q++) {
                        int rc;
                        while ((rc = sqlite3_step(*q)) == SQLITE_ROW)
                                for (int c = 0; c < sqlite3_column_count(*q); c++)
                                        (void)sqlite3_column_blob(*q, c);
                        if (rc != SQLITE_DONE)
                                bench_die(sqlite3_errmsg(raw));
                        sqlite3_reset(*q);
                }
        return (bench_now_ns() - start) / (double)QUERIES;
}

/* ---- One path -------------------------------------------------------------------------------- */

static void compare(const served *s, const char *name, const char *path, bool stays)
{
        bench_series ours = {NULL, 0, 0}, theirs = {NULL, 0, 0}, late = {NULL, 0, 0},
                     theirs_late = {NULL, 0, 0};
        pawl__buf body = PAWL__BUF_INIT;
        char what[160];
        const int fd = http_connect(s->port);

        http_send(fd, s, "GET", path, NULL);
        if (http_receive(fd, &body) != 200)
                bench_die(body.data ? body.data : path);
        close(fd);
        const unsigned twin = http_twin_start(pawl__buf_text(&body));
        for (int i = 0; i < ROUNDS; i++) {
                const pace they = measure(s, twin, path, stays);
                const pace we = measure(s, s->port, path, stays);
                bench_add(&theirs, they.request_ns);
                bench_add(&theirs_late, they.p99_ns);
                bench_add(&ours, we.request_ns);
                bench_add(&late, we.p99_ns);
        }
        http_twin_stop();
        const char *how = stays ? "" : ", a connection each";
        snprintf(what, sizeof what, "%s, %zu bytes, a request%s", name, body.len, how);
        bench_answer(&(bench_question){.what = what, .beside = "libmicrohttpd, the same bytes"},
                &ours, &theirs);
        snprintf(what, sizeof what, "%s, the slowest of a hundred%s", name, how);
        bench_answer(&(bench_question){.what = what, .beside = "libmicrohttpd, the same bytes"},
                &late, &theirs_late);
        pawl__buf_free(&body);
        bench_clear(&ours);
        bench_clear(&theirs);
        bench_clear(&late);
        bench_clear(&theirs_late);
}

/* One request after the other, beside the bare queries: what is between a client and the rows. */
static void beside_rows(
        const served *s, const char *name, const char *path, const char *const queries[])
{
        bench_series ours = {NULL, 0, 0}, theirs = {NULL, 0, 0};
        sqlite3_stmt *prepared[4] = {NULL, NULL, NULL, NULL};
        pawl__buf body = PAWL__BUF_INIT;
        char what[160];
        const int fd = http_connect(s->port);

        for (int i = 0; queries[i]; i++)
                if (sqlite3_prepare_v2(raw, queries[i], -1, &prepared[i], NULL))
                        bench_die(sqlite3_errmsg(raw));
        for (int i = -1; i < 100; i++) {
                const double rows = read_rows(prepared);
                const double start = bench_now_ns();
                for (int k = 0; k < QUERIES; k++) {
                        http_send(fd, s, "GET", path, NULL);
                        if (http_receive(fd, &body) != 200)
                                bench_die(body.data ? body.data : path);
                }
                if (i < 0) /* that one warmed up */
                        continue;
                bench_add(&theirs, rows);
                bench_add(&ours, (bench_now_ns() - start) / (double)QUERIES);
        }
        snprintf(what, sizeof what, "%s, one request after the other", name);
        bench_answer(&(bench_question){.what = what, .beside = "raw SQLite, the same rows"}, &ours,
                &theirs);
        for (int i = 0; queries[i]; i++)
                sqlite3_finalize(prepared[i]);
        close(fd);
        pawl__buf_free(&body);
        bench_clear(&ours);
        bench_clear(&theirs);
}

int main(int argc, char **argv)
{
        static filled_log filled;
        char page[80], event[80], run[80], page_rows[120], event_rows[120];
        char run_rows[160], step_rows[160];
        served s;

        bench_folder();
        filled_open(&filled, "events.db", bench_count(argc, argv, 1000000), FILLED_TERMS);
        pawl_log_close(filled.log);
        const unsigned long long half = filled.events / 2;
        snprintf(page, sizeof page, "/api/v1/events?since=%llu&limit=100", half);
        snprintf(page_rows, sizeof page_rows,
                "SELECT * FROM events WHERE seq > %llu ORDER BY seq LIMIT 100", half);
        snprintf(event, sizeof event, "/api/v1/events/%llu", half);
        snprintf(event_rows, sizeof event_rows, "SELECT * FROM events WHERE seq = %llu", half);
        snprintf(run, sizeof run, "/api/v1/runs/%s", filled.sample[0].run);
        snprintf(run_rows, sizeof run_rows, "SELECT * FROM runs WHERE run_id = '%s'",
                filled.sample[0].run);
        snprintf(step_rows, sizeof step_rows, "SELECT * FROM steps WHERE run_id = '%s'",
                filled.sample[0].run);
        const struct {
                const char *name, *path, *queries[4];
        } asked[] = {
                {"GET /healthz", "/healthz", {NULL}},
                {"20 runs", "/api/v1/runs?limit=20",
                        {"SELECT * FROM runs ORDER BY updated_seq DESC LIMIT 20", NULL}},
                {"a run and its 400 steps", run, {run_rows, step_rows, NULL}},
                {"20 open conflicts", "/api/v1/conflicts",
                        {"SELECT * FROM conflicts WHERE status = 'open' ORDER BY seq", NULL}},
                {"a page of 100 events", page, {page_rows, NULL}},
                {"an event", event, {event_rows, NULL}},
        };
        const size_t n = sizeof asked / sizeof asked[0];
        served_start(&s);
        raw = raw_open("events.db");
        for (size_t i = 0; i < n; i++)
                compare(&s, asked[i].name, asked[i].path, true);
        compare(&s, asked[0].name, asked[0].path, false);
        compare(&s, asked[3].name, asked[3].path, false);
        for (size_t i = 0; i < n; i++)
                if (asked[i].queries[0])
                        beside_rows(&s, asked[i].name, asked[i].path, asked[i].queries);
        sqlite3_close(raw);
        served_stop(&s);
        return 0;
}
