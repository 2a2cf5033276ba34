/* Threads that append single events durably to one log, a handle each: how long it takes for an
 * event, beside one thread that appends as many. Handles of one process share commits
 * (events/group.h), with the state tables and without; so that the gain is seen, the last row has
 * handles that share none: each opened the log by a VFS of its own name, and so is in a group of
 * its own.
 *
 *   build/bench/bench_threads [ROUNDS [THREADS]]     (default 40 rounds of 1,600 events, 16) */
#include "base/text.h"
#include "bench/measure.h"
#include "events/log.h"
#include "events/sqlite/sqlite.h"
#include "state/state.h"
#include <pthread.h>
#include <string.h>

#define PATH "events.db"

enum { THREADS_MAX = 64, PER_ROUND = 1600, PAYLOAD = 600 };

typedef struct worker {
        pawl_log *log;
        pthread_t thread;
        pthread_barrier_t *start;
        size_t appends;
} worker;

typedef struct bench {
        size_t threads;
        sqlite3_vfs vfs[THREADS_MAX];
        char vfs_name[THREADS_MAX][16];
        worker shared[THREADS_MAX], apart[THREADS_MAX], stateful[THREADS_MAX];
} bench;

static char payload[PAYLOAD + 1];

static void open_worker(worker *w, const char *vfs, bool with_state)
{
        pawl_log_options options = PAWL_LOG_OPTIONS_INIT;
        pawl__log_setup setup = {.vfs = vfs};
        pawl_error err = PAWL_ERROR_INIT;
        pawl__state *state;

        options.flags = PAWL_LOG_CREATE;
        options.busy_ms = 60000;
        if (pawl__log_open_as(&w->log, PATH, &options, &setup, &err) ||
                (with_state && pawl__state_of(&state, w->log, &err)))
                bench_die(err.message);
}

/* The system's VFS under other names. */
static void make_vfs(bench *b)
{
        for (size_t i = 0; i < b->threads; i++) {
                snprintf(b->vfs_name[i], sizeof b->vfs_name[i], "alone-%zu", i);
                b->vfs[i] = *sqlite3_vfs_find(NULL);
                b->vfs[i].pNext = NULL;
                b->vfs[i].zName = b->vfs_name[i];
                if (sqlite3_vfs_register(&b->vfs[i], 0) != SQLITE_OK)
                        bench_die("cannot register a VFS");
        }
}

static void set_up(bench *b)
{
        int len = snprintf(payload, sizeof payload,
                "{\"glossary_version_id\":\"v1\",\"scope_id\":\"core\",\"text\":\"");

        memset(payload + len, 'x', PAYLOAD - 2 - (size_t)len);
        memcpy(payload + PAYLOAD - 2, "\"}", 3);
        make_vfs(b);
        for (size_t i = 0; i < b->threads; i++) {
                open_worker(&b->shared[i], NULL, false);
                open_worker(&b->apart[i], b->vfs_name[i], false);
                open_worker(&b->stateful[i], NULL, true);
        }
}

static void tear_down(bench *b)
{
        for (size_t i = 0; i < b->threads; i++) {
                pawl_log_close(b->shared[i].log);
                pawl_log_close(b->apart[i].log);
                pawl_log_close(b->stateful[i].log);
        }
}

static void *append(void *user)
{
        worker *w = user;
        const pawl_event event = {.type = pawl__text("GlossaryScopeActivated"),
                .mission_id = pawl__text("refund-service"),
                .actor = pawl__text("user:ana"),
                .payload = pawl__text_n(payload, PAYLOAD)};

        pthread_barrier_wait(w->start);
        for (size_t i = 0; i < w->appends; i++)
                if (pawl__log_append(NULL, w->log, &event, 1, 0))
                        bench_die(pawl_log_errmsg(w->log));
        return NULL;
}

/* So many of the workers append PER_ROUND events together: the time that passed for one. */
static void measure(bench_series *series, worker *workers, size_t n)
{
        pthread_barrier_t start;

        pthread_barrier_init(&start, NULL, (unsigned)n + 1);
        for (size_t i = 0; i < n; i++) {
                workers[i].start = &start;
                workers[i].appends = PER_ROUND / n;
                if (pthread_create(&workers[i].thread, NULL, append, &workers[i]) != 0)
                        bench_die("cannot make a thread");
        }
        pthread_barrier_wait(&start);
        double from = bench_now_ns();
        for (size_t i = 0; i < n; i++)
                pthread_join(workers[i].thread, NULL);
        bench_add(series, (bench_now_ns() - from) / (double)(PER_ROUND / n * n));
        pthread_barrier_destroy(&start);
}

typedef struct question {
        worker *one, *many;
        const char *how;
        double target;
} question;

static void compare(const bench *b, size_t rounds, const question *q)
{
        bench_series one = {NULL, 0, 0}, many = {NULL, 0, 0};
        char what[96];

        for (size_t i = 0; i < rounds; i++) {
                measure(&one, q->one, 1);
                measure(&many, q->many, b->threads);
        }
        snprintf(what, sizeof what, "%zu threads append, %s, an event", b->threads, q->how);
        bench_answer(&(bench_question){.what = what, .beside = "one thread", .target = q->target},
                &many, &one);
        bench_note("%s: %.0f events a second, one thread %.0f: %.1f times", what,
                1e9 / bench_median(&many), 1e9 / bench_median(&one),
                bench_median(&one) / bench_median(&many));
        bench_clear(&one);
        bench_clear(&many);
}

int main(int argc, char **argv)
{
        static bench b;
        size_t rounds = bench_count(argc, argv, 40);

        b.threads = argc > 2 ? bench_count(argc - 1, argv + 1, 16) : 16;
        if (b.threads > THREADS_MAX)
                bench_die("at most 64 threads");
        bench_folder();
        set_up(&b);
        compare(&b, rounds, &(question){b.shared, b.shared, "sharing commits", 0.2});
        compare(&b, rounds, &(question){b.stateful, b.stateful, "with state tables", 0.2});
        compare(&b, rounds, &(question){b.shared, b.apart, "sharing none", 0});
        tear_down(&b);
        return 0;
}
