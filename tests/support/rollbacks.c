#include "support/rollbacks.h"
#include <sys/stat.h>
#include <unistd.h>

int rollbacks_setup(void **state)
{
        rollbacks *f = test_alloc(sizeof *f);
        void *log = NULL;

        if (!f || event_log_setup(&log))
                return -1;
        f->log = log;
        f->log->flags = PAWL_LOG_CREATE;
        (void)event_log_open(f->log);
        *state = f;
        return 0;
}

int rollbacks_teardown(void **state)
{
        rollbacks *f = *state;
        void *log = f->log;

        trees_free(&f->t);
        return event_log_teardown(&log);
}

void rollbacks_put(rollbacks *f, const char *name, const char *data)
{
        char *path = path_in(f->log->directory, name);

        file_write(path, data, strlen(data));
}

void rollbacks_mkdir(rollbacks *f, const char *name)
{
        char *path = path_in(f->log->directory, name);

        assert_int_equal(mkdir(path, 0755), 0);
}

void rollbacks_drop(rollbacks *f, const char *name)
{
        char *path = path_in(f->log->directory, name);

        assert_int_equal(unlink(path), 0);
}

void rollbacks_check_file(rollbacks *f, const char *name, const char *data)
{
        char *path = path_in(f->log->directory, name), *got = file_read(path, NULL);

        assert_string_equal(got, data);
}

tree_hash rollbacks_now(rollbacks *f)
{
        return tree_on_disk(&f->t, f->log->directory);
}

void rollbacks_check_tree(rollbacks *f, tree_hash wanted)
{
        tree_hash got = rollbacks_now(f);

        assert_memory_equal(got.bytes, wanted.bytes, 32);
}

uint64_t rollbacks_checkpoint(rollbacks *f)
{
        const pawl_workspace_checkpoint_request request = PAWL_CHECKPOINT_REQUEST_INIT;
        pawl_workspace_capture *capture;

        if (pawl_workspace_checkpoint(&capture, f->log->log, &request, NULL, &f->err))
                fail_msg("%s", f->err.message);
        uint64_t n = capture->info.n;
        pawl_workspace_capture_free(capture);
        return n;
}

void rollbacks_must(rollbacks *f, pawl_status status)
{
        if (status)
                fail_msg("%s", f->err.message);
}

void rollbacks_to(rollbacks *f, const char *which)
{
        rollbacks_must(f, pawl_workspace_rollback(NULL, f->log->log, which, NULL, NULL, &f->err));
}

void rollbacks_undo(rollbacks *f)
{
        rollbacks_must(f, pawl_workspace_undo(NULL, f->log->log, NULL, NULL, &f->err));
}

void rollbacks_redo(rollbacks *f)
{
        rollbacks_must(f, pawl_workspace_redo(NULL, f->log->log, NULL, NULL, &f->err));
}

void rollbacks_check_info(rollbacks *f, uint64_t n, bool valid, bool current)
{
        pawl_workspace_checkpoints *list;

        rollbacks_must(f, pawl_workspace_checkpoint_list(&list, f->log->log, &f->err));
        const pawl_workspace_checkpoint_info *info = &list->items[(size_t)n - 1];
        assert_int_equal(info->n, n);
        assert_true(info->valid == valid);
        assert_true(info->current == current);
        pawl_workspace_checkpoints_free(list);
}

void rollbacks_check_given_up(rollbacks *f, uint64_t n, bool given_up)
{
        pawl_workspace_checkpoints *list;

        rollbacks_must(f, pawl_workspace_checkpoint_list(&list, f->log->log, &f->err));
        const pawl_workspace_checkpoint_info *info = &list->items[(size_t)n - 1];
        assert_true(info->valid);
        assert_null(info->why_invalid.data);
        assert_true((info->given_up.data != NULL) == given_up);
        pawl_workspace_checkpoints_free(list);
}

void rollbacks_none_pending(rollbacks *f)
{
        pawl_pending_rollback pending;

        assert_int_equal(pawl_workspace_pending(&pending, f->log->log, &f->err), PAWL_ENOTFOUND);
}

void rollbacks_refused(rollbacks *f, const char *which, const pawl_rollback_options *options,
        pawl_status wanted, const char *said)
{
        int64_t events = event_log_count(f->log);
        tree_hash before = rollbacks_now(f);

        assert_int_equal(
                pawl_workspace_rollback(NULL, f->log->log, which, options, NULL, &f->err), wanted);
        assert_says(f->err.message, said);
        assert_int_equal(event_log_count(f->log), events);
        rollbacks_check_tree(f, before);
        rollbacks_none_pending(f);
}

tree_hash rollbacks_first(rollbacks *f)
{
        rollbacks_put(f, ".gitignore", "*.log\n");
        rollbacks_put(f, "a", "one");
        rollbacks_put(f, "b", "one");
        rollbacks_mkdir(f, "sub");
        rollbacks_put(f, "sub/c", "one");
        const tree_hash one = rollbacks_now(f);
        assert_int_equal(rollbacks_checkpoint(f), 1);
        return one;
}

tree_hash rollbacks_second(rollbacks *f)
{
        rollbacks_put(f, "a", "two");
        rollbacks_drop(f, "b");
        rollbacks_mkdir(f, "b");
        rollbacks_put(f, "b/d", "two");
        rollbacks_mkdir(f, "new");
        rollbacks_put(f, "new/e", "two");
        const tree_hash two = rollbacks_now(f);
        assert_int_equal(rollbacks_checkpoint(f), 2);
        return two;
}
