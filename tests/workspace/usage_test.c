/* What checkpoints take up. */
#include "base/digest.h"
#include "support/shapes.h"
#include "workspace/store/mark.h"

SHAPES_TEST(contents_are_counted_once_and_told_apart)
{
        unsigned char hash[32];

        shapes_take(t, "abcdef");
        shapes_take(t, "abcdeg");
        shapes_take(t, "abcdeg");
        pawl_usage *usage = shapes_usage(t);
        const pawl_usage_totals *total = &usage->total;
        assert_int_equal(total->checkpoints, 3);
        assert_int_equal(total->pruned, 0);
        assert_int_equal(total->contents, 7 + 1 + 2); /* files, the directory, roots */
        assert_int_equal(
                total->stored, event_log_integer(t->f, "SELECT sum(length(data)) FROM packs"));
        assert_int_equal(total->bytes, 7 * 37 + 155 + 2 * 193);
        assert_int_equal(total->unnamed, 0);
        assert_true(total->log >= total->stored);
        assert_int_equal(usage->n, 3);
        const pawl_workspace_checkpoint_usage *one = &usage->items[0];
        assert_int_equal(one->n, 1);
        assert_text(one->id, "cp-01");
        assert_int_equal(one->files, SHAPE_FILES);
        assert_int_equal(one->bytes, 10);
        assert_true(one->own > 0 && one->own < total->stored);
        assert_int_equal(usage->items[1].own, 0); /* the third has all of it too */
        uint64_t own = one->own;
        pawl_usage_free(usage);

        /* So much goes with the first one. */
        pawl_workspace_prune_report *report = shapes_prune(t, 2, false);
        assert_int_equal(report->bytes, own);
        pawl_workspace_prune_free(report);
        usage = shapes_usage(t);
        total = &usage->total;
        assert_int_equal(total->checkpoints, 2);
        assert_int_equal(total->pruned, 1);
        assert_int_equal(usage->items[0].n, 2);
        pawl_usage_free(usage);

        /* What no checkpoint names. */
        memset(hash, 7, sizeof hash);
        event_log_sql(t->f, "INSERT INTO contents VALUES (randomblob(32), 0, 5, x'0102')");
        usage = shapes_usage(t);
        assert_int_equal(usage->total.unnamed, 1);
        assert_int_equal(usage->total.unnamed_stored, 2);
        pawl_usage_free(usage);
}

SHAPES_TEST(an_empty_log_takes_up_nothing)
{
        pawl_usage *usage = shapes_usage(t);

        assert_int_equal(usage->total.checkpoints, 0);
        assert_int_equal(usage->total.stored, 0);
        assert_int_equal(usage->n, 0);
        pawl_usage_free(usage);
}

SHAPES_TEST(the_first_one_that_names_it_is_told_until_there_is_a_second)
{
        static const char *const files[] = {"abcdef", "abcxyz"};
        unsigned char tree[2][32], inner[32], a[32];
        pawl__mark *reach;
        uint32_t owner = 7;
        char text[64];

        for (int i = 0; i < 2; i++) {
                shape s = {.t = t, .files = files[i]};
                shapes_take(t, files[i]);
                assert_ok(shapes_put_tree(tree[i], &s, false, NULL));
                assert_ok(shapes_put_directory(inner, &s, 0, 3, NULL, false, NULL));
        }
        assert_ok(pawl__sha256(t->hasher, a, text, shapes_text(text, 'a'), NULL));
        assert_ok(pawl__mark_new(&reach, t->contents, &t->err));
        assert_false(pawl__mark_has(&owner, reach, a));
        assert_int_equal(owner, 7);
        assert_ok(pawl__mark_add(reach, tree[0], 3, &t->err));
        assert_true(pawl__mark_has(&owner, reach, a));
        assert_int_equal(owner, 3);
        assert_ok(pawl__mark_add(reach, tree[0], 3, &t->err));
        assert_true(pawl__mark_has(&owner, reach, a));
        assert_int_equal(owner, 3);
        assert_ok(pawl__mark_add(reach, tree[1], 4, &t->err));
        assert_true(pawl__mark_has(&owner, reach, a)); /* within the directory that both have */
        assert_int_equal(owner, PAWL__MARK_SHARED);
        assert_true(pawl__mark_has(&owner, reach, inner));
        assert_int_equal(owner, PAWL__MARK_SHARED);
        assert_true(pawl__mark_has(&owner, reach, tree[1]));
        assert_int_equal(owner, 4);
        pawl__mark_free(reach);
        /* a file may have the bytes of a directory */
        assert_ok(pawl__mark_new(&reach, t->contents, &t->err));
        assert_ok(pawl__mark_content(reach, tree[0], 3, &t->err));
        assert_false(pawl__mark_has(&owner, reach, a));
        assert_ok(pawl__mark_add(reach, tree[0], 3, &t->err));
        assert_true(pawl__mark_has(&owner, reach, a));
        pawl__mark_free(reach);
}
