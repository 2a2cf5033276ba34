/* Contents as differences from others, while the disk or memory fails. */
#include "support/deltas.h"
#include "support/sweep.h"
#include "support/vfs.h"
#include <sys/wait.h>
#include <unistd.h>

enum { SWEEP_MAX = 400 };

/* At every operation of the disk while old versions go and a new one comes: either none of it, or
 * all. */
static void sweep_faults(deltas *t, fault_kind kind, bool stays)
{
        char wal[4096];
        size_t len;
        int n, failures = 0;

        needs_file();
        t->f->vfs = FAULT_VFS;
        fault_reset();
        (void)unlink(t->f->path);
        deltas_open_log(t);
        deltas_put_all(t);
        deltas_close_log(t);
        char *image = file_read(t->f->path, &len);
        snprintf(wal, sizeof wal, "%s-wal", t->f->path);
        for (n = 1; n < SWEEP_MAX; n++) {
                deltas_keeping k = deltas_keep(t, 11, VERSIONS, 3);
                int status = 0;

                (void)unlink(wal);
                file_write(t->f->path, image, len);
                pid_t child = process_fork();
                if (child == 0) {
                        deltas_open_log(t);
                        fault_at(kind, n, stays);
                        pawl_status is =
                                pawl__contents_commit(t->contents, deltas_sweep_fill, &k, &t->err);
                        bool reached = fault_count() >= n;
                        if (is && is != PAWL_EIO && is != PAWL_EFULL)
                                _exit(2);
                        _exit(reached ? is ? 3 : 1 : 0);
                }
                assert_int_equal(waitpid(child, &status, 0), child);
                if (WIFEXITED(status))
                        assert_int_not_equal(WEXITSTATUS(status), 2);
                failures += WIFSIGNALED(status) || WEXITSTATUS(status) == 3;
                deltas_open_log(t);
                if (deltas_read_version(t, 0) == PAWL_OK)
                        deltas_check_read(t, 0, VERSIONS);
                else
                        deltas_check_kept(t, &k);
                deltas_close_log(t);
                if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
                        break;
        }
        assert_true(n < SWEEP_MAX);
        assert_true(failures >= 3);
}

DELTA_TEST(a_process_killed_meanwhile_leaves_all_or_what_stays)
{
        sweep_faults(t, FAULT_KILL, false);
}

DELTA_TEST(a_power_cut_meanwhile_leaves_all_or_what_stays)
{
        sweep_faults(t, FAULT_POWER_CUT, false);
}

DELTA_TEST(a_disk_that_fails_or_is_full_leaves_all_or_what_stays)
{
        sweep_faults(t, FAULT_EIO, false);
        sweep_faults(t, FAULT_SHORT, true);
}

DELTA_TEST(without_memory_nothing_is_put_or_let_go)
{
        deltas_open_log(t);
        deltas_put_all(t);
        deltas_putting p = deltas_prepare(t, VERSIONS, VERSIONS - 1);
        deltas_keeping k = deltas_keep(t, 11, VERSIONS, 3);
        for (sweep s = {.once = true, .keeps = true}; sweep_next(&s);) {
                sweep_arm(&s);
                const pawl_status status =
                        pawl__contents_commit(t->contents, deltas_fill, &p, &t->err);
                if (!sweep_done(&s, status, NULL))
                        assert_int_equal(deltas_read_version(t, VERSIONS), PAWL_ENOTFOUND);
        }
        deltas_check_read(t, 0, VERSIONS + 1);
        for (sweep s = {.once = true, .keeps = true}; sweep_next(&s);) {
                sweep_arm(&s);
                const pawl_status status =
                        pawl__contents_commit(t->contents, deltas_sweep_fill, &k, &t->err);
                if (!sweep_done(&s, status, NULL))
                        deltas_check_read(t, 0, VERSIONS);
                else
                        deltas_check_kept(t, &k);
        }
        pawl__buf_free(&p.text);
}
