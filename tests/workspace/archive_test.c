/* Needs PAWL_WITH_ARCHIVE. */
/* Checkpoints carried from log to log. tests/workspace/hostile_archive_test.c has what is refused.
 */
#include "support/checkpoints.h"
#include "support/sweep.h"
#include <pawl/workspace.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

struct fixture {
        event_log *here, *there; /* two logs, each in its directory */
        trees trees;
        char *archive;
        pawl_error err;
        pawl_archive_result result;
};

static int setup(void **state)
{
        struct fixture *f = test_alloc(sizeof *f);
        void *log = NULL;
        pawl__buf large = PAWL__BUF_INIT;

        assert_int_equal(event_log_setup(&log), 0);
        f->here = log;
        assert_int_equal(event_log_setup(&log), 0);
        f->there = log;
        f->here->flags = f->there->flags = PAWL_LOG_CREATE;
        event_log_open(f->here);
        event_log_open(f->there);
        f->archive = path_in(f->here->directory, "a.tar.zst");
        event_log_fill(f->here, 3);
        event_log_fill(f->there, 1);
        const tree_hash first =
                tree_of(&f->trees, "f 644 a=one", "f 755 run=#!/bin/sh", "d 700 sub",
                        "f 600 sub/empty=", "l sub/link=../a", "x 1 sub/huge", "d 755 none", NULL);
        checkpoint_put(f->here->log, &f->trees, first, "{\"a\":1}", NULL);
        event_log_fill(f->here, 2);
        /* more than one part, and a document that is a file too */
        assert_ok(pawl__buf_adds(&large, "f 644 large="));
        for (int i = 0; i < 700000; i++)
                assert_ok(pawl__buf_addf(&large, "%08x", (unsigned)i * 2654435761u));
        const tree_hash second = tree_of(
                &f->trees, "f 644 a=one", "f 644 b=two", large.data, "f 644 doc={\"b\":2}", NULL);
        checkpoint_put(f->here->log, &f->trees, second, "{\"a\":1}", "{\"b\":2}");
        event_log_fill(f->here, 1);
        pawl__buf_free(&large);
        *state = f;
        return 0;
}

static int teardown(void **state)
{
        struct fixture *f = *state;
        void *log = f->here;

        trees_free(&f->trees);
        event_log_teardown(&log);
        log = f->there;
        event_log_teardown(&log);
        return 0;
}

#define ARCHIVE_TEST(name) UNIT_TEST_WITH(name, struct fixture *f, setup, teardown)

static void export_all(struct fixture *f, pawl_log *log, const char *path)
{
        assert_ok(pawl_workspace_export(&f->result, log, NULL, 0, path, &f->err));
}

static void same_checkpoint(struct fixture *f, uint64_t here, uint64_t there)
{
        char *a = checkpoint_read(f->here->log, here), *b = checkpoint_read(f->there->log, there);

        assert_string_equal(a, b);
}

/* ---- There and back -------------------------------------------------------------------------- */

ARCHIVE_TEST(an_import_has_the_digest_of_the_export)
{
        pawl_archive_result there, again;

        export_all(f, f->here->log, f->archive);
        assert_int_equal(f->result.checkpoints, 2);
        assert_ok(pawl_workspace_import(&there, f->there->log, f->archive, "user:ana", &f->err));
        assert_int_equal(there.checkpoints, 2);
        assert_int_equal(there.known, 0);
        assert_int_equal(there.contents, f->result.contents);
        assert_string_equal(there.digest, f->result.digest);
        assert_string_equal(there.sha256, f->result.sha256);
        assert_int_equal(there.bytes, f->result.bytes);
        same_checkpoint(f, 1, 1);
        same_checkpoint(f, 2, 2);
        /* and exported from there */
        assert_ok(pawl_workspace_export(&again, f->there->log, NULL, 0,
                path_in(f->there->directory, "b.tar.zst"), &f->err));
        assert_string_equal(again.digest, f->result.digest);
        assert_int_equal(again.contents, f->result.contents);
}

ARCHIVE_TEST(the_event_says_where_it_came_from)
{
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl_event from, to;
        char hex[65];

        export_all(f, f->here->log, f->archive);
        assert_ok(
                pawl_workspace_import(&f->result, f->there->log, f->archive, "user:ana", &f->err));
        assert_ok(pawl__log_event(&from, &arena, f->here->log, 4));
        assert_ok(pawl__log_event(&to, &arena, f->there->log, 2));
        assert_text(to.type, "WorkspaceCheckpointed");
        assert_text(to.actor, "user:ana");
        assert_null(to.run_id.data);
        assert_ok(pawl__json_tree_read(&tree, to.payload.data, to.payload.len, NULL));
        const pawl__node origin = pawl__json_get(&tree, 0, "origin");
        pawl__hex(hex, from.hash, 32);
        assert_text(pawl__json_get_text(&tree, origin, "hash"), hex);
        assert_text(pawl__json_get_text(&tree, origin, "archive"), f->result.sha256);
        assert_text(pawl__json_get_text(&tree, origin, "run_id"), "run-1");
        assert_text(pawl__json_get_text(&tree, origin, "step_id"), "implement");
        assert_text(pawl__json_get_text(&tree, 0, "description"), "as it was \"then\"");
        assert_text(pawl__json_get_text(&tree, 0, "id"), "cp-01-implement-20260120-143000");
        pawl__json_tree_free(&tree);
        pawl__arena_free(&arena);
}

ARCHIVE_TEST(the_same_log_gives_the_same_bytes)
{
        char *second = path_in(f->here->directory, "b.tar.zst");
        size_t a, b;

        export_all(f, f->here->log, f->archive);
        export_all(f, f->here->log, second);
        char *first_bytes = file_read(f->archive, &a), *second_bytes = file_read(second, &b);
        assert_int_equal(a, b);
        assert_memory_equal(first_bytes, second_bytes, a);
}

ARCHIVE_TEST(what_is_there_is_not_added_twice)
{
        static const char *const second[] = {"2"};

        assert_ok(pawl_workspace_export(&f->result, f->here->log, second, 1, f->archive, &f->err));
        assert_int_equal(f->result.checkpoints, 1);
        assert_ok(pawl_workspace_import(&f->result, f->there->log, f->archive, NULL, &f->err));
        assert_int_equal(event_log_count(f->there), 2);
        same_checkpoint(f, 2, 1);
        export_all(f, f->here->log, f->archive);
        for (int i = 0; i < 2; i++) {
                assert_ok(pawl_workspace_import(
                        &f->result, f->there->log, f->archive, NULL, &f->err));
                assert_int_equal(f->result.checkpoints, i == 0);
                assert_int_equal(f->result.known, 1 + i);
                assert_int_equal(event_log_count(f->there), 3);
        }
        same_checkpoint(f, 1, 2);
        /* back to where they came from */
        const int64_t events = event_log_count(f->here);
        export_all(f, f->there->log, f->archive);
        assert_ok(pawl_workspace_import(&f->result, f->here->log, f->archive, NULL, &f->err));
        assert_int_equal(f->result.known, 2);
        assert_int_equal(event_log_count(f->here), events);
}

ARCHIVE_TEST(contents_that_are_gone_come_back)
{
        export_all(f, f->here->log, f->archive);
        char *before = checkpoint_read(f->here->log, 2);
        event_log_sql(f->here, "DELETE FROM contents; DELETE FROM packed");
        assert_int_equal(
                pawl_workspace_export(&f->result, f->here->log, NULL, 0, f->archive, &f->err),
                PAWL_ENOTFOUND);
        assert_says(f->err.message, "checkpoint 1: content ");
        assert_ok(pawl_workspace_import(&f->result, f->here->log, f->archive, NULL, &f->err));
        assert_int_equal(f->result.known, 2);
        char *after = checkpoint_read(f->here->log, 2);
        assert_string_equal(before, after);
}

ARCHIVE_TEST(contents_that_are_damaged_are_replaced)
{
        export_all(f, f->here->log, f->archive);
        const uint64_t contents = f->result.contents;
        char *before = checkpoint_read(f->here->log, 2);
        event_log_sql(f->here, "UPDATE contents SET data = substr(data, 2); "
                               "UPDATE packs SET data = substr(data, 2)");
        assert_ok(pawl_workspace_import(&f->result, f->here->log, f->archive, NULL, &f->err));
        assert_int_equal(f->result.known, 2);
        assert_true(f->result.healed > 0 && f->result.healed <= contents);
        char *after = checkpoint_read(f->here->log, 2);
        assert_string_equal(before, after);
        assert_ok(pawl_workspace_import(&f->result, f->here->log, f->archive, NULL, &f->err));
        assert_int_equal(f->result.healed, 0);
}

/* ---- Which ----------------------------------------------------------------------------------- */

ARCHIVE_TEST(checkpoints_are_named_by_number_or_id)
{
        static const char *const both[] = {"2", "cp-01", "2"}, *const none[] = {"9"},
                                 *const several[] = {"cp-0"}, *const other[] = {"cp-7"};

        assert_ok(pawl_workspace_export(&f->result, f->here->log, both, 3, f->archive, &f->err));
        assert_int_equal(f->result.checkpoints, 2);
        assert_int_equal(
                pawl_workspace_export(&f->result, f->here->log, none, 1, f->archive, &f->err),
                PAWL_ENOTFOUND);
        assert_says(f->err.message, "checkpoint 9: there is none; `pawl checkpoints` lists them");
        assert_int_equal(
                pawl_workspace_export(&f->result, f->here->log, several, 1, f->archive, &f->err),
                PAWL_EINVAL);
        assert_int_equal(
                pawl_workspace_export(&f->result, f->here->log, other, 1, f->archive, &f->err),
                PAWL_ENOTFOUND);
        assert_int_equal(
                pawl_workspace_export(&f->result, f->there->log, NULL, 0, f->archive, &f->err),
                PAWL_ENOTFOUND);
        assert_says(f->err.message, "the log has no checkpoint");
}

ARCHIVE_TEST(invalid_ones_go_along_only_by_name)
{
        static const char *const first[] = {"1"};
        const pawl_event gone = {.type = pawl__text("CheckpointInvalidated"),
                .payload = pawl__text("{\"n\":1,\"reason\":\"a content is damaged\"}")};

        assert_ok(append_one(f->here->log, gone, 0));
        export_all(f, f->here->log, f->archive);
        assert_int_equal(f->result.checkpoints, 1);
        assert_ok(pawl_workspace_export(&f->result, f->here->log, first, 1, f->archive, &f->err));
        assert_int_equal(f->result.checkpoints, 1);
}

/* ---- Files that cannot be written or read ---------------------------------------------------- */

static void no_other_file_is_left(struct fixture *f)
{
        pawl__buf command = PAWL__BUF_INIT;

        assert_ok(pawl__buf_addf(&command, "! ls '%s' | grep tmp", f->here->directory));
        assert_int_equal(system(command.data), 0);
        pawl__buf_free(&command);
}

ARCHIVE_TEST(an_archive_that_cannot_be_written_leaves_nothing)
{
        struct rlimit limit, small;

        file_write(f->archive, "before", 6);
        assert_int_equal(pawl_workspace_export(&f->result, f->here->log, NULL, 0,
                                 path_in(f->here->directory, "none/a.tar.zst"), &f->err),
                PAWL_ENOTFOUND);
        assert_says(f->err.message, "none/a.tar.zst: cannot make the archive: No such file");

        signal(SIGXFSZ, SIG_IGN);
        assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
        small = (struct rlimit){100000, limit.rlim_max};
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
        const pawl_status status =
                pawl_workspace_export(&f->result, f->here->log, NULL, 0, f->archive, &f->err);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
        signal(SIGXFSZ, SIG_DFL);
        assert_int_equal(status, PAWL_EFULL);
        assert_says(f->err.message, "a.tar.zst: cannot write the archive: File too large");
        no_other_file_is_left(f);
        char *before = file_read(f->archive, NULL);
        assert_string_equal(before, "before");
}

ARCHIVE_TEST(what_is_no_plain_file_is_not_read)
{
        assert_int_equal(
                pawl_workspace_import(&f->result, f->there->log, "/nowhere/a", NULL, &f->err),
                PAWL_ENOTFOUND);
        assert_int_equal(
                pawl_workspace_import(&f->result, f->there->log, f->here->directory, NULL, &f->err),
                PAWL_EINVAL);
        assert_says(f->err.message, "is no plain file");
        assert_int_equal(mkfifo(f->archive, 0600), 0);
        assert_int_equal(
                pawl_workspace_import(&f->result, f->there->log, f->archive, NULL, &f->err),
                PAWL_EINVAL);
}

/* ---- Running out of memory ------------------------------------------------------------------- */

ARCHIVE_TEST(running_out_of_memory_writes_nothing)
{
        static const char *const first[] = {"1"};
        char *other = path_in(f->here->directory, "b.tar.zst");

        assert_ok(pawl_workspace_export(&f->result, f->here->log, first, 1, f->archive, &f->err));
        allocator_leave_archive_alone();
        for (sweep s = {.keeps = true}; sweep_next(&s);) {
                pawl_error err = PAWL_ERROR_INIT;
                sweep_arm(&s);
                (void)sweep_done(&s,
                        pawl_workspace_export(&f->result, f->here->log, first, 1, other, &err),
                        &err);
        }
        no_other_file_is_left(f);
        const int64_t events = event_log_count(f->there);
        for (sweep s = {.once = true, .least = 40, .keeps = true}; sweep_next(&s);) {
                pawl_error err = PAWL_ERROR_INIT;
                sweep_arm(&s);
                const bool ok = sweep_done(&s,
                        pawl_workspace_import(&f->result, f->there->log, f->archive, NULL, &err),
                        &err);
                assert_int_equal(event_log_count(f->there), events + ok);
        }
        same_checkpoint(f, 1, 1);
}
