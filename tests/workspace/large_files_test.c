/* Large files and directories: scanned in one read, and stored as what changed in them. */
#include "support/workspace.h"
#include "workspace/scan/scan_internal.h"
#include <unistd.h>

enum { SIZE = 9 << 20 };

/* Letters that do not pack well. */
static char *make(size_t len, uint64_t seed)
{
        char *content = test_alloc(len + 64);

        for (size_t at = 0; at < len; at++) {
                seed ^= seed << 13;
                seed ^= seed >> 7;
                seed ^= seed << 17;
                content[at] = (char)('0' + (seed >> 58));
        }
        content[len] = '\0';
        return content;
}

static void write_bytes(workspace *w, const char *path, const char *content, size_t len)
{
        file_write(path_in(w->f->directory, path), content, len);
        workspace_age(w, path, 3600);
}

static int64_t stored(workspace *w)
{
        return event_log_integer(w->f, "SELECT coalesce(sum(length(data)), 0) FROM contents") +
               event_log_integer(w->f, "SELECT coalesce(sum(length(data)), 0) FROM packs");
}

static void file_is(workspace *w, const char *content, const char *path)
{
        pawl__buf out = PAWL__BUF_INIT;
        pawl__hasher *hasher;
        unsigned char hash[32];

        assert_ok(pawl__hasher_new(&hasher, &w->err));
        assert_ok(pawl__sha256(hasher, hash, content, strlen(content), &w->err));
        pawl__hasher_free(hasher);
        assert_says(workspace_tree(w), path);
        assert_ok(pawl__contents_read(
                w->contents, hash, strlen(content), pawl__content_to_buf, &out, &w->err));
        assert_text(pawl__buf_text(&out), content);
        pawl__buf_free(&out);
}

/* The file that was scanned may be gone when it is stored. */
WORKSPACE_TEST(a_large_file_is_read_once)
{
        char *content = make(SIZE, 3);

        workspace_write(w, "out", content);
        assert_ok(workspace_scan(w));
        workspace_remove(w, "out");
        assert_ok(workspace_store(w));
        file_is(w, content, "f 644 out=9437184 bytes");
}

WORKSPACE_TEST(a_line_more_costs_little)
{
        char *content = make(SIZE, 5);
        size_t len = SIZE;

        workspace_write(w, "out", content);
        workspace_take(w);
        for (int i = 0; i < 4; i++) {
                const int64_t before = stored(w);
                len += (size_t)sprintf(content + len, "line %d\n", i);
                workspace_write(w, "out", content);
                assert_ok(workspace_scan(w));
                workspace_remove(w, "out");
                assert_ok(workspace_store(w));
                assert_true(stored(w) - before < 4096);
        }
        file_is(w, content, "f 644 out=");
}

/* No room to wait, and others may not see it early: it is read a second time. */
WORKSPACE_TEST(what_finds_no_room_is_read_again)
{
        char *content = make(40 << 20, 7);

        workspace_write(w, "out", content);
        assert_ok(workspace_scan(w));
        assert_int_equal(w->scan->inside->spool.len < (1 << 20), true);
        assert_ok(workspace_store(w));
        file_is(w, content, "f 644 out=41943040 bytes");
        w->options.flush_spool = true;
        content[0]++;
        workspace_write(w, "out", content);
        content[SIZE]++;
        workspace_write(w, "other", content);
        assert_ok(workspace_scan(w));
        workspace_remove(w, "other");
        assert_ok(workspace_store(w));
        file_is(w, content, "f 644 other=41943040 bytes");
}

static pawl_status drop_chunks(pawl_log *log, pawl__batch *batch, void *user, pawl_error *err)
{
        const pawl__buf *list = user;

        (void)batch, (void)err;
        for (size_t i = 0; i < pawl__chunks_count(pawl__buf_text(list)); i++) {
                const pawl__chunk chunk = pawl__chunks_at(pawl__buf_text(list), i);
                assert_ok(pawl__log_content_drop(log, chunk.hash));
                assert_ok(pawl__log_packed_drop(log, chunk.hash));
        }
        return PAWL_OK;
}

/* The list waits in the spool; what it counts on may be pruned before it is put. */
WORKSPACE_TEST(chunks_that_were_pruned_meanwhile_are_put_again)
{
        pawl__batch batch = PAWL__BATCH_INIT;
        pawl__buf list = PAWL__BUF_INIT;
        char *content = make(SIZE, 9);
        unsigned char hash[32];
        pawl__hasher *hasher;

        assert_ok(pawl__hasher_new(&hasher, &w->err));
        assert_ok(pawl__sha256(hasher, hash, content, SIZE, &w->err));
        pawl__hasher_free(hasher);
        workspace_write(w, "out", content);
        workspace_take(w);
        assert_ok(pawl__contents_list(&list, w->contents, hash, &w->err));
        strcpy(content + SIZE, "a line more\n");
        workspace_write(w, "out", content);
        assert_ok(workspace_scan(w));
        batch.prepare = drop_chunks;
        batch.prepare_user = &list;
        assert_ok(pawl__log_commit(w->f->log, &batch, 0, NULL));
        pawl__buf_free(&list);
        assert_ok(workspace_store(w));
        file_is(w, content, "f 644 out=");
}

WORKSPACE_TEST(a_damaged_chunk_is_replaced)
{
        char *content = make(SIZE, 11);

        workspace_write(w, "out", content);
        workspace_take(w);
        event_log_sql(w->f, "UPDATE contents SET data = substr(data, 1, 50) WHERE hash = "
                            "(SELECT min(hash) FROM contents WHERE size < 4194304)");
        workspace_age(w, "out", 1800);
        workspace_take(w);
        file_is(w, content, "f 644 out=9437184 bytes");
        event_log_sql(w->f, "UPDATE contents SET data = substr(data, 1, 50) WHERE size > 4194304");
        workspace_age(w, "out", 900);
        workspace_take(w);
        file_is(w, content, "f 644 out=9437184 bytes");
        event_log_sql(w->f, "UPDATE contents SET data = substr(data, 1, 50) WHERE hash = "
                            "(SELECT min(hash) FROM contents WHERE size < 4194304)");
        strcpy(content + SIZE, "a line more\n");
        workspace_write(w, "out", content);
        workspace_take(w);
        file_is(w, content, "f 644 out=");
}

/* A file may be what a chunk is, and two files may have chunks in common. */
WORKSPACE_TEST(what_is_the_same_is_stored_once)
{
        char *zeros = test_alloc(24 << 20), *content = make(SIZE, 13);

        memset(zeros, 0, 24 << 20);
        write_bytes(w, "a-mebibyte", zeros, 1 << 20);
        write_bytes(w, "many", zeros, 24 << 20);
        write_bytes(w, "more", zeros, 23 << 20);
        write_bytes(w, "z-mebibyte", zeros, 1 << 20);
        workspace_write(w, "one", content);
        workspace_write(w, "same", content);
        strcpy(content + SIZE, "but for this\n");
        workspace_write(w, "similar", content);
        workspace_take(w);
        assert_says(workspace_tree(w), "f 644 many=25165824 bytes");
        assert_says(workspace_tree(w), "f 644 z-mebibyte=1048576 bytes");
        assert_says(workspace_tree(w), "f 644 same=9437184 bytes");
        file_is(w, content, "f 644 similar=");
        assert_true(stored(w) < SIZE + (SIZE >> 2));
}

/* The encoding of a directory of many names is a large content, too. */
WORKSPACE_TEST(a_change_in_a_large_directory_costs_little)
{
        enum { NAMES = 16000 };
        char path[256];

        workspace_mkdir(w, "d");
        for (int i = 0; i < NAMES; i++) {
                snprintf(path, sizeof path, "d/%0230d", i);
                file_write(path_in(w->f->directory, path), "", 0);
        }
        workspace_take(w);
        const int64_t before = stored(w);
        workspace_write(w, path, "changed");
        workspace_take(w);
        assert_true(
                event_log_integer(w->f, "SELECT count(*) FROM contents WHERE size > 4194304") == 2);
        assert_true(stored(w) - before < 8192);
        assert_says(workspace_tree(w), "=changed");
}
