/* How a failure ends: the exit code of its status, and one line. */
#include "command/find.h"

/* PAWL_EINTERRUPTED, whose signal it cannot know, gives CLI_FAILED. */
static int exit_code(pawl_status status)
{
        switch (status) {
        case PAWL_OK:
        case PAWL_DONE:
                return CLI_DONE;
        case PAWL_BLOCKED:
                return CLI_BLOCKED;
        case PAWL_EINPUTS:
                return CLI_INPUTS_CHANGED;
        case PAWL_EDAMAGED:
                return CLI_DAMAGED;
        case PAWL_EHELD:
        case PAWL_EFENCED:
                return CLI_BUSY;
        default:
                return CLI_FAILED;
        }
}

int cli_fail(const cli_call *cli, const pawl_error *err)
{
        if (cli->ending)
                cli->ending->told = true;
        if (cli->in->failure)
                *cli->in->failure = *err;
        fflush(cli->in->out); /* what was printed before the failure is before it */
        cli_notice(cli, err->message[0] ? err->message : pawl_status_name(err->status));
        int code = exit_code(err->status);
        return code ? code : CLI_FAILED;
}
