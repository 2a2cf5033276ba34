/* 1,000 streams of events, each a client of `pawl serve`: what they take of its memory, and how
 * long an event is on its way to the last of them, from the answer to a conflict that the service
 * was given and from an append by another process; beside a program that writes the same bytes to
 * as many sockets.
 *
 *   build/bench/bench_streams [STREAMS]     (default 1000) */
#include "bench/filled_log.h"
#include "bench/served.h"
#include <fcntl.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MANY = 8192, ROUNDS = 30, PIECE = 65536 };

static size_t n_streams;
static int streams[MANY], waits;
static served s;
static filled_log filled;

static uint64_t head(void)
{
        unsigned char hash[32];
        uint64_t seq;

        if (pawl_log_head(&seq, hash, filled.log))
                bench_die(pawl_log_errmsg(filled.log));
        return seq;
}

/* ---- Streams --------------------------------------------------------------------------------- */

static void watch(int fd, size_t i)
{
        struct epoll_event what = {.events = EPOLLIN, .data.u64 = i};

        if (epoll_ctl(waits, EPOLL_CTL_ADD, fd, &what))
                bench_die("cannot wait for a stream");
}

/* Read until each stream has so many bytes that end a event (a blank line) more, at least. */
static void until_all_have(const int *fds, size_t events, size_t bytes)
{
        static size_t ends[MANY], len[MANY];
        static char piece[PIECE];
        size_t left = n_streams;

        memset(ends, 0, sizeof ends);
        memset(len, 0, sizeof len);
        while (left) {
                struct epoll_event ready[64];
                const int n = epoll_wait(waits, ready, 64, 20000);
                if (n <= 0)
                        bench_die("a stream was told nothing for 20 s");
                for (int k = 0; k < n; k++) {
                        const size_t i = (size_t)ready[k].data.u64;
                        const ssize_t got = read(fds[i], piece, sizeof piece);
                        if (got <= 0)
                                bench_die("a stream ended");
                        const bool had = ends[i] >= events && len[i] >= bytes;
                        for (const char *at = piece;
                                (at = memmem(at, (size_t)(piece + got - at), "\n\n", 2)); at += 2)
                                ends[i]++;
                        len[i] += (size_t)got;
                        left -= !had && ends[i] >= events && len[i] >= bytes;
                }
        }
}

static void open_streams(void)
{
        for (size_t i = 0; i < n_streams; i++) {
                char answer[4096];
                streams[i] = http_connect(s.port);
                http_send(streams[i], &s, "GET", "/api/v1/events/stream", NULL);
                const ssize_t n = read(streams[i], answer, sizeof answer - 1);
                if (n <= 0 || strncmp(answer, "HTTP/1.1 200", 12) != 0)
                        bench_die("a stream was refused");
                watch(streams[i], i);
        }
}

/* ---- Beside: the same bytes to as many sockets ----------------------------------------------- */

static int ours[MANY], theirs[MANY];

static double plain(size_t bytes)
{
        static char data[PIECE];
        const int kept = waits;

        memset(data, 'x', bytes - 2);
        memcpy(data + bytes - 2, "\n\n", 2);
        waits = epoll_create1(EPOLL_CLOEXEC);
        for (size_t i = 0; i < n_streams; i++)
                watch(theirs[i], i);
        const double start = bench_now_ns();
        for (size_t i = 0; i < n_streams; i++)
                if (write(ours[i], data, bytes) != (ssize_t)bytes)
                        bench_die("cannot write to a socket");
        until_all_have(theirs, 1, bytes);
        const double ns = bench_now_ns() - start;
        close(waits);
        waits = kept;
        return ns;
}

static void open_sockets(void)
{
        for (size_t i = 0; i < n_streams; i++) {
                int pair[2];
                if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
                        bench_die("cannot make sockets");
                ours[i] = pair[0];
                theirs[i] = pair[1];
        }
}

/* ---- Events ---------------------------------------------------------------------------------- */

static double append(size_t *bytes)
{
        const pawl_event event = {.type = pawl__text("TermCandidateObserved"),
                .actor = pawl__text("user:bench"),
                .payload = pawl__text(
                        "{\"term\":\"t\",\"source_step\":\"s\",\"actor_id\":\"user:bench\","
                        "\"confidence\":0.8,\"extraction_method\":\"quoted_phrase\","
                        "\"context\":\"c\"}")};
        const double start = bench_now_ns();

        if (pawl_log_append(NULL, filled.log, &event, 1, 0))
                bench_die(pawl_log_errmsg(filled.log));
        until_all_have(streams, 1, 0);
        *bytes = 700;
        return bench_now_ns() - start;
}

/* From when it is in the log and answered to when the last stream has it. */
static double answered(int fd, size_t conflict)
{
        pawl__buf body = PAWL__BUF_INIT;
        char path[80];
        const uint64_t before = head();

        snprintf(path, sizeof path, "/api/v1/conflicts/c-%zu/answer", conflict);
        http_send(fd, &s, "POST", path, "{\"pick\":1,\"actor\":\"user:bench\"}");
        if (http_receive(fd, &body) != 200)
                bench_die(body.data ? body.data : "an answer was refused");
        const double start = bench_now_ns();
        until_all_have(streams, (size_t)(head() - before), 0);
        pawl__buf_free(&body);
        return bench_now_ns() - start;
}

int main(int argc, char **argv)
{
        bench_series memory = {NULL, 0, 0}, bare = {NULL, 0, 0}, late = {NULL, 0, 0},
                     soon = {NULL, 0, 0}, sockets = {NULL, 0, 0};
        struct rlimit files;
        size_t bytes = 700;

        n_streams = bench_count(argc, argv, 1000);
        if (n_streams > MANY)
                bench_die("too many streams");
        getrlimit(RLIMIT_NOFILE, &files);
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
        bench_folder();
        filled_open_blocked(&filled, "events.db", 2000, FILLED_TERMS, 2 * ROUNDS);
        waits = epoll_create1(EPOLL_CLOEXEC);
        served_start(&s);
        const int fd = http_connect(s.port);
        size_t conflict = filled.steps - 2 * ROUNDS + 1;
        pawl__buf body = PAWL__BUF_INIT;
        http_send(fd, &s, "GET", "/api/v1/runs", NULL); /* what the first request loads is loaded */
        (void)http_receive(fd, &body);
        const double before = served_memory(&s);
        open_streams();
        append(&bytes);
        bench_add(&memory, served_memory(&s));
        bench_add(&bare, before);
        bench_answer(&(bench_question){.what = "memory of the service, 1,000 streams",
                             .beside = "without a stream",
                             .unit = "bytes"},
                &memory, &bare);
        bench_note("a stream: %.0f bytes", (memory.ns[0] - before) / (double)n_streams);
        open_sockets();
        for (int i = 0; i < ROUNDS; i++) {
                bench_add(&late, append(&bytes));
                bench_add(&soon, answered(fd, conflict++));
                bench_add(&sockets, plain(bytes));
        }
        bench_answer(&(bench_question){.what = "an answer, until the last of 1,000 streams has it",
                             .beside = "written to 1,000 sockets by a program"},
                &soon, &sockets);
        bench_answer(
                &(bench_question){
                        .what = "another process's append, until the last of 1,000 streams has it",
                        .beside = "written to 1,000 sockets by a program"},
                &late, &sockets);
        bench_clear(&memory);
        bench_add(&memory, served_memory(&s));
        bench_note("after %d events: %.1f MB", 4 * ROUNDS, memory.ns[0] / 1e6);
        for (size_t i = 0; i < n_streams; i++)
                close(streams[i]);
        close(fd);
        served_stop(&s);
        pawl_log_close(filled.log);
        return 0;
}
