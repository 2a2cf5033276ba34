#include "cli/pawl/actor.h"
#include "base/error.h"
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void cli_user(char out[300])
{
        const char *user = getenv("USER");

        if (!user || !*user) {
                const struct passwd *entry = getpwuid(geteuid());
                user = entry && *entry->pw_name ? entry->pw_name : NULL;
        }
        if (user)
                snprintf(out, 300, "user:%s", user);
        else
                snprintf(out, 300, "user:%lu", (unsigned long)geteuid());
}

pawl_status cli_actor(const char **out, const cli_call *cli, pawl_error *err)
{
        const char *given = cli_value(cli, "actor");
        char user[300];

        if (!given)
                given = cli->in->actor;
        if (!given && cli->in->served)
                return pawl__fail(err, PAWL_EINVAL, "actor: who asks is not said; give --actor");
        if (!given)
                cli_user(user);
        *out = pawl__arena_copy(cli->arena, pawl__text(given ? given : user)).data;
        return pawl__arena_check(cli->arena, err);
}
