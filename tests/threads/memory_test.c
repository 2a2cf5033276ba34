/* No memory at any allocation of putting, listing and deleting threads: a clear failure, and
 * nothing in the log. */
#include "support/sweep.h"
#include "support/threads.h"

static pawl_status put(threads *t, pawl_error *err)
{
        const pawl_status status = threads_put_at(t, "t", "sub", "1", "2", "a1 b2=*z c2=+c");

        *err = t->err;
        return status;
}

static pawl_status write(threads *t, pawl_error *err)
{
        const pawl_status status = threads_write(t, "t", "1", "task", "path", 0, "value");

        *err = t->err;
        return status;
}

static pawl_status list(threads *t, pawl_error *err)
{
        pawl_thread_filter filter = PAWL_THREAD_FILTER_INIT;
        pawl_thread_checkpoints *found = NULL;

        filter.metadata = "{\"step\":1}";
        pawl_status status = pawl_thread_list(&found, t->threads, &filter, err);
        if (!status)
                assert_int_equal(found->n, 2);
        pawl_thread_checkpoints_free(found);
        return status;
}

/* As who has opened the log just now: nothing is cached. */
static pawl_status list_anew(threads *t, pawl_error *err)
{
        pawl_threads *other = NULL;
        pawl_status status = pawl_threads_open(&other, t->f->log, NULL, err);
        threads anew = {.f = t->f, .threads = other};

        if (!status)
                status = list(&anew, err);
        pawl_threads_close(other);
        return status;
}

static pawl_status open(threads *t, pawl_error *err)
{
        pawl_threads *other = NULL;
        pawl_status status = pawl_threads_open(&other, t->f->log, "m", err);

        pawl_threads_close(other);
        return status;
}

static pawl_status dry(threads *t, pawl_error *err)
{
        pawl_thread_prune_report *report = NULL;
        pawl_status status = pawl_thread_prune(&report, t->threads, 0, INT64_MAX, true, NULL, err);

        pawl_thread_prune_free(report);
        return status;
}

static pawl_status remove_one(threads *t, pawl_error *err)
{
        return pawl_thread_delete(t->threads, "t", "user:ana", err);
}

static void sweep_call(threads *t, pawl_status (*call)(threads *t, pawl_error *err), bool once)
{
        for (sweep s = {.keeps = true, .once = once}; sweep_next(&s);) {
                pawl_error err = PAWL_ERROR_INIT;
                const int64_t events = event_log_count(t->f);

                sweep_arm(&s);
                const pawl_status status = call(t, &err);
                if (!sweep_done(&s, status, &err))
                        assert_int_equal(event_log_count(t->f), events);
        }
}

THREADS_TEST(no_allocation_that_fails_leaves_anything)
{
        threads_put(t, "t", NULL, "1", "a1=x b1=*y c1=+z");
        threads_put(t, "t", "1", "3", "a1 b1 c1");
        sweep_call(t, list, false);
        sweep_call(t, list_anew, false);
        sweep_call(t, open, false);
        sweep_call(t, dry, false);
        sweep_call(t, write, true);
        sweep_call(t, put, true);
        sweep_call(t, remove_one, true);
        assert_string_equal(threads_of(t, "t"), "");
}
