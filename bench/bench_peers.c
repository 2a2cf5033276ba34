/* Appending, loading and listing checkpoints, and hashing JSON, beside what others do of the same:
 * LangGraph's SqliteSaver, emmett-sqlite, Node's own JSON. Each is a node process (bench/peers/)
 * that is asked in turn with this one and says how long the work took it. Both sides keep a
 * write-ahead log with synchronous FULL, so that what they appended is on disk.
 *
 * Without node, or without what scripts/bench --peers fetches, a peer is left out.
 *
 *   build/bench/bench_peers [ROUNDS]     (default 400) */
#include "base/digest.h"
#include "base/json_canon.h"
#include "bench/checkpoints.h"
#include "bench/document.h"
#include "bench/peer.h"
#include "checkpoint/checkpoint.h"
#include <pthread.h>
#include <string.h>
#include <unistd.h>

enum { LISTED = 1000, LOADED = 100, AT_ONCE = 16 };

static pawl_error err;
static size_t rounds;

/* ---- The other process ----------------------------------------------------------------------- */

/* Start bench/peers/SCRIPT and hear its settings. False: it cannot run here. */
static bool peer_start(bench_peer *p, const char *script, const char *argument)
{
        char path[4096];

        snprintf(path, sizeof path, "%s/peers/%s", BENCH_SOURCE, script);
        return bench_peer_start(p, (char *[]){"node", path, (char *)(uintptr_t)argument, NULL});
}

/* ---- This one -------------------------------------------------------------------------------- */

static checkpoints ours;
static char tokens[LISTED][37];
static pawl__arena arena;

static double append_one(void)
{
        checkpoints_make(&ours, 1);
        return checkpoints_append_ns(&ours, 1);
}

static double append_batch(void)
{
        checkpoints_make(&ours, CHECKPOINTS_BATCH);
        return checkpoints_append_ns(&ours, CHECKPOINTS_BATCH);
}

/* ---- Sixteen at once ------------------------------------------------------------------------- */

static struct worker {
        pawl_log *log;
        pthread_t thread;
} workers[AT_ONCE];

static pthread_barrier_t begin, end;
static bool over;

static void *work(void *user)
{
        struct worker *w = user;

        for (;;) {
                pthread_barrier_wait(&begin);
                if (over)
                        return NULL;
                if (pawl_log_append(NULL, w->log, &ours.events[w - workers], 1, ours.fence))
                        bench_die(pawl_log_errmsg(w->log));
                pthread_barrier_wait(&end);
        }
}

static void start_workers(void)
{
        pawl__state *state;

        pthread_barrier_init(&begin, NULL, AT_ONCE + 1);
        pthread_barrier_init(&end, NULL, AT_ONCE + 1);
        for (size_t i = 0; i < AT_ONCE; i++)
                if (pawl_log_open(&workers[i].log, "events.db", NULL, &err) ||
                        pawl__state_of(&state, workers[i].log, &err) ||
                        pthread_create(&workers[i].thread, NULL, work, &workers[i]))
                        bench_die("cannot start the threads");
}

static void stop_workers(void)
{
        over = true;
        pthread_barrier_wait(&begin);
        for (size_t i = 0; i < AT_ONCE; i++) {
                pthread_join(workers[i].thread, NULL);
                pawl_log_close(workers[i].log);
        }
}

static double append_at_once(void)
{
        checkpoints_make(&ours, AT_ONCE);
        double start = bench_now_ns();
        pthread_barrier_wait(&begin);
        pthread_barrier_wait(&end);
        return bench_now_ns() - start;
}

/* ---- Reading --------------------------------------------------------------------------------- */

static double load(void)
{
        static size_t next;
        double start = bench_now_ns();

        for (int i = 0; i < LOADED; i++) {
                const char *token = tokens[next++ * 77 % LISTED];
                pawl__checkpoint checkpoint;
                pawl__arena_clear(&arena);
                if (pawl__checkpoint_load(&checkpoint, &arena, ours.log, pawl__text(token), &err))
                        bench_die(err.message);
        }
        return bench_now_ns() - start;
}

/* The checkpoints after @p since: so many, each decoded. */
static size_t decode(uint64_t since, size_t n, char (*token)[37])
{
        pawl_cursor *cursor;
        pawl_event event;
        size_t done = 0;

        pawl__arena_clear(&arena);
        if (pawl_cursor_open(&cursor, ours.log, since))
                bench_die(pawl_log_errmsg(ours.log));
        for (; done < n && pawl_cursor_next(cursor, &event) == PAWL_OK; done++) {
                pawl__checkpoint checkpoint;
                if (pawl__checkpoint_decode(&checkpoint, &arena, &event, &err))
                        bench_die(err.message);
                if (token)
                        memcpy(token[done], checkpoint.retry_token, 37);
        }
        pawl_cursor_close(cursor);
        return done;
}

static uint64_t first; /* the seq before the first checkpoint */

static double list(void)
{
        double start = bench_now_ns();

        if (decode(first, LISTED, NULL) != LISTED)
                bench_die("checkpoints are missing");
        return bench_now_ns() - start;
}

/* ---- Side by side ---------------------------------------------------------------------------- */

static const struct {
        const char *what, *line;
        double (*ours)(void);
        double per;
        size_t often; /* of the rounds, one in so many */
} works[] = {
        {"durable append of one checkpoint", "append 1", append_one, 1, 1},
        {"durable append in batches of 100, a checkpoint", "append 100", append_batch, 100, 10},
        {"16 durable appends at once, by threads, each", "at_once 16", append_at_once, AT_ONCE, 4},
        {"load the latest of a step", "load 100", load, LOADED, 10},
        {"list 1,000 checkpoints, each", "list", list, 1000, 10},
};

static void beside(const char *name, const char *script, const char *path)
{
        bench_peer p;

        if (access(BENCH_SOURCE "/peers/node_modules", R_OK)) {
                bench_note("%s is left out: it was not fetched; see scripts/bench --peers", name);
                return;
        }
        if (!peer_start(&p, script, path)) {
                bench_note("%s is left out: it does not run here", name);
        } else if (strcmp(p.said, "wal 2\n") != 0) {
                bench_die("a peer is not durable");
        } else {
                for (size_t w = 0; w < sizeof works / sizeof works[0]; w++) {
                        bench_series theirs = {NULL, 0, 0}, mine = {NULL, 0, 0};
                        for (size_t i = 0; i < rounds; i += works[w].often) {
                                bench_add(&theirs, bench_peer_ns(&p, works[w].line));
                                bench_add(&mine, works[w].ours());
                        }
                        bench_answer(&(bench_question){.what = works[w].what,
                                             .beside = name,
                                             .target = 0.2,
                                             .per = works[w].per},
                                &mine, &theirs);
                        bench_clear(&theirs);
                        bench_clear(&mine);
                }
        }
        bench_peer_stop(&p);
}

static void beside_node(const char *what, size_t size)
{
        bench_series theirs = {NULL, 0, 0}, mine = {NULL, 0, 0};
        size_t times = size < 50000 ? 100 : 1;
        pawl__hasher *hasher;
        unsigned char hash[32];
        pawl__buf text;
        char line[32];
        bench_peer p;

        bench_document(&text, size);
        FILE *file = fopen("document.json", "wb");
        if (!file || fwrite(text.data, 1, text.len, file) != text.len || fclose(file) ||
                pawl__hasher_new(&hasher, &err))
                bench_die("cannot write the document");
        snprintf(line, sizeof line, "hash %zu", times);
        if (!peer_start(&p, "hash.mjs", "document.json"))
                bench_note("node is left out: it does not run here");
        for (size_t i = 0; i < 21 && p.said[0]; i++) {
                bench_add(&theirs, bench_peer_ns(&p, line));
                double start = bench_now_ns();
                for (size_t k = 0; k < times; k++)
                        if (pawl__json_canon_hash(hash, hasher, text.data, text.len, &err))
                                bench_die(err.message);
                bench_add(&mine, bench_now_ns() - start);
        }
        if (mine.n)
                bench_answer(&(bench_question){.what = what,
                                     .beside = "Node: parse, sort, print, SHA-256",
                                     .target = 0.2,
                                     .per = (double)times},
                        &mine, &theirs);
        bench_peer_stop(&p);
        bench_clear(&theirs);
        bench_clear(&mine);
        pawl__hasher_free(hasher);
        pawl__buf_free(&text);
}

int main(int argc, char **argv)
{
        rounds = bench_count(argc, argv, 400);
        bench_folder();
        checkpoints_open(&ours, "events.db",
                LISTED + 2 * (rounds + (rounds / 4 + 1) * AT_ONCE +
                                     (rounds / 10 + 1) * CHECKPOINTS_BATCH),
                2);
        first = ours.seq;
        for (int i = 0; i < LISTED / CHECKPOINTS_BATCH; i++)
                append_batch();
        if (decode(first, LISTED, tokens) != LISTED)
                bench_die("checkpoints are missing");
        start_workers();
        beside("LangGraph's SqliteSaver", "langgraph.mjs", "langgraph.db");
        beside("emmett-sqlite", "emmett.mjs", "emmett.db");
        stop_workers();
        beside_node("hash of JSON, 1 KB", 1000);
        beside_node("hash of JSON, 100 KB", 100000);
        beside_node("hash of JSON, 10 MB", 10000000);
        pawl_log_close(ours.log);
        pawl__arena_free(&arena);
        return 0;
}
