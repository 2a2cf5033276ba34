/* Needs PAWL_WITH_GIT. */
/* Going back where each allocation fails once: nothing is leaked, and it is refused, done, or
 * half-way and seen, so that to finish and to give up come to their ends. */
#include "support/event_log.h"
#include "support/sweep.h"
#include "support/trees.h"
#include <pawl/rollback.h>
#include <sys/stat.h>

typedef struct fixture {
        event_log *log;
        trees t;
        tree_hash before;
        pawl_error err;
} fixture;

static void put(fixture *f, const char *name, const char *data)
{
        char *path = path_in(f->log->directory, name);

        file_write(path, data, strlen(data));
}

static void take(fixture *f)
{
        const pawl_workspace_checkpoint_request request = PAWL_CHECKPOINT_REQUEST_INIT;
        pawl_workspace_capture *capture;

        assert_ok(pawl_workspace_checkpoint(&capture, f->log->log, &request, NULL, &f->err));
        pawl_workspace_capture_free(capture);
}

static void start(fixture *f, void *log)
{
        *f = (fixture){.log = log};
        f->log->flags = PAWL_LOG_CREATE;
        (void)event_log_open(f->log);
        put(f, "a", "one");
        take(f);
        assert_int_equal(mkdir(path_in(f->log->directory, "sub"), 0755), 0);
        put(f, "a", "two");
        put(f, "sub/b", "two");
        take(f);
        put(f, "mine", "two");
        f->before = tree_on_disk(&f->t, f->log->directory);
        allocator_leave_git_alone();
}

/* ---- The calls ------------------------------------------------------------------------------- */

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

/* Each time into a directory of its own. */
static pawl_status call_extract(fixture *f)
{
        static unsigned n;
        char directory[4096];

        snprintf(directory, sizeof directory, "%s-extracted-%u", f->log->directory, n++);
        const pawl_status status =
                pawl_workspace_extract(f->log->log, "1", directory, NULL, &f->err);
        directory_remove(directory);
        return status;
}

static pawl_status call_undo(fixture *f)
{
        return pawl_workspace_undo(NULL, f->log->log, NULL, NULL, &f->err);
}

static pawl_status call_redo(fixture *f)
{
        return pawl_workspace_redo(NULL, f->log->log, NULL, NULL, &f->err);
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

/* ---- The sweeps ------------------------------------------------------------------------------ */

static void sweep_reading(fixture *f, call_fn *call)
{
        for (sweep s = {.keeps = true}; sweep_next(&s);) {
                sweep_arm(&s);
                (void)sweep_done(&s, call(f), &f->err);
        }
}

/* Over and over; now and then it is half-way. The other call puts back what it did. */
static void sweep_writing(fixture *f, call_fn *call, call_fn *back)
{
        size_t half = 0;
        const bool undoes = call == call_undo;

        for (sweep s = {.step = call == call_redo ? 47 : 3, .keeps = true}; sweep_next(&s);) {
                if (undoes)
                        must(f, back);
                sweep_arm(&s);
                const bool ok = sweep_done(&s, call(f), &f->err);
                bool done = ok;
                if (!ok && pending(f)) {
                        done = ++half & 1;
                        must(f, done ? call_finish : call_give_up);
                }
                if (done != undoes)
                        must(f, call_undo);
        }
        if (allocator_works())
                assert_true(half > 0);
}

/* One that is half-way is finished or given up in one of many tries. */
static void sweep_ending(fixture *f, call_fn *call)
{
        if (!allocator_works())
                return;
        for (size_t n = 1; !pending(f); n++) {
                allocator_fail_at(n);
                const pawl_status status = call_rollback(f);
                allocator_fail_at(0);
                if (!status) /* it could do without */
                        must(f, call_undo);
        }
        for (sweep s = {.once = true, .keeps = true}; sweep_next(&s);) {
                sweep_arm(&s);
                (void)sweep_done(&s, call(f), &f->err);
        }
        assert_false(pending(f));
}

UNIT_TEST_WITH(whatever_allocation_fails, event_log *log, event_log_setup, event_log_teardown)
{
        fixture f;

        start(&f, log);
        sweep_reading(&f, call_plan);
        sweep_reading(&f, call_pending);
        sweep_reading(&f, call_extract);
        must(&f, call_rollback);
        must(&f, call_undo);
        sweep_reading(&f, call_list);
        sweep_writing(&f, call_redo, NULL);
        sweep_writing(&f, call_rollback, NULL);
        sweep_writing(&f, call_undo, call_rollback);
        sweep_ending(&f, call_give_up);
        sweep_ending(&f, call_finish);
        if (allocator_works()) /* it was finished */
                must(&f, call_undo);
        tree_hash now = tree_on_disk(&f.t, f.log->directory);
        assert_memory_equal(now.bytes, f.before.bytes, 32);
        trees_free(&f.t);
}

int main(void)
{
        return test_run_in_memory(NULL, NULL);
}
