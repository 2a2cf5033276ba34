#include "support/workspace.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

int workspace_setup(void **state)
{
        workspace *w = test_alloc(sizeof *w);
        assert_int_equal(event_log_setup(state), 0);
        w->f = *state;
        w->f->flags = PAWL_LOG_CREATE;
        event_log_open(w->f);
        assert_ok(pawl__contents_open(&w->contents, w->f->log, &w->err));
        w->options = (pawl__scan_options){
                .root = w->f->directory, .log_path = pawl__log_place(w->f->log)};
        umask(022);
        *state = w;
        return 0;
}

int workspace_teardown(void **state)
{
        workspace *w = *state;

        pawl__scan_free(w->scan);
        pawl__contents_close(w->contents);
        pawl__buf_free(&w->text);
        *state = w->f;
        return event_log_teardown(state);
}

void workspace_mkdir(workspace *w, const char *path)
{
        char *whole = path_in(w->f->directory, path);

        for (char *at = whole + strlen(w->f->directory) + 1;; at++) {
                const char end = *at;
                if (end != '/' && end != '\0')
                        continue;
                *at = '\0';
                assert_true(mkdir(whole, 0755) == 0 || errno == EEXIST);
                *at = end;
                if (!end)
                        break;
        }
}

void workspace_age(workspace *w, const char *path, int seconds)
{
        char *whole = path_in(w->f->directory, path);
        struct timespec times[2];

        clock_gettime(CLOCK_REALTIME, &times[0]);
        times[0].tv_sec -= seconds;
        times[1] = times[0];
        assert_int_equal(utimensat(AT_FDCWD, whole, times, AT_SYMLINK_NOFOLLOW), 0);
}

void workspace_write(workspace *w, const char *path, const char *content)
{
        const char *slash = strrchr(path, '/');
        char *whole = path_in(w->f->directory, path);

        if (slash) {
                char *directory = test_text(path, (size_t)(slash - path));
                workspace_mkdir(w, directory);
        }
        file_write(whole, content, strlen(content));
        workspace_age(w, path, 3600);
}

void workspace_remove(workspace *w, const char *path)
{
        char *whole = path_in(w->f->directory, path);

        assert_int_equal(remove(whole), 0);
}

int workspace_fd(workspace *w)
{
        const int fd = open(w->f->directory, O_RDONLY | O_DIRECTORY);

        assert_true(fd >= 0);
        return fd;
}

/* ---- Scanning and storing -------------------------------------------------------------------- */

pawl_status workspace_scan(workspace *w)
{
        pawl__scan *scan;

        w->options.base = w->taken ? w->event : NULL;
        const pawl_status status = pawl__scan_run(&scan, w->contents, &w->options, &w->err);
        if (status)
                return status;
        pawl__scan_free(w->scan);
        w->scan = scan;
        return PAWL_OK;
}

static pawl_status fill(pawl_log *log, pawl__batch *batch, void *user, pawl_error *err)
{
        workspace *w = user;
        pawl_event event = event_scope(NULL);
        const pawl_status status = pawl__scan_store(w->scan, w->contents, err);

        (void)log;
        return status ? status : pawl__batch_event(batch, &event, err);
}

pawl_status workspace_store(workspace *w)
{
        pawl__batch batch = PAWL__BATCH_INIT;
        uint64_t seq;

        batch.prepare = fill;
        batch.prepare_user = w;
        pawl_status status = pawl__log_commit(w->f->log, &batch, 0, NULL);
        pawl__batch_free(&batch);
        if (!status)
                status = pawl_log_head(&seq, w->event, w->f->log);
        if (status)
                w->err = *pawl__log_error(w->f->log);
        else
                status = pawl__scan_keep_index(w->scan, w->event, &w->err);
        w->taken = true;
        return status;
}

void workspace_take(workspace *w)
{
        if (workspace_scan(w) || workspace_store(w))
                fail_msg("%s", w->err.message);
}

/* ---- A tree as text -------------------------------------------------------------------------- */

static pawl_status gather(const void *data, size_t len, void *user, pawl_error *err)
{
        (void)err;
        return pawl__buf_add(user, data, len);
}

static void add_content(workspace *w, const pawl__entry *entry)
{
        pawl__buf content = PAWL__BUF_INIT;

        if (pawl__contents_read(w->contents, entry->hash, entry->size, gather, &content, &w->err))
                fail_msg("%s", w->err.message);
        assert_int_equal(content.len, entry->size);
        if (content.len <= 40)
                assert_ok(pawl__buf_add(&w->text, content.data, content.len));
        else
                assert_ok(pawl__buf_addf(&w->text, "%zu bytes", content.len));
        pawl__buf_free(&content);
}

static void add_directory(workspace *w, const unsigned char hash[32], const char *prefix)
{
        pawl__buf encoded = PAWL__BUF_INIT;
        pawl__tree_reader reader;
        pawl__entry entry;

        if (pawl__contents_directory(&encoded, w->contents, hash, &w->err) ||
                pawl__tree_open(&reader, pawl__buf_text(&encoded), &w->err))
                fail_msg("%s", w->err.message);
        while (pawl__tree_next(&entry, &reader, &w->err) == PAWL_OK) {
                pawl__buf path = PAWL__BUF_INIT;
                assert_ok(pawl__buf_addf(
                        &path, "%s%.*s", prefix, (int)entry.name.len, entry.name.data));
                if (entry.kind == PAWL__ENTRY_SKIPPED)
                        assert_ok(pawl__buf_addf(
                                &w->text, "x %s %s", pawl__skip_name(entry.why), path.data));
                else if (entry.kind == PAWL__ENTRY_LINK)
                        assert_ok(pawl__buf_addf(&w->text, "l %s=%.*s", path.data,
                                (int)entry.target.len, entry.target.data));
                else
                        assert_ok(pawl__buf_addf(
                                &w->text, "%c %o %s", entry.kind, (unsigned)entry.mode, path.data));
                if (entry.kind == PAWL__ENTRY_FILE) {
                        assert_ok(pawl__buf_addc(&w->text, '='));
                        add_content(w, &entry);
                }
                assert_ok(pawl__buf_addc(&w->text, '\n'));
                if (entry.kind == PAWL__ENTRY_DIRECTORY) {
                        assert_ok(pawl__buf_addc(&path, '/'));
                        add_directory(w, entry.hash, path.data);
                }
                pawl__buf_free(&path);
        }
        assert_int_equal(pawl__tree_next(&entry, &reader, &w->err), PAWL_DONE);
        pawl__buf_free(&encoded);
}

const char *workspace_tree(workspace *w)
{
        pawl__buf_clear(&w->text);
        assert_ok(pawl__buf_adds(&w->text, ""));
        add_directory(w, w->scan->tree, "");
        return w->text.data;
}
