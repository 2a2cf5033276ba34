/* Many writers at one log, processes and threads of processes: nothing is lost or doubled, nobody
 * is kept out. Every append is durable and waits for its turn as any other program's would, but for
 * longer than the default busy_ms: on a machine whose cores are busy with other things the 32 may
 * take seconds to get round. */
#include "base/sources.h"
#include "support/event_log.h"
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PROCESSES_MAX = 32, THREADS_MAX = 4 };

/* One append of a writer, written by it, read by the parent. */
typedef struct record {
        uint64_t seq;
        uint32_t us; /* how long it took */
} record;

typedef struct crew {
        event_log *f;
        int processes, threads; /* threads a process: each is a writer */
        size_t appends;         /* of each writer */
        pthread_barrier_t *start;
        record *records; /* appends of writer 0, of writer 1, ... */
} crew;

typedef struct writer {
        const crew *crew;
        int number;
        pthread_t thread;
} writer;

static void *shared(size_t size)
{
        void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

        assert_true(memory != MAP_FAILED);
        return memory;
}

/* NULL when all went well. */
static void *append_all(void *user)
{
        const writer *w = user;
        const crew *c = w->crew;
        record *mine = c->records + (size_t)w->number * c->appends;
        pawl_error err = PAWL_ERROR_INIT;
        pawl_log_options options = PAWL_LOG_OPTIONS_INIT;
        pawl_log *log = NULL;
        size_t i = 0;

        options.busy_ms = 60000;
        if (pawl_log_open(&log, c->f->path, &options, &err)) {
                fprintf(stderr, "writer %d: %s\n", w->number, err.message);
                _exit(1); /* the others wait for all */
        }
        pthread_barrier_wait(c->start);
        for (; i < c->appends; i++) {
                char payload[96];
                snprintf(payload, sizeof payload,
                        "{\"glossary_version_id\":\"v1\",\"scope_id\":\"%d-%zu\"}", w->number, i);
                pawl_event event = event_scope(payload);
                int64_t from = pawl__monotonic_us();
                if (pawl_log_append(&mine[i].seq, log, &event, 1, 0))
                        break;
                mine[i].us = (uint32_t)(pawl__monotonic_us() - from);
        }
        if (i < c->appends)
                fprintf(stderr, "writer %d, append %zu: %s\n", w->number, i, pawl_log_errmsg(log));
        pawl_log_close(log);
        return i < c->appends ? user : NULL;
}

static void run_process(const crew *c, int process)
{
        writer w[THREADS_MAX];
        bool failed = false;

        for (int t = 0; t < c->threads; t++) {
                w[t].crew = c;
                w[t].number = process * c->threads + t;
                if (pthread_create(&w[t].thread, NULL, append_all, &w[t]) != 0)
                        _exit(1);
        }
        for (int t = 0; t < c->threads; t++) {
                void *outcome = NULL;
                pthread_join(w[t].thread, &outcome);
                failed |= outcome != NULL;
        }
        _exit(failed ? 2 : 0);
}

/* Every seq was given once, to the writer and append that the event names, each writer's in order.
 */
static void check_events(const crew *c)
{
        size_t writers = (size_t)(c->processes * c->threads), n = 0;
        size_t *next = test_alloc(writers * sizeof *next);
        pawl_verify_result result;
        pawl_cursor *cursor;
        pawl_event event;
        pawl_status status;

        event_log_open(c->f);
        if (pawl_log_verify(&result, c->f->log, 0, NULL))
                fail_msg("%s", result.why.message);
        assert_int_equal(result.events, writers * c->appends);
        assert_ok(pawl_cursor_open(&cursor, c->f->log, 0));
        while ((status = pawl_cursor_next(cursor, &event)) == PAWL_OK) {
                const char *id = strstr(event.payload.data, "\"scope_id\":\"");
                size_t number, i;
                assert_non_null(id);
                assert_int_equal(sscanf(id, "\"scope_id\":\"%zu-%zu", &number, &i), 2);
                assert_true(number < writers);
                assert_int_equal(event.seq, ++n);
                assert_int_equal(i, next[number]++);
                assert_int_equal(c->records[number * c->appends + i].seq, event.seq);
        }
        assert_int_equal(status, PAWL_DONE);
        pawl_cursor_close(cursor);
        event_log_close(c->f);
}

static int by_us(const void *a, const void *b)
{
        const record *x = a, *y = b;

        return (x->us > y->us) - (x->us < y->us);
}

/* For who looks at it: nothing is asked of the times. */
static void report(const crew *c, int64_t took_us)
{
        size_t writers = (size_t)(c->processes * c->threads), all = writers * c->appends;
        uint32_t p50_least = UINT32_MAX, p50_most = 0, p99_least = UINT32_MAX, p99_most = 0;

        for (size_t w = 0; w < writers; w++) {
                record *r = c->records + w * c->appends;
                qsort(r, c->appends, sizeof *r, by_us);
                uint32_t p50 = r[c->appends / 2].us, p99 = r[c->appends * 99 / 100].us;
                p50_least = p50 < p50_least ? p50 : p50_least;
                p50_most = p50 > p50_most ? p50 : p50_most;
                p99_least = p99 < p99_least ? p99 : p99_least;
                p99_most = p99 > p99_most ? p99 : p99_most;
        }
        qsort(c->records, all, sizeof *c->records, by_us);
        printf("%d processes of %d threads, %zu appends: %.0f a second; p50 of the writers %.1f to "
               "%.1f ms, p99 %.1f to %.1f ms, the longest of all %.1f ms\n",
                c->processes, c->threads, all, (double)all * 1e6 / (double)took_us, p50_least / 1e3,
                p50_most / 1e3, p99_least / 1e3, p99_most / 1e3, c->records[all - 1].us / 1e3);
}

static void write_together(event_log *f, int processes, int threads, size_t appends)
{
        size_t size = (size_t)(processes * threads) * appends * sizeof(record);
        crew c = {f, processes, threads, appends, shared(sizeof *c.start), shared(size)};
        pid_t child[PROCESSES_MAX];
        pthread_barrierattr_t attr;
        int failed = 0;

        event_log_open(f);
        event_log_close(f); /* no handle is carried over a fork */
        assert_int_equal(pthread_barrierattr_init(&attr), 0);
        assert_int_equal(pthread_barrierattr_setpshared(&attr, PTHREAD_PROCESS_SHARED), 0);
        assert_int_equal(
                pthread_barrier_init(c.start, &attr, (unsigned)(processes * threads) + 1), 0);
        fflush(NULL);
        for (int p = 0; p < processes; p++) {
                child[p] = fork();
                assert_true(child[p] >= 0);
                if (child[p] == 0)
                        run_process(&c, p);
        }
        pthread_barrier_wait(c.start);
        int64_t from = pawl__monotonic_us();
        for (int p = 0; p < processes; p++) {
                int status = 0;
                assert_int_equal(waitpid(child[p], &status, 0), child[p]);
                failed += status != 0;
        }
        int64_t took_us = pawl__monotonic_us() - from;
        assert_int_equal(failed, 0);
        check_events(&c);
        report(&c, took_us);
        pthread_barrierattr_destroy(&attr);
        munmap(c.start, sizeof *c.start);
        munmap(c.records, size);
}

LOG_TEST(processes_that_append_at_once_lose_nothing_and_all_end)
{
        write_together(f, PROCESSES_MAX, 1, test_full() ? 10000 : 100);
}

LOG_TEST(threads_of_processes_that_append_at_once_lose_nothing_and_all_end)
{
        write_together(f, 6, THREADS_MAX, test_full() ? 10000 : 100);
}
