/* pawl serve, as its table has it. */
#include "cli/pawl/commands.h"
#include "cli/pawl/serve.h"
#include <stddef.h>

static const cli_option serve_options[] = {
        {"listen", 0, 0, CLI_TEXT, "ADDR:PORT", NULL,
                "where to listen (default: " DEFAULT_LISTEN "; port 0: any that is free)"},
        {"port", 0, 0, CLI_COUNT, "PORT", NULL, "the same as --listen " DEFAULT_ADDRESS ":PORT"},
        {"workspace", 0, 0, CLI_FILE, "DIR", NULL,
                "the directory that commands on files work on, in place of "
                "$CODER_AGENT_WORKSPACE_PATH"},
        {"read-only", 0, 0, CLI_FLAG, NULL, NULL, "refuse what changes something"},
        {"token-file", 0, 0, CLI_FILE, "FILE", NULL,
                "the token for programs, made where it is not there (default: serve.token beside "
                "the log)"},
        {"host", 0, 0, CLI_TEXTS, "NAME", NULL,
                "a name that requests may also call it by; may be given again"},
        {"tls-cert", 0, 0, CLI_FILE, "FILE", NULL, "the certificate (PEM), with its chain"},
        {"tls-key", 0, 0, CLI_FILE, "FILE", NULL, "the certificate's key (PEM)"},
        {"notify", 0, 0, CLI_TEXT, "COMMAND", NULL,
                "tell this shell command when a run is blocked, fails or completes: the event as "
                "JSON on its standard input"},
        {"mcp-tools", 0, 0, CLI_TEXT, "core|all|NAME,...", NULL,
                "which tools /mcp lists; each can be called (default: core)"},
        {"insecure", 0, 0, CLI_FLAG, NULL, NULL,
                "listen beyond this machine without TLS: the token can be read on the way"},
        {"threads", 0, 0, CLI_NUMBER, "N", NULL, "how many requests run at once (default: 4)"},
        {"connections", 0, 0, CLI_NUMBER, "N", NULL, "at most so many at once (default: 2048)"},
        {"streams", 0, 0, CLI_NUMBER, "N", NULL,
                "at most so many streams of events at once (default: 1024)"},
        {"actor", 0, 0, CLI_TEXT, "ACTOR", NULL,
                "who it is that asks, where a request does not say (default: user:NAME)"},
        {"json", 0, 0, CLI_FLAG, NULL, NULL, "when it is ready, print one object"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd pawl_serve_cmd = {
        .name = "serve",
        .options = serve_options,
        .help = "Offer the commands, the resources and the page over HTTP, until a signal ends it",
        .run = pawl_serve_run,
};
