#include "support/restores.h"
#include <sys/stat.h>

bool restores_by_component;

int restores_setup(void **state)
{
        restores *f = test_alloc(sizeof *f);
        f->directory = directory_make();
        f->root = path_in(f->directory, "root");
        f->plan = (pawl__plan)PAWL__PLAN_INIT;
        if (mkdir(f->root, 0700) || pawl__rootdir_open(&f->b, f->root) != 0)
                return -1;
        f->b.by_component = restores_by_component;
        *state = f;
        return 0;
}

int restores_teardown(void **state)
{
        restores *f = *state;

        pawl__plan_free(&f->plan);
        pawl__rootdir_close(&f->b);
        trees_free(&f->t);
        return 0;
}

static pawl_status nothing_stands(char *kind, pawl_text path, void *user, pawl_error *err)
{
        (void)path, (void)user, (void)err;
        *kind = 0;
        return PAWL_OK;
}

static pawl_status nothing_more(
        bool *more, pawl_text path, const unsigned char hash[32], void *user, pawl_error *err)
{
        (void)path, (void)hash, (void)user, (void)err;
        *more = false;
        return PAWL_OK;
}

void restores_plan(restores *f, tree_hash now, tree_hash target)
{
        const pawl__world world = {nothing_stands, nothing_more, NULL, NULL};
        pawl__directories directories = trees_directories(&f->t);
        pawl__plan_rights rights = {.target_recorded = true};
        tree_hash both[2] = {now, target};
        pawl_error err = PAWL_ERROR_INIT;

        pawl__plan_free(&f->plan);
        f->now = now;
        f->target = target;
        memcpy(f->plan.now, now.bytes, 32);
        memcpy(f->plan.target_tree, target.bytes, 32);
        assert_ok(pawl__tracked_paths_new(&rights.recorded, &directories, both[0].bytes, 2, &err));
        assert_ok(pawl__plan_make(&f->plan, &directories, &rights, &world, &err));
        pawl__tracked_paths_free(rights.recorded);
}

static pawl_status read_content(const unsigned char hash[32], uint64_t size,
        pawl__content_sink sink, void *sink_user, void *user, pawl_error *err)
{
        restores *f = user;
        const pawl__buf *found = trees_find(&f->t, hash);
        void (*meddle)(restores *) = f->meddle;

        assert_non_null(found);
        assert_int_equal(found->len, size);
        f->meddle = NULL;
        if (meddle)
                meddle(f);
        for (size_t at = 0; at < found->len; at += 7) {
                size_t len = found->len - at < 7 ? found->len - at : 7;
                pawl_status status = sink(found->data + at, len, sink_user, err);
                if (status)
                        return status;
        }
        return PAWL_OK;
}

pawl_status restores_run(restores *f, bool back, bool again, pawl_error *err)
{
        const pawl__restore_source source = {read_content, f};
        pawl__restore r = {.root = &f->b,
                .plan = &f->plan,
                .back = back,
                .again = again,
                .whole = true,
                .source = &source,
                .names = f->names};

        return pawl__restore_run(&r, err);
}

void restores_must_run(restores *f, bool back, bool again)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl_status status = restores_run(f, back, again, &err);

        if (status)
                fail_msg("%s", err.message);
}

bool restores_on_disk(restores *f, tree_hash wanted)
{
        tree_hash got = tree_on_disk(&f->t, f->root);

        return memcmp(got.bytes, wanted.bytes, 32) == 0;
}

static tree_hash before(trees *t)
{
        return tree_of(t, "f 644 changed=one", "f 644 same=1", "f 600 mode=1", "d 700 dmode",
                "f 644 dmode/x=1", "f 444 readonly=1", "d 555 rodir", "f 444 rodir/a=1",
                "f 444 rodir/gone=1", "d 555 rodir/deep", "f 644 rodir/deep/x=1", "l link=changed",
                "l linktofile=nowhere", "f 644 filetolink=1", "f 644 filetodir=1",
                "f 644 dirtofile/a=1", "d 500 dirtofile/b", "f 644 dirtofile/b/c=1",
                "l linktodir=..", "f 644 dirtolink/x=1", "f 644 old/a/b/c=1", "d 755 old/empty",
                "f 644 name\nwith=1", "f 644 Case=upper", "f 644 case=lower", "f 1755 sticky=1",
                "f 644 empty=", NULL);
}

static tree_hash after(trees *t)
{
        return tree_of(t, "f 755 changed=two and more", "f 644 same=1", "f 640 mode=1",
                "d 500 dmode", "f 644 dmode/x=2", "f 444 readonly=2", "d 555 rodir",
                "f 444 rodir/a=2", "f 444 rodir/new=1", "d 555 rodir/deep", "f 644 rodir/deep/x=1",
                "l link=same", "f 644 linktofile=1", "l filetolink=/etc/passwd",
                "f 644 filetodir/x/y=1", "f 600 dirtofile=1", "f 644 linktodir/in=1",
                "l dirtolink=dmode", "f 644 new/a/b=1", "d 0 new/none", "d 755 new/empty",
                "f 644 name with=1", "f 644 Case=1", "f 644 case=2", "f 755 suid=1",
                "f 644 empty=no more", NULL);
}

void restores_start(restores *f)
{
        restores_plan(f, before(&f->t), after(&f->t));
        tree_put(&f->t, f->now.bytes, f->root);
        assert_true(restores_on_disk(f, f->now));
}

void restores_wipe(restores *f)
{
        directory_remove(f->root);
        assert_int_equal(mkdir(f->root, 0755), 0);
        pawl__rootdir_close(&f->b);
        assert_int_equal(pawl__rootdir_open(&f->b, f->root), 0);
        f->b.by_component = restores_by_component;
}

int restores_by_name(void **state)
{
        (void)state;
        restores_by_component = true;
        return 0;
}
