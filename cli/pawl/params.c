#include "cli/pawl/params.h"
#include "base/error.h"
#include "cli/pawl/within.h"
#include "command/find.h"
#include "command/printable.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pawl_status set(pawl_mission *mission, const char *given, pawl_error *err)
{
        const char *equals = strchr(given, '=');
        char *name = strndup(given, (size_t)(equals - given));

        if (!name)
                return pawl__nomem(err);
        const pawl_status status = pawl_mission_set_param(mission, name, equals + 1, err);
        free(name);
        return status;
}

int cli_take_params(const cli_call *cli, pawl_mission *mission)
{
        const char *file = cli_value(cli, "params");
        const char **given = calloc(cli->n_repeated + 1, sizeof *given);
        pawl_error err = PAWL_ERROR_INIT;
        const size_t n = given ? cli_texts(given, cli, "set") : 0;
        pawl_status status = given ? PAWL_OK : pawl__nomem(&err);

        if (!status && file)
                status = cli_within(&file, cli, &err);
        int code = CLI_DONE;

        for (size_t i = 0; i < n && !code; i++)
                if (!strchr(given[i], '=') || *given[i] == '=')
                        code = cli_usage(cli, "--set %s: is no NAME=VALUE", given[i]);
        if (!status && !code && file)
                status = pawl_mission_load_params(mission, file, &err);
        for (size_t i = 0; i < n && !code && !status; i++)
                status = set(mission, given[i], &err);
        free(given);
        return status ? cli_fail(cli, &err) : code;
}

bool cli_params_given(const cli_call *cli)
{
        return cli_given(cli, "set") || cli_given(cli, "params");
}

void cli_print_params(const cli_call *cli)
{
        const pawl_mission_param *params;
        pawl_mission *mission;
        pawl_error err = PAWL_ERROR_INIT;
        char left[100];

        if (!cli->n_args)
                return;
        if (pawl_mission_load(&mission, cli->args[0], &err)) {
                cli_notice(cli, err.message);
                return;
        }
        const size_t n = pawl_mission_params(mission, &params);
        cli_putf(cli->in->out, "\nparameters of %s:%s\n", pawl_mission_id(mission),
                n ? "" : " none");
        for (size_t i = 0; i < n; i++) {
                snprintf(left, sizeof left, "--set %s=%s", params[i].name, params[i].type);
                fprintf(cli->in->out, "  %-26s  ", left);
                if (params[i].description) {
                        cli_putf(cli->in->out, "%s ", params[i].description);
                }
                if (params[i].value) {
                        cli_putf(cli->in->out, "(default: %s)\n", params[i].value);
                } else {
                        fputs("(required)\n", cli->in->out);
                }
        }
        pawl_mission_free(mission);
}
