/* A workspace with more to keep than the scan has room for goes into the log in several commits. */
#include "support/workspace.h"
#include "workspace/scan/scan_internal.h"

enum { FILES = 40, SIZE = 1 << 20 };

/* Letters that do not pack well, others in each file. */
static void write_files(workspace *w)
{
        static const char letters[] =
                "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-";
        char *content = test_alloc(SIZE + 1);
        uint64_t seed = 88172645463325252;
        char path[16];

        content[SIZE] = '\0';
        for (int i = 0; i < FILES; i++) {
                for (size_t at = 0; at < SIZE; at++) {
                        seed ^= seed << 13;
                        seed ^= seed >> 7;
                        seed ^= seed << 17;
                        content[at] = letters[seed >> 58];
                }
                snprintf(path, sizeof path, "d%d/f%d", i / 10, i);
                workspace_write(w, path, content);
        }
}

struct found {
        size_t n;
        unsigned char hashes[2 * FILES][32];
};

static pawl_status find(
        const unsigned char hash[32], uint64_t size, uint64_t stored, uint64_t parts, void *user)
{
        struct found *found = user;

        (void)size;
        (void)stored;
        (void)parts;
        assert_true(found->n < 2 * FILES);
        memcpy(found->hashes[found->n++], hash, 32);
        return PAWL_OK;
}

static size_t contents_in(workspace *w, struct found *found)
{
        found->n = 0;
        assert_ok(pawl__log_content_each(w->f->log, find, found));
        return found->n;
}

static pawl_status drop(pawl_log *log, pawl__batch *batch, void *user, pawl_error *err)
{
        const struct found *found = user;

        (void)batch;
        (void)err;
        for (size_t i = 0; i < found->n; i++)
                assert_ok(pawl__log_content_drop(log, found->hashes[i]));
        return PAWL_OK;
}

static void tree_is_whole(workspace *w)
{
        const char *tree = workspace_tree(w);

        for (int i = 0; i < FILES; i++) {
                char line[48];
                snprintf(line, sizeof line, "f 644 d%d/f%d=%d bytes\n", i / 10, i, SIZE);
                assert_says(tree, line);
        }
}

/* In between there are contents and no event, and others write. */
WORKSPACE_TEST(others_write_in_between)
{
        static struct found found;

        write_files(w);
        w->options.flush_spool = true;
        assert_ok(workspace_scan(w));
        const size_t ahead = contents_in(w, &found);
        assert_true(ahead > FILES / 4 && ahead < FILES);
        assert_true(w->scan->inside->spool.len < PAWL__SPOOL_MAX);
        pawl_log *other = event_log_another(w->f);
        assert_ok(append_one(other, event_scope(NULL), 0));
        pawl_log_close(other);
        assert_ok(workspace_store(w));
        tree_is_whole(w);
}

/* What nobody names yet may be pruned before the checkpoint names it. */
WORKSPACE_TEST(what_was_pruned_meanwhile_is_put_again)
{
        static struct found found;
        pawl__batch batch = PAWL__BATCH_INIT;

        write_files(w);
        w->options.flush_spool = true;
        assert_ok(workspace_scan(w));
        assert_true(contents_in(w, &found) > 0);
        batch.prepare = drop;
        batch.prepare_user = &found;
        assert_ok(pawl__log_commit(w->f->log, &batch, 0, NULL));
        assert_int_equal(contents_in(w, &found), 0);
        assert_ok(workspace_store(w));
        tree_is_whole(w);
}

/* A scan that only looks puts nothing. */
WORKSPACE_TEST(a_look_writes_nothing)
{
        static struct found found;

        write_files(w);
        assert_ok(workspace_scan(w));
        assert_int_equal(contents_in(w, &found), 0);
        assert_ok(workspace_store(w));
        tree_is_whole(w);
}

/* Without a log that can be written there is no checkpoint, and the reason is told. */
WORKSPACE_TEST(a_failure_to_put_ahead_is_passed_on)
{
        write_files(w);
        w->options.flush_spool = true;
        pawl__contents_close(w->contents);
        event_log_close(w->f);
        w->f->flags = PAWL_LOG_READONLY;
        event_log_open(w->f);
        w->options.log_path = pawl__log_place(w->f->log);
        assert_ok(pawl__contents_open(&w->contents, w->f->log, &w->err));
        assert_int_equal(workspace_scan(w), PAWL_EREADONLY);
        assert_says(w->err.message, "reading only");
}
