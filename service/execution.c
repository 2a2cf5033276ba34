/* What became of a command that was run for a request. */
#include "base/error.h"
#include "base/json_read.h"
#include "service/execute.h"
#include <stdlib.h>

bool service_is_json(pawl_text text)
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

void service_execution_note(service_execution *of)
{
        static const pawl_status by_code[] = {[CLI_USAGE] = PAWL_EINVAL,
                [CLI_BLOCKED] = PAWL_BLOCKED,
                [CLI_INPUTS_CHANGED] = PAWL_EINPUTS,
                [CLI_DAMAGED] = PAWL_EDAMAGED,
                [CLI_BUSY] = PAWL_EHELD};
        const size_t n = sizeof by_code / sizeof by_code[0], code = (size_t)of->code;

        if (of->code != CLI_DONE && !of->failure.status)
                pawl__fail(&of->failure, code < n && by_code[code] ? by_code[code] : PAWL_ESTATE,
                        "the command: ended with exit code %d; its output says why", of->code);
}

void service_execution_free(service_execution *of)
{
        if (of->in.err)
                fclose(of->in.err);
        free(of->cli.repeated);
        pawl__buf_free(&of->output);
        pawl__arena_free(&of->arena);
}
