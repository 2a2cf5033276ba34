/*
 * Readers that follow a log through many appends: each sees every event once and in order, however
 * often the write-ahead log is started again under it, and all of them together do not keep that
 * from being done.
 */
#include "support/event_log.h"
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BATCH = 100, SINGLES = 5, PAD = 300, READERS = 7 };

/* build/tests/NAME is this program; build/bin/eventlog the one that is tested. */
static char *eventlog_program(void)
{
        char path[4096];
        ssize_t len = readlink("/proc/self/exe", path, sizeof path - 1);

        assert_true(len > 0 && (size_t)len < sizeof path - 1);
        path[len] = '\0';
        for (int up = 0; up < 2; up++)
                *strrchr(path, '/') = '\0';
        return path_in(path, "bin/eventlog");
}

#define CHILD_CHECK(condition, ...)                                                                \
        do {                                                                                       \
                if (!(condition)) {                                                                \
                        fprintf(stderr, __VA_ARGS__);                                              \
                        _exit(1);                                                                  \
                }                                                                                  \
        } while (0)

/* `eventlog tail -f --json`, its output read line by line up to the last event, and then its end
 * by SIGTERM. */
static void follow_with_tail(event_log *f, unsigned long long last)
{
        static char line[65536];
        char *program = eventlog_program();
        unsigned long long seen = 0, seq;
        int ends[2];

        CHILD_CHECK(pipe(ends) == 0, "no pipe\n");
        pid_t tail = fork();
        CHILD_CHECK(tail >= 0, "no process\n");
        if (tail == 0) {
                dup2(ends[1], STDOUT_FILENO);
                close(ends[0]);
                close(ends[1]);
                execl(program, "eventlog", "--db", f->path, "tail", "-f", "--json", "-n",
                        "1000000000", (char *)NULL);
                _exit(127);
        }
        close(ends[1]);
        FILE *lines = fdopen(ends[0], "r");
        while (seen < last && fgets(line, sizeof line, lines)) {
                const char *at = strstr(line, "\"seq\":");
                CHILD_CHECK(at && sscanf(at, "\"seq\":%llu", &seq) == 1, "no seq: %s\n", line);
                CHILD_CHECK(seq == seen + 1, "tail: %llu came after %llu\n", seq, seen);
                CHILD_CHECK(line[strlen(line) - 1] == '\n', "tail: %llu is cut\n", seq);
                seen = seq;
        }
        CHILD_CHECK(seen == last, "tail: ended after %llu\n", seen);
        kill(tail, SIGTERM);
        while (fgets(line, sizeof line, lines))
                CHILD_CHECK(false, "tail: after the last event: %s\n", line);
        CHILD_CHECK(waitpid(tail, NULL, 0) == tail, "tail: is gone\n");
        fclose(lines);
}

static pawl_log *open_reader(event_log *f)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl_log *log = NULL;

        f->flags = PAWL_LOG_READONLY;
        CHILD_CHECK(event_log_try(&log, f, &err) == PAWL_OK, "%s\n", err.message);
        return log;
}

/* Cursors of the library, one after the other, without a pause. */
static void follow_with_cursors(event_log *f, unsigned long long last)
{
        pawl_log *log = open_reader(f);
        unsigned long long seen = 0;
        pawl_cursor *cursor;
        pawl_event event;
        pawl_status status;

        while (seen < last) {
                CHILD_CHECK(!pawl_cursor_open(&cursor, log, seen), "%s\n", pawl_log_errmsg(log));
                while ((status = pawl_cursor_next(cursor, &event)) == PAWL_OK) {
                        CHILD_CHECK(event.seq == seen + 1, "cursor: %llu came after %llu\n",
                                (unsigned long long)event.seq, seen);
                        seen = event.seq;
                }
                CHILD_CHECK(status == PAWL_DONE, "%s\n", pawl_log_errmsg(log));
                pawl_cursor_close(cursor);
        }
        pawl_log_close(log);
}

/* The longest transactions that a reader of the library makes, one after the other. */
static void verify_again_and_again(event_log *f, unsigned long long last)
{
        pawl_log *log = open_reader(f);
        pawl_verify_result result = {.events = 0};

        while (result.events < last)
                CHILD_CHECK(!pawl_log_verify(&result, log, 0, NULL), "%s\n", result.why.message);
        pawl_log_close(log);
}

typedef void (*reader)(event_log *f, unsigned long long last);

static pid_t start(reader run, event_log *f, uint64_t last)
{
        fflush(NULL);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
                run(f, (unsigned long long)last);
                _exit(0);
        }
        return child;
}

static int64_t wal_size(const event_log *f)
{
        char name[4096];
        struct stat st;

        snprintf(name, sizeof name, "%s-wal", f->path);
        return stat(name, &st) == 0 ? (int64_t)st.st_size : 0;
}

static int64_t file_size(const event_log *f)
{
        struct stat st;

        return stat(f->path, &st) == 0 ? (int64_t)st.st_size : 0;
}

typedef struct figures {
        uint64_t appends;
        int64_t largest_wal;
} figures;

/* From the head on to event number last: some single ones, then a batch. */
static void append_up_to(figures *out, event_log *f, uint64_t from, uint64_t last)
{
        char payload[PAD + 80];
        pawl_event events[BATCH];

        for (uint64_t done = from, turn = 0; done < last; turn++) {
                uint64_t n = turn % (SINGLES + 1) == SINGLES ? BATCH : 1;
                if (n > last - done)
                        n = last - done;
                snprintf(payload, sizeof payload,
                        "{\"scope_id\":\"core\",\"glossary_version_id\":\"v%llu\",\"pad\":\"%0*d\"}",
                        (unsigned long long)turn, PAD, 0);
                for (uint64_t i = 0; i < n; i++)
                        events[i] = event_scope(payload);
                if (pawl_log_append(NULL, f->log, events, n, 0))
                        fail_msg("%s", pawl_log_errmsg(f->log));
                done += n;
                out->appends++;
                int64_t size = wal_size(f);
                if (size > out->largest_wal)
                        out->largest_wal = size;
        }
}

LOG_TEST(every_reader_sees_each_event_once_and_in_order)
{
        uint64_t last = test_full() ? 1000000 : 20000;
        /* At the full size as it is; else so low that the -wal is started again many times. */
        static const pawl__wal_limits low = {
                .checkpoint_frames = 100,
                .restart_frames = 400,
                .wait_ms = 1000,
                .warn_bytes = 4 << 20,
        };
        pid_t child[READERS];
        figures done = {0, 0};

        f->wal = test_full() ? NULL : &low;
        child[0] = start(follow_with_tail, f, last); /* before there is a log */
        event_log_open(f);
        child[6] = start(follow_with_tail, f, last); /* while it is empty */
        child[1] = start(follow_with_cursors, f, last);
        child[2] = start(verify_again_and_again, f, last);
        append_up_to(&done, f, 0, last / 2);
        child[3] = start(follow_with_tail, f, last); /* in the middle */
        child[4] = start(follow_with_cursors, f, last);
        child[5] = start(verify_again_and_again, f, last);
        append_up_to(&done, f, last / 2, last);
        for (int i = 0; i < READERS; i++) {
                child_exits(child[i], 0);
        }
        printf("%llu events in %llu appends, %d readers; database %.1f MiB, largest -wal %.1f MiB\n",
                (unsigned long long)last, (unsigned long long)done.appends, READERS,
                (double)file_size(f) / 1048576, (double)done.largest_wal / 1048576);
        assert_null(pawl_log_warning(f->log));
        assert_true(done.largest_wal < (f->wal ? f->wal : &pawl__wal_limits_default)->warn_bytes);
}
