/* Needs PAWL_WITH_GIT. */
/* Going back where each allocation fails once: nothing is leaked, and it is refused, done, or
 * half-way and seen, so that to finish and to give up come to their ends. */
#include "support/allocator.h"
#include "support/event_log.h"
#include "support/trees.h"
#include <pawl/rollback.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct fixture {
        event_log *log;
        trees t;
        tree_hash before;
        pawl_error err;
} fixture;

static void put(fixture *f, const char *name, const char *data)
{
        char *path = path_in(f->log->folder, name);

        file_write(path, data, strlen(data));
        free(path);
}

static void take(fixture *f)
{
        const pawl_workspace_checkpoint_request request = PAWL_CHECKPOINT_REQUEST_INIT;
        pawl_workspace_capture *capture;

        assert_int_equal(
                pawl_workspace_checkpoint(&capture, f->log->log, &request, NULL, &f->err), PAWL_OK);
        pawl_workspace_capture_free(capture);
}

static void start(fixture *f, void *log)
{
        *f = (fixture){.log = log};
        f->log->flags = PAWL_LOG_CREATE;
        (void)event_log_open(f->log);
        put(f, "a", "one");
        take(f);
        char *folder = path_in(f->log->folder, "sub");
        assert_int_equal(mkdir(folder, 0755), 0);
        free(folder);
        put(f, "a", "two");
        put(f, "sub/b", "two");
        take(f);
        put(f, "mine", "two");
        f->before = tree_on_disk(&f->t, f->log->folder);
        allocator_leave_git_alone();
}

/* ---- The calls --------------------------------------------------------------------------------
 */

typedef pawl_status call_fn(fixture *f);

static pawl_status call_plan(fixture *f)
{
        pawl_rollback_plan *plan = NULL;
        pawl_status status = pawl_workspace_plan(&plan, f->log->log, "1", NULL, NULL, &f->err);

        pawl_rollback_plan_free(plan);
        return status;
}

static pawl_status call_rollback(fixture *f)
{
        return pawl_workspace_rollback(NULL, f->log->log, "1", NULL, NULL, &f->err);
}

static pawl_status call_undo(fixture *f)
{
        return pawl_workspace_undo(NULL, f->log->log, NULL, NULL, &f->err);
}

static pawl_status call_finish(fixture *f)
{
        return pawl_workspace_finish(NULL, f->log->log, NULL, &f->err);
}

static pawl_status call_give_up(fixture *f)
{
        return pawl_workspace_give_up(NULL, f->log->log, NULL, &f->err);
}

static pawl_status call_pending(fixture *f)
{
        pawl_pending_rollback found;
        pawl_status status = pawl_workspace_pending(&found, f->log->log, &f->err);

        return status == PAWL_ENOTFOUND ? PAWL_OK : status;
}

static pawl_status call_list(fixture *f)
{
        pawl_rollbacks *list = NULL;
        pawl_status status = pawl_rollback_list(&list, f->log->log, &f->err);

        if (!status)
                pawl_rollbacks_free(list);
        return status;
}

static bool pending(fixture *f)
{
        pawl_pending_rollback found;

        return pawl_workspace_pending(&found, f->log->log, &f->err) == PAWL_OK;
}

static void must(fixture *f, call_fn *call)
{
        if (call(f))
                fail_msg("%s", f->err.message);
}

/* ---- The sweeps -------------------------------------------------------------------------------
 */

/* The n-th allocation fails: true as long as there is an n-th. */
static bool fails(pawl_status *status, fixture *f, call_fn *call, size_t n)
{
        allocator_fail_at(n);
        *status = call(f);
        bool failed = allocator_failed();
        allocator_fail_at(0);
        if (*status && *status != PAWL_ENOMEM)
                fail_msg("%zu: %s", n, f->err.message);
        assert_true(failed || *status == PAWL_OK);
        return failed;
}

static void whatever_allocation_fails(void **state)
{
        fixture f;
        pawl_status status;
        size_t n = 0;

        if (!allocator_works())
                skip();
        start(&f, *state);
        while (fails(&status, &f, call_plan, ++n))
                ;
        for (n = 0; fails(&status, &f, call_pending, ++n);)
                ;
        must(&f, call_rollback);
        must(&f, call_undo);
        for (n = 0; fails(&status, &f, call_list, ++n);)
                ;
        /* a rollback and its undo, each over and over; now and then they are half-way */
        size_t half = 0, step = test_full() ? 1 : 3;
        for (n = 1;; n += step) {
                bool failed = fails(&status, &f, call_rollback, n);
                if (status && pending(&f)) {
                        half++;
                        must(&f, half & 1 ? call_finish : call_give_up);
                        if (half & 1)
                                must(&f, call_undo);
                } else if (!status) {
                        must(&f, call_undo);
                }
                if (!failed)
                        break;
        }
        assert_true(half > 0);
        for (n = 1, half = 0;; n += step) {
                must(&f, call_rollback);
                bool failed = fails(&status, &f, call_undo, n);
                if (status && pending(&f)) {
                        half++;
                        must(&f, half & 1 ? call_finish : call_give_up);
                        if (!(half & 1))
                                must(&f, call_undo);
                } else if (status) {
                        must(&f, call_undo);
                }
                if (!failed)
                        break;
        }
        assert_true(half > 0);
        tree_hash now = tree_on_disk(&f.t, f.log->folder);
        assert_memory_equal(now.bytes, f.before.bytes, 32);
        trees_free(&f.t);
}

int main(void)
{
        const struct CMUnitTest tests[] = {LOG_TEST(whatever_allocation_fails)};

        if (access("/dev/shm", W_OK) == 0)
                setenv("TMPDIR", "/dev/shm", 1);
        return cmocka_run_group_tests(tests, NULL, NULL);
}
