/* Requests and their answers, without connections: commands, what is refused, what the log does. */
#include "service/fixture.h"

static test_service s;

static unsigned run(const char *body)
{
        return test_service_post(&s, "/executeCommand", body);
}

/* A command of the registry that the service does not offer is as one that is not there. */
SERVICE_TEST(commands_are_run_by_their_whole_name, &s)
{
        (void)state;
        test_service_open(&s);
        assert_int_equal(run("{\"command\":\"checkpoint\",\"args\":[\"first\"]}"), 200);
        answer_says(&s, "{\"name\":\"checkpoint\",\"data\":{\"n\":1,");
        assert_int_equal(run("{\"command\":\"checkpoints\"}"), 200);
        answer_says(&s, "\"data\":[{\"n\":1,");
        assert_int_equal(run("{\"args\":[\"1\"],\"command\":\"eventlog show\"}"), 200);
        answer_says(&s, "\"type\":\"WorkspaceCheckpointed\"");
        assert_int_equal(run("{\"command\":\"no such\"}"), 404);
        answer_says(&s, "GET /listCommands");
        static const char *const not_served[] = {"serve", "run", "resume", "init", "hash", "import",
                "export", "backup", "help", "eventlog", "eventlog tail", "eventlog  show",
                " checkpoints", "Checkpoints", "", "checkpoints --json", "--help",
                "eventlog show 1"};
        for (size_t i = 0; i < sizeof not_served / sizeof not_served[0]; i++) {
                char body[100];
                snprintf(body, sizeof body, "{\"command\":\"%s\"}", not_served[i]);
                if (run(body) != 404)
                        fail_msg("\"%s\" is served: %u", not_served[i], s.answer.status);
        }
}

SERVICE_TEST(json_lines_are_an_array, &s)
{
        (void)state;
        test_service_open(&s);
        assert_int_equal(run("{\"command\":\"eventlog list\"}"), 200);
        answer_says(&s, "\"data\":[]");
        assert_int_equal(run("{\"command\":\"checkpoint\"}"), 200);
        assert_int_equal(run("{\"command\":\"eventlog list\"}"), 200);
        answer_says(&s, "\"data\":[{\"seq\":1,");
}

SERVICE_TEST(what_fails_in_a_command_is_data, &s)
{
        (void)state;
        test_service_open(&s);
        assert_int_equal(run("{\"command\":\"eventlog show\",\"args\":[\"7\"]}"), 200);
        answer_says(&s, "{\"name\":\"eventlog show\",\"data\":{\"error\":{\"status\":"
                        "\"PAWL_ENOTFOUND\",\"code\":1,\"message\":\"seq 7: ");
        answer_says(&s, ",\"type\":\"message\",\"messageType\":\"error\",\"content\":\"seq 7: ");
        /* wrong usage */
        assert_int_equal(run("{\"command\":\"eventlog show\",\"args\":[\"x\"]}"), 200);
        answer_says(&s, "\"PAWL_EINVAL\",\"code\":2");
        assert_int_equal(run("{\"command\":\"eventlog show\",\"args\":[]}"), 200);
        answer_says(&s, "\"code\":2");
        /* what would read a file of the machine, or another log */
        assert_int_equal(run("{\"command\":\"checkpoints\",\"args\":[\"--db\",\"/x\"]}"), 200);
        answer_says(&s, "\"error\"");
        assert_int_equal(run("{\"command\":\"checkpoint\",\"args\":[\"--key-file=/x\"]}"), 200);
        answer_says(&s, "\"error\"");
        assert_int_equal(run("{\"command\":\"checkpoints\",\"args\":[\"--help\"]}"), 200);
        answer_says(&s, "\"error\"");
}

/* Commands of this test: one prints for ever, one prints no JSON, one nothing. */
static int flood(cli_call *cli)
{
        unsigned char hash[32];
        uint64_t seq;

        while (pawl_log_head(&seq, hash, cli->in->log) == PAWL_OK)
                for (int i = 0; i < 100; i++)
                        fprintf(cli->in->out, "%0999d\n", i);
        return CLI_FAILED;
}

/* Much, and then an end; what it did before that is done. */
static bool changed;

static int change(cli_call *cli)
{
        unsigned char hash[32];
        uint64_t seq;

        for (int i = 0; i < 40000; i++)
                fprintf(cli->in->out, "%0999d\n", i);
        changed = pawl_log_head(&seq, hash, cli->in->log) == PAWL_OK;
        return CLI_DONE;
}

static int speak(cli_call *cli)
{
        fprintf(cli->in->out, "two\nlines \"quoted\"\n");
        return CLI_BLOCKED;
}

static int mumble(cli_call *cli)
{
        fprintf(cli->in->out, "\xff\n");
        return CLI_DONE;
}

static int silent(cli_call *cli)
{
        (void)cli;
        return CLI_DONE;
}

SERVICE_TEST(what_a_command_prints_is_bounded_and_json, &s)
{
        static const cli_cmd cmds[] = {
                {.name = "flood", .traits = CLI_SERVED, .help = "x", .run = flood},
                {.name = "change", .traits = CLI_SERVED | CLI_CHANGES, .help = "x", .run = change},
                {.name = "speak", .traits = CLI_SERVED, .help = "x", .run = speak},
                {.name = "mumble", .traits = CLI_SERVED, .help = "x", .run = mumble},
                {.name = "silent", .traits = CLI_SERVED, .help = "x", .run = silent},
        };
        static const cli_cmd *const table[] = {
                &cmds[0], &cmds[1], &cmds[2], &cmds[3], &cmds[4], NULL};
        static const cli_program program = {"test", "x", table, NULL};
        static const cli_program *const programs[] = {&program, NULL};
        static const cli_registry registry = {programs};

        (void)state;
        s.options.registry = &registry;
        test_service_open(&s);
        assert_int_equal(run("{\"command\":\"flood\"}"), 200);
        answer_says(&s, "\"error\":{\"status\":\"PAWL_ETOOBIG\",\"code\":1,");
        assert_null(strstr(test_service_body(&s), "output\":"));
        assert_int_equal(run("{\"command\":\"change\"}"), 200);
        answer_says(&s, "what the command did stands");
        assert_true(changed);
        /* what was ended by that is not ended for the next */
        assert_int_equal(run("{\"command\":\"silent\"}"), 200);
        answer_says(&s, "{\"name\":\"silent\",\"data\":null}");
        assert_int_equal(run("{\"command\":\"speak\"}"), 200);
        answer_says(&s, "{\"status\":\"PAWL_BLOCKED\",\"code\":3,");
        answer_says(&s, "\"output\":\"two\\nlines \\\"quoted\\\"\"");
        assert_int_equal(run("{\"command\":\"mumble\"}"), 500);
        answer_says(&s, "is no UTF-8");
        assert_int_equal(test_service_get(&s, "/listCommands"), 200);
        answer_says(&s, "\"name\":\"flood\"");
}

SERVICE_TEST(arguments_that_are_null_are_none, &s)
{
        (void)state;
        test_service_open(&s);
        assert_int_equal(run("{\"command\":\"checkpoints\",\"args\":null}"), 200);
        answer_says(&s, "{\"name\":\"checkpoints\",\"data\":[]}");
}

SERVICE_TEST(a_body_that_is_not_the_form_is_refused, &s)
{
        static const char *const refused[] = {"", "{", "[]", "null", "\"checkpoints\"", "{}",
                "{\"command\":7}", "{\"command\":null}", "{\"command\":[\"checkpoints\"]}",
                "{\"command\":\"checkpoints\",\"args\":\"--json\"}",
                "{\"command\":\"checkpoints\",\"args\":{}}",
                "{\"command\":\"checkpoints\",\"args\":[1]}",
                "{\"command\":\"checkpoints\",\"args\":[null]}",
                "{\"command\":\"checkpoints\",\"args\":[[\"a\"]]}",
                "{\"command\":\"checkpoints\",\"args\":[\"a\\u0000b\"]}",
                "{\"command\":\"check\\u0000points\"}", "{\"command\":\"checkpoints\",\"argv\":[]}",
                "{\"command\":\"checkpoints\",\"command\":\"undo\"}",
                "{\"command\":\"checkpoints\"} {}", "{\"command\":\"\xff\"}",
                "{\"command\":\"\\ud800\"}"};

        (void)state;
        test_service_open(&s);
        for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
                if (run(refused[i]) != 400)
                        fail_msg("%s gives %u", refused[i], s.answer.status);
                answer_says(&s, "\"message\":\"the body: ");
        }
}

SERVICE_TEST(a_service_that_only_reads_changes_nothing, &s)
{
        (void)state;
        s.options.read_only = true;
        test_service_open(&s);
        assert_int_equal(run("{\"command\":\"checkpoint\"}"), 403);
        answer_says(&s, "\"PAWL_EREADONLY\"");
        assert_int_equal(run("{\"command\":\"undo\"}"), 403);
        assert_int_equal(
                run("{\"command\":\"resolve\",\"args\":[\"abcd\",\"--pick\",\"1\"]}"), 403);
        assert_int_equal(run("{\"command\":\"checkpoints\"}"), 200);
        answer_says(&s, "\"data\":[]");
        assert_int_equal(run("{\"command\":\"eventlog head\"}"), 200);
        answer_says(&s, "\"seq\":0");
        /* an option makes it a look; one that is wrong, or follows "--", does not */
        assert_int_equal(run("{\"command\":\"validate\"}"), 403);
        assert_int_equal(run("{\"command\":\"validate\",\"args\":[\"--dry-run\"]}"), 200);
        answer_says(&s, "\"data\":[]");
        assert_int_equal(run("{\"command\":\"validate\",\"args\":[\"--\",\"--dry-run\"]}"), 403);
        assert_int_equal(run("{\"command\":\"validate\",\"args\":[\"--plan\"]}"), 403);
        assert_int_equal(run("{\"command\":\"validate\",\"args\":[\"--dry-run\",\"--no\"]}"), 200);
        answer_says(&s, "\"code\":2");
        assert_int_equal(run("{\"command\":\"rollback\",\"args\":[\"--finish\",\"--plan\"]}"), 200);
        answer_says(&s, "\"PAWL_ENOTFOUND\"");
}

SERVICE_TEST(without_a_workspace_a_command_that_needs_one_does_not_start, &s)
{
        (void)state;
        s.options.workspace = NULL;
        test_service_open(&s);
        assert_int_equal(run("{\"command\":\"checkpoint\"}"), 400);
        answer_says(&s, "the command checkpoint: needs a workspace");
        assert_int_equal(run("{\"command\":\"eventlog list\"}"), 200);
        answer_says(&s, "\"data\":[]");
}

SERVICE_TEST(who_asks_is_recorded, &s)
{
        const char *const headers[] = {
                "Authorization", s.program_token, "X-Pawl-Actor", "user:ana", NULL};
        const char *const bad[] = {"Authorization", s.program_token, "X-Pawl-Actor", "a/b", NULL};

        (void)state;
        test_service_open(&s);
        assert_int_equal(test_service_ask(&s, "POST", "/executeCommand", headers,
                                 "{\"command\":\"checkpoint\"}"),
                200);
        assert_int_equal(run("{\"command\":\"checkpoint\"}"), 200);
        assert_int_equal(run("{\"command\":\"eventlog list\"}"), 200);
        answer_says(&s, "\"actor\":\"user:ana\"");
        answer_says(&s, "\"actor\":\"user:owner\"");
        assert_int_equal(test_service_ask(&s, "POST", "/executeCommand", bad,
                                 "{\"command\":\"checkpoint\"}"),
                400);
        answer_says(&s, "actor id");
}

/* Directories change their names, so that a log keeps the files beside it. */
SERVICE_TEST(the_log_at_the_path_is_the_one_that_is_used, &s)
{
        char *aside = path_in(s.directory, "aside"), *directory = path_in(s.directory, ".pawl");
        pawl_log_options options = PAWL_LOG_OPTIONS_INIT;
        pawl_error err;
        pawl_log *log;

        (void)state;
        test_service_open(&s);
        assert_int_equal(run("{\"command\":\"checkpoint\"}"), 200);
        assert_int_equal(rename(directory, aside), 0);
        assert_int_equal(run("{\"command\":\"eventlog head\"}"), 503);
        answer_says(&s, "put the log back");
        options.flags = PAWL_LOG_CREATE;
        assert_ok(pawl_log_open(&log, s.log_path, &options, &err));
        pawl_log_close(log);
        assert_int_equal(run("{\"command\":\"eventlog head\"}"), 200);
        answer_says(&s, "\"seq\":0");
        directory_remove(directory);
        directory = path_in(s.directory, ".pawl");
        assert_int_equal(rename(aside, directory), 0);
        assert_int_equal(run("{\"command\":\"eventlog head\"}"), 200);
        answer_says(&s, "\"seq\":1");
}

SERVICE_TEST(health_is_what_was_seen_last, &s)
{
        pawl_error full = {PAWL_EFULL, "the disk: is full; make room"};
        pawl_error not_ours = {PAWL_ENOTFOUND, "x: y; z"};

        (void)state;
        test_service_open(&s);
        assert_int_equal(test_service_ask(&s, "GET", "/healthz", NULL, NULL), 200);
        answer_says(&s, "{\"status\":\"ok\"}");
        service_health_wrote(&s.site.health, &full);
        service_health_wrote(&s.site.health, &not_ours);
        assert_int_equal(test_service_ask(&s, "GET", "/healthz", NULL, NULL), 503);
        answer_says(&s, "{\"status\":\"failing\",\"why\":\"the disk: is full; make room\"}");
        /* a look says nothing of writing */
        assert_int_equal(run("{\"command\":\"validate\",\"args\":[\"--dry-run\"]}"), 200);
        assert_int_equal(test_service_ask(&s, "GET", "/healthz", NULL, NULL), 503);
        assert_int_equal(run("{\"command\":\"checkpoint\"}"), 200);
        assert_int_equal(test_service_ask(&s, "GET", "/healthz", NULL, NULL), 200);
        service_health_read(&s.site.health, &not_ours);
        assert_int_equal(test_service_ask(&s, "GET", "/healthz", NULL, NULL), 503);
        service_health_read(&s.site.health, NULL);
        service_health_begin(&s.site.health, service_now_ms() - SERVICE_HANGS_MS - 2000);
        assert_int_equal(test_service_ask(&s, "GET", "/healthz", NULL, NULL), 503);
        answer_says(&s, "has not answered for 12 s");
        service_health_begin(&s.site.health, service_now_ms());
        assert_int_equal(test_service_ask(&s, "GET", "/healthz", NULL, NULL), 200);
}

SERVICE_TEST(metrics_are_lines_of_their_form, &s)
{
        (void)state;
        test_service_open(&s);
        assert_int_equal(run("{\"command\":\"checkpoint\"}"), 200);
        service_metrics_count(s.site.metrics, NULL, 404, 17);
        service_metrics_count(s.site.metrics, &service_core_routes[1], 200, 3000);
        service_metrics_count(s.site.metrics, &service_core_routes[1], 599, 20000000);
        assert_int_equal(test_service_get(&s, "/metrics"), 200);
        const pawl_text bytes = service_answer_bytes(&s.answer);
        static const char *const lines[] = {
                "\npawl_http_requests_total{route=\"none\",status=\"404\"} 1\n",
                "\npawl_http_requests_total{route=\"GET /metrics\",status=\"other\"} 1\n",
                "\npawl_http_request_seconds_bucket{route=\"GET /metrics\",le=\"0.0025\"} 0\n",
                "\npawl_http_request_seconds_bucket{route=\"GET /metrics\",le=\"0.005\"} 1\n",
                "\npawl_http_request_seconds_bucket{route=\"GET /metrics\",le=\"10\"} 1\n",
                "\npawl_http_request_seconds_bucket{route=\"GET /metrics\",le=\"+Inf\"} 2\n",
                "\npawl_http_request_seconds_sum{route=\"GET /metrics\"} 20.003000\n",
                "\npawl_http_request_seconds_count{route=\"GET /metrics\"} 2\n",
                "\npawl_log_head_seq 1\n", "\npawl_conflicts_open 0\n", "\npawl_runs_in_line 0\n",
                "\npawl_sessions_active 0\n", "\npawl_log_bytes "};
        for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
                assert_says(bytes.data, lines[i]);
}
