/* A checkpoint before each edit by a tool: which calls get one, what is kept, and what it is
 * called.
 */
#include "events/log.h"
#include "support/claims.h"
#include "support/toolcalls.h"
#include <sys/stat.h>
#include <unistd.h>

#define TWO_EDITS                                                                                    \
        "{\"history\":[{\"type\":\"user\",\"text\":\"mend it\"}],\"messageId\":\"m-1\",\"note\":"    \
        "1.0,\"calls\":[{\"callId\":\"c1\",\"name\":\"replace\",\"args\":{\"file_path\":\"a.txt\"}}" \
        ",{\"callId\":\"c2\",\"name\":\"read_file\",\"args\":{},\"checkpoint\":\"old\"},"            \
        "{\"callId\":\"c3\",\"name\":\"write_file\",\"args\":{\"n\":2},\"id\":7}]}"
#define ONE_EDIT "[{\"callId\":\"c1\",\"name\":\"replace\",\"args\":{}}]"

static char *answer(toolcalls *t)
{
        size_t len;
        char *json;

        assert_ok(pawl_toolcalls_json(&json, &len, t->batch, &t->err));
        assert_int_equal(strlen(json), len);
        char *own = test_text(json, len);
        pawl_free(json);
        return own;
}

static char *document_in(const char *directory, const char *name)
{
        return file_read(path_in(directory, name), NULL);
}

TOOLCALLS_TEST(each_edit_gets_a_checkpoint_and_nothing_else)
{
        toolcalls_take(t, TWO_EDITS);
        assert_int_equal(pawl_toolcalls_count(t->batch), 3);
        assert_int_equal(pawl_toolcalls_failed(t->batch), 0);
        assert_string_equal(toolcalls_name(t, 0), "2026-11-20T12-35-00-000Z-c1-replace.json");
        assert_null(pawl_toolcalls_at(t->batch, 1)->checkpoint);
        assert_false(pawl_toolcalls_at(t->batch, 1)->edits);
        assert_string_equal(toolcalls_name(t, 2), "2026-11-20T12-35-00-000Z-c3-write_file.json");
        assert_int_equal(pawl_toolcalls_at(t->batch, 2)->n, 2);
        assert_null(pawl_toolcalls_at(t->batch, 3));
        assert_int_equal(event_log_integer(t->f, "SELECT count(*) FROM events"), 4);
        assert_int_equal(event_log_integer(t->f,
                                 "SELECT count(*) FROM events a JOIN events b ON b.seq = a.seq + 1 "
                                 "WHERE a.type = 'WorkspaceCheckpointed' AND b.type = "
                                 "'ToolCallCheckpointed' AND json_extract(a.payload, '$.n') = "
                                 "json_extract(b.payload, '$.checkpoint') AND "
                                 "json_extract(a.payload, '$.id') = json_extract(b.payload, "
                                 "'$.checkpoint_id') AND json_extract(b.payload, '$.message_id') = "
                                 "'m-1' AND a.time = b.time"),
                2);
        char *json = answer(t);
        assert_string_equal(json,
                "{\"calls\":[{\"callId\":\"c1\",\"name\":\"replace\",\"args\":{\"file_path\":"
                "\"a.txt\"},\"checkpoint\":\"2026-11-20T12-35-00-000Z-c1-replace.json\"},"
                "{\"callId\":\"c2\",\"name\":\"read_file\",\"args\":{}},"
                "{\"callId\":\"c3\",\"name\":\"write_file\",\"args\":{\"n\":2},\"id\":7,"
                "\"checkpoint\":\"2026-11-20T12-35-00-000Z-c3-write_file.json\"}],\"errors\":[]}");
}

TOOLCALLS_TEST(the_document_is_kept_with_all_that_came_with_it)
{
        static const char expected[] =
                "{\"history\":[{\"type\":\"user\",\"text\":\"mend it\"}],\"commitHash\":"
                "\"cp-02-before-write-file-c3-20261120-123500\",\"messageId\":\"m-1\",\"toolCall\":"
                "{\"callId\":\"c3\",\"name\":\"write_file\",\"args\":{\"n\":2},\"id\":7},"
                "\"note\":1.0}";
        struct stat st;

        t->options.files = t->outside;
        toolcalls_take(t, TWO_EDITS);
        char *text = document_in(t->outside, toolcalls_name(t, 2));
        assert_string_equal(text, expected);
        char *path = path_in(t->outside, toolcalls_name(t, 2));
        assert_int_equal(stat(path, &st), 0);
        assert_int_equal(st.st_mode & 07777, 0600);
        char *names = toolcalls_directory(t->outside);
        assert_string_equal(names, "2026-11-20T12-35-00-000Z-c1-replace.json "
                                   "2026-11-20T12-35-00-000Z-c3-write_file.json ");
        assert_int_equal(event_log_integer(t->f,
                                 "SELECT count(*) FROM events e JOIN blobs b ON lower(hex(b.hash)) "
                                 "= json_extract(e.payload, '$.document') WHERE "
                                 "json_extract(CAST(b.content AS TEXT), '$.toolCall.callId') = "
                                 "json_extract(e.payload, '$.call_id')"),
                2);
}

TOOLCALLS_TEST(calls_without_args_have_none)
{
        t->options.files = t->outside;
        toolcalls_take(t, "[{\"callId\":\"c\",\"name\":\"replace\",\"checkpoint\":{}}]");
        char *text = document_in(t->outside, toolcalls_name(t, 0));
        assert_says(text, "\"toolCall\":{\"callId\":\"c\",\"name\":\"replace\",\"args\":{}}}");
}

TOOLCALLS_TEST(which_tools_edit_is_for_the_caller_to_say)
{
        static const char *const tools[] = {"edit"};

        t->options.edit_tools = tools;
        t->options.n_edit_tools = 1;
        toolcalls_take(t, "[{\"callId\":\"1\",\"name\":\"replace\"},{\"callId\":\"2\",\"name\":"
                          "\"edit\"},{\"callId\":\"3\",\"name\":\"Edit\"}]");
        assert_null(pawl_toolcalls_at(t->batch, 0)->checkpoint);
        assert_non_null(toolcalls_name(t, 1));
        assert_null(pawl_toolcalls_at(t->batch, 2)->checkpoint);
        t->options.n_edit_tools = 0;
        toolcalls_take(t, ONE_EDIT);
        assert_null(pawl_toolcalls_at(t->batch, 0)->checkpoint);
}

TOOLCALLS_TEST(switched_off_it_writes_nothing)
{
        pawl_log *log = t->f->log;

        t->options.off = true;
        t->options.files = t->outside;
        t->f->log = NULL;
        toolcalls_take(t, TWO_EDITS);
        t->f->log = log;
        assert_true(pawl_toolcalls_at(t->batch, 0)->edits);
        for (size_t i = 0; i < 3; i++)
                assert_null(pawl_toolcalls_at(t->batch, i)->checkpoint);
        char *names = toolcalls_directory(t->outside), *json = answer(t);
        assert_string_equal(names, "");
        assert_null(strstr(json, "checkpoint"));
        assert_int_equal(event_log_count(t->f), 0);
}

TOOLCALLS_TEST(a_batch_that_is_none_is_refused_whole)
{
        static const struct {
                const char *json;
                pawl_status status;
                const char *says;
        } cases[] = {
                {"", PAWL_EPARSE, "there is no value"},
                {"7", PAWL_EINVAL, "calls: are no array"},
                {"{}", PAWL_EINVAL, "calls: is missing; it must be an array"},
                {"{\"calls\":{}}", PAWL_EINVAL, "calls: is not an array"},
                {"{\"calls\":[],\"history\":7}", PAWL_EINVAL, "history: is not an array"},
                {"{\"calls\":[],\"messageId\":7}", PAWL_EINVAL, "messageId: is not text"},
                {"{\"calls\":[],\"commitHash\":\"c\"}", PAWL_EINVAL, "commitHash: belongs to the"},
                {"{\"calls\":[],\"toolCall\":{}}", PAWL_EINVAL, "toolCall: belongs to the"},
                {"[7]", PAWL_EINVAL, "calls[0]: is not an object"},
                {"[{\"callId\":\"1\",\"name\":\"replace\"},{\"name\":\"replace\"}]", PAWL_EINVAL,
                        "calls[1].callId: is missing; it must be text"},
                {"[{\"callId\":1,\"name\":\"replace\"}]", PAWL_EINVAL,
                        "calls[0].callId: is not text"},
                {"[{\"callId\":\"\",\"name\":\"replace\"}]", PAWL_EINVAL,
                        "calls[0].callId: is empty"},
                {"[{\"callId\":\"1\"}]", PAWL_EINVAL, "calls[0].name: is missing"},
                {"[{\"callId\":\"1\",\"name\":\"x\",\"args\":[]}]", PAWL_EINVAL,
                        "calls[0].args: is not an object"},
        };

        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
                assert_int_equal(toolcalls_try(t, cases[i].json), cases[i].status);
                assert_says(t->err.message, cases[i].says);
        }
        assert_int_equal(event_log_count(t->f), 0);
        t->options.version = 9;
        assert_int_equal(toolcalls_try(t, ONE_EDIT), PAWL_EINVAL);
        assert_says(t->err.message, "version 9 is not known");
}

TOOLCALLS_TEST(a_batch_has_its_limits)
{
        pawl__buf json = PAWL__BUF_INIT;

        assert_ok(pawl__buf_adds(&json, "[{\"callId\":\""));
        for (int i = 0; i < 513; i++)
                assert_ok(pawl__buf_adds(&json, "x"));
        assert_ok(pawl__buf_adds(&json, "\",\"name\":\"replace\"}]"));
        assert_int_equal(toolcalls_try(t, json.data), PAWL_ETOOBIG);
        assert_says(t->err.message, "calls[0].callId: has 513 bytes; at most 512");
        pawl__buf_clear(&json);
        for (int i = 0; i < 4097; i++)
                assert_ok(pawl__buf_adds(&json, i ? ",{}" : "[{}"));
        assert_ok(pawl__buf_adds(&json, "]"));
        assert_int_equal(toolcalls_try(t, json.data), PAWL_ETOOBIG);
        assert_says(t->err.message, "calls: are 4097; at most 4096");
        assert_int_equal(pawl_toolcalls_checkpoint(&t->batch, t->f->log, "[", PAWL_TOOLCALL_MAX + 1,
                                 &t->options, &t->err),
                PAWL_ETOOBIG);
        pawl__buf_free(&json);
}

/* The clock stands still here: the second call has the next millisecond, in the log and where there
 * is a file of that name already. */
TOOLCALLS_TEST(two_calls_in_a_millisecond_have_two_names)
{
        toolcalls_take(t, "[{\"callId\":\"c1\",\"name\":\"replace\"},{\"callId\":\"c1\",\"name\":"
                          "\"replace\"}]");
        assert_string_equal(toolcalls_name(t, 0), "2026-11-20T12-35-00-000Z-c1-replace.json");
        assert_string_equal(toolcalls_name(t, 1), "2026-11-20T12-35-00-001Z-c1-replace.json");
        file_write(path_in(t->outside, "2026-11-20T12-35-00-002Z-c1-replace.json"), "mine", 4);
        t->options.files = t->outside;
        toolcalls_take(t, ONE_EDIT);
        assert_string_equal(toolcalls_name(t, 0), "2026-11-20T12-35-00-003Z-c1-replace.json");
        char *mine = document_in(t->outside, "2026-11-20T12-35-00-002Z-c1-replace.json");
        assert_string_equal(mine, "mine");
}

enum { PROCESSES_AT_ONCE = 4, EACH = 3 };

/* Each process has a log of its own, so that nothing but the directory keeps them apart. */
TOOLCALLS_TEST(processes_that_share_a_directory_have_names_of_their_own)
{
        pid_t children[PROCESSES_AT_ONCE];
        int n = 0;

        for (int i = 0; i < PROCESSES_AT_ONCE; i++) {
                children[i] = fork();
                assert_true(children[i] >= 0);
                if (children[i] == 0) {
                        toolcalls *own;
                        void *fresh;
                        if (toolcalls_setup(&fresh))
                                _exit(1);
                        own = fresh;
                        own->options.files = t->outside;
                        for (int k = 0; k < EACH; k++)
                                if (toolcalls_try(own, ONE_EDIT) ||
                                        pawl_toolcalls_failed(own->batch))
                                        _exit(2);
                        toolcalls_teardown(&fresh);
                        _exit(0);
                }
        }
        for (int i = 0; i < PROCESSES_AT_ONCE; i++) {
                child_exits(children[i], 0);
        }
        char *names = toolcalls_directory(t->outside);
        for (char *at = names; (at = strstr(at, ".json ")) != NULL; at++)
                n++;
        assert_int_equal(n, PROCESSES_AT_ONCE * EACH);
        assert_null(strstr(names, ".part"));
}

/* What keeps all of them from being taken is told for each; the log is as it was. */
TOOLCALLS_TEST(where_none_can_be_taken_each_edit_says_why)
{
        char *file = path_in(t->outside, "file");

        file_write(file, "", 0);
        t->options.files = file;
        assert_ok(toolcalls_try(t, TWO_EDITS));
        assert_int_equal(pawl_toolcalls_failed(t->batch), 2);
        assert_int_equal(pawl_toolcalls_at(t->batch, 0)->status, PAWL_EINVAL);
        assert_ok(pawl_toolcalls_at(t->batch, 1)->status);
        assert_says(pawl_toolcalls_at(t->batch, 2)->error, "is no directory");
        char *json = answer(t);
        assert_null(strstr(json, "\"checkpoint\""));
        assert_says(json, "\"errors\":[{\"callId\":\"c1\",\"error\":\"");
        file = path_in(t->outside, "no/such");
        t->options.files = file;
        assert_ok(toolcalls_try(t, ONE_EDIT));
        assert_int_equal(pawl_toolcalls_at(t->batch, 0)->status, PAWL_ENOTFOUND);
        t->options.files = t->f->directory;
        assert_ok(toolcalls_try(t, ONE_EDIT));
        assert_says(pawl_toolcalls_at(t->batch, 0)->error, "is the root of the workspace");
        t->options.files = NULL;
        t->options.run_id = "a/b";
        assert_ok(toolcalls_try(t, ONE_EDIT));
        assert_says(pawl_toolcalls_at(t->batch, 0)->error, "run id");
        assert_int_equal(event_log_count(t->f), 0);
}

/* Where the documents lie in the workspace they are no part of it: taken back, a call would take
 * the documents of later ones away. Others that take checkpoints leave them out, too. */
TOOLCALLS_TEST(documents_in_the_workspace_are_no_part_of_it)
{
        char *files = path_in(t->f->directory, "sub/calls [1]"),
             *sub = path_in(t->f->directory, "sub");
        const pawl_workspace_checkpoint_request request = PAWL_CHECKPOINT_REQUEST_INIT;
        pawl_workspace_capture *capture;

        assert_int_equal(mkdir(sub, 0755), 0);
        toolcalls_write(t, "sub/kept", "x");
        t->options.files = files;
        toolcalls_take(t, ONE_EDIT);
        char *first = test_copy(toolcalls_name(t, 0));
        toolcalls_write(t, "a.txt", "two");
        toolcalls_take(t, ONE_EDIT);
        assert_ok(pawl_workspace_checkpoint(&capture, t->f->log, &request, NULL, &t->err));
        assert_int_equal(capture->info.files, 2);
        pawl_workspace_capture_free(capture);
        if (toolcalls_restore(t, first))
                fail_msg("%s", t->err.message);
        char *names = toolcalls_directory(files), *text = toolcalls_text(t, "a.txt");
        assert_string_equal(names, "2026-11-20T12-35-00-000Z-c1-replace.json "
                                   "2026-11-20T12-35-00-001Z-c1-replace.json ");
        assert_string_equal(text, "one");
}

TOOLCALLS_TEST(whose_call_it_is_stands_in_both_events)
{
        pawl_workspace_options workspace = PAWL_WORKSPACE_OPTIONS_INIT;

        workspace.actor = "user:ana";
        t->options.workspace = &workspace;
        t->options.mission_id = "m";
        t->options.run_id = "r";
        t->options.step_id = "s";
        t->options.session_id = "x";
        toolcalls_take(t, ONE_EDIT); /* the run of another log */
        assert_int_equal(
                event_log_integer(t->f, "SELECT count(*) FROM events WHERE run_id IS NULL"), 2);
        run_begin(t->f->log, "m", "r");
        toolcalls_take(t, "[{\"callId\":\"c2\",\"name\":\"replace\",\"args\":{}}]");
        assert_int_equal(event_log_integer(t->f,
                                 "SELECT count(*) FROM events WHERE mission_id = 'm' AND run_id = "
                                 "'r' AND step_id = 's' AND session_id = 'x' AND actor = "
                                 "'user:ana'"),
                2);
}
