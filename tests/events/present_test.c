/* The log that was opened is the log that is written: removed, it is put back; replaced, it is
 * saved. What a mission's steps do to it is tests/cli/stays_test.sh's. */
#include "state/state.h"
#include "support/claims.h"
#include "support/vfs.h"
#include <dirent.h>
#include <sys/wait.h>
#include <unistd.h>

static void shell(const event_log *f, const char *script)
{
        pawl__buf line = PAWL__BUF_INIT;

        assert_ok(pawl__buf_addf(&line, "cd '%s' && %s", f->directory, script));
        assert_int_equal(system(line.data), 0); // NOLINT(cert-env33-c): a test's own script
        pawl__buf_free(&line);
}

/* The name in .pawl that holds @p part; "" if none does. */
static void find_name(char out[300], const event_log *f, const char *part)
{
        DIR *dir = opendir(path_in(f->directory, ".pawl"));
        const struct dirent *entry;

        *out = '\0';
        while (dir && (entry = readdir(dir)))
                if (strstr(entry->d_name, part))
                        snprintf(out, 300, "%s", entry->d_name);
        if (dir)
                closedir(dir);
}

static void check_whole(event_log *f, uint64_t events)
{
        pawl_verify_result result;
        char name[300];

        f->flags = PAWL_LOG_READONLY;
        event_log_open(f);
        assert_ok(pawl_log_verify(&result, f->log, 0, NULL));
        assert_int_equal(result.events, events);
        event_log_close(f);
        find_name(name, f, "-backup-");
        assert_string_equal(name, "");
        f->flags = PAWL_LOG_CREATE;
}

static uint64_t head_of(pawl_log *log)
{
        unsigned char hash[32];
        uint64_t seq = 0;

        assert_ok(pawl_log_head(&seq, hash, log));
        return seq;
}

OPEN_LOG_TEST(other_handles_of_the_process_go_on_with_it)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl__state *with;

        pawl_log *other = event_log_another(f);
        assert_ok(pawl__state_of(&with, f->log, &err));
        assert_ok(pawl__state_of(&with, other, &err));
        event_log_fill(f, 3);
        shell(f, "rm -rf .pawl");
        event_log_fill(f, 1);
        const char *warning = pawl_log_warning(f->log);
        assert_non_null(warning);
        assert_non_null(
                strstr(warning, "events.db: was removed while it was open, and was put back"));
        assert_null(pawl_log_warning(f->log));
        assert_int_equal(head_of(other), 4);
        assert_ok(append_one(other, event_scope(NULL), 0));
        assert_null(pawl_log_warning(other));
        assert_int_equal(head_of(f->log), 5);
        shell(f, "rm -rf .pawl");
        assert_ok(append_one(other, event_scope(NULL), 0));
        event_log_fill(f, 1);
        assert_ok(pawl__replay_check(f->log, &err));
        pawl_log_close(other);
        event_log_close(f);
        check_whole(f, 7);
}

OPEN_LOG_TEST(a_claim_holds_across_it)
{
        const uint64_t fence = claims_take(f->log);
        shell(f, "rm -rf .pawl");
        assert_ok(pawl_log_renew(f->log, "run-1", fence));
        assert_non_null(pawl_log_warning(f->log));
        pawl_log *another = claims_another(f);
        claims_check_held(f, another);
        shell(f, "rm -rf .pawl");
        assert_ok(append_one(f->log, claims_event("RunCompleted"), fence));
        pawl_log_close(another);
}

enum { PROCESSES_AT_ONCE = 6, EACH = 40 };

/* All of them have it open, and append, when it goes. */
OPEN_LOG_TEST(processes_that_see_it_gone_at_once_put_back_one_log)
{
        int ready[2], go[2], status;
        char byte = 0;

        event_log_fill(f, 2);
        event_log_close(f);
        assert_int_equal(pipe(ready), 0);
        assert_int_equal(pipe(go), 0);
        for (int i = 0; i < PROCESSES_AT_ONCE; i++) {
                if (fork() != 0)
                        continue;
                pawl_error err = PAWL_ERROR_INIT;
                pawl_log *log = NULL;
                bool good = event_log_try(&log, f, &err) == PAWL_OK &&
                            write(ready[1], "r", 1) == 1 && read(go[0], &byte, 1) == 1;
                for (int n = 0; n < EACH && good; n++)
                        good = append_one(log, event_scope(NULL), 0) == PAWL_OK;
                if (!good)
                        fprintf(stderr, "%s %s\n", err.message, log ? pawl_log_errmsg(log) : "");
                /* nobody may be the last that has it open while it is away */
                good = good && pawl__log_keep(log) == PAWL_OK;
                _exit(good ? 0 : 1);
        }
        pawl_log *keeper = event_log_another(f);
        for (int i = 0; i < PROCESSES_AT_ONCE; i++)
                assert_int_equal(read(ready[0], &byte, 1), 1);
        assert_int_equal(write(go[1], "gogogogo", PROCESSES_AT_ONCE), PROCESSES_AT_ONCE);
        usleep(20000);
        shell(f, "mv .pawl away");
        for (int i = 0; i < PROCESSES_AT_ONCE; i++) {
                assert_true(wait(&status) > 0);
                assert_int_equal(status, 0);
        }
        assert_ok(pawl__log_keep(keeper));
        pawl_log_close(keeper);
        check_whole(f, 2 + PROCESSES_AT_ONCE * EACH);
        close(ready[0]), close(ready[1]), close(go[0]), close(go[1]);
}

OPEN_LOG_TEST(what_is_replaced_is_saved_once_with_the_last_append)
{
        char name[300];

        event_log_fill(f, 2);
        shell(f,
                "mkdir other && cp .pawl/events.db .pawl/events.db-wal other && rm -r .pawl && mkdir .pawl");
        event_log_fill(f, 1); /* put back, and three events */
        shell(f, "rm -r .pawl && mv other .pawl");
        assert_int_equal(append_one(f->log, event_scope(NULL), 0), PAWL_EDAMAGED);
        find_name(name, f, "events.db-saved-4-");
        assert_string_not_equal(name, "");
        assert_non_null(strstr(pawl_log_errmsg(f->log), name));
        assert_int_equal(append_one(f->log, event_scope(NULL), 0), PAWL_EDAMAGED);
        assert_non_null(strstr(pawl_log_errmsg(f->log), name));
        assert_int_equal(pawl__log_keep(f->log), PAWL_EDAMAGED);
        event_log_close(f);
        assert_int_equal(event_log_count(f), 2); /* what is there was not touched */
        find_name(name, f, "events.db-saved-5-");
        assert_string_equal(name, "");
}

/* At every operation on the disk while it is put back. */
LOG_TEST(a_full_disk_meanwhile_loses_nothing)
{
        char name[300];
        bool failed = true;

        f->vfs = FAULT_VFS;
        for (int n = 1; failed; n++) {
                fault_reset();
                event_log_open(f);
                event_log_fill(f, 3);
                shell(f, "rm -rf .pawl");
                fault_at(FAULT_FULL, n, true);
                pawl_status status = append_one(f->log, event_scope(NULL), 0);
                fault_at(FAULT_NONE, 0, false);
                failed = status != PAWL_OK;
                if (failed) {
                        assert_true(status == PAWL_EFULL || status == PAWL_EIO);
                        assert_non_null(strstr(pawl_log_errmsg(f->log), f->path));
                        event_log_fill(f, 1); /* with room again */
                }
                assert_int_equal(head_of(f->log), 4);
                event_log_close(f);
                check_whole(f, 4);
                find_name(name, f, "-saved-");
                assert_string_equal(name, "");
                shell(f, "rm -rf .pawl");
                assert_in_range(n, 1, 300);
        }
        fault_reset();
}

/* Whoever is killed meanwhile leaves the log whole, or nothing under its name. */
LOG_TEST(a_kill_meanwhile_leaves_it_whole_or_not_at_all)
{
        int status = 1;

        f->vfs = FAULT_VFS;
        for (int n = 1; status != 0; n++) {
                const pid_t child = fork();
                if (child == 0) {
                        fault_reset();
                        event_log_open(f);
                        event_log_fill(f, 3);
                        shell(f, "rm -rf .pawl");
                        fault_at(FAULT_KILL, n, false);
                        _exit(append_one(f->log, event_scope(NULL), 0) == PAWL_OK ? 0 : 1);
                }
                assert_int_equal(waitpid(child, &status, 0), child);
                assert_true(status == 0 || (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL));
                f->vfs = NULL;
                if (access(f->path, F_OK) == 0) {
                        shell(f, "rm -f .pawl/*-backup-*");
                        f->flags = PAWL_LOG_CREATE;
                        event_log_open(f);
                        assert_in_range(head_of(f->log), 3, 4);
                        const uint64_t head = head_of(f->log);
                        event_log_close(f);
                        check_whole(f, head);
                }
                f->vfs = FAULT_VFS;
                shell(f, "rm -rf .pawl");
                assert_in_range(n, 1, 300);
        }
        fault_reset();
}
