/* What a step takes 16 workers, each a process with a run of its own, beside as many workers of
 * DBOS and of Absurd on the same server, in turn; and a checkpoint, appended and loaded, beside
 * LangGraph's PostgresSaver. A step has no work of its own: what is left is what each system does
 * to record it.
 *
 *   scripts/exam fleet figures                        starts the server and fetches the peers
 *   build/bench/bench_fleet_peers [STEPS]             (default 50, of each worker and round;
 * $PAWL_BENCH_POSTGRES: a URL, $FLEET_PEERS: where scripts/exam fleet put the peers,
 *                                                     $PAWL_BENCH_ABSURD: the URL of a database
 * with Absurd's tables) */
#include "bench/checkpoints.h"
#include "bench/peer.h"
#include "bench/postgres.h"
#include "bench/spawn.h"
#include "checkpoint/checkpoint.h"
#include <pawl/pawl.h>
#include <string.h>
#include <unistd.h>

enum { WORKERS = 16, ROUNDS = 5, SAVED = 1000, LOADED = 100 };

static pawl_error err;
static const char *server;

/* ---- A worker of ours, which is this program again ------------------------------------------- */

static void step(pawl_pipeline *pipeline, const char *run, size_t number)
{
        static const char output[] = "\"done\"";
        char id[32], inputs[32];
        pawl_context *ctx;

        snprintf(id, sizeof id, "step-%zu", number);
        const int len = snprintf(inputs, sizeof inputs, "{\"step\":%zu}", number);
        if (pawl_context_new(&ctx, "bench", run, id, &err) ||
                pawl_context_set_inputs(ctx, inputs, (size_t)len))
                bench_die("cannot make a context");
        if (pawl_pipeline_run(pipeline, ctx) ||
                pawl_pipeline_complete(pipeline, ctx, output, sizeof output - 1))
                bench_die(pawl_pipeline_errmsg(pipeline));
        pawl_context_free(ctx);
}

/* @p joined: the end of a step is committed with the beginning of the next one. */
static void steps_of_a_run(pawl_log *log, size_t steps, bool joined)
{
        static unsigned runs;
        pawl_pipeline_options options = PAWL_PIPELINE_OPTIONS_INIT;
        pawl_pipeline *pipeline;
        char run[64];

        snprintf(run, sizeof run, "run-%d-%u", (int)getpid(), runs++);
        options.defer_completion = joined;
        if (pawl_pipeline_new(&pipeline, log, &options, &err))
                bench_die(err.message);
        for (size_t i = 0; i < steps; i++)
                step(pipeline, run, i);
        if (joined && pawl_pipeline_flush(pipeline))
                bench_die(pawl_pipeline_errmsg(pipeline));
        pawl_pipeline_free(pipeline);
}

static int work(const char *url)
{
        pawl_log_options options = PAWL_LOG_OPTIONS_INIT;
        char line[64];
        pawl_log *log;

        options.flags = PAWL_LOG_CREATE;
        options.busy_ms = 60000;
        if (pawl_log_open(&log, url, &options, &err))
                bench_die(err.message);
        steps_of_a_run(log, 10, false);
        while (fgets(line, sizeof line, stdin)) {
                const double began = bench_now_ns();
                if (strncmp(line, "steps ", 6) == 0)
                        steps_of_a_run(log, strtoul(line + 6, NULL, 10), false);
                if (strncmp(line, "joined ", 7) == 0)
                        steps_of_a_run(log, strtoul(line + 7, NULL, 10), true);
                printf("%.0f\n", bench_now_ns() - began);
                fflush(stdout);
        }
        pawl_log_close(log);
        return 0;
}

/* ---- Sixteen workers ------------------------------------------------------------------------- */

typedef struct workers {
        bench_peer of[WORKERS];
        int n;
} workers;

static void start_ours(workers *w, const char *self, bool one_log)
{
        char url[700];

        for (int i = 0; i < WORKERS; i++) {
                snprintf(url, sizeof url, "%s#steps-%d-%d", server, (int)getpid(),
                        one_log ? WORKERS : i);
                if (!bench_peer_start(
                            &w->of[i], (char *[]){(char *)(uintptr_t)self, "--worker", url, NULL}))
                        bench_die("a worker does not start");
        }
        w->n = WORKERS;
}

static void start_theirs(workers *w, int n, const char *script, const char *url)
{
        const char *at = getenv("FLEET_PEERS");
        char path[4096];

        snprintf(path, sizeof path, "%s/%s", at ? at : "", script);
        if (!at || !url || !*url || access(path, R_OK)) {
                bench_note("%s is left out; see scripts/exam fleet", script);
                return;
        }
        for (int i = 0; i < n; i++) {
                char name[16];
                snprintf(name, sizeof name, "worker-%d", i);
                if (!bench_peer_start(&w->of[i],
                            (char *[]){"node", path, (char *)(uintptr_t)url, "steps", name, NULL}))
                        bench_die("a peer does not start");
        }
        w->n = n;
}

static void stop(workers *w)
{
        for (int i = 0; i < w->n; i++)
                bench_peer_stop(&w->of[i]);
}

/* @p how: what a worker of ours is told. */
static void compare_steps(workers *ours, const char *how, const char *what, workers *theirs,
        const char *name, size_t steps)
{
        bench_series mine = {NULL, 0, 0}, other = {NULL, 0, 0};
        char line[32], our_line[32];

        if (!theirs->n)
                return;
        snprintf(line, sizeof line, "steps %zu", steps);
        snprintf(our_line, sizeof our_line, "%s %zu", how, steps);
        for (int i = 0; i < ROUNDS; i++) {
                bench_add(&other, bench_peers_ns(theirs->of, WORKERS, line));
                bench_add(&mine, bench_peers_ns(ours->of, WORKERS, our_line));
        }
        bench_answer(&(bench_question){.what = what,
                             .beside = name,
                             .per = (double)steps, /* what each worker waits for a step */
                             .target = 0.33},
                &mine, &other);
        bench_clear(&mine);
        bench_clear(&other);
}

static void compare_all(
        workers *many_logs, workers *one_log, workers *theirs, const char *name, size_t steps)
{
        compare_steps(
                many_logs, "steps", "a step of a run, 16 workers on 16 logs", theirs, name, steps);
        compare_steps(many_logs, "joined",
                "a step of a run, its end committed with the next one's beginning as `pawl work` "
                "does, 16 workers on 16 logs",
                theirs, name, steps);
        compare_steps(
                one_log, "steps", "a step of a run, 16 workers on one log", theirs, name, steps);
}

/* ---- Checkpoints ----------------------------------------------------------------------------- */

static checkpoints ours;
static char tokens[SAVED][37];
static pawl__arena arena;

static double append_ns(void)
{
        checkpoints_make(&ours, 1);
        return checkpoints_append_ns(&ours, 1);
}

static double load_ns(void)
{
        static size_t next;
        const double began = bench_now_ns();

        for (int i = 0; i < LOADED; i++) {
                pawl__checkpoint checkpoint;
                pawl__arena_clear(&arena);
                if (pawl__checkpoint_load(&checkpoint, &arena, ours.log,
                            pawl__text(tokens[next++ * 77 % SAVED]), &err))
                        bench_die(err.message);
        }
        return bench_now_ns() - began;
}

static void open_checkpoints(void)
{
        char url[700];
        pawl_cursor *cursor;
        pawl_event event;

        snprintf(url, sizeof url, "%s#checkpoints-%d", server, (int)getpid());
        checkpoints_open(&ours, url, SAVED + ROUNDS * LOADED, 2);
        const uint64_t first = ours.seq;
        for (int i = 0; i < SAVED / CHECKPOINTS_BATCH; i++) {
                checkpoints_make(&ours, CHECKPOINTS_BATCH);
                checkpoints_append_ns(&ours, CHECKPOINTS_BATCH);
        }
        if (pawl_cursor_open(&cursor, ours.log, first))
                bench_die(pawl_log_errmsg(ours.log));
        for (int i = 0; i < SAVED && !pawl_cursor_next(cursor, &event); i++) {
                pawl__checkpoint checkpoint;
                pawl__arena_clear(&arena);
                if (pawl__checkpoint_decode(&checkpoint, &arena, &event, &err))
                        bench_die(err.message);
                memcpy(tokens[i], checkpoint.retry_token, 37);
        }
        pawl_cursor_close(cursor);
}

static void compare_checkpoints(bench_peer *saver)
{
        static const struct {
                const char *what, *line;
                double (*ours)(void);
                int rounds, per;
        } works[] = {
                {"append of a checkpoint on PostgreSQL", "put 1", append_ns, ROUNDS * LOADED, 1},
                {"load of a checkpoint by token on PostgreSQL", "get 100", load_ns, 2 * ROUNDS,
                        LOADED},
        };

        for (size_t w = 0; w < sizeof works / sizeof works[0]; w++) {
                bench_series mine = {NULL, 0, 0}, other = {NULL, 0, 0};
                for (int i = 0; i < works[w].rounds; i++) {
                        bench_add(&other, bench_peer_ns(saver, works[w].line));
                        bench_add(&mine, works[w].ours());
                }
                bench_answer(&(bench_question){.what = works[w].what,
                                     .beside = w == 0 ? "LangGraph's PostgresSaver, put"
                                                      : "LangGraph's PostgresSaver, getTuple",
                                     .per = works[w].per,
                                     .target = 0.5},
                        &mine, &other);
                bench_clear(&mine);
                bench_clear(&other);
        }
}

int main(int argc, char **argv)
{
        static workers many_logs, one_log, dbos, absurd, saver;

        if (argc == 3 && strcmp(argv[1], "--worker") == 0)
                return work(argv[2]);
        const size_t steps = bench_count(argc, argv, 50);
        char self[4096];
        const ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
        if (len < 0)
                bench_die("cannot read /proc/self/exe");
        self[len] = '\0';
        bench_folder();
        server = bench_postgres_start();
        start_ours(&many_logs, self, false);
        start_ours(&one_log, self, true);
        start_theirs(&dbos, WORKERS, "dbos.mjs", server);
        compare_all(&many_logs, &one_log, &dbos, "DBOS", steps);
        stop(&dbos);
        start_theirs(&absurd, WORKERS, "absurd.mjs", getenv("PAWL_BENCH_ABSURD"));
        compare_all(&many_logs, &one_log, &absurd, "Absurd", steps);
        stop(&absurd);
        stop(&many_logs);
        stop(&one_log);
        start_theirs(&saver, 1, "saver.mjs", server);
        if (saver.n) {
                open_checkpoints();
                compare_checkpoints(&saver.of[0]);
                pawl_log_close(ours.log);
        }
        stop(&saver);
        pawl__arena_free(&arena);
        bench_postgres_stop();
        return 0;
}
