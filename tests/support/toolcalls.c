#include "support/toolcalls.h"
#include <dirent.h>

int toolcalls_setup(void **state)
{
        toolcalls *t = test_alloc(sizeof *t);
        assert_int_equal(event_log_setup(state), 0);
        t->f = *state;
        t->f->flags = PAWL_LOG_CREATE;
        event_log_open(t->f);
        t->outside = directory_make();
        t->options = (pawl_toolcalls_options)PAWL_TOOLCALLS_OPTIONS_INIT;
        toolcalls_write(t, "a.txt", "one");
        *state = t;
        return 0;
}

int toolcalls_teardown(void **state)
{
        toolcalls *t = *state;

        pawl_toolcalls_free(t->batch);
        pawl_toolcall_free(t->call);
        *state = t->f;
        return event_log_teardown(state);
}

void toolcalls_write(toolcalls *t, const char *name, const char *text)
{
        char *path = path_in(t->f->directory, name);

        file_write(path, text, strlen(text));
}

char *toolcalls_text(toolcalls *t, const char *name)
{
        return file_read(path_in(t->f->directory, name), NULL);
}

pawl_status toolcalls_try(toolcalls *t, const char *json)
{
        pawl_toolcalls_free(t->batch);
        t->batch = NULL;
        return pawl_toolcalls_checkpoint(
                &t->batch, t->f->log, json, strlen(json), &t->options, &t->err);
}

void toolcalls_take(toolcalls *t, const char *json)
{
        if (toolcalls_try(t, json))
                fail_msg("%s", t->err.message);
        for (size_t i = 0; i < pawl_toolcalls_count(t->batch); i++)
                if (pawl_toolcalls_at(t->batch, i)->status)
                        fail_msg("%s", pawl_toolcalls_at(t->batch, i)->error);
}

const char *toolcalls_name(toolcalls *t, size_t index)
{
        const pawl_toolcall_outcome *outcome = pawl_toolcalls_at(t->batch, index);

        assert_non_null(outcome);
        assert_non_null(outcome->checkpoint);
        return outcome->checkpoint;
}

pawl_status toolcalls_restore(toolcalls *t, const char *name)
{
        pawl_toolcall_free(t->call);
        t->call = NULL;
        return pawl_toolcalls_restore(
                &t->call, t->f->log, pawl__text(name), t->options.files, NULL, NULL, &t->err);
}

static int no_dots(const struct dirent *entry)
{
        return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

char *toolcalls_directory(const char *path)
{
        struct dirent **entries;
        pawl__buf names = PAWL__BUF_INIT;
        int n = scandir(path, &entries, no_dots, alphasort);

        assert_true(n >= 0);
        for (int i = 0; i < n; i++) {
                assert_ok(pawl__buf_addf(&names, "%s ", entries[i]->d_name));
                free(entries[i]);
        }
        free(entries);
        return test_take(&names);
}
