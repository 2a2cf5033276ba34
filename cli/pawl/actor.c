#include "cli/pawl/actor.h"
#include "base/error.h"
#include <pwd.h>
#include <stdlib.h>
#include <unistd.h>

static pawl_status user_of_process(pawl__buf *out)
{
        const char *user = getenv("USER");

        if (!user || !*user) {
                const struct passwd *entry = getpwuid(geteuid());
                user = entry && *entry->pw_name ? entry->pw_name : NULL;
        }
        return user ? pawl__buf_addf(out, "user:%s", user)
                    : pawl__buf_addf(out, "user:%lu", (unsigned long)geteuid());
}

pawl_status cli_actor(pawl__buf *out, const cli_call *cli, pawl_error *err)
{
        const char *given = cli_value(cli, "actor");
        pawl_status status;

        if (!given)
                given = cli->in->actor;
        if (given)
                status = pawl__buf_adds(out, given);
        else if (cli->in->served)
                return pawl__fail(err, PAWL_EINVAL, "actor: who asks is not said; give --actor");
        else
                status = user_of_process(out);
        return status ? pawl__nomem(err) : PAWL_OK;
}
