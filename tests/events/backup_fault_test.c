/* Copies of a log that go wrong on the way: no file is left, or one that disturbs nobody. */
#include "support/backup.h"
#include "support/sweep.h"
#include "support/vfs.h"
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SWEEP_MAX = 5000 };

static int fault_setup(void **state)
{
        fault_reset();
        return backup_setup(state);
}

static int fault_teardown(void **state)
{
        fault_reset();
        return backup_teardown(state);
}

#define FAULT_TEST(name) UNIT_TEST_WITH(name, backup *b, fault_setup, fault_teardown)

/* A log of some pages, so that there are writes to fail. */
static void open_filled(backup *b)
{
        b->f->vfs = FAULT_VFS;
        event_log_open(b->f);
        event_log_fill(b->f, 3);
        event_log_sql(b->f, "INSERT INTO blobs VALUES (zeroblob(32), zeroblob(40000))");
        event_log_close(b->f);
        b->f->flags = PAWL_LOG_READONLY;
        event_log_open(b->f);
}

FAULT_TEST(a_disk_that_fails_at_any_write_leaves_no_file)
{
        static const struct {
                fault_kind kind;
                pawl_status status;
                const char *says;
        } cases[] = {
                {FAULT_EIO, PAWL_EIO, "copy.db: cannot write the copy: "},
                {FAULT_FULL, PAWL_EFULL,
                        "copy.db: cannot write the copy: the disk is full; free some space"},
                {FAULT_SHORT, PAWL_EFULL, "copy.db: cannot write the copy: the disk is full"},
        };
        pawl_backup made;

        open_filled(b);
        for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
                int failures = 0, n;
                for (n = 1; n < SWEEP_MAX; n++) {
                        fault_at(cases[k].kind, n, false);
                        pawl_status status = pawl_log_backup(&made, b->f->log, b->copy, NULL, NULL);
                        if (!status)
                                break;
                        failures++;
                        assert_int_equal(status, cases[k].status);
                        assert_says(pawl_log_errmsg(b->f->log), cases[k].says);
                        assert_int_equal(names_in(b->directory), 0);
                }
                assert_true(n < SWEEP_MAX);
                assert_true(failures >= 20);
                fault_reset();
                check_copy(b, &made);
                assert_int_equal(unlink(b->copy), 0);
        }
}

FAULT_TEST(who_is_killed_at_any_write_leaves_nothing_that_disturbs_the_next)
{
        static const fault_kind kinds[] = {FAULT_KILL, FAULT_POWER_CUT};
        pawl_backup made;

        open_filled(b);
        for (size_t k = 0; k < 2; k++) {
                int deaths = 0, status = 0, n;
                for (n = 1; n < SWEEP_MAX; n++) {
                        pid_t child = process_fork();
                        if (child == 0) {
                                pawl_log *log = event_log_another(b->f);
                                fault_at(kinds[k], n, false);
                                _exit(pawl_log_backup(NULL, log, b->copy, NULL, NULL) ? 1 : 0);
                        }
                        assert_int_equal(waitpid(child, &status, 0), child);
                        if (WIFEXITED(status))
                                break;
                        deaths++;
                        assert_int_equal(WTERMSIG(status), SIGKILL);
                        assert_int_equal(access(b->copy, F_OK), -1);
                }
                assert_true(n < SWEEP_MAX);
                assert_int_equal(WEXITSTATUS(status), 0);
                assert_true(deaths >= 20);
                assert_int_equal(names_in(b->directory), deaths + 1);
                /* What they left is not in the way, and is named so that it can be told. */
                DIR *dir = opendir(b->directory);
                assert_non_null(dir);
                for (const struct dirent *entry; (entry = readdir(dir));)
                        if (strncmp(entry->d_name, "copy.db-backup-", 15) == 0)
                                assert_int_equal(unlinkat(dirfd(dir), entry->d_name, 0), 0);
                closedir(dir);
                assert_int_equal(names_in(b->directory), 1);
                assert_int_equal(unlink(b->copy), 0);
                assert_ok(pawl_log_backup(&made, b->f->log, b->copy, NULL, NULL));
                check_copy(b, &made);
                assert_int_equal(unlink(b->copy), 0);
        }
}

FAULT_TEST(without_memory_there_is_no_file_and_nothing_is_leaked)
{
        open_filled(b);
        assert_ok(pawl_log_backup(NULL, b->f->log, b->copy, NULL, NULL));
        assert_int_equal(unlink(b->copy), 0);
        event_log_close(b->f);
        for (sweep s = {.least = 21}; sweep_next(&s);) {
                event_log_open(b->f);
                sweep_arm(&s);
                const bool ok =
                        sweep_done(&s, pawl_log_backup(NULL, b->f->log, b->copy, NULL, NULL), NULL);
                event_log_close(b->f);
                assert_int_equal(names_in(b->directory), ok);
                if (ok)
                        assert_int_equal(unlink(b->copy), 0);
        }
}
