#include "service/execute.h"
#include "base/error.h"
#include "base/json_read.h"
#include "base/system.h"
#include "service/worker.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* The output of a command, up to the limit. */
typedef struct printed {
        pawl__buf text;
        service_worker *worker;
        bool changes; /* such a command is not interrupted: its work matters more than its output */
        bool too_much, no_memory;
} printed;

static ssize_t take(void *cookie, const char *data, size_t size)
{
        printed *out = cookie;

        if (!out->too_much && !out->no_memory) {
                if (size > SERVICE_OUTPUT_MAX - out->text.len)
                        out->too_much = true;
                else if (pawl__buf_add(&out->text, data, size))
                        out->no_memory = true;
                else
                        return (ssize_t)size;
                /* the rest would be dropped: the command can stop */
                if (!out->changes)
                        service_worker_cancel(out->worker, true);
        }
        return 0;
}

/* Is it one JSON value? */
static bool is_json(pawl_text text)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl__json_reader reader;
        pawl__json_token token;

        pawl__json_reader_init(&reader, text.data, text.len);
        do {
                if (pawl__json_next(&reader, &token, &err))
                        return false;
        } while (token.type != PAWL__JSON_FINISHED);
        return true;
}

/* "[LINE,LINE]"; false where a line is no JSON. */
static bool lines_to_array(pawl__buf *out, pawl_text text, pawl_status *status)
{
        pawl__buf_clear(out);
        *status = pawl__buf_addc(out, '[');
        while (!*status && text.len) {
                const char *end = memchr(text.data, '\n', text.len);
                const pawl_text line = {text.data, end ? (size_t)(end - text.data) : text.len};
                if (!is_json(line))
                        return false;
                if (out->len > 1)
                        *status = pawl__buf_addc(out, ',');
                if (!*status)
                        *status = pawl__buf_add(out, line.data, line.len);
                text.data += line.len + (end != NULL);
                text.len -= line.len + (end != NULL);
        }
        if (!*status)
                *status = pawl__buf_addc(out, ']');
        return true;
}

/* The output as one JSON value in @p out; empty without output. */
static pawl_status to_json(pawl__buf *out, pawl__buf *text, bool lines, pawl_error *err)
{
        pawl_status status = PAWL_OK;

        while (text->len && text->data[text->len - 1] == '\n')
                text->data[--text->len] = '\0';
        if (!text->len && !lines)
                return PAWL_OK;
        if (!lines && is_json(pawl__buf_text(text))) {
                *out = *text;
                *text = (pawl__buf)PAWL__BUF_INIT;
                return PAWL_OK;
        }
        if (lines_to_array(out, pawl__buf_text(text), &status))
                return status ? pawl__nomem(err) : PAWL_OK;
        pawl__buf_clear(out);
        if (!pawl__utf8_valid(text->data, text->len))
                return pawl__fail(err, PAWL_EIO,
                        "the output: is no UTF-8; ask for it with --json, or on the command line");
        return pawl__json_quote(out, pawl__buf_text(text)) ? pawl__nomem(err) : PAWL_OK;
}

/* May the call run this command? */
static pawl_status check(
        const service_call *call, const char *name, const cli_call *cli, pawl_error *err)
{
        if (cli_changes(cli) && call->site->options->read_only)
                return pawl__fail(err, PAWL_EREADONLY,
                        "the command %s: changes something, and the service only reads; start it "
                        "without --read-only",
                        name);
        if ((cli->cmd->traits & CLI_WORKSPACE) && !call->workspace)
                return pawl__fail(err, PAWL_EINVAL,
                        "the command %s: needs a workspace, and the service has none; start it "
                        "with --workspace DIR",
                        name);
        return PAWL_OK;
}

/* The failure of a command that printed none: a verdict, such as a block. */
static void note_code(service_outcome *outcome)
{
        pawl_status status;

        if (outcome->code == CLI_DONE || outcome->failure.status)
                return;
        switch (outcome->code) {
        case CLI_USAGE:
                status = PAWL_EINVAL;
                break;
        case CLI_BLOCKED:
                status = PAWL_BLOCKED;
                break;
        case CLI_INPUTS_CHANGED:
                status = PAWL_EINPUTS;
                break;
        case CLI_DAMAGED:
                status = PAWL_EDAMAGED;
                break;
        case CLI_BUSY:
                status = PAWL_EHELD;
                break;
        default:
                status = PAWL_ESTATE;
        }
        pawl__fail(&outcome->failure, status,
                "the command: ended with exit code %d; its output says why", outcome->code);
}

/* Run the command, unless reading its arguments failed with this code. */
static pawl_status run(service_outcome *outcome, service_call *call, cli_call *cli, int code,
        cli_context *in, pawl_error *err)
{
        static const cookie_io_functions_t io = {.write = take};
        const bool changes = cli_changes(cli), lines = (cli->cmd->traits & CLI_LINES) != 0;
        printed out = {PAWL__BUF_INIT, call->worker, changes, false, false};
        pawl_status status = PAWL_OK;

        in->out = fopencookie(&out, "w", io);
        if (!in->out)
                return pawl__nomem(err);
        outcome->code = code ? code : cli_run(cli);
        fclose(in->out); /* an overflow is already known */
        service_worker_cancel(call->worker, false);
        if (out.no_memory) {
                status = pawl__nomem(err);
        } else if (out.too_much) {
                outcome->code = CLI_FAILED;
                pawl__fail(&outcome->failure, PAWL_ETOOBIG,
                        "the output: is larger than %d bytes; %s", SERVICE_OUTPUT_MAX,
                        changes ? "what the command did stands: look at it by another"
                                : "ask for less, by an option or a page at a time");
        } else {
                status = to_json(&outcome->output, &out.text, lines, err);
        }
        pawl__buf_free(&out.text);
        note_code(outcome);
        if (changes)
                service_health_wrote(
                        &call->site->health, outcome->failure.status ? &outcome->failure : NULL);
        return status;
}

pawl_status service_execute(service_outcome *outcome, service_call *call, const char *name,
        const char *const *args, size_t n, pawl_error *err)
{
        cli_context in = {.log = call->log,
                .workspace = call->workspace,
                .actor = call->actor,
                .home = call->site->options->home,
                .config_home = call->site->options->config_home,
                .served = true,
                .failure = &outcome->failure};
        cli_entry entry;
        cli_call cli;

        if (!cli_registry_find(&entry, call->site->options->registry, name) ||
                !(entry.cmd->traits & CLI_SERVED))
                return pawl__fail(err, PAWL_ENOTFOUND,
                        "the command \"%.100s\": there is none, or it is not served; GET "
                        "/listCommands says which there are",
                        name);
        in.err = fopen("/dev/null", "we"); /* its message is in the failure */
        if (!in.err)
                return pawl__fail_errno(err, errno, "/dev/null", "open it");
        outcome->failure.status = PAWL_OK;
        const int code = cli_parse_cmd(&cli, entry.program, entry.cmd, args, n, &in);
        pawl_status status = check(call, name, &cli, err);
        if (!status)
                status = run(outcome, call, &cli, code, &in, err);
        free(cli.repeated);
        fclose(in.err);
        return status;
}

void service_outcome_free(service_outcome *outcome)
{
        pawl__buf_free(&outcome->output);
        *outcome = (service_outcome){.code = 0};
}

pawl_status service_command(pawl__buf *out, service_call *call, const char *name,
        const char *const *args, size_t n, pawl_error *err)
{
        service_outcome outcome = {.code = 0};
        pawl_status status = service_execute(&outcome, call, name, args, n, err);

        if (!status && outcome.failure.status) {
                *err = outcome.failure;
                status = outcome.failure.status;
        }
        pawl__buf_free(out);
        *out = outcome.output;
        outcome.output = (pawl__buf)PAWL__BUF_INIT;
        service_outcome_free(&outcome);
        return status;
}
