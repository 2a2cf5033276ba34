/* A build without libpq: no log on a server is ever opened, so nothing else is ever called. */
#include "base/error.h"
#include "events/copy.h"
#include "events/engine.h"
#include "events/handle.h"

static pawl_status open_log(pawl_log *log, pawl_error *err)
{
        (void)log;
        return pawl__fail(err, PAWL_ENOTFOUND,
                "the log's URL: this build opens no log on a server; use one that was configured "
                "with -DPAWL_WITH_POSTGRES=ON");
}

pawl_status pawl__log_list(const char *url, pawl__log_listed_fn fn, void *user, pawl_error *err)
{
        (void)url, (void)fn, (void)user;
        return open_log(NULL, err);
}

static void close_log(pawl_log *log)
{
        (void)log;
}

const pawl__engine pawl__postgres_engine = {.open = open_log, .close = close_log};
