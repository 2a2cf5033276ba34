/* Needs PAWL_WITH_GIT. */
/* Checkpoints whose contents, documents or events are gone or changed. */
#include "support/checkpoints.h"
#include "support/sweep.h"
#include <pawl/validate.h>

struct fixture {
        event_log *f;
        trees trees;
        pawl_validation *found;
        pawl_error err;
};

static int setup(void **state)
{
        struct fixture *t = test_alloc(sizeof *t);
        void *log = NULL;

        assert_int_equal(event_log_setup(&log), 0);
        t->f = log;
        t->f->flags = PAWL_LOG_CREATE;
        event_log_open(t->f);
        const tree_hash first = tree_of(&t->trees, "f 644 a=one", "f 644 sub/b=shared", NULL);
        checkpoint_put(t->f->log, &t->trees, first, "{\"a\":1}", NULL);
        const tree_hash second = tree_of(&t->trees, "f 644 c=three", "f 644 sub/b=shared", NULL);
        checkpoint_put(t->f->log, &t->trees, second, NULL, "[2]");
        *state = t;
        return 0;
}

static int teardown(void **state)
{
        struct fixture *t = *state;
        void *log = t->f;

        pawl_validation_free(t->found);
        trees_free(&t->trees);
        event_log_teardown(&log);
        return 0;
}

#define VALIDATE_TEST(name) UNIT_TEST_WITH(name, struct fixture *t, setup, teardown)

static const pawl_validated *look(struct fixture *t, const char *which, bool mark, size_t at)
{
        pawl_validation_free(t->found);
        t->found = NULL;
        assert_ok(pawl_workspace_validate(
                &t->found, t->f->log, which, NULL, mark, "user:ana", &t->err));
        assert_true(at < t->found->n);
        return &t->found->items[at];
}

/* The content of a file, as SQL names it. */
static void change(struct fixture *t, const char *content, const char *sql)
{
        pawl__buf command = PAWL__BUF_INIT;
        unsigned char hash[32];
        char hex[65];

        assert_ok(pawl__sha256(t->trees.hasher, hash, content, strlen(content), NULL));
        pawl__hex(hex, hash, 32);
        assert_ok(pawl__buf_addf(&command, "%s WHERE hash = x'%s'", sql, hex));
        event_log_sql(t->f, command.data);
        pawl__buf_free(&command);
}

VALIDATE_TEST(whole_checkpoints_are_good)
{
        const pawl_validated *two = look(t, NULL, true, 1), *one = &t->found->items[0];

        assert_int_equal(t->found->n, 2);
        assert_true(one->good && one->valid && two->good && two->valid);
        assert_true(one->files == PAWL_CHECK_GOOD && one->hash == PAWL_CHECK_GOOD &&
                    one->state == PAWL_CHECK_GOOD && one->git == PAWL_CHECK_NONE);
        assert_null(one->what.data);
        assert_int_equal(t->found->last->n, 2);
        assert_int_equal(event_log_count(t->f), 2);
        assert_int_equal(look(t, "cp-01", false, 0)->n, 1);
        assert_int_equal(t->found->n, 1);
}

VALIDATE_TEST(a_content_that_is_gone_is_found_in_each_that_has_it)
{
        change(t, "shared", "DELETE FROM contents");
        for (size_t i = 0; i < 2; i++) {
                const pawl_validated *it = look(t, NULL, false, i);
                assert_true(!it->good && it->valid);
                assert_true(it->files == PAWL_CHECK_BAD && it->hash == PAWL_CHECK_GOOD);
                assert_non_null(strstr(it->what.data, "not in the log"));
        }
        assert_null(t->found->last);
        assert_int_equal(event_log_count(t->f), 2);
}

VALIDATE_TEST(a_content_that_was_changed_is_found_and_marked_once)
{
        change(t, "three",
                "UPDATE contents SET data = (SELECT data FROM contents c2 WHERE c2.hash <> contents.hash LIMIT 1)");
        const pawl_validated *two = look(t, NULL, true, 1);
        assert_true(!two->good && !two->valid && two->hash == PAWL_CHECK_BAD);
        assert_int_equal(t->found->last->n, 1);
        assert_int_equal(event_log_count(t->f), 3);
        assert_int_equal(
                event_log_integer(t->f,
                        "SELECT count(*) FROM events WHERE type = 'CheckpointInvalidated' AND "
                        "actor = 'user:ana' AND json_extract(payload, '$.n') = 2 AND "
                        "json_extract(payload, '$.reason') LIKE 'damaged: content %'"),
                1);
        two = look(t, "2", true, 0);
        assert_true(!two->good && !two->valid);
        assert_int_equal(event_log_count(t->f), 3);
}

VALIDATE_TEST(a_directory_that_is_gone_is_found)
{
        const tree_hash sub = tree_of(&t->trees, "f 644 b=shared", NULL);
        const pawl__buf *encoded = trees_find(&t->trees, sub.bytes);
        pawl__buf text = PAWL__BUF_INIT;
        char hex[65];

        assert_non_null(encoded);
        pawl__hex(hex, sub.bytes, 32);
        assert_ok(pawl__buf_addf(&text, "DELETE FROM contents WHERE hash = x'%s'", hex));
        event_log_sql(t->f, text.data);
        pawl__buf_free(&text);
        for (size_t i = 0; i < 2; i++) {
                const pawl_validated *it = look(t, NULL, false, i);
                assert_true(!it->good && it->files == PAWL_CHECK_BAD);
        }
}

VALIDATE_TEST(a_document_that_is_gone_is_found)
{
        change(t, "[2]", "DELETE FROM blobs");
        const pawl_validated *two = look(t, NULL, false, 1);
        assert_true(!two->good && two->state == PAWL_CHECK_BAD && two->files == PAWL_CHECK_GOOD);
        assert_true(t->found->items[0].good);
}

VALIDATE_TEST(an_event_that_was_changed_is_found)
{
        event_log_unguard(t->f);
        event_log_sql(
                t->f, "UPDATE events SET payload = replace(payload, 'then', 'when') WHERE seq = 1");
        const pawl_validated *one = look(t, NULL, false, 0);
        assert_true(!one->good && one->hash == PAWL_CHECK_BAD);
        assert_non_null(strstr(one->what.data, "seq 1: "));
}

VALIDATE_TEST(names_that_name_nothing_are_refused)
{
        assert_int_equal(
                pawl_workspace_validate(&t->found, t->f->log, "7", NULL, false, NULL, &t->err),
                PAWL_ENOTFOUND);
        assert_null(t->found);
}

VALIDATE_TEST(running_out_of_memory_marks_nothing)
{
        change(t, "three", "DELETE FROM contents");
        for (sweep s = {.least = 15, .keeps = true}; sweep_next(&s);) {
                pawl_error err = PAWL_ERROR_INIT;
                pawl_validation *found = NULL;
                const int64_t events = event_log_count(t->f);
                sweep_arm(&s);
                if (sweep_done(&s,
                            pawl_workspace_validate(
                                    &found, t->f->log, NULL, NULL, true, NULL, &err),
                            &err))
                        assert_false(found->items[1].good);
                else
                        assert_int_equal(event_log_count(t->f), events);
                pawl_validation_free(found);
        }
        assert_int_equal(event_log_count(t->f), 3);
}

VALIDATE_TEST(running_out_of_memory_rebuilds_nothing_or_all)
{
        pawl_rebuilt made = {.missing = 9};

        file_write(path_in(t->f->directory, "c"), "three", 5);
        change(t, "three", "DELETE FROM contents");
        assert_true(!look(t, "2", true, 0)->valid);
        allocator_leave_git_alone();
        for (sweep s = {.least = 15, .keeps = true}; sweep_next(&s);) {
                pawl_error err = PAWL_ERROR_INIT;
                bool all = false;
                sweep_arm(&s);
                if (sweep_done(
                            &s, pawl_workspace_rebuildable(&all, t->f->log, "2", NULL, &err), &err))
                        assert_true(all);
        }
        for (sweep s = {.once = true, .least = 15, .keeps = true}; sweep_next(&s);) {
                pawl_error err = PAWL_ERROR_INIT;
                sweep_arm(&s);
                (void)sweep_done(
                        &s, pawl_workspace_rebuild(&made, t->f->log, "2", NULL, &err), &err);
        }
        assert_true(made.missing == 0 && made.valid);
        assert_true(look(t, "2", false, 0)->valid);
}
