/*
 * Steps that ask people on a machine that fails: out of memory at any allocation, a process that
 * dies at any write. Whatever happened, no answer is lost or counts twice, and the run goes on.
 */
#include "base/error.h"
#include "events/sqlite/sqlite.h"
#include "support/mission.h"
#include "support/sweep.h"
#include "support/vfs.h"
#include <pawl/pipeline.h>
#include <sys/wait.h>
#include <unistd.h>

static const char asks[] =
        "mission: m\n"
        "params: {version: {default: '1.4'}}\n"
        "steps:\n"
        "  - id: a\n"
        "    run: [echo, '1']\n"
        "  - id: b\n"
        "    inputs: {built: {$from: a}}\n"
        "    ask: {question: 'Publish {$param: version}?', options: [yes, no], to: ['user:ana'],\n"
        "          within: 2d, otherwise: no}\n"
        "  - id: c\n"
        "    inputs: {said: {$from: b}}\n"
        "    run: [sh, -c, 'cat >> journal']\n";

static pawl_status say_yes(pawl_answer *answer, const pawl_conflict *conflict, void *user)
{
        (void)conflict, (void)user;
        answer->pick = 1;
        return PAWL_OK;
}

/* Asked and deferred, then answered by somebody else, then resumed; over a log of its own. */
static pawl_status answered_elsewhere(struct mission_fixture *f, pawl_log *log)
{
        const pawl_answer yes = {.answer = pawl__text("yes")};
        pawl_mission *mission = NULL;
        pawl_run_result *result = NULL;
        pawl_status status;

        f->err = (pawl_error)PAWL_ERROR_INIT;
        status = pawl_mission_load(&mission, f->file, &f->err);
        if (!status)
                status = pawl_mission_run(&result, mission, log, &f->options, &f->err);
        pawl_mission_free(mission);
        if (status == PAWL_BLOCKED && !result) /* it is, but that could not be told */
                return pawl__nomem(&f->err);
        if (status == PAWL_BLOCKED) {
                f->err = (pawl_error)PAWL_ERROR_INIT;
                status = pawl_conflict_resolve(
                        log, result->conflicts[0].id, &yes, "user:ana", &f->err);
        }
        pawl_run_result_free(result);
        result = NULL;
        if (!status)
                status = pawl_mission_resume(&result, log, f->run_id, &f->options, &f->err);
        pawl_run_result_free(result);
        return status;
}

/* The same at a terminal. */
static pawl_status answered_here(struct mission_fixture *f, pawl_log *log)
{
        pawl_status status;

        f->options.clarify = say_yes;
        status = answered_elsewhere(f, log);
        f->options.clarify = NULL;
        return status;
}

static void prepare(struct mission_fixture *f)
{
        f->options.actor = "user:ana";
        mission_write(f, asks);
        f->options.clarify = say_yes;
        assert_ok(mission_run(f)); /* the log's own making is another test's */
        f->options.clarify = NULL;
        mission_close_log(f);
}

/* The run that the fault hit is brought to its end: it is answered, or can be, and by one answer.
 */
static void recover(struct mission_fixture *f)
{
        const pawl_answer yes = {.pick = 1};
        pawl_status status;

        mission_open_log(f);
        status = mission_go_on(f);
        if (status == PAWL_BLOCKED) {
                assert_int_equal(f->result->n_conflicts, 1);
                assert_ok(pawl_conflict_resolve(
                        f->log, f->result->conflicts[0].id, &yes, "user:ana", &f->err));
                status = mission_resume(f, f->run_id);
        }
        if (status)
                fail_msg("%s", f->err.message);
        assert_string_equal(f->result->status, "completed");
        assert_int_equal(f->result->n_conflicts, 0);
        pawl_run_result_free(f->result);
        f->result = NULL;
        mission_close_log(f);
}

/* All answers were taken once, and nothing else was ever said. */
static void check_log(struct mission_fixture *f, size_t runs)
{
        char *journal = mission_journal(f);

        mission_check_log(f);
        mission_open_log(f);
        assert_int_equal(mission_events(f, "GlossaryClarificationResolved"), runs);
        assert_null(strstr(journal, "\"no\""));
        mission_close_log(f);
}

MISSION_TEST(without_memory_asking_fails_whole_and_goes_on)
{
        pawl_status (*const ways[])(struct mission_fixture *, pawl_log *) = {
                answered_here, answered_elsewhere};
        size_t runs = 1;

        prepare(f);
        for (size_t w = 0; w < 2; w++)
                for (sweep s = {.warm = 1, .spread = 8, .least = 40}; sweep_next(&s); runs++) {
                        snprintf(f->run_id, sizeof f->run_id, "run-%zu-%zu-%zu", w, s.n, runs);
                        mission_open_log(f);
                        sweep_arm(&s);
                        const bool ok = sweep_done(&s, ways[w](f, f->log), &f->err);
                        mission_close_log(f);
                        if (!ok)
                                recover(f);
                }
        check_log(f, runs);
}

/* In a process of its own, which takes its claim along when it ends. True: it ended by itself. */
static bool run_on(struct mission_fixture *f, fault_kind kind, int n,
        pawl_status (*way)(struct mission_fixture *, pawl_log *))
{
        const pawl__log_setup setup = {.vfs = FAULT_VFS};
        int how;
        pid_t pid = process_fork();

        if (pid == 0) {
                fault_reset();
                fault_at(kind, n, false);
                pawl_status status =
                        pawl__log_open_as(&f->log, f->db, &f->log_options, &setup, &f->err);
                if (!status)
                        status = way(f, f->log);
                pawl_log_close(f->log);
                _exit(status != PAWL_OK);
        }
        assert_int_equal(waitpid(pid, &how, 0), pid);
        assert_true(!WIFEXITED(how) || WEXITSTATUS(how) == 0);
        return WIFEXITED(how);
}

MISSION_TEST(killed_at_any_write_no_answer_is_lost_or_counts_twice)
{
        static const fault_kind kinds[] = {FAULT_KILL, FAULT_POWER_CUT};
        const int step = allocator_works() ? 2 : 7; /* a sanitizer makes it slow */
        pawl_status (*const ways[])(struct mission_fixture *, pawl_log *) = {
                answered_here, answered_elsewhere};
        size_t runs = 1;

        prepare(f);
        for (size_t k = 0; k < 4; k++) {
                int n = 0;
                bool ended;
                do {
                        n += step;
                        snprintf(f->run_id, sizeof f->run_id, "run-%zu-%d", k, n);
                        ended = run_on(f, kinds[k % 2], n, ways[k / 2]);
                        recover(f);
                        runs++;
                } while (!ended);
                assert_true(n > 10);
        }
        check_log(f, runs);
}
