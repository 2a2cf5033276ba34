/* What a scan reads again, and what it takes from the index of the one before. */
#include "support/workspace.h"
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

WORKSPACE_TEST(what_did_not_change_is_not_read_again)
{
        const int fd = workspace_fd(w);

        workspace_write(w, "a/kept", "kept");
        workspace_write(w, "a/changed", "before");
        workspace_write(w, "b/gone", "gone");
        workspace_write(w, "mode", "mode");
        struct timespec wait = {0, 20000000}; /* their ctime is now: let a tick go by */
        nanosleep(&wait, NULL);
        workspace_take(w);
        const int64_t contents = event_log_integer(
                w->f, "SELECT (SELECT count(*) FROM contents) + (SELECT count(*) FROM packed)");
        workspace_write(w, "a/changed", "AFTER!");
        workspace_remove(w, "b/gone");
        workspace_remove(w, "b");
        assert_int_equal(fchmodat(fd, "mode", 0755, 0), 0);
        workspace_write(w, "c", "new");
        workspace_take(w);
        assert_int_equal(w->scan->unchanged, 1);
        assert_int_equal(w->scan->captured, 3);
        assert_string_equal(workspace_tree(w), "d 755 a\n"
                                               "f 644 a/changed=AFTER!\n"
                                               "f 644 a/kept=kept\n"
                                               "f 644 c=new\n"
                                               "f 755 mode=mode\n");
        /* two files, a, the root */
        assert_int_equal(
                event_log_integer(w->f,
                        "SELECT (SELECT count(*) FROM contents) + (SELECT count(*) FROM packed)"),
                contents + 4);
        unsigned char tree[32];
        memcpy(tree, w->scan->tree, 32);
        workspace_take(w);
        assert_memory_equal(tree, w->scan->tree, 32);
        assert_int_equal(w->scan->captured, 0);
        assert_int_equal(w->scan->unchanged, 4);
        assert_int_equal(
                event_log_integer(w->f,
                        "SELECT (SELECT count(*) FROM contents) + (SELECT count(*) FROM packed)"),
                contents + 4);
        close(fd);
}

/* Is the file opened by a scan? Its access time, which is older than its others, says so. */
static bool is_read(workspace *w, const char *path)
{
        char *whole = path_in(w->f->directory, path);
        struct stat before, after;

        assert_int_equal(stat(whole, &before), 0);
        workspace_take(w);
        assert_int_equal(stat(whole, &after), 0);
        return before.st_atim.tv_sec != after.st_atim.tv_sec ||
               before.st_atim.tv_nsec != after.st_atim.tv_nsec;
}

/* Changed again in the same tick, with the same size: no status tells. */
WORKSPACE_TEST(a_file_of_the_same_tick_is_read_again)
{
        char *path = path_in(w->f->directory, "racy");

        workspace_write(w, "racy", "one");
        for (int i = 0; i < 50; i++) {
                char content[4];
                snprintf(content, sizeof content, "%03d", i);
                file_write(path, content, 3);
                workspace_take(w);
                char line[32];
                snprintf(line, sizeof line, "f 644 racy=%s\n", content);
                assert_string_equal(workspace_tree(w), line);
        }
}

WORKSPACE_TEST(a_time_to_come_is_not_trusted)
{
        workspace_write(w, "a", "one");
        workspace_age(w, "a", -3600);
        workspace_take(w);
        workspace_age(w, "a", 7200); /* so that reading would move the access time */
        workspace_take(w);
        (void)is_read(w, "a");
        assert_string_equal(workspace_tree(w), "f 644 a=one\n");
}

WORKSPACE_TEST(an_index_of_something_else_is_not_used)
{
        workspace_write(w, "a", "one");
        workspace_take(w);
        workspace_take(w);
        assert_int_equal(w->scan->unchanged, 1);
        w->event[0] ^= 1;
        workspace_take(w);
        assert_int_equal(w->scan->captured, 1);
        workspace_take(w);
        assert_int_equal(w->scan->unchanged, 1);
        /* the log no longer has what it speaks of */
        event_log_sql(w->f, "DELETE FROM contents; DELETE FROM packed");
        workspace_take(w);
        assert_int_equal(w->scan->captured, 1);
        assert_string_equal(workspace_tree(w), "f 644 a=one\n");
        /* damaged */
        char *path = path_in(w->f->directory, ".pawl/workspace.index");
        size_t len;
        char *index = file_read(path, &len);
        index[len / 2] ^= 1;
        file_write(path, index, len);
        workspace_take(w);
        assert_int_equal(w->scan->captured, 1);
        workspace_take(w);
        assert_int_equal(w->scan->unchanged, 1);
}

/* Of the processor, for this process. */
static int64_t spent_ms(void)
{
        struct timespec now;

        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
        return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* A file of gigabytes, nearly all of it a hole, is not read. */
WORKSPACE_TEST(an_index_beyond_its_length_is_not_read)
{
        char *path = path_in(w->f->directory, ".pawl/workspace.index");
        const off_t huge = (off_t)3 << 30;
        size_t len;

        workspace_write(w, "a", "one");
        for (int i = 0; i < 2; i++) {
                struct stat st;
                workspace_take(w);
                if (i == 0) /* none of what it says */
                        assert_int_equal(truncate(path, 0), 0);
                assert_int_equal(truncate(path, i == 0 ? huge : huge / 4), 0);
                const int64_t before = spent_ms();
                workspace_take(w);
                assert_true(spent_ms() - before < 500);
                assert_int_equal(w->scan->captured, 1); /* it was of no use */
                assert_int_equal(stat(path, &st), 0);
                assert_true(st.st_size < 4096);
                workspace_take(w);
                assert_int_equal(w->scan->captured, 0);
        }
        char *index = file_read(path, &len);
        file_write(path, index, len - 8);
        workspace_take(w);
        assert_int_equal(w->scan->captured, 1);
        assert_string_equal(workspace_tree(w), "f 644 a=one\n");
}

WORKSPACE_TEST(a_pruned_base_is_seen_when_it_is_stored)
{
        workspace_write(w, "a", "one");
        workspace_write(w, "b", "two");
        workspace_take(w);
        assert_ok(workspace_scan(w));
        event_log_sql(w->f, "DELETE FROM contents; DELETE FROM packed");
        const int64_t events = event_log_count(w->f);
        assert_int_equal(workspace_store(w), PAWL_EINPUTS);
        assert_says(w->err.message, "was pruned meanwhile; try again");
        assert_int_equal(event_log_count(w->f), events);
        workspace_take(w);
        assert_string_equal(workspace_tree(w), "f 644 a=one\nf 644 b=two\n");
}

/* ---- Files that become directories, and back
 * ----------------------------------------------------- */

WORKSPACE_TEST(kinds_change)
{
        const int fd = workspace_fd(w);

        workspace_write(w, "x", "file");
        workspace_take(w);
        workspace_remove(w, "x");
        workspace_write(w, "x/y", "in it");
        workspace_take(w);
        assert_string_equal(workspace_tree(w), "d 755 x\nf 644 x/y=in it\n");
        workspace_remove(w, "x/y");
        workspace_remove(w, "x");
        assert_int_equal(symlinkat("to", fd, "x"), 0);
        workspace_take(w);
        assert_string_equal(workspace_tree(w), "l x=to\n");
        workspace_remove(w, "x");
        workspace_write(w, "x", "file");
        workspace_take(w);
        assert_string_equal(workspace_tree(w), "f 644 x=file\n");
        close(fd);
}
