/* pawl mcp: the Model Context Protocol on standard input and output, a message a line. */
#include "base/system.h"
#include "cli/pawl/actor.h"
#include "cli/pawl/commands.h"
#include "mcp/run.h"
#include "mcp/server.h"
#include "mcp/subscriptions.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <unistd.h>

typedef struct serving {
        mcp_server server;
        pawl__buf in;
        bool skipping; /* a line that is too long */
        FILE *out;
} serving;

static void send(pawl_text message, void *user)
{
        serving *s = user;

        fwrite(message.data, 1, message.len, s->out);
        fputc('\n', s->out);
        fflush(s->out);
}

/* The whole lines that have come. */
static void take_lines(serving *s)
{
        char *line = s->in.data, *end;
        size_t left = s->in.len;

        while ((end = memchr(line, '\n', left))) {
                const pawl_text text = {line, (size_t)(end - line)};
                if (!s->skipping && strspn(line, " \t\r\n") < text.len)
                        mcp_handle(&s->server, text);
                s->skipping = false;
                left -= text.len + 1;
                line = end + 1;
        }
        if (left > MCP_MESSAGE_MAX) {
                if (!s->skipping)
                        mcp_refuse_long(&s->server);
                s->skipping = true;
        }
        if (s->skipping)
                left = 0;
        memmove(s->in.data, line, left);
        s->in.len = left;
}

/* False: there is nothing more to come. */
static bool take_input(serving *s)
{
        enum { CHUNK = 1 << 16 };

        if (pawl__buf_reserve(&s->in, CHUNK))
                return false;
        const ssize_t n = read(STDIN_FILENO, s->in.data + s->in.len, CHUNK);
        if (n < 0)
                return errno == EINTR || errno == EAGAIN;
        s->in.len += (size_t)n;
        if (n == 0 && s->in.len) /* the last line may end with the input */
                s->in.data[s->in.len++] = '\n';
        s->in.data[s->in.len] = '\0';
        take_lines(s);
        return n > 0;
}

/* Until the client ends its input, or a signal comes: its number, or 0. */
static int serve(serving *s, int signals)
{
        struct signalfd_siginfo info;
        int wait_ms = mcp_tick(&s->server);
        bool open = true;

        while (open || mcp_runs_at_work(&s->server)) {
                struct pollfd fds[] = {{signals, POLLIN, 0}, {open ? STDIN_FILENO : -1, POLLIN, 0}};
                if (poll(fds, 2, wait_ms) < 0 && errno != EINTR)
                        break;
                if (fds[0].revents && read(signals, &info, sizeof info) == sizeof info)
                        return (int)info.ssi_signo;
                if (fds[1].revents)
                        open = take_input(s);
                wait_ms = mcp_tick(&s->server);
        }
        return 0;
}

static int mcp_run_cmd(cli_call *cli)
{
        serving s = {.server = {.registry = cli->in->commands,
                             .log = {.cli = cli},
                             .send = send,
                             .tools = cli_value(cli, "tools")},
                .in = PAWL__BUF_INIT,
                .out = cli->in->out};
        pawl_error err = PAWL_ERROR_INIT;
        sigset_t ending, before;
        char person[300];

        if (mcp_tools_check(s.server.tools, s.server.registry, &err))
                return cli_usage(cli, "--tools: %s", err.message);
        cli_user(person);
        s.server.person = person;
        if (getrandom(s.server.key, sizeof s.server.key, 0) != sizeof s.server.key) {
                pawl__fail_errno(&err, errno, "random bytes", "get them");
                return cli_fail(cli, &err);
        }
        s.server.send_user = &s;
        s.server.log.home = cli->in->home;
        s.server.log.config_home = cli->in->config_home;
        s.server.log.db = cli->db;
        s.server.log.key_file = cli_value(cli, "key-file");
        sigemptyset(&ending);
        sigaddset(&ending, SIGTERM);
        sigaddset(&ending, SIGINT);
        sigprocmask(SIG_BLOCK, &ending, &before);
        const int signals = signalfd(-1, &ending, SFD_CLOEXEC);
        if (signals < 0) {
                pawl__fail_errno(&err, errno, "signals", "wait for them");
                return cli_fail(cli, &err);
        }
        s.server.pages = mcp_pages_new();
        const int sig = serve(&s, signals);
        if (!sig) /* the client has gone, and is told nothing more */
                mcp_subscriptions_free(&s.server);
        mcp_stop(&s.server);
        mcp_pages_free(s.server.pages);
        close(signals);
        sigprocmask(SIG_SETMASK, &before, NULL);
        pawl__buf_free(&s.in);
        return sig ? 128 + sig : CLI_DONE;
}

static const cli_option mcp_options[] = {
        {"tools", 0, 0, CLI_TEXT, "core|all|NAME,...", NULL,
                "which tools are listed; each can be called (default: core)"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd pawl_mcp_cmd = {
        .name = "mcp",
        .traits = CLI_CHANGES,
        .options = mcp_options,
        .help = "Serve an agent by the Model Context Protocol on standard input and output",
        .run = mcp_run_cmd,
};
