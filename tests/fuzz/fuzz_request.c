/* Needs PAWL_WITH_SERVICE. */
/*
 * Any bytes as a request: its method, target, headers and body. Whatever it is, it is answered:
 * with a status, with JSON where JSON is said, an error in one line; and a service that only reads
 * leaves its log as it is.
 *
 * The input: a byte that picks the method, one that picks who asks, then lines: the target, headers
 * as "NAME: VALUE", an empty line; what is left is the body.
 */
#include "cli/registry.h"
#include "fuzz/fuzzing.h"
#include "service/worker.h"
#include "state/state.h"
#include "support/scratch.h"
#include "support/test.h"

static service_options options;
static service_site site;
static service_worker worker;
static char program[80], page[80];
static uint64_t head;

static void start(void)
{
        char hex[SERVICE_TOKEN_HEX + 1];
        pawl_error err;
        size_t len;

        char *log = path_in(scratch_directory(), "events.db");
        char *stored = file_read(GOLDEN_DIR "/logs/v3.db", &len);
        pawl_log *migrated;
        pawl__state *state;
        scratch_write(log, stored, len);
        require(pawl_log_open(&migrated, log, NULL, &err) == PAWL_OK);
        require(pawl__state_of(&state, migrated, &err) == PAWL_OK); /* which builds its tables */
        pawl_log_close(migrated);
        options = (service_options){.log_path = log,
                .token_file = path_in(scratch_directory(), "serve.token"),
                .workspace = scratch_directory(),
                .actor = "user:owner",
                .registry = &cli_commands,
                .address = "127.0.0.1",
                .read_only = true};
        require(service_site_open(&site, &options, &err) == PAWL_OK);
        service_worker_init(&worker, &site);
        require(service_worker_ready(&worker, &err) == PAWL_OK);
        unsigned char hash[32];
        require(pawl_log_head(&head, hash, worker.log) == PAWL_OK && head > 0);
        service_token_format(hex, &site.program_token);
        snprintf(program, sizeof program, "Bearer %s", hex);
        service_token_format(hex, &site.page_token);
        snprintf(page, sizeof page, "Bearer %s", hex);
}

/* Up to the next newline, which is taken too. */
static pawl_text take_line(bytes *input)
{
        const uint8_t *end = input->left ? memchr(input->at, '\n', input->left) : NULL;
        const pawl_text line = take_bytes(input, end ? (size_t)(end - input->at) : input->left);

        take_bytes(input, end != NULL);
        return line;
}

/* False: one was refused, as a connection would be. */
static bool take_headers(service_request *request, bytes *input)
{
        pawl_error err = PAWL_ERROR_INIT;
        char name[64];

        for (;;) {
                const pawl_text line = take_line(input);
                const char *colon = line.len ? memchr(line.data, ':', line.len) : NULL;
                if (!line.len)
                        return true;
                const size_t len = colon ? (size_t)(colon - line.data) : line.len;
                if (len >= sizeof name)
                        continue;
                memcpy(name, line.data, len);
                name[len] = '\0';
                size_t at = colon ? len + 1 : len;
                while (at < line.len && line.data[at] == ' ')
                        at++;
                const pawl_status status = service_request_header(
                        request, name, pawl__text_n(line.data + at, line.len - at), &err);
                if (status) {
                        require(status == PAWL_EINVAL || status == PAWL_ETOOBIG);
                        require_message(&err, status);
                        return false;
                }
        }
}

static bool take_request(service_request *request, bytes *input)
{
        static const char *const methods[] = {"GET", "POST", "HEAD", "OPTIONS", "PUT", ""};
        const size_t method = take_choice(input, sizeof methods / sizeof methods[0]);
        const unsigned who = take_byte(input);
        pawl_error err = PAWL_ERROR_INIT;
        const pawl_status status = service_request_target(
                request, pawl__text(methods[method]), take_line(input), &err);

        if (status) {
                require(status == PAWL_EINVAL || status == PAWL_ETOOBIG);
                require_message(&err, status);
                return false;
        }
        const struct {
                const char *name, *value;
        } given[] = {
                {"Host", who & 1 ? NULL : "localhost:7473"},
                {"Authorization", who & 2   ? NULL
                                  : who & 4 ? page
                                            : program},
                {"Origin", who & 8 ? "http://localhost:7473" : NULL},
        };
        for (size_t i = 0; i < sizeof given / sizeof given[0]; i++)
                if (given[i].value)
                        require(service_request_header(request, given[i].name,
                                        pawl__text(given[i].value), &err) == PAWL_OK);
        if (!take_headers(request, input))
                return false;
        return service_request_body(request, input->at, input->left, &err) == PAWL_OK;
}

/* May this be asked by who asks so? */
static bool knows_a_token(const service_request *request)
{
        const pawl_text given = request->headers[SERVICE_AUTHORIZATION];

        return given.data && (pawl__text_is(given, program) || pawl__text_is(given, page) ||
                                     given.len >= SERVICE_TOKEN_HEX);
}

static void check(const service_answer *answer, const service_request *request)
{
        const pawl_text body = service_answer_bytes(answer);
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl_error err = PAWL_ERROR_INIT;

        require(answer->status >= 200 && answer->status < 600 && answer->status != 500);
        require(answer->status < 400 || answer->content_type);
        if (answer->stream) {
                require(answer->status == 200 && knows_a_token(request));
                return;
        }
        if (answer->status == 405)
                require(answer->allow[0]);
        if (answer->status == 401)
                require(answer->challenge && answer->close);
        if (!answer->content_type || strcmp(answer->content_type, SERVICE_JSON) != 0)
                return;
        require(pawl__json_tree_read(&tree, body.data, body.len, &err) == PAWL_OK);
        const pawl__node error = pawl__json_get(&tree, 0, "error");
        if (answer->status >= 400 && error != PAWL__NO_NODE) {
                const pawl_text message = pawl__json_get_text(&tree, error, "message");
                require(message.data && pawl__json_get_text(&tree, error, "status").data);
                require(message.len < PAWL_ERROR_MAX);
                for (size_t i = 0; i < message.len; i++)
                        require((unsigned char)message.data[i] >= 0x20);
        }
        pawl__json_tree_free(&tree);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        service_request request = SERVICE_REQUEST_INIT;
        service_answer answer = {.status = 0};
        bytes input = {data, size};
        unsigned char hash[32];
        uint64_t now = 0;

        if (!worker.site)
                start();
        if (take_request(&request, &input)) {
                service_handle(&answer, &worker, &request);
                check(&answer, &request);
                require(pawl_log_head(&now, hash, worker.log) == PAWL_OK && now == head);
        }
        service_answer_free(&answer);
        service_request_free(&request);
        return 0;
}
