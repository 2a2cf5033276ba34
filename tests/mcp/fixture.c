/*
 * The service with the tools, resources and prompts that the public examination of servers of the
 * Model Context Protocol asks for, beside pawl's own. All that carries them is the service's.
 *
 *      mcp_fixture LOG WORKSPACE       prints the port and the token of programs, and serves
 */
#include "base/error.h"
#include "cli/registry.h"
#include "mcp/server.h"
#include "service/server.h"
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define PNG                                                                                            \
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJg" \
        "gg=="
#define WAV     "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="
#define TEXT(t) "{\"type\":\"text\",\"text\":\"" t "\"}"
#define IMAGE   "{\"type\":\"image\",\"data\":\"" PNG "\",\"mimeType\":\"image/png\"}"

static const struct {
        const char *tool, *content;
        bool failed;
} tools[] = {
        {"test_simple_text", TEXT("This is a simple text response for testing."), false},
        {"test_image_content", IMAGE, false},
        {"test_audio_content",
                "{\"type\":\"audio\",\"data\":\"" WAV "\",\"mimeType\":\"audio/wav\"}", false},
        {"test_embedded_resource",
                "{\"type\":\"resource\",\"resource\":{\"uri\":\"test://embedded-resource\","
                "\"mimeType\":\"text/plain\",\"text\":\"This is an embedded resource content.\"}}",
                false},
        {"test_multiple_content_types",
                TEXT("Multiple content types test:") "," IMAGE
                                                     ",{\"type\":\"resource\",\"resource\":{\"uri\":\"test://mixed-content-resource\","
                                                     "\"mimeType\":\"application/json\",\"text\":\"{\\\"test\\\":\\\"data\\\",\\\"value\\\":123}\"}}",
                false},
        {"test_tool_with_logging", TEXT("Logged."), false},
        {"test_tool_with_progress", TEXT("Progressed."), false},
        {"test_error_handling", TEXT("This tool intentionally returns an error for testing"), true},
        {NULL, NULL, false},
};

#define OPTIONS "\"option1\",\"option2\",\"option3\""
#define TITLED                                                                                     \
        "{\"const\":\"value1\",\"title\":\"First Option\"},{\"const\":\"value2\",\"title\":"       \
        "\"Second Option\"},{\"const\":\"value3\",\"title\":\"Third Option\"}"

/* What is asked of the client, and the words before what it says. */
static const struct {
        const char *tool, *method, *params, *words;
} questions[] = {
        {"test_sampling", "sampling/createMessage",
                "\"messages\":[{\"role\":\"user\",\"content\":" TEXT(
                        "Test prompt for sampling") "}],\"maxTokens\":100",
                "LLM response: "},
        {"test_elicitation", "elicitation/create",
                "\"message\":\"Please provide your information\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{"
                "\"username\":{\"type\":\"string\",\"description\":\"User's response\"},"
                "\"email\":{\"type\":\"string\",\"description\":\"User's email address\"}},"
                "\"required\":[\"username\",\"email\"]}",
                "User response: "},
        {"test_elicitation_sep1034_defaults", "elicitation/create",
                "\"message\":\"Please review\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{"
                "\"name\":{\"type\":\"string\",\"default\":\"John Doe\"},\"age\":{\"type\":\"integer\",\"default\":30},"
                "\"score\":{\"type\":\"number\",\"default\":95.5},\"status\":{\"type\":\"string\",\"enum\":[\"active\","
                "\"inactive\",\"pending\"],\"default\":\"active\"},\"verified\":{\"type\":\"boolean\",\"default\":true}},"
                "\"required\":[]}",
                "Elicitation completed: "},
        {"test_elicitation_sep1330_enums", "elicitation/create",
                "\"message\":\"Please choose\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{"
                "\"untitledSingle\":{\"type\":\"string\",\"enum\":[" OPTIONS "]},"
                "\"titledSingle\":{\"type\":\"string\",\"oneOf\":[" TITLED "]},"
                "\"legacyEnum\":{\"type\":\"string\",\"enum\":[\"opt1\",\"opt2\",\"opt3\"],\"enumNames\":[\"Option One\","
                "\"Option Two\",\"Option Three\"]},"
                "\"untitledMulti\":{\"type\":\"array\",\"items\":{\"type\":\"string\",\"enum\":[" OPTIONS
                "]}},"
                "\"titledMulti\":{\"type\":\"array\",\"items\":{\"anyOf\":[" TITLED
                "]}}},\"required\":[]}",
                "Elicitation completed: "},
        {NULL, NULL, NULL, NULL},
};

/* Send the message that a format makes. */
PAWL_PRINTF(2, 3)
static void send(mcp_server *server, const char *format, ...)
{
        pawl__buf out = PAWL__BUF_INIT;
        va_list args;
        char *text = NULL;

        va_start(args, format);
        if (vasprintf(&text, format, args) < 0)
                abort();
        va_end(args);
        pawl__buf_adds(&out, text);
        server->send(pawl__buf_text(&out), server->send_user);
        pawl__buf_free(&out);
        free(text);
}

static void answer(mcp_server *server, pawl_text id, const char *result)
{
        send(server, "{\"jsonrpc\":\"2.0\",\"id\":%.*s,\"result\":{%s}}", PAWL__FMT(id), result);
}

/* What a tool tells before its answer. */
static void notify(mcp_server *server, const mcp_request *request, const char *tool)
{
        static const char *const said[] = {
                "Tool execution started", "Tool processing data", "Tool execution completed"};
        const pawl__node meta = pawl__json_get(request->tree, request->params, "_meta");
        const pawl__node node = pawl__json_get(request->tree, meta, "progressToken");
        pawl__buf token = PAWL__BUF_INIT;

        if (node != PAWL__NO_NODE)
                pawl__json_node_text(&token, pawl__json_at(request->tree, node));
        for (int i = 0; i < 3; i++) {
                if (strcmp(tool, "test_tool_with_logging") == 0)
                        send(server,
                                "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":"
                                "{\"level\":\"info\",\"data\":\"%s\"}}",
                                said[i]);
                else if (token.len)
                        send(server,
                                "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":"
                                "{\"progressToken\":%.*s,\"progress\":%d,\"total\":100}}",
                                (int)token.len, token.data, 50 * i);
        }
        pawl__buf_free(&token);
}

static bool call(mcp_server *server, const mcp_request *request, pawl_text name)
{
        char result[4096];

        for (size_t i = 0; tools[i].tool; i++) {
                if (!pawl__text_is(name, tools[i].tool))
                        continue;
                if (strncmp(tools[i].tool, "test_tool_with", 14) == 0)
                        notify(server, request, tools[i].tool);
                snprintf(result, sizeof result, "\"content\":[%s]%s", tools[i].content,
                        tools[i].failed ? ",\"isError\":true" : "");
                answer(server, request->id, result);
                return true;
        }
        for (size_t i = 0; questions[i].tool; i++) {
                if (!pawl__text_is(name, questions[i].tool))
                        continue;
                snprintf(server->waits, sizeof server->waits, "%.*s", PAWL__FMT(request->id));
                server->last_request = (unsigned)i;
                send(server,
                        "{\"jsonrpc\":\"2.0\",\"id\":\"pawl-%s\",\"method\":\"%s\",\"params\":{%s}}",
                        server->prefix, questions[i].method, questions[i].params);
                return true;
        }
        return false;
}

/* What the client said, as the tool's text. */
static void answered(mcp_server *server, const pawl__json_tree *tree)
{
        const pawl_text said = pawl__json_at(tree, pawl__json_get(tree, 0, "result"))->value;
        pawl__buf text = PAWL__BUF_INIT, quoted = PAWL__BUF_INIT;
        const char *id = server->waits;

        pawl__buf_adds(&text, questions[server->last_request].words);
        pawl__buf_add_text(&text, said);
        pawl__json_quote(&quoted, pawl__buf_text(&text));
        send(server,
                "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"content\":[{\"type\":\"text\",\"text\":%s}]}}",
                id, quoted.data);
        server->waits[0] = '\0';
        pawl__buf_free(&text);
        pawl__buf_free(&quoted);
}

static bool read_resource(mcp_server *server, const mcp_request *request, pawl_text uri)
{
        char result[1024];

        if (pawl__text_is(uri, "test://static-binary"))
                snprintf(result, sizeof result,
                        "\"contents\":[{\"uri\":\"test://static-binary\",\"mimeType\":\"image/png\",\"blob\":\"" PNG
                        "\"}]");
        else if (pawl__text_is(uri, "test://static-text"))
                snprintf(result, sizeof result,
                        "\"contents\":[{\"uri\":\"test://static-text\",\"mimeType\":\"text/plain\","
                        "\"text\":\"This is the content of the static text resource.\"}]");
        else if (pawl__text_starts(uri, "test://template/"))
                snprintf(result, sizeof result,
                        "\"contents\":[{\"uri\":\"%.*s\",\"mimeType\":\"application/json\",\"text\":"
                        "\"{\\\"id\\\":\\\"123\\\",\\\"templateTest\\\":true,\\\"data\\\":\\\"Data for ID: 123\\\"}\"}]",
                        PAWL__FMT(uri));
        else
                return false;
        answer(server, request->id, result);
        return true;
}

static bool get_prompt(mcp_server *server, const mcp_request *request, pawl_text name)
{
        const pawl__node arguments = pawl__json_get(request->tree, request->params, "arguments");
        const pawl_text a = pawl__json_get_text(request->tree, arguments, "arg1"),
                        b = pawl__json_get_text(request->tree, arguments, "arg2"),
                        uri = pawl__json_get_text(request->tree, arguments, "resourceUri");
        char content[2048];

        if (pawl__text_is(name, "test_simple_prompt"))
                snprintf(content, sizeof content, TEXT("This is a simple prompt for testing."));
        else if (pawl__text_is(name, "test_prompt_with_arguments"))
                snprintf(content, sizeof content,
                        TEXT("Prompt with arguments: arg1='%.*s', arg2='%.*s'"), PAWL__FMT(a),
                        PAWL__FMT(b));
        else if (pawl__text_is(name, "test_prompt_with_image"))
                snprintf(content, sizeof content, IMAGE);
        else if (pawl__text_is(name, "test_prompt_with_embedded_resource"))
                snprintf(content, sizeof content,
                        "{\"type\":\"resource\",\"resource\":{\"uri\":\"%.*s\",\"mimeType\":\"text/plain\","
                        "\"text\":\"Embedded resource content for testing.\"}}",
                        PAWL__FMT(uri));
        else
                return false;
        char result[4096];
        snprintf(result, sizeof result, "\"messages\":[{\"role\":\"user\",\"content\":%s}]",
                content);
        answer(server, request->id, result);
        return true;
}

static bool take(mcp_server *server, const mcp_request *request, pawl_text method)
{
        const pawl_text name = pawl__json_get_text(request->tree, request->params, "name");

        if (pawl__text_is(method, "tools/call"))
                return call(server, request, name);
        if (pawl__text_is(method, "resources/read"))
                return read_resource(server, request,
                        pawl__json_get_text(request->tree, request->params, "uri"));
        if (pawl__text_is(method, "prompts/get"))
                return get_prompt(server, request, name);
        if (pawl__text_is(method, "completion/complete"))
                answer(server, request->id,
                        "\"completion\":{\"values\":[],\"total\":0,\"hasMore\":false}");
        else if (pawl__text_starts(method, "resources/subscribe") ||
                 pawl__text_starts(method, "resources/unsubscribe"))
                answer(server, request->id, "");
        else
                return false;
        return true;
}

int main(int argc, char **argv)
{
        static const mcp_more more = {take, answered};
        pawl_error err = PAWL_ERROR_INIT;
        service_server *server = NULL;
        service_site site;
        char token[SERVICE_TOKEN_HEX + 1], token_file[4096];
        sigset_t signals;
        int number;

        if (argc != 3)
                return 2;
        snprintf(token_file, sizeof token_file, "%s.token", argv[1]);
        const service_options options = {.log_path = argv[1],
                .workspace = argv[2],
                .actor = "user:tester",
                .registry = &cli_commands,
                .address = "127.0.0.1",
                .token_file = token_file,
                .mcp_more = &more};
        sigemptyset(&signals);
        sigaddset(&signals, SIGTERM);
        signal(SIGPIPE, SIG_IGN);
        sigprocmask(SIG_BLOCK, &signals, NULL);
        if (service_site_open(&site, &options, &err) ||
                service_server_start(&server, &site, &err)) {
                fprintf(stderr, "%s\n", err.message);
                return 1;
        }
        service_token_format(token, &site.program_token);
        printf("%u %s\n", service_server_port(server), token);
        fflush(stdout);
        sigwait(&signals, &number);
        service_server_stop(server);
        service_site_close(&site);
        return 0;
}
