/*
 * One run, one owner, when many want it at once, when the owner dies, and when clocks jump. What
 * happens to an owner that is stopped is in stopped_test.sh.
 */
#include "support/mission.h"
#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CONTENDERS = 64, DAY_S = 86400 };

/* Fails until the file go is there; then notes itself, and waits as long as the file hold is. */
#define MISSION                                                                                    \
        "mission: m\n"                                                                             \
        "steps:\n"                                                                                 \
        "  - id: one\n"                                                                            \
        "    run: [sh, -c, 'test -e go || exit 7; echo $PAWL_RETRY_TOKEN >> journal;"              \
        " while test -e hold; do sleep 0.01; done']\n"

static void forget_file(struct mission_fixture *f, const char *name)
{
        char *path = path_in(f->directory, name);

        assert_true(unlink(path) == 0 || errno == ENOENT);
}

/* A run of a fresh id whose one step failed: its token. */
static void begin_run(struct mission_fixture *f, int round, char token[40])
{
        forget_file(f, "go");
        forget_file(f, "journal");
        snprintf(f->run_id, sizeof f->run_id, "run-%d", round);
        assert_int_equal(mission_run(f), PAWL_ESTEP);
        snprintf(token, 40, "%s", mission_token(f, "one"));
        mission_file(f, "go", "");
}

/* What the contenders come to, in memory that they share. */
struct scores {
        pawl_status status[CONTENDERS];
        int resumed; /* how many have come back from their resume */
};

static void contend(
        struct mission_fixture *f, const char *token, int gun, struct scores *scores, int number)
{
        pawl_run_result *result = NULL;
        pawl_log *log = NULL;
        char byte;
        pawl_status status = pawl_log_open(&log, f->db, &f->log_options, &f->err);

        if (!status && read(gun, &byte, 1) != 1)
                _exit(1);
        if (!status)
                status = pawl_mission_resume(&result, log, token, &f->options, &f->err);
        scores->status[number] = status;
        __atomic_add_fetch(&scores->resumed, 1, __ATOMIC_SEQ_CST);
        pawl_run_result_free(result);
        pawl_log_close(log);
        _exit(0);
}

static void wait_for_losers(const struct scores *scores)
{
        for (int i = 0; __atomic_load_n(&scores->resumed, __ATOMIC_SEQ_CST) < CONTENDERS - 1; i++) {
                assert_true(i < 6000);
                nanosleep(&(struct timespec){0, 10000000}, NULL);
        }
}

/* One round. *held: how many were told that another has the run. */
static void contend_all(
        struct mission_fixture *f, const char *token, bool hold, struct scores *scores, int *held)
{
        char bytes[CONTENDERS] = {0};
        pid_t pid[CONTENDERS];
        int gun[2], how;

        memset(scores, 0, sizeof *scores);
        if (hold)
                mission_file(f, "hold", "");
        assert_int_equal(pipe(gun), 0);
        pawl_log_close(f->log); /* a log does not survive fork(), so none is open */
        for (int i = 0; i < CONTENDERS; i++) {
                pid[i] = fork();
                assert_true(pid[i] >= 0);
                if (pid[i] == 0)
                        contend(f, token, gun[0], scores, i);
        }
        assert_ok(pawl_log_open(&f->log, f->db, &f->log_options, &f->err));
        assert_int_equal(write(gun[1], bytes, sizeof bytes), sizeof bytes);
        if (hold) {
                wait_for_losers(scores);
                forget_file(f, "hold");
        }
        *held = 0;
        for (int i = 0; i < CONTENDERS; i++) {
                assert_int_equal(waitpid(pid[i], &how, 0), pid[i]);
                assert_true(WIFEXITED(how) && WEXITSTATUS(how) == 0);
                *held += scores->status[i] == PAWL_EHELD;
                if (scores->status[i] != PAWL_EHELD)
                        assert_ok(scores->status[i]);
        }
        close(gun[0]);
        close(gun[1]);
}

/* In every other round the winner's command goes on until all others have been refused; in the rest
 * it ends at once, and who comes late is told the recorded result. */
MISSION_TEST(of_many_that_resume_one_token_at_once_one_owns_the_run)
{
        struct scores *scores = mmap(
                NULL, sizeof *scores, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        const int rounds = test_full() ? 1000 : 24;
        size_t claims = 0, refused = 0;
        char token[40], journal[48];

        assert_true(scores != MAP_FAILED);
        f->log_options.busy_ms = 60000; /* 64 at once may take seconds on cores that are busy */
        mission_write(f, MISSION);
        for (int round = 0; round < rounds; round++) {
                bool hold = round % 2 == 0;
                int held;
                begin_run(f, round, token);
                size_t before = mission_events(f, "RunClaimed");
                contend_all(f, token, hold, scores, &held);
                size_t claimed = mission_events(f, "RunClaimed") - before;
                if (claimed != 1)
                        fail_msg("round %d: %zu claims", round, claimed);
                if (hold)
                        assert_int_equal(held, CONTENDERS - 1);
                snprintf(journal, sizeof journal, "%s\n", token);
                mission_journal_is(f, journal);
                claims += claimed;
                refused += (size_t)held;
        }
        assert_int_equal(mission_events(f, "StepCompleted"), rounds);
        assert_int_equal(mission_events(f, "RunCompleted"), rounds);
        assert_ok(pawl__replay_check(f->log, &f->err));
        print_message("%d rounds of %d processes: %zu claims, %zu refused, %zu told the result\n",
                rounds, CONTENDERS, claims, refused,
                (size_t)rounds * CONTENDERS - claims - refused);
        munmap(scores, sizeof *scores);
}

/* No lease runs out here: it is for as long as there are milliseconds to say so. */
MISSION_TEST(an_owner_that_is_killed_is_replaced_without_waiting_for_its_lease)
{
        const int rounds = test_full() ? 200 : 10;
        char token[40], journal[96];
        int how;

        f->log_options.lease_ms = UINT32_MAX;
        mission_write(f, MISSION);
        for (int round = 0; round < rounds; round++) {
                begin_run(f, round, token);
                mission_file(f, "hold", "");
                pid_t pid = mission_fork(f, true, token);
                mission_await(f, "journal");
                assert_int_equal(mission_resume(f, token), PAWL_EHELD);
                assert_int_equal(kill(pid, SIGKILL), 0);
                assert_int_equal(waitpid(pid, &how, 0), pid);
                forget_file(f, "hold"); /* its command, which nobody waits for, ends too */
                f->options.wait_ms = 0;
                assert_ok(mission_resume(f, token));
                snprintf(journal, sizeof journal, "%s\n%s\n", token, token);
                mission_journal_is(f, journal);
        }
        assert_int_equal(mission_events(f, "StepCompleted"), rounds);
        assert_int_equal(mission_events(f, "RunClaimed"), 3 * rounds); /* run, killed, successor */
        assert_ok(pawl__replay_check(f->log, &f->err));
        print_message("%d owners killed, each replaced at the first asking\n", rounds);
}

static int64_t wall_ahead(void *user)
{
        const int64_t *ahead_s = user;
        struct timespec now;

        clock_gettime(CLOCK_REALTIME, &now);
        return ((int64_t)now.tv_sec + *ahead_s) * 1000000 + now.tv_nsec / 1000;
}

static void open_with_wall(struct mission_fixture *f, int64_t *ahead_s)
{
        pawl_log_close(f->log);
        f->log_options.sources.wall_us = wall_ahead;
        f->log_options.sources.user = ahead_s;
        assert_ok(pawl_log_open(&f->log, f->db, &f->log_options, &f->err));
}

/* The owner, a contender and the successor each have another wall clock, days apart. */
MISSION_TEST(a_wall_clock_that_jumps_changes_no_owner)
{
        static const int64_t jumps[][3] = {{0, DAY_S, -DAY_S}, {DAY_S, -DAY_S, 0},
                {-DAY_S, 0, DAY_S}, {0, -DAY_S, -DAY_S}, {DAY_S, 0, 0}};
        const int rounds = sizeof jumps / sizeof jumps[0];
        char token[40];
        int how;

        mission_write(f, MISSION);
        for (int round = 0; round < rounds; round++) {
                int64_t ahead_s = jumps[round][0];
                open_with_wall(f, &ahead_s);
                begin_run(f, round, token);
                mission_file(f, "hold", "");
                pid_t pid = mission_fork(f, true, token);
                mission_await(f, "journal");
                size_t before = mission_events(f, NULL);
                ahead_s = jumps[round][1];
                assert_int_equal(mission_resume(f, token), PAWL_EHELD);
                assert_int_equal(mission_events(f, NULL), before);
                assert_int_equal(kill(pid, SIGKILL), 0);
                assert_int_equal(waitpid(pid, &how, 0), pid);
                forget_file(f, "hold");
                ahead_s = jumps[round][2];
                assert_ok(mission_resume(f, token));
                assert_string_equal(f->result->status, "completed");
                open_with_wall(f, &ahead_s); /* nothing keeps a pointer to this round's clock */
        }
        f->log_options.sources = (pawl_sources){0};
        pawl_log_close(f->log);
        assert_ok(pawl_log_open(&f->log, f->db, &f->log_options, &f->err));
        assert_int_equal(mission_events(f, "StepCompleted"), rounds);
        assert_ok(pawl__replay_check(f->log, &f->err));
}
