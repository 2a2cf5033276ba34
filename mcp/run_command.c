#include "mcp/run_command.h"
#include "base/error.h"
#include "command/find.h"
#include <stdio.h>
#include <stdlib.h>

enum { OUTPUT_MAX = 64 << 20 };

void mcp_outcome_free(mcp_outcome *outcome)
{
        pawl__buf_free(&outcome->output);
        *outcome = (mcp_outcome){.code = CLI_DONE};
}

void mcp_log_close(mcp_log *log)
{
        if (log->log && log->cli)
                cli_close_log(log->cli, log->log);
        log->log = NULL;
}

pawl_status mcp_log_open(mcp_log *log, cli_access access, pawl_error *err)
{
        return log->log ? PAWL_OK : cli_open_log(&log->log, log->cli, access, err);
}

static bool may_run(const mcp_log *log, const cli_call *cli, pawl_error *failure)
{
        if (log->read_only && cli_changes(cli))
                pawl__fail(failure, PAWL_EREADONLY,
                        "%s: changes something, and the service only reads; start it without "
                        "--read-only",
                        cli->cmd->name);
        else if (log->needs_workspace && !log->workspace && (cli->cmd->traits & CLI_WORKSPACE))
                pawl__fail(failure, PAWL_EINVAL,
                        "%s: needs a workspace, and the service has none; start it with "
                        "--workspace DIR",
                        cli->cmd->name);
        else
                return true;
        return false;
}

/* The output of a command, up to the bound. */
static ssize_t take_output(void *cookie, const char *data, size_t size)
{
        pawl__buf *out = cookie;

        if (size > OUTPUT_MAX - out->len || pawl__buf_add(out, data, size))
                return 0;
        return (ssize_t)size;
}

pawl_status mcp_run_command(mcp_outcome *out, mcp_log *log, const mcp_tool *tool,
        const mcp_words *words, const char *actor, pawl_error *err)
{
        static const cookie_io_functions_t io = {.write = take_output};
        char *said = NULL;
        size_t n_said = 0;
        cli_call cli;

        *out = (mcp_outcome){.code = CLI_FAILED};
        /* a log is made by what changes something; for what only looks there must be one */
        const bool changes = (tool->cmd->traits & CLI_CHANGES) != 0;
        if (mcp_log_open(log, changes ? CLI_MAKE : CLI_WRITE, &out->failure))
                return PAWL_OK;
        cli_context in = {.out = fopencookie(&out->output, "w", io),
                .err = open_memstream(&said, &n_said),
                .log = log->log,
                .actor = actor,
                .workspace = log->workspace,
                .home = log->home,
                .config_home = log->config_home,
                .served = true,
                .failure = &out->failure};
        if (in.out && in.err) {
                out->code =
                        cli_parse_cmd(&cli, tool->program, tool->cmd, words->list, words->n, &in);
                if (!out->code)
                        out->code = may_run(log, &cli, &out->failure) ? cli_run(&cli) : CLI_FAILED;
                free(cli.repeated);
        }
        const bool opened = in.out && in.err;
        if (in.err)
                fclose(in.err);
        bool whole = in.out && !ferror(in.out);
        if (in.out)
                whole &= fclose(in.out) == 0;
        free(said);
        if (!opened || out->output.failed)
                return pawl__nomem(err);
        return whole ? PAWL_OK
                     : pawl__fail(err, PAWL_ETOOBIG,
                               "the output: is larger than %d MiB; ask for less", OUTPUT_MAX >> 20);
}

pawl_status mcp_run_line(mcp_outcome *out, mcp_log *log, const cli_registry *registry,
        const char *tool, const char *const *words, const char *actor, pawl_error *err)
{
        mcp_words list = {.n = 0};
        pawl_status status = PAWL_OK;
        mcp_tool found;

        if (!mcp_tool_find(&found, registry, pawl__text(tool)))
                return pawl__fail(err, PAWL_ENOTFOUND, "%s: is no tool; list them", tool);
        for (; *words && !status; words++)
                status = mcp_words_add(&list, pawl__text(*words), err);
        if (!status)
                status = mcp_run_command(out, log, &found, &list, actor, err);
        mcp_words_free(&list);
        return status;
}
