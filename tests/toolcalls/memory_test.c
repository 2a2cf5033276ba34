/* Needs PAWL_WITH_GIT. */
/* Tool calls where each allocation fails once: nothing is leaked, a call has its checkpoint or its
 * error, and what the log does not have no file says. */
#include "support/sweep.h"
#include "support/toolcalls.h"

#define TWO_EDITS                                                                                  \
        "{\"history\":[1],\"messageId\":\"m\",\"calls\":[{\"callId\":\"c1\",\"name\":\"replace\"," \
        "\"args\":{\"a\":1}},{\"callId\":\"c2\",\"name\":\"write_file\",\"args\":{}}]}"

static void begin(toolcalls *t)
{
        t->options.files = t->outside;
        toolcalls_take(t, TWO_EDITS);
        allocator_leave_git_alone();
}

/* An edit of it has a checkpoint, or failed for want of memory; of the one, there is a file. */
static void check_batch(toolcalls *t, const pawl_toolcalls *batch)
{
        for (size_t i = 0; i < pawl_toolcalls_count(batch); i++) {
                const pawl_toolcall_outcome *outcome = pawl_toolcalls_at(batch, i);
                if (outcome->status) {
                        assert_int_equal(outcome->status, PAWL_ENOMEM);
                        assert_says(outcome->error, "out of memory");
                        assert_null(outcome->checkpoint);
                        continue;
                }
                assert_non_null(outcome->checkpoint);
                char *path = path_in(t->outside, outcome->checkpoint);
                size_t len;
                (void)file_read(path, &len);
        }
}

static void sweep_takes(toolcalls *t, size_t *failed)
{
        /* what a log keeps from call to call grows */
        for (sweep s = {.step = 19, .keeps = true}; sweep_next(&s);) {
                pawl_toolcalls *batch = NULL;
                pawl_error err = PAWL_ERROR_INIT;
                long live = allocator_live();
                t->f->wall_us += 1000000;
                sweep_arm(&s);
                pawl_status status = pawl_toolcalls_checkpoint(
                        &batch, t->f->log, TWO_EDITS, strlen(TWO_EDITS), &t->options, &err);
                if (sweep_done(&s, status, &err)) {
                        check_batch(t, batch);
                        *failed += pawl_toolcalls_failed(batch) == 1;
                }
                pawl_toolcalls_free(batch);
                if (s.n > 50)
                        assert_true(allocator_live() <= live + 40);
        }
}

TOOLCALLS_TEST(whatever_allocation_fails_a_call_has_its_checkpoint_or_its_error)
{
        size_t failed = 0;

        begin(t);
        sweep_takes(t, &failed);
        if (allocator_works())
                assert_true(failed > 5); /* the other call had its own */
        int64_t calls = event_log_integer(
                t->f, "SELECT count(*) FROM events WHERE type = 'ToolCallCheckpointed'");
        char *names = toolcalls_directory(t->outside);
        int64_t files = 0;
        for (char *at = names; (at = strstr(at, ".json ")) != NULL; at++)
                files++;
        assert_int_equal(files, calls);
        assert_null(strstr(names, ".part"));
}

typedef pawl_status call_fn(toolcalls *t, const char *name, pawl_error *err);

static pawl_status call_list(toolcalls *t, const char *name, pawl_error *err)
{
        pawl_toolcall_names *names;

        (void)name;
        pawl_status status = pawl_toolcalls_list(&names, t->f->log, NULL, err);
        if (status)
                return status;
        assert_true(names->n > 0);
        assert_non_null(names->items[0]);
        pawl_toolcall_names_free(names);
        status = pawl_toolcalls_list(&names, NULL, t->outside, err);
        if (!status)
                pawl_toolcall_names_free(names);
        return status;
}

static pawl_status call_json(toolcalls *t, const char *name, pawl_error *err)
{
        char *json;
        size_t len;
        pawl_status status = pawl_toolcalls_json(&json, &len, t->batch, err);

        (void)name;
        if (!status)
                pawl_free(json);
        return status;
}

static pawl_status call_document(toolcalls *t, const char *name, pawl_error *err)
{
        static const char json[] =
                "{\"x\":\"\\u0041\",\"toolCall\":{\"name\":\"a\",\"args\":{\"path\":\"a\"}}}";
        pawl_toolcall *call;
        char *text;
        size_t len;
        pawl_status status = pawl_toolcall_read(&call, json, sizeof json - 1, err);

        (void)t, (void)name;
        if (status)
                return status;
        status = pawl_toolcall_write(&text, &len, call, "cp-01", err);
        if (!status)
                pawl_free(text);
        pawl_toolcall_free(call);
        return status;
}

static pawl_status call_find(toolcalls *t, const char *name, pawl_error *err)
{
        pawl_toolcall *call;
        const pawl_status status =
                pawl_toolcalls_find(&call, t->f->log, pawl__text(name), NULL, NULL, NULL, err);

        if (!status)
                pawl_toolcall_free(call);
        return status;
}

static void sweep_call(toolcalls *t, call_fn *call)
{
        for (sweep s = {.warm = 2}; sweep_next(&s);) {
                pawl_error err = PAWL_ERROR_INIT;
                sweep_arm(&s);
                (void)sweep_done(&s, call(t, toolcalls_name(t, 0), &err), &err);
        }
}

TOOLCALLS_TEST(whatever_allocation_fails_reading_says_so)
{
        begin(t);
        sweep_call(t, call_list);
        sweep_call(t, call_json);
        sweep_call(t, call_document);
        sweep_call(t, call_find);
}

/* A restore fails before anything is done, or half-way, and is seen: as a rollback does. */
TOOLCALLS_TEST(whatever_allocation_fails_a_restore_is_done_or_not)
{
        begin(t);
        for (sweep s = {.step = 13, .keeps = true}; sweep_next(&s);) {
                pawl_error err = PAWL_ERROR_INIT;
                pawl_pending_rollback pending;
                pawl_toolcall *call = NULL;
                toolcalls_write(t, "a.txt", "two");
                sweep_arm(&s);
                bool ok = sweep_done(&s,
                        pawl_toolcalls_restore(&call, t->f->log, pawl__text(toolcalls_name(t, 0)),
                                s.n & 1 ? t->outside : NULL, NULL, NULL, &err),
                        &err);
                pawl_toolcall_free(call);
                if (pawl_workspace_pending(&pending, t->f->log, &err) == PAWL_OK)
                        assert_ok(pawl_workspace_finish(NULL, t->f->log, NULL, &err));
                else if (!ok)
                        continue;
                char *text = toolcalls_text(t, "a.txt");
                assert_string_equal(text, "one");
        }
}
