/* Retention: which checkpoints go, and when a warning is due. */
#include "support/shapes.h"
#include "workspace/retention.h"
#include <unistd.h>

static size_t kept(shapes *t)
{
        return (size_t)event_log_integer(t->f,
                "SELECT count(*) FROM workspace_checkpoints WHERE pruned_seq = 0 OR "
                "pruned_seq IS NULL");
}

SHAPES_TEST(without_a_limit_nothing_goes)
{
        const pawl__retention none = PAWL__RETENTION_INIT;
        pawl__retained done = {9, 9, 9};

        shapes_take(t, "abcdef");
        shapes_take(t, "abcdeg");
        assert_ok(pawl__retention_apply(&done, t->f->log, &none, false, "user:ana", &t->err));
        assert_int_equal(done.checkpoints, 0);
        assert_int_equal(kept(t), 2);
}

SHAPES_TEST(a_warning_is_due_once_a_day_and_only_without_a_limit)
{
        pawl__retention limits = PAWL__RETENTION_INIT;
        uint64_t stored = 0;
        bool warns = true;

        shapes_take(t, "abcdef");
        assert_ok(pawl__retention_warns(&warns, &stored, t->f->log, &limits, &t->err));
        assert_false(warns); /* of 2 GiB there are none */
        limits.warn = 1;
        limits.count = 5;
        assert_ok(pawl__retention_warns(&warns, &stored, t->f->log, &limits, &t->err));
        assert_false(warns);
        limits.count = 0;
        assert_ok(pawl__retention_warns(&warns, &stored, t->f->log, &limits, &t->err));
        assert_true(warns && stored > 0);
        assert_ok(pawl__retention_warns(&warns, &stored, t->f->log, &limits, &t->err));
        assert_false(warns);
}

SHAPES_TEST(the_oldest_go_until_all_limits_hold)
{
        pawl__retention limits = PAWL__RETENTION_INIT;
        pawl__retained told = {0, 0, 0}, done = {0, 0, 0};

        shapes_take(t, "abcdef");
        shapes_take(t, "abcdeg");
        shapes_take(t, "abcdeh");
        shapes_take(t, "xyzdei");
        limits.count = 3;
        assert_ok(pawl__retention_apply(&told, t->f->log, &limits, true, "user:ana", &t->err));
        assert_int_equal(kept(t), 4);
        assert_ok(pawl__retention_apply(&done, t->f->log, &limits, false, "user:ana", &t->err));
        assert_int_equal(done.checkpoints, 1);
        assert_true(done.bytes > 0 && done.bytes == told.bytes);
        assert_int_equal(kept(t), 3);
        limits = (pawl__retention)PAWL__RETENTION_INIT;
        limits.days = 1;
        t->f->wall_us += 86400 * INT64_C(1000000) - 500000;
        assert_ok(pawl__retention_apply(&done, t->f->log, &limits, false, "user:ana", &t->err));
        assert_int_equal(done.checkpoints, 2); /* the current one stays, whatever its age */
        assert_int_equal(kept(t), 1);
        shapes_check_there(t, "xyzdei");
}

SHAPES_TEST(bytes_are_what_all_take_up_as_stored)
{
        pawl__retention limits = PAWL__RETENTION_INIT;
        pawl__retained done = {0, 0, 0};
        pawl_usage *usage = NULL;

        shapes_take(t, "abcdef");
        shapes_take(t, "ghijkl");
        shapes_take(t, "mnopqr");
        assert_ok(pawl_workspace_usage(&usage, t->f->log, &t->err));
        limits.bytes = usage->total.stored - 1;
        pawl_usage_free(usage);
        assert_ok(pawl__retention_apply(&done, t->f->log, &limits, false, "user:ana", &t->err));
        assert_int_equal(done.checkpoints, 1);
        shapes_check_there(t, "ghijkl");
        limits.bytes = 1;
        assert_ok(pawl__retention_apply(&done, t->f->log, &limits, false, "user:ana", &t->err));
        assert_int_equal(kept(t), 1);
        shapes_check_there(t, "mnopqr");
}
