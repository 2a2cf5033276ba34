#include "mission/within.h"
#include "base/error.h"
#include "base/system.h"
#include "cli/pawl/within.h"
#include "command/values.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

pawl_status cli_within(const char **path, const cli_call *cli, pawl_error *err)
{
        const bool has = cli_option_place(cli->cmd->options, "within", strlen("within")) >= 0;
        const char *root = has ? cli_value(cli, "within") : NULL;
        char real_root[PATH_MAX], real[PATH_MAX];

        if (!root)
                return PAWL_OK;
        if (!realpath(root, real_root))
                return pawl__fail_errno(err, errno, root, "find it");
        const pawl_status status = pawl__file_within(real, *path, real_root, err);
        if (status)
                return status;
        *path = pawl__arena_copy(cli->arena, pawl__text(real)).data;
        return pawl__arena_check(cli->arena, err);
}
