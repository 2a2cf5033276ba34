/* From a request to its answer: the checks before its body is read, and the run of its route. */
#include "base/error.h"
#include "base/ids.h"
#include "service/feed.h"
#include "service/guard.h"
#include "service/router.h"
#include "service/worker.h"

/* The checks that depend on the route. */
static bool fits_route(service_answer *answer, service_call *call)
{
        const service_options *options = call->site->options;
        pawl_error err = PAWL_ERROR_INIT;

        if (service_route_query(call->route, call->request, &err))
                service_answer_fail(answer, &err);
        else if ((call->route->traits & SERVICE_CHANGES) && options->read_only)
                service_answer_refuse(answer, 403, PAWL_EREADONLY,
                        "%s: changes something, and the service only reads; start it without "
                        "--read-only",
                        call->route->path);
        else if ((call->route->traits & SERVICE_WORKSPACE) && !call->workspace)
                service_answer_refuse(answer, 400, PAWL_EINVAL,
                        "%s: needs a workspace, and the service has none; start it with "
                        "--workspace DIR",
                        call->route->path);
        else if (call->actor != options->actor &&
                 pawl__id_check(pawl__text(call->actor), "actor id", &err))
                service_answer_fail(answer, &err);
        else
                return true;
        return false;
}

bool service_admit(service_answer *answer, service_call *call, service_site *site,
        const service_request *request)
{
        service_match match;

        service_route_find(&match, site->tables, request);
        *call = (service_call){.route = match.route,
                .request = request,
                .site = site,
                .workspace = site->options->workspace,
                .actor = request->headers[SERVICE_ACTOR].data,
                .n_params = match.n_params};
        if (!call->actor)
                call->actor = site->options->actor;
        memcpy(call->params, match.params, sizeof match.params);
        if (!service_guard(answer, site, request, match.route ? match.route->traits : 0))
                return false;
        if (match.route)
                return fits_route(answer, call);
        if (match.path_known) {
                service_answer_refuse(answer, 405, PAWL_EINVAL,
                        "the method: this address knows %s alone; use one of them", match.allow);
                memcpy(answer->allow, match.allow, sizeof match.allow);
        } else {
                service_answer_refuse(answer, 404, PAWL_ENOTFOUND,
                        "the address asked for: there is nothing; GET /api/v1/openapi.json and GET "
                        "/listCommands say what there is");
        }
        return false;
}

void service_run(service_answer *answer, service_call *call, service_worker *worker)
{
        pawl_error err = PAWL_ERROR_INIT;

        if (!(call->route->traits & SERVICE_NO_LOG)) {
                const pawl_status status = service_worker_ready(worker, &err);
                if (status) {
                        /* that the log is gone is no fault of the request */
                        service_answer_error(answer, status == PAWL_EFULL ? 507 : 503, &err);
                        return;
                }
                call->worker = worker;
                call->log = worker->log;
        }
        call->route->run(answer, call);
        if (strcmp(call->route->method, "POST") == 0) /* what it appended is to be seen at once */
                service_feed_poke(call->site->feed);
        if (answer->status == 0)
                service_answer_refuse(answer, 500, PAWL_ESTATE,
                        "%s: gave no answer; this is a fault of the service, please report it",
                        call->route->path);
}

void service_handle(service_answer *answer, service_worker *worker, const service_request *request)
{
        service_call call;

        if (service_admit(answer, &call, worker->site, request))
                service_run(answer, &call, worker);
}
