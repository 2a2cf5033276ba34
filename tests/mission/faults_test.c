/*
 * Runs on a machine that fails them: out of memory at any allocation, a disk that is full or breaks
 * at any write, a process that dies there. Whatever happened, no command ran without its checkpoint
 * on disk, and the run goes on under the keys that its commands had.
 */
#include "events/sqlite/sqlite.h"
#include "support/mission.h"
#include "support/sweep.h"
#include "support/vfs.h"
#include <pawl/checkpoint.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static const char two_steps[] =
        "mission: m\n"
        "glossary: {team_domain: team.yaml}\n"
        "steps:\n"
        "  - id: a\n"
        "    inputs: {description: A snake_case name and a desk.}\n"
        "    run: [sh, -c, 'echo \"$PAWL_RUN_ID $PAWL_STEP_ID $PAWL_RETRY_TOKEN\" >> journal; echo "
        "1']\n"
        "  - id: b\n"
        "    inputs: {x: {$from: a}}\n"
        "    run: [sh, -c, 'echo \"$PAWL_RUN_ID $PAWL_STEP_ID $PAWL_RETRY_TOKEN\" >> journal']\n";

static void write_files(struct mission_fixture *f)
{
        mission_file(f, "team.yaml", "terms: [{surface: desk, definition: A table.}]\n");
        mission_write(f, two_steps);
}

/* Read the mission and run it, over a log of its own: the fixture's is closed meanwhile. */
static pawl_status whole_run(struct mission_fixture *f, pawl_log *log)
{
        pawl_mission *mission = NULL;
        pawl_run_result *result = NULL;
        pawl_status status;

        f->err = (pawl_error)PAWL_ERROR_INIT;
        status = pawl_mission_load(&mission, f->file, &f->err);
        if (!status)
                status = pawl_mission_run(&result, mission, log, &f->options, &f->err);
        pawl_run_result_free(result);
        pawl_mission_free(mission);
        return status;
}

/* Each command that ran did so under a checkpoint that is in the log, and each step under one. */
static void check_journal(struct mission_fixture *f, const char *run_id)
{
        char *journal = mission_journal(f), *rest = journal, *line;
        char run[64], step[8], token[40], first[2][40] = {"", ""};

        while ((line = strsep(&rest, "\n")) && *line) {
                pawl_step_checkpoint *checkpoint;
                assert_int_equal(sscanf(line, "%63s %7s %39s", run, step, token), 3);
                if (strcmp(run, run_id) != 0)
                        continue;
                if (pawl_step_checkpoint_load(&checkpoint, f->log, token, &f->err))
                        fail_msg("%s ran, but %s", line, f->err.message);
                pawl_step_checkpoint_free(checkpoint);
                char *key = first[*step - 'a'];
                if (*key)
                        assert_string_equal(token, key);
                snprintf(key, sizeof first[0], "%s", token);
        }
}

/* The run that the fault hit can be brought to its end. */
static void recover(struct mission_fixture *f)
{
        const char *run_id = f->options.run_id;
        pawl_status status;

        mission_open_log(f);
        check_journal(f, run_id);
        status = mission_go_on(f);
        if (status)
                fail_msg("%s", f->err.message);
        assert_string_equal(f->result->status, "completed");
        assert_string_equal(mission_status(f, "a"), "completed");
        assert_string_equal(mission_status(f, "b"), "completed");
        check_journal(f, run_id);
        pawl_run_result_free(f->result);
        f->result = NULL;
        mission_close_log(f);
}

MISSION_TEST(without_memory_a_run_fails_whole_and_goes_on)
{
        write_files(f);
        mission_close_log(f);
        for (sweep s = {.warm = 1, .spread = 25, .least = 50}; sweep_next(&s);) {
                snprintf(f->run_id, sizeof f->run_id, "run-%zu", s.n);
                mission_open_log(f);
                sweep_arm(&s);
                const bool ok = sweep_done(&s, whole_run(f, f->log), &f->err);
                mission_close_log(f);
                if (!ok)
                        recover(f);
        }
        mission_check_log(f);
}

/* What a run over the failing disk came to, told by the process that it ran in. */
struct told {
        int count; /* operations */
        pawl_status status;
        pawl_error err;
};

/* In a process of its own, which takes its claim along when it ends. True: it ended by itself. */
static bool run_on(struct told *told, struct mission_fixture *f, fault_kind kind, int n, bool stays)
{
        const pawl__log_setup setup = {.vfs = FAULT_VFS};
        int how;
        pid_t pid = process_fork();

        if (pid == 0) {
                fault_reset();
                fault_at(kind, n, stays);
                told->status = pawl__log_open_as(&f->log, f->db, &f->log_options, &setup, &f->err);
                if (!told->status)
                        told->status = whole_run(f, f->log);
                pawl_log_close(f->log);
                told->count = fault_count();
                told->err = f->err;
                _exit(0);
        }
        assert_int_equal(waitpid(pid, &how, 0), pid);
        return WIFEXITED(how) && WEXITSTATUS(how) == 0;
}

MISSION_TEST(on_a_disk_that_fails_no_command_runs_unrecorded)
{
        static const struct {
                fault_kind kind;
                bool stays;
                int step; /* from one operation to the next that fails */
        } faults[] = {{FAULT_EIO, false, 2}, {FAULT_EIO, true, 3}, {FAULT_FULL, true, 3},
                {FAULT_SHORT, false, 3}};
        struct told *told =
                mmap(NULL, sizeof *told, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

        assert_true(told != MAP_FAILED);
        write_files(f);
        assert_ok(mission_run(f)); /* the log's own making is another test's */
        mission_close_log(f);
        for (size_t k = 0; k < sizeof faults / sizeof faults[0]; k++) {
                int n = 1 - faults[k].step, failures = 0;
                do {
                        n += faults[k].step;
                        snprintf(f->run_id, sizeof f->run_id, "run-%zu-%d", k, n);
                        assert_true(run_on(told, f, faults[k].kind, n, faults[k].stays));
                        if (told->status && told->status != PAWL_EIO && told->status != PAWL_EFULL)
                                fail_msg("operation %d: %d %s", n, (int)told->status,
                                        told->err.message);
                        assert_int_equal(!told->status, !told->err.message[0]);
                        failures += told->status != PAWL_OK;
                        recover(f);
                } while (told->count >= n);
                assert_true(failures > 5);
        }
        munmap(told, sizeof *told);
        mission_check_log(f);
}

MISSION_TEST(killed_at_any_write_a_run_goes_on)
{
        static const fault_kind kinds[] = {FAULT_KILL, FAULT_POWER_CUT};
        struct told told;

        write_files(f);
        assert_ok(mission_run(f));
        mission_close_log(f);
        for (size_t k = 0; k < 2; k++) {
                int n = 0;
                bool ended;
                do {
                        n += 2;
                        snprintf(f->run_id, sizeof f->run_id, "run-%zu-%d", k, n);
                        ended = run_on(&told, f, kinds[k], n, false);
                        recover(f);
                } while (!ended);
                assert_true(n > 5);
        }
        mission_check_log(f);
}
