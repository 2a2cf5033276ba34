#include "service/fixture.h"
#include "base/json_tree.h"
#include "cli/registry.h"

void test_service_prepare(test_service *s, const cli_registry *registry)
{
        memset(s, 0, sizeof *s);
        s->directory = directory_make();
        s->log_path = path_in(s->directory, ".pawl/events.db");
        s->token_file = path_in(s->directory, "serve.token");
        s->options = (service_options){.log_path = s->log_path,
                .token_file = s->token_file,
                .actor = "user:owner",
                .registry = registry,
                .address = "127.0.0.1"};
}

void test_service_open(test_service *s)
{
        pawl_log_options options = PAWL_LOG_OPTIONS_INIT;
        char hex[SERVICE_TOKEN_HEX + 1];
        pawl_error err = PAWL_ERROR_INIT;
        pawl_log *log;

        options.flags = PAWL_LOG_CREATE;
        assert_ok(pawl_log_open(&log, s->log_path, &options, &err));
        pawl_log_close(log);
        if (service_site_open(&s->site, &s->options, &err))
                fail_msg("%s", err.message);
        service_worker_init(&s->worker, &s->site);
        service_token_format(hex, &s->site.program_token);
        snprintf(s->program_token, sizeof s->program_token, "Bearer %s", hex);
        service_token_format(hex, &s->site.page_token);
        snprintf(s->page_token, sizeof s->page_token, "Bearer %s", hex);
}

void test_service_close(test_service *s)
{
        service_answer_free(&s->answer);
        service_worker_free(&s->worker);
        service_site_close(&s->site);
}

int test_service_setup(void **state)
{
        test_service *s = *state;

        test_service_prepare(s, &cli_commands);
        s->options.workspace = s->directory;
        return 0;
}

int test_service_teardown(void **state)
{
        test_service_close(*state);
        return 0;
}

unsigned test_service_ask(test_service *s, const char *method, const char *target,
        const char *const *headers, const char *body)
{
        service_request request = SERVICE_REQUEST_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        pawl_status status =
                service_request_target(&request, pawl__text(method), pawl__text(target), &err);

        for (; !status && headers && *headers; headers += 2)
                status = service_request_header(&request, headers[0], pawl__text(headers[1]), &err);
        if (!status && !request.headers[SERVICE_HOST].data)
                status = service_request_header(
                        &request, "Host", pawl__text("127.0.0.1:7473"), &err);
        if (!status && body && !request.headers[SERVICE_CONTENT_TYPE].data)
                status = service_request_header(
                        &request, "Content-Type", pawl__text(SERVICE_JSON), &err);
        if (!status && body)
                status = service_request_body(&request, body, strlen(body), &err);
        if (status)
                fail_msg("%s", err.message);
        service_answer_free(&s->answer);
        service_handle(&s->answer, &s->worker, &request);
        service_request_free(&request);
        return s->answer.status;
}

unsigned test_service_get(test_service *s, const char *target)
{
        const char *const headers[] = {"Authorization", s->program_token, NULL};

        return test_service_ask(s, "GET", target, headers, NULL);
}

unsigned test_service_post(test_service *s, const char *target, const char *body)
{
        const char *const headers[] = {"Authorization", s->program_token, NULL};

        return test_service_ask(s, "POST", target, headers, body);
}

const char *test_service_body(test_service *s)
{
        const pawl_text bytes = service_answer_bytes(&s->answer);
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl_error err;

        assert_string_equal(s->answer.content_type, SERVICE_JSON);
        assert_ok(pawl__json_tree_read(&tree, bytes.data, bytes.len, &err));
        pawl__json_tree_free(&tree);
        return bytes.data;
}
