/* What a rollback decides: what is written, what goes, and what is left alone and why. */
#include "support/trees.h"
#include "workspace/rollback/plan.h"

/* What is in the workspace beside its tree: "d PATH" or "x PATH"; "+ PATH": a directory that
 * holds more than its tree says. */
typedef struct fixture {
        trees t;
        const char *beside[8];
        pawl__map also;
        bool undo;
} fixture;

static int set_up(void **state)
{
        *state = test_alloc(sizeof(fixture));
        return *state ? 0 : -1;
}

static int tear_down(void **state)
{
        fixture *f = *state;

        trees_free(&f->t);
        pawl__map_free(&f->also);
        return 0;
}

#define TEST(name) UNIT_TEST_WITH(name, fixture *f, set_up, tear_down)

static pawl_status look(char *kind, pawl_text path, void *user, pawl_error *err)
{
        const fixture *f = user;

        (void)err;
        *kind = 0;
        for (size_t i = 0; i < 8 && f->beside[i]; i++)
                if (f->beside[i][0] != '+' && pawl__text_is(path, f->beside[i] + 2))
                        *kind = f->beside[i][0];
        return PAWL_OK;
}

static pawl_status holds_more(
        bool *more, pawl_text path, const unsigned char hash[32], void *user, pawl_error *err)
{
        const fixture *f = user;

        (void)err;
        assert_non_null(trees_find(&f->t, hash));
        *more = false;
        for (size_t i = 0; i < 8 && f->beside[i]; i++)
                if (f->beside[i][0] == '+' && pawl__text_is(path, f->beside[i] + 2))
                        *more = true;
        return PAWL_OK;
}

static char kind_of(const pawl__entry *entry)
{
        return entry->kind ? (char)entry->kind : '-';
}

/* "PATH FROM>TO" a step, "PATH: why" what is left alone, with "!" where it is wanted. */
static char *told(const pawl__plan *plan)
{
        pawl__buf out = PAWL__BUF_INIT;

        for (size_t i = 0; i < plan->n_steps; i++)
                assert_ok(pawl__buf_addf(&out, "%s %c>%c\n", plan->steps[i].path.data,
                        kind_of(&plan->steps[i].from), kind_of(&plan->steps[i].to)));
        for (size_t i = 0; i < plan->n_left; i++)
                assert_ok(pawl__buf_addf(&out, "%s: %s%s\n", plan->left[i].path.data,
                        pawl__left_text(&plan->left[i]), plan->left[i].wanted ? "!" : ""));
        return test_take(&out);
}

/* The plan from one tree to another by what the n trees of @p recorded had, and the target. */
static void make(pawl__plan *plan, fixture *f, tree_hash now, tree_hash target,
        const tree_hash *recorded, size_t n)
{
        pawl__directories directories = trees_directories(&f->t);
        const pawl__world world = {look, holds_more, f, NULL};
        pawl__plan_rights rights = {.also = &f->also, .target_recorded = !f->undo};
        tree_hash all[8];
        pawl_error err = PAWL_ERROR_INIT;

        for (size_t i = 0; i < n; i++)
                all[i] = recorded[i];
        if (!f->undo)
                all[n++] = target;
        *plan = (pawl__plan)PAWL__PLAN_INIT;
        memcpy(plan->now, now.bytes, 32);
        memcpy(plan->target_tree, target.bytes, 32);
        assert_ok(pawl__tracked_paths_new(&rights.recorded, &directories, all[0].bytes, n, &err));
        assert_ok(pawl__plan_make(plan, &directories, &rights, &world, &err));
        pawl__tracked_paths_free(rights.recorded);
}

static void check_plan(fixture *f, tree_hash now, tree_hash target, const tree_hash *recorded,
        size_t n, const char *wanted)
{
        pawl__plan plan;

        make(&plan, f, now, target, recorded, n);
        char *got = told(&plan);
        assert_string_equal(got, wanted);
        pawl__plan_free(&plan);
}

TEST(recorded_paths_are_written_and_removed)
{
        tree_hash target = tree_of(&f->t, "f 644 a=1", "f 644 dir/b=1", "f 644 gone=1", "l link=x",
                "f 755 mode=1", "d 755 empty", NULL);
        tree_hash later = tree_of(&f->t, "f 644 later=1", "f 644 dir/later=1", "f 644 new/x=1",
                "d 755 new/sub", NULL);
        tree_hash now =
                tree_of(&f->t, "f 644 a=2", "f 644 dir/b=1", "f 644 dir/later=2", "l link=y",
                        "f 644 later=1", "f 644 mode=1", "f 644 new/x=1", "d 755 new/sub", NULL);

        check_plan(f, now, target, &later, 1,
                "a f>f\ndir/later f>-\nempty ->d\ngone ->f\nlater f>-\nlink l>l\nmode f>f\nnew d>-\n"
                "new/sub d>-\nnew/x f>-\n");
        check_plan(f, target, target, &later, 1, "");
}

TEST(what_no_checkpoint_recorded_is_left_alone)
{
        tree_hash target = tree_of(&f->t, "f 644 a=1", NULL);
        tree_hash later = tree_of(&f->t, "f 644 dir/known=1", "f 644 dir/in/known=1", NULL);
        tree_hash now = tree_of(&f->t, "f 644 a=1", "f 644 mine=1", "f 644 dir/known=1",
                "f 644 dir/in/known=1", "f 644 dir/in/mine=1", "f 644 own/x/y=1", NULL);

        check_plan(f, now, target, &later, 1,
                "dir/in/known f>-\ndir/known f>-\ndir: holds something that stays\n"
                "dir/in: holds something that stays\ndir/in/mine: no checkpoint recorded it\n"
                "mine: no checkpoint recorded it\nown: no checkpoint recorded it\n");
}

TEST(a_directory_of_gits_own_is_left_alone_also_where_an_older_checkpoint_has_it)
{
        tree_hash old = tree_of(&f->t, "f 644 a=1", "f 644 bare/HEAD=1", "f 644 bare/objects/x=1",
                "f 644 bare/refs/x=1", "f 644 no/HEAD=1", "f 644 no/objects=1", "d 755 no/refs",
                NULL);
        tree_hash later = tree_of(&f->t, "f 644 a=2", "x 6 bare", NULL);
        tree_hash without = tree_of(&f->t, "f 644 a=2", NULL);
        tree_hash partly = tree_of(&f->t, "f 644 a=2", "f 644 bare/objects/x=2", NULL);
        tree_hash root = tree_of(&f->t, "f 644 HEAD=1", "d 755 objects", "d 755 refs", NULL);
        tree_hash root_now = tree_of(&f->t, "x 6 HEAD", "x 6 objects", "x 6 refs", "x 6 a", NULL);

        check_plan(f, later, old, &later, 1,
                "a f>f\nno ->d\nno/HEAD ->f\nno/objects ->f\nno/refs ->d\n"
                "bare: not captured: a repository's own\n");
        check_plan(f, without, old, &later, 1,
                "a f>f\nno ->d\nno/HEAD ->f\nno/objects ->f\nno/refs ->d\n"
                "bare: not captured: a repository's own\n");
        check_plan(f, partly, old, &partly, 1,
                "a f>f\nno ->d\nno/HEAD ->f\nno/objects ->f\nno/refs ->d\n"
                "bare: not captured: a repository's own\n");
        check_plan(f, without, root, &without, 1,
                "HEAD: not captured: a repository's own\n"
                "a: not captured: a repository's own\n"
                "objects: not captured: a repository's own\n"
                "refs: not captured: a repository's own\n");
        check_plan(f, root_now, old, &without, 1,
                "HEAD: not captured: a repository's own\na: not captured: a repository's own\n"
                "bare: not captured: a repository's own\n"
                "no: not captured: a repository's own\n"
                "objects: not captured: a repository's own\nrefs: not captured: a repository's own\n");
}

TEST(what_was_not_captured_is_left_alone)
{
        tree_hash target = tree_of(&f->t, "f 644 big=1", "f 644 fifo/x=1", "x 1 huge", "x 1 gone",
                "f 644 ignored=1", "f 644 build/out=1", "f 644 build/other=1", "f 644 cache/a=1",
                NULL);
        tree_hash now = tree_of(&f->t, "x 1 big", "x 3 fifo", "f 644 huge=1", "x 2 secret", NULL);

        f->beside[0] = "x ignored";
        f->beside[1] = "d build";
        f->beside[2] = "x build/out";
        f->beside[3] = "x cache";
        check_plan(f, now, target, &target, 1,
                "build/other ->f\nbig: not captured: too large!\nbuild/out: ignored!\ncache: ignored!\n"
                "fifo: not captured: special file!\ngone: can't be brought back: too large then!\n"
                "huge: can't be brought back: too large then!\nignored: ignored!\nsecret: not captured: unreadable\n");
}

/* In letters of either size: to some file systems that is one name. */
TEST(what_programs_run_by_is_left_alone)
{
        tree_hash target = tree_of(&f->t, "f 755 .GIT/hooks/post-commit=1", "f 644 .Pawl=1",
                "f 644 a/.giT/config=1", "f 644 a/.github/x=1", NULL);
        tree_hash now = tree_of(&f->t, "d 755 a", "f 644 a/.giT/config=2", NULL);

        check_plan(f, now, target, &now, 1,
                "a/.github ->d\na/.github/x ->f\n.GIT: the log's own, or git's, which no rollback writes!\n.Pawl: the log's own, or git's, which no rollback writes!\n"
                "a/.giT: the log's own, or git's, which no rollback writes!\n");
        assert_false(pawl__own_files_named(NULL, pawl__text(".gitx/x.git/.pawl-/git")));
        assert_true(pawl__own_files_named(NULL, pawl__text("a/.git")));
        assert_true(pawl__own_files_named(NULL, pawl__text("a/.PAWL/b")));
}

TEST(files_become_directories_and_back)
{
        tree_hash a = tree_of(&f->t, "f 644 one=1", "f 644 two/x/y=1", "l three=x", NULL);
        tree_hash b = tree_of(&f->t, "f 644 one/in/x=1", "f 644 two=1", "f 644 three/z=1", NULL);

        check_plan(f, a, b, &a, 1,
                "one f>d\none/in ->d\none/in/x ->f\nthree l>d\nthree/z ->f\ntwo d>f\ntwo/x d>-\n"
                "two/x/y f>-\n");
        f->beside[0] =
                "+ two/x"; /* an ignored file in it: the directory stays, the file cannot come */
        check_plan(f, a, b, &a, 1,
                "one f>d\none/in ->d\none/in/x ->f\nthree l>d\nthree/z ->f\ntwo/x/y f>-\n"
                "two: holds something that stays!\ntwo/x: holds something that stays\n");
}

/* A directory that cannot be written in is one step more, so that its mode comes back. */
TEST(directories_without_write_permission_are_steps)
{
        tree_hash a = tree_of(&f->t, "d 555 ro", "f 644 ro/x=1", "d 555 ro/in", "f 444 ro/in/y=1",
                "d 555 same", "f 444 same/z=1", NULL);
        tree_hash b = tree_of(&f->t, "d 555 ro", "f 644 ro/x=2", "d 555 ro/in", "f 444 ro/in/y=1",
                "d 555 same", "f 444 same/z=1", NULL);
        tree_hash c =
                tree_of(&f->t, "d 700 ro", "f 644 ro/x=1", "d 755 ro/in", "f 644 ro/in/y=1", NULL);

        check_plan(f, a, b, &a, 1, "ro d>d\nro/x f>f\n");
        check_plan(f, a, c, &a, 1, "ro d>d\nro/in d>d\nro/in/y f>f\nsame d>-\nsame/z f>-\n");
}

/* An undo goes to a safety copy, which is no record: only what the rollback touched, or a
 * checkpoint recorded, is touched again. */
TEST(an_undo_touches_what_was_touched)
{
        tree_hash safety = tree_of(&f->t, "f 644 mine=1", "f 644 known=1", "f 644 pruned=1", NULL);
        tree_hash now = tree_of(&f->t, "f 644 mine=2", "f 644 new=1", NULL);
        tree_hash recorded = tree_of(&f->t, "f 644 known=0", NULL);

        f->undo = true;
        assert_ok(pawl__map_put(&f->also, pawl__text("pruned"), 1));
        check_plan(f, now, safety, &recorded, 1,
                "known ->f\npruned ->f\nmine: no checkpoint recorded it!\n"
                "new: no checkpoint recorded it\n");
}

/* What the log keeps of a plan is the plan, and nothing else is one. */
TEST(a_plan_goes_through_its_encoding)
{
        pawl__plan plan, back = PAWL__PLAN_INIT;
        pawl__buf out = PAWL__BUF_INIT, again = PAWL__BUF_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        tree_hash target = tree_of(&f->t, "f 644 a=1", "d 700 d", "l l=x", "f 644 big=1", NULL);
        tree_hash now = tree_of(&f->t, "l a=1", "f 4755 d=1", "x 1 big", "f 600 mine=1", NULL);

        make(&plan, f, now, target, &target, 1);
        plan.target = 3;
        plan.head_seq = UINT64_MAX;
        plan.undo = true;
        plan.git_from = pawl__text("0123");
        assert_ok(pawl__plan_encode(&out, &plan, &err));
        assert_ok(pawl__plan_decode(&back, pawl__buf_text(&out), &err));
        assert_memory_equal(plan.hash, back.hash, 32);
        char *a = told(&plan), *b = told(&back);
        assert_string_equal(a, b);
        assert_string_equal(a, "a l>f\nd f>d\nl ->l\nbig: not captured: too large!\n"
                               "mine: no checkpoint recorded it\n");
        assert_ok(pawl__plan_encode(&again, &back, &err));
        assert_int_equal(out.len, again.len);
        assert_memory_equal(out.data, again.data, out.len);
        pawl__plan_free(&back);

        size_t refused = 0, read = 0;
        for (size_t len = 0; len < out.len; len++) { /* cut: an end between two items is one */
                pawl_status status = pawl__plan_decode(&back, (pawl_text){out.data, len}, &err);
                if (status) {
                        assert_int_equal(status, PAWL_EDAMAGED);
                        assert_says(err.message, "is of no plan");
                        refused++;
                }
                pawl__plan_free(&back);
        }
        assert_true(refused >= out.len - 6);
        for (size_t i = 0; i < out.len; i++) { /* changed: it is refused, or has another encoding */
                out.data[i] ^= 0x2f;
                pawl_status status = pawl__plan_decode(&back, pawl__buf_text(&out), &err);
                if (!status) {
                        pawl__buf_clear(&again);
                        assert_ok(pawl__plan_encode(&again, &back, &err));
                        assert_int_equal(again.len, out.len);
                        assert_memory_equal(again.data, out.data, out.len);
                        read++;
                }
                pawl__plan_free(&back);
                out.data[i] ^= 0x2f;
        }
        assert_true(read > 0 && read < out.len);
        pawl__plan_free(&plan);
        pawl__buf_free(&out);
        pawl__buf_free(&again);
}

/* No path of a stored plan leads out of the root, and none comes twice. */
TEST(paths_of_a_stored_plan_are_checked)
{
        static const char *const bad[][2] = {{"/a", NULL}, {"../a", NULL}, {"a/../b", NULL},
                {"", NULL}, {"a//b", NULL}, {"b", "a"}, {"a", "a"}, {"a-", "a/b"}};
        static const char *const good[][2] = {{"a", "b"}, {"a/b", "a-"}, {"a", "a/b"}};

        for (size_t i = 0; i < 11; i++) {
                const char *const *paths = i < 8 ? bad[i] : good[i - 8];
                pawl__plan_step steps[2] = {{.path = pawl__text(paths[0])}, {{NULL, 0}, {0}, {0}}};
                pawl__plan plan = PAWL__PLAN_INIT, back = PAWL__PLAN_INIT;
                pawl__buf out = PAWL__BUF_INIT;
                pawl_error err = PAWL_ERROR_INIT;

                steps[1].path = pawl__text(paths[1]);
                plan.steps = steps;
                plan.n_steps = paths[1] ? 2 : 1;
                assert_ok(pawl__plan_encode(&out, &plan, &err));
                assert_int_equal(pawl__plan_decode(&back, pawl__buf_text(&out), &err),
                        i < 8 ? PAWL_EDAMAGED : PAWL_OK);
                pawl__plan_free(&back);
                pawl__buf_free(&out);
        }
}
