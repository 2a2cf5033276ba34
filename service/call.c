/* The parameters of a call. */
#include "base/error.h"
#include "command/command.h"
#include "service/route.h"
#include <assert.h>

pawl_text service_param(const service_call *call, const char *name)
{
        const size_t len = strlen(name);
        size_t n = 0;

        for (const char *at = strchr(call->route->path, '{'); at; at = strchr(at + 1, '{'), n++)
                if (strncmp(at + 1, name, len) == 0 && at[1 + len] == '}')
                        return call->params[n];
        assert(false); /* the route's path has this parameter */
        return pawl__text(NULL);
}

pawl_status service_param_number(
        uint64_t *out, const service_call *call, const char *name, pawl_error *err)
{
        const pawl_text text = service_param(call, name);
        uint64_t number = 0;

        if (!cli_parse_number(&number, text.data) || number == 0)
                return pawl__fail(err, PAWL_ENOTFOUND,
                        "%s \"%.*s\": is no number; give digits alone, from 1 up", name,
                        PAWL__FMT(text));
        *out = number;
        return PAWL_OK;
}
