/* What lies between two trees: each change once, in order, and nothing that is equal is read. */
#include "support/trees.h"
#include "workspace/store/tree_diff.h"

typedef struct seen {
        pawl__buf said;
        int stop_at, n;
} seen;

static pawl_status see(const pawl__change *change, void *user, pawl_error *err)
{
        static const char *const names[] = {"+", "-", "*", "mode", "kind", "in"};
        seen *s = user;

        (void)err;
        if (++s->n == s->stop_at)
                return PAWL_EIO;
        assert_true(change->from || change->to);
        assert_int_equal(change->path.data[change->path.len], '\0');
        assert_ok(pawl__buf_addf(&s->said, "%s %s %c%c%s\n", names[change->kind], change->path.data,
                change->from ? (char)change->from->kind : '-',
                change->to ? (char)change->to->kind : '-', change->unknown ? " unknown" : ""));
        return PAWL_OK;
}

static void check_diff(trees *t, const tree_hash *from, const tree_hash *to, const char *wanted)
{
        pawl__directories directories = trees_directories(t);
        pawl_error err = PAWL_ERROR_INIT;
        seen s = {.said = PAWL__BUF_INIT};

        assert_ok(pawl__diff_trees(
                &directories, from ? from->bytes : NULL, to ? to->bytes : NULL, see, &s, &err));
        assert_string_equal(s.said.data ? s.said.data : "", wanted);
        pawl__buf_free(&s.said);
}

UNIT_TEST(every_kind_of_change_is_told)
{
        trees t = {0};

        tree_hash a = tree_of(&t, "f 644 changed=1", "f 644 chmod=1", "d 755 dchmod",
                "f 644 gone=1", "l link=x", "f 644 same/deep=1", "f 644 sub/a=1", "f 644 sub/b=1",
                "f 644 tofolder=1", "f 644 tofile/x=1", "l tolink=y", "x 1 big", "x 3 fifo", NULL);
        tree_hash b = tree_of(&t, "f 755 changed=2", "f 600 chmod=1", "d 700 dchmod", "f 644 new=1",
                "l link=z", "f 644 same/deep=1", "f 644 sub/a=2", "f 644 sub/b=1",
                "f 644 tofolder/in=1", "f 644 tofile=1", "f 644 tolink=y", "f 644 big=1",
                "x 2 fifo", NULL);
        check_diff(&t, &a, &b,
                "kind big xf unknown\n* changed ff\nmode chmod ff\nmode dchmod dd\n- gone f-\n* link ll\n"
                "+ new -f\nin sub dd\n* sub/a ff\nkind tofile df\n- tofile/x f-\nkind tofolder fd\n"
                "+ tofolder/in -f\nkind tolink lf\n");
        check_diff(&t, &a, &a, "");
        trees_free(&t);
}

UNIT_TEST(directories_come_and_go_with_all_in_them)
{
        trees t = {0};

        tree_hash none = tree_of(&t, NULL);
        tree_hash some =
                tree_of(&t, "d 755 a", "f 644 a-b=1", "f 644 a/c/d=1", "f 644 a/c.x=2", NULL);
        check_diff(&t, NULL, &some, "+ a -d\n+ a/c -d\n+ a/c/d -f\n+ a/c.x -f\n+ a-b -f\n");
        check_diff(&t, &none, &some, "+ a -d\n+ a/c -d\n+ a/c/d -f\n+ a/c.x -f\n+ a-b -f\n");
        check_diff(&t, &some, NULL, "- a d-\n- a/c d-\n- a/c/d f-\n- a/c.x f-\n- a-b f-\n");
        check_diff(&t, NULL, NULL, "");
        check_diff(&t, NULL, &none, "");
        trees_free(&t);
}

UNIT_TEST(nothing_is_known_in_a_directory_that_one_side_did_not_capture)
{
        trees t = {0};

        tree_hash some = tree_of(&t, "f 644 a/b/c=1", "f 644 z=1", NULL);
        tree_hash missed = tree_of(&t, "x 2 a", "f 644 z=2", NULL);
        check_diff(&t, &some, &missed,
                "kind a dx unknown\n- a/b d- unknown\n- a/b/c f- unknown\n* z ff\n");
        check_diff(&t, &missed, &some,
                "kind a xd unknown\n+ a/b -d unknown\n+ a/b/c -f unknown\n* z ff\n");
        trees_free(&t);
}

/* Of two directories with one hash, neither is asked for: here they are not there to be had. */
UNIT_TEST(what_is_equal_is_not_read)
{
        trees t = {0};

        tree_hash a = tree_of(&t, "f 644 big/x=1", "f 644 y=1", NULL);
        tree_hash b = tree_of(&t, "f 644 big/x=1", "f 644 y=2", NULL);
        tree_hash big = tree_of(&t, "f 644 x=1", NULL);
        for (size_t i = 0; i < t.n; i++)
                if (memcmp(t.items[i].hash, big.bytes, 32) == 0)
                        t.items[i].hash[0] ^= 1;
        check_diff(&t, &a, &b, "* y ff\n");
        trees_free(&t);
}

UNIT_TEST(failures_are_passed_on)
{
        trees t = {0};
        pawl__directories directories = trees_directories(&t);
        pawl_error err = PAWL_ERROR_INIT;
        unsigned char missing[32] = {1};

        tree_hash some = tree_of(&t, "f 644 a/b=1", "f 644 c=1", NULL);
        assert_int_equal(
                pawl__diff_trees(&directories, NULL, missing, see, NULL, &err), PAWL_ENOTFOUND);
        for (int at = 1; at <= 3; at++) {
                seen s = {.said = PAWL__BUF_INIT, .stop_at = at};
                assert_int_equal(
                        pawl__diff_trees(&directories, NULL, some.bytes, see, &s, &err), PAWL_EIO);
                assert_int_equal(s.n, at);
                pawl__buf_free(&s.said);
        }
        struct trees_item *item = &t.items[t.n - 1]; /* the topmost directory */
        item->data.data[0] = 'T';
        assert_int_equal(
                pawl__diff_trees(&directories, NULL, some.bytes, see, NULL, &err), PAWL_EDAMAGED);
        trees_free(&t);
}
