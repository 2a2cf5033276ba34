#include "mission/within.h"
#include "base/error.h"
#include "base/system.h"
#include "cli/pawl/within.h"
#include "command/values.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

pawl_status cli_within_root(const char **root, const cli_call *cli, pawl_error *err)
{
        const bool has = cli_option_place(cli->cmd->options, "within", strlen("within")) >= 0;
        const char *given = has ? cli_value(cli, "within") : NULL;
        char real[PATH_MAX];

        *root = NULL;
        if (!given)
                return PAWL_OK;
        if (!realpath(given, real))
                return pawl__fail_errno(err, errno, given, "find it");
        *root = pawl__arena_copy(cli->arena, pawl__text(real)).data;
        return pawl__arena_check(cli->arena, err);
}

pawl_status cli_within(const char **path, const cli_call *cli, pawl_error *err)
{
        char real[PATH_MAX];
        const char *root;
        pawl_status status = cli_within_root(&root, cli, err);

        if (!status && root)
                status = pawl__file_within(real, *path, root, err);
        if (status || !root)
                return status;
        *path = pawl__arena_copy(cli->arena, pawl__text(real)).data;
        return pawl__arena_check(cli->arena, err);
}
