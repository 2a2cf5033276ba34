#include "cli/pawl/begin.h"
#include "cli/pawl/params.h"
#include "cli/pawl/within.h"
#include "command/find.h"
#include "events/log.h"
#include "mission/mission.h"
#include <unistd.h>

/* Is there no file yet? */
static bool creates_log(const cli_call *cli)
{
        const char *named = cli_named_log(cli);
        pawl__buf path = PAWL__BUF_INIT;

        if (named)
                return !pawl__log_is_url(named) && access(named, F_OK) != 0;
        const pawl_status status = cli_find_log(&path, cli, NULL);

        pawl__buf_free(&path);
        return status == PAWL_ENOTFOUND;
}

int cli_begin(pawl_mission **mission, pawl_log **log, cli_call *cli, bool here)
{
        pawl__problems problems = {.tell = cli_print_problem, .user = cli};
        pawl_error err = PAWL_ERROR_INIT;
        pawl_mission *loaded;
        const char *path = cli->args[0];
        pawl_status status = cli_within(&path, cli, &err);

        if (!status)
                status = pawl_mission_load(&loaded, path, &err);

        if (status)
                return cli_fail(cli, &err);
        int code = cli_take_params(cli, loaded);
        if (!code && creates_log(cli))
                status = pawl__mission_startable(
                        loaded, cli_value(cli, "run"), here, &problems, &err);
        if (!code && !status)
                status = cli_open_log(log, cli, CLI_MAKE, &err);
        if (status)
                code = cli_fail(cli, &err);
        if (code)
                pawl_mission_free(loaded);
        else
                *mission = loaded;
        return code;
}
