#include "cli/pawl/actor.h"
#include "base/error.h"
#include <pwd.h>
#include <stdlib.h>
#include <unistd.h>

pawl_status cli_actor(pawl__buf *out, const cli_call *cli, pawl_error *err)
{
        const char *given = cli_value(cli, "actor");
        const char *user = getenv("USER");

        if (given)
                return pawl__buf_adds(out, given) ? pawl__nomem(err) : PAWL_OK;
        if (!user || !*user) {
                const struct passwd *entry = getpwuid(geteuid());
                user = entry && *entry->pw_name ? entry->pw_name : NULL;
        }
        if (user)
                return pawl__buf_addf(out, "user:%s", user) ? pawl__nomem(err) : PAWL_OK;
        return pawl__buf_addf(out, "user:%lu", (unsigned long)geteuid()) ? pawl__nomem(err)
                                                                         : PAWL_OK;
}
