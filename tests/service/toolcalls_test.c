/* Tool calls over HTTP: their checkpoints, the list, and taking one back. */
#include "service/fixture.h"

#define CALLS                                                                                      \
        "[{\\\"callId\\\":\\\"c1\\\",\\\"name\\\":\\\"replace\\\",\\\"args\\\":{\\\"a\\\":1}},"    \
        "{\\\"callId\\\":\\\"c2\\\",\\\"name\\\":\\\"read_file\\\"}]"

static test_service s;

static const char *run(const char *command, const char *args)
{
        pawl__buf body = PAWL__BUF_INIT;

        assert_ok(pawl__buf_addf(&body, "{\"command\":\"%s\",\"args\":[%s]}", command, args));
        assert_int_equal(test_service_post(&s, "/executeCommand", body.data), 200);
        pawl__buf_free(&body);
        return test_service_body(&s);
}

static void write_text(const char *name, const char *text)
{
        char *path = path_in(s.directory, name);

        file_write(path, text, strlen(text));
}

/* The name of the only call that has a checkpoint, as the list has it. */
static char *only_name(void)
{
        const char *body = run("restore list", "");
        const char *start = strstr(body, "\"data\":[\"");

        assert_non_null(start);
        start += strlen("\"data\":[\"");
        const char *end = strchr(start, '"');
        assert_non_null(end);
        assert_int_equal(strncmp(end, "\"]}", 3), 0);
        return test_text(start, (size_t)(end - start));
}

SERVICE_TEST(a_call_is_checkpointed_listed_and_taken_back, &s)
{
        char quoted[200];
        size_t len;

        (void)state;
        test_service_open(&s);
        write_text("a.txt", "one");
        run("tool checkpoint", "\"" CALLS "\"");
        answer_says(&s, "{\"name\":\"tool checkpoint\",\"data\":{\"calls\":[{\"callId\":\"c1\","
                        "\"name\":\"replace\",\"args\":{\"a\":1},\"checkpoint\":\"20");
        answer_says(&s, "{\"callId\":\"c2\",\"name\":\"read_file\"}],\"errors\":[]}}");
        char *name = only_name(), *path = path_in(s.directory, "a.txt");
        write_text("a.txt", "two");
        snprintf(quoted, sizeof quoted, "\"%s\"", name);
        run("restore", quoted);
        answer_says(&s, "\"toolCall\":{\"callId\":\"c1\",\"name\":\"replace\",\"args\":{\"a\":1}}");
        answer_says(&s, "\"checkpoint\":{\"n\":1,\"id\":\"cp-01-before-replace-c1-");
        answer_says(&s, "\"safety\":2,\"rollback\":{\"applied\":true,");
        char *text = file_read(path, &len);
        assert_string_equal(text, "one");
        /* an argument is a name, never a subcommand */
        run("restore", "\"list\"");
        answer_says(&s, "\"status\":\"PAWL_ENOTFOUND\"");
        answer_says(&s, "list.json: the log has no tool call of that name");
}

SERVICE_TEST(what_fails_is_data, &s)
{
        (void)state;
        test_service_open(&s);
        run("tool checkpoint", "\"[{}]\"");
        answer_says(&s, "calls[0].name: is missing");
        run("tool checkpoint", "");
        answer_says(&s, "\"error\"");
        run("restore", "\"../a.json\"");
        answer_says(&s, "\"status\":\"PAWL_EINVAL\"");
        run("restore", "\"a.json\"");
        answer_says(&s, "\"status\":\"PAWL_ENOTFOUND\"");
}

/* No file of the machine; what the service was started with holds for every request. */
SERVICE_TEST(only_the_request_says_how, &s)
{
        static const char *const args[] = {"\"--calls\",\"/etc/passwd\"", "\"--calls=-\"",
                "\"[]\",\"--files\",\"/tmp\"", "\"[]\",\"--root=/\""};

        (void)state;
        test_service_open(&s);
        for (size_t i = 0; i < sizeof args / sizeof args[0]; i++) {
                run("tool checkpoint", args[i]);
                answer_says(&s, "\"error\"");
        }
        run("restore list", "\"--files\",\"/tmp\"");
        answer_says(&s, "\"error\"");
        run("restore", "\"a.json\",\"--files=/tmp\"");
        answer_says(&s, "\"error\"");
        setenv("PAWL_TOOL_CHECKPOINTS", "off", 1);
        run("tool checkpoint", "\"" CALLS "\"");
        answer_says(&s, "\"args\":{\"a\":1}}");
        run("tool checkpoint", "\"" CALLS "\",\"--tool=replace\"");
        answer_says(&s, "\"args\":{\"a\":1}}");
        run("restore", "\"a.json\"");
        answer_says(&s, "tool checkpoints are switched off");
        unsetenv("PAWL_TOOL_CHECKPOINTS");
        setenv("PAWL_EDIT_TOOLS", "other", 1);
        run("tool checkpoint", "\"" CALLS "\"");
        answer_says(&s, "\"args\":{\"a\":1}}");
        unsetenv("PAWL_EDIT_TOOLS");
        run("tool checkpoint", "\"" CALLS "\"");
        answer_says(&s, "\"args\":{\"a\":1},\"checkpoint\":\"20");
        answer_says(&s, "\"errors\":[]");
        (void)only_name();
}

SERVICE_TEST(a_service_that_only_reads_takes_none, &s)
{
        (void)state;
        s.options.read_only = true;
        test_service_open(&s);
        assert_int_equal(test_service_post(&s, "/executeCommand",
                                 "{\"command\":\"tool checkpoint\",\"args\":[\"" CALLS "\"]}"),
                403);
        assert_int_equal(test_service_post(&s, "/executeCommand",
                                 "{\"command\":\"restore\",\"args\":[\"a.json\"]}"),
                403);
        run("restore list", "");
        answer_says(&s, "\"data\":[]");
}
