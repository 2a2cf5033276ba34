/*
 * Messages, a line each, to a server that has no log. Each message that is sent is one JSON object
 * of JSON-RPC 2.0 with a result, an error or a method; a request gets one answer at most.
 */
#include "cli/pawl/program.h"
#include "cli/registry.h"
#include "fuzz/fuzzing.h"
#include "mcp/server.h"
#include <stdlib.h>

typedef struct heard {
        unsigned answers;
} heard;

static void hear(pawl_text message, void *user)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        heard *h = user;

        require(!memchr(message.data, '\n', message.len));
        require(pawl__json_tree_read(&tree, message.data, message.len, NULL) == PAWL_OK);
        require(pawl__text_is(pawl__json_get_text(&tree, 0, "jsonrpc"), "2.0"));
        h->answers += pawl__json_get(&tree, 0, "method") == PAWL__NO_NODE;
        require((pawl__json_get(&tree, 0, "result") != PAWL__NO_NODE) +
                        (pawl__json_get(&tree, 0, "error") != PAWL__NO_NODE) +
                        (pawl__json_get(&tree, 0, "method") != PAWL__NO_NODE) ==
                1);
        pawl__json_tree_free(&tree);
}

/* These would start a process. */
static bool starts(pawl_text message)
{
        return memmem(message.data, message.len, "run", 3) ||
               memmem(message.data, message.len, "resume", 6) ||
               memmem(message.data, message.len, "\\u", 2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        static const char *const words[] = {"mcp", "--db=/dev/null/events.db"};
        const cli_context in = {.out = stdout, .err = stderr};
        cli_call cli;
        heard h = {0};
        mcp_server server = {
                .registry = &cli_commands, .send = hear, .send_user = &h, .person = "user:ana"};
        const char *at = (const char *)data, *const end = at + size;

        require(cli_parse(&cli, &pawl_program, words, 2, &in) == CLI_DONE);
        server.log.cli = &cli;
        while (at < end) {
                const char *newline = memchr(at, '\n', (size_t)(end - at));
                const pawl_text line = {at, (size_t)((newline ? newline : end) - at)};
                const unsigned before = h.answers;
                if (!starts(line))
                        mcp_handle(&server, line);
                require(h.answers <= before + 1);
                at += line.len + 1;
        }
        (void)mcp_tick(&server);
        mcp_stop(&server);
        free(cli.repeated);
        return 0;
}
