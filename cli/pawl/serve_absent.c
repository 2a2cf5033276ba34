/* pawl serve, in a build without the service. */
#include "base/error.h"
#include "cli/pawl/serve.h"

int pawl_serve_run(cli_call *cli)
{
        pawl_error err = PAWL_ERROR_INIT;

        pawl__fail(&err, PAWL_ENOTFOUND,
                "serve: this build has no service; use one that was configured with "
                "-DPAWL_WITH_SERVICE=ON");
        return cli_fail(cli, &err);
}
