/* Answers to conflicts through `pawl serve`: one after the other on one connection, beside a commit
 * of one row by raw SQLite and beside `pawl resolve` as a process; and by sixteen connections at
 * once. Each answer is two events and one durable commit.
 *
 *   build/bench/bench_answers [ANSWERS]     (default 400) */
#include "bench/filled_log.h"
#include "bench/raw_twin.h"
#include "bench/served.h"
#include "bench/spawn.h"
#include <pthread.h>
#include <string.h>
#include <unistd.h>

enum { AT_ONCE = 16, EACH = 10, BATCHES = 12 };

static served s;
static size_t next; /* conflict: those from here on are open */

static void path_of(char out[80], size_t conflict)
{
        snprintf(out, 80, "/api/v1/conflicts/c-%zu/answer", conflict);
}

static double answer(int fd, pawl__buf *body, size_t conflict)
{
        char path[80];

        path_of(path, conflict);
        const double start = bench_now_ns();
        http_send(fd, &s, "POST", path, "{\"pick\":1,\"actor\":\"user:bench\"}");
        if (http_receive(fd, body) != 200)
                bench_die(body->data ? body->data : "an answer was refused");
        return bench_now_ns() - start;
}

/* ---- Yardsticks ------------------------------------------------------------------------------ */

static raw_twin twin;

/* The rows that the last answer wrote, committed by raw SQLite. */
static double commit(uint64_t since)
{
        raw_twin_take(&twin, since, "");
        return raw_twin_write_ns(&twin);
}

static double resolve(size_t conflict)
{
        char id[32];
        char *argv[] = {(char *)(uintptr_t)bench_tool("pawl"), "resolve", id, "--pick", "1", "--db",
                "events.db", NULL};

        snprintf(id, sizeof id, "c-%zu", conflict);
        return bench_spawn_ns(argv);
}

/* ---- Sixteen at once ------------------------------------------------------------------------- */

static void *answer_some(void *user)
{
        pawl__buf body = PAWL__BUF_INIT;
        const int fd = http_connect(s.port);

        for (size_t i = 0; i < EACH; i++)
                answer(fd, &body, (size_t)(uintptr_t)user + i);
        close(fd);
        pawl__buf_free(&body);
        return NULL;
}

static double at_once(void)
{
        pthread_t threads[AT_ONCE];
        const double start = bench_now_ns();

        for (int i = 0; i < AT_ONCE; i++, next += EACH)
                if (pthread_create(&threads[i], NULL, answer_some, (void *)(uintptr_t)next))
                        bench_die("cannot start a thread");
        for (int i = 0; i < AT_ONCE; i++)
                pthread_join(threads[i], NULL);
        return bench_now_ns() - start;
}

int main(int argc, char **argv)
{
        static const twin_table tables[] = {{"events", "seq > ?1"}};
        bench_series ours = {NULL, 0, 0}, raw = {NULL, 0, 0}, processes = {NULL, 0, 0},
                     alone = {NULL, 0, 0}, together = {NULL, 0, 0};
        const size_t answers = bench_count(argc, argv, 400);
        const size_t open = 2 * answers + (size_t)(AT_ONCE + 1) * EACH * BATCHES;
        static filled_log filled;
        pawl__buf body = PAWL__BUF_INIT;
        unsigned char hash[32];
        uint64_t head;

        bench_folder();
        filled_open_blocked(&filled, "events.db", 20 * open, FILLED_TERMS, open);
        raw_twin_open(&twin, "events.db", "raw.db", tables, 1);
        next = filled.steps - open + 1;
        served_start(&s);
        const int fd = http_connect(s.port);
        for (size_t i = 0; i < answers; i++) {
                if (pawl_log_head(&head, hash, filled.log))
                        bench_die(pawl_log_errmsg(filled.log));
                bench_add(&ours, answer(fd, &body, next++));
                bench_add(&raw, commit(head));
                bench_add(&processes, resolve(next++));
        }
        bench_answer(&(bench_question){.what = "an answer to a conflict, by the service",
                             .beside = "raw SQLite, its events' rows"},
                &ours, &raw);
        bench_answer(&(bench_question){.what = "an answer to a conflict, by the service",
                             .beside = "pawl resolve, a process"},
                &ours, &processes);
        for (int i = 0; i < BATCHES; i++) {
                const double start = bench_now_ns();
                for (int k = 0; k < EACH; k++)
                        answer(fd, &body, next++);
                bench_add(&alone, (bench_now_ns() - start) / (double)EACH);
                bench_add(&together, at_once() / (AT_ONCE * EACH));
        }
        bench_answer(&(bench_question){.what = "answers by 16 connections at once, each",
                             .beside = "by one connection"},
                &together, &alone);
        close(fd);
        served_stop(&s);
        raw_twin_close(&twin);
        pawl_log_close(filled.log);
        return 0;
}
