/* Coming back: `pawl sessions` and `pawl handoff` over 10,000 sessions of 50 checkpoints each,
 * processes from start to exit, beside sqlite3 that runs the bare queries over the same file, and
 * beside themselves over 100 sessions; and a session's checkpoint beside a write that is synced.
 *
 *   build/bench/bench_sessions [SESSIONS]     (default 10000; needs sqlite3) */
#include "bench/spawn.h"
#include "events/log.h"
#include "state/state.h"
#include <fcntl.h>
#include <pawl/session.h>
#include <string.h>
#include <unistd.h>

enum { CHECKPOINTS = 50, FEW = 100, ROUNDS = 60, MARKS = 400, AT_ONCE = 20 };

static void must(pawl_status status, const pawl_error *err)
{
        if (status)
                bench_die(err->message);
}

static void add(pawl__batch *batch, const char *session, const char *type, const char *payload)
{
        const pawl_event event = {.type = pawl__text(type),
                .mission_id = pawl__text("paper"),
                .session_id = pawl__text(session),
                .actor = pawl__text("agent:writer"),
                .payload = pawl__text(payload)};
        pawl_error err = PAWL_ERROR_INIT;

        must(pawl__batch_event(batch, &event, &err), &err);
}

static void add_session(pawl__batch *batch, size_t n)
{
        char id[40], payload[200];

        snprintf(id, sizeof id, "session-20260101-%06zu", n);
        add(batch, id, "SessionStarted",
                "{\"pending_steps\":[\"a\",\"b\",\"c\",\"d\",\"e\",\"f\",\"g\",\"h\"]}");
        for (int i = 0; i < CHECKPOINTS; i++) {
                snprintf(payload, sizeof payload,
                        "{\"reason\":\"step_complete\",\"completed_steps\":[\"%c\"],"
                        "\"summary\":\"At checkpoint %d the sources agreed, and the draft grew.\"}",
                        'a' + i % 8, i);
                add(batch, id, "SessionCheckpointed", payload);
        }
        add(batch, id, "SessionEnded", "{\"status\":\"interrupted\",\"reason\":\"lunch\"}");
}

static void fill(const char *path, size_t sessions)
{
        pawl_log_options options = PAWL_LOG_OPTIONS_INIT;
        pawl__batch batch = PAWL__BATCH_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        pawl__state *state;
        pawl_log *log;

        options.flags = PAWL_LOG_CREATE;
        must(pawl_log_open(&log, path, &options, &err), &err);
        must(pawl__state_of(&state, log, &err), &err);
        for (size_t n = 0; n < sessions; n++) {
                add_session(&batch, n);
                if ((n + 1) % AT_ONCE == 0 || n + 1 == sessions)
                        must(pawl__log_commit(log, &batch, 0, NULL), pawl__log_error(log));
        }
        pawl__batch_free(&batch);
        pawl_log_close(log);
}

/* The command over many sessions beside a bare query, and beside itself over few. */
static void compare(
        const char *pawl, const char *what, const char *const args[3], const char *query)
{
        bench_series ours = {NULL, 0, 0}, bare = {NULL, 0, 0}, few = {NULL, 0, 0};
        char *many_argv[8] = {(char *)(uintptr_t)pawl}, *few_argv[8] = {(char *)(uintptr_t)pawl};
        char *bare_argv[] = {"sqlite3", "-readonly", "many.db", (char *)(uintptr_t)query, NULL};
        char name[100];
        int n = 1;

        for (; n <= 3 && args[n - 1]; n++)
                many_argv[n] = few_argv[n] = (char *)(uintptr_t)args[n - 1];
        many_argv[n] = few_argv[n] = "--db";
        many_argv[n + 1] = "many.db";
        few_argv[n + 1] = "few.db";
        for (int i = -1; i < ROUNDS; i++) {
                double b = bench_spawn_ns(bare_argv), f = bench_spawn_ns(few_argv);
                double o = bench_spawn_ns(many_argv);
                if (i < 0)
                        continue; /* warm */
                bench_add(&bare, b);
                bench_add(&few, f);
                bench_add(&ours, o);
        }
        snprintf(name, sizeof name, "%s, 10,000 sessions", what);
        bench_answer(&(bench_question){.what = name,
                             .beside = "sqlite3 with the bare queries, a process",
                             .target = 2},
                &ours, &bare);
        bench_answer(&(bench_question){.what = name, .beside = "over 100 sessions", .target = 1.3},
                &ours, &few);
        bench_clear(&ours);
        bench_clear(&bare);
        bench_clear(&few);
}

static double synced_write_ns(int fd)
{
        static const char page[4096];
        double start = bench_now_ns();

        if (write(fd, page, sizeof page) != (ssize_t)sizeof page || fdatasync(fd) != 0)
                bench_die("a synced write failed");
        return bench_now_ns() - start;
}

static void checkpoints(void)
{
        bench_series ours = {NULL, 0, 0}, bare = {NULL, 0, 0};
        const char *const done[] = {"a"};
        const pawl_session_work work = {.completed = done, .n_completed = 1, .summary = "agreed"};
        pawl_error err = PAWL_ERROR_INIT;
        char id[PAWL_SESSION_ID_MAX];
        pawl_log *log;
        int fd = open("synced", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

        if (fd < 0)
                bench_die("the file for synced writes cannot be made");
        must(pawl_log_open(&log, "many.db", NULL, &err), &err);
        must(pawl_session_start(id, log, "paper", NULL, NULL, &err), &err);
        for (int i = 0; i < MARKS; i++) {
                bench_add(&bare, synced_write_ns(fd));
                double start = bench_now_ns();
                must(pawl_session_checkpoint(NULL, log, id, NULL, "manual", &work, &err), &err);
                bench_add(&ours, bench_now_ns() - start);
        }
        bench_answer(&(bench_question){.what = "a session's checkpoint, 10,000 sessions",
                             .beside = "write and fdatasync of 4 KiB",
                             .target = 2.5},
                &ours, &bare);
        pawl_log_close(log);
        close(fd);
        bench_clear(&ours);
        bench_clear(&bare);
}

int main(int argc, char **argv)
{
        const char *pawl = bench_tool("pawl");

        bench_folder();
        fill("many.db", bench_count(argc, argv, 10000));
        fill("few.db", FEW);
        compare(pawl, "pawl sessions -n 20", (const char *const[]){"sessions", "-n", "20"},
                "SELECT * FROM sessions ORDER BY seq DESC LIMIT 20");
        compare(pawl, "pawl sessions --latest", (const char *const[]){"sessions", "--latest", NULL},
                "SELECT * FROM sessions ORDER BY seq DESC LIMIT 1");
        compare(pawl, "pawl handoff", (const char *const[]){"handoff", NULL, NULL},
                "SELECT * FROM sessions ORDER BY seq DESC LIMIT 1; "
                "SELECT * FROM conflicts WHERE status = 'open' ORDER BY seq; "
                "SELECT * FROM scopes; SELECT notes_seq FROM sessions WHERE mission_id = 'paper' "
                "AND notes_seq > 0 ORDER BY seq DESC LIMIT 1");
        checkpoints();
        return 0;
}
