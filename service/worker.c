#include "service/worker.h"
#include "base/error.h"
#include "base/ids.h"
#include "base/system.h"
#include "events/log.h"
#include "service/feed.h"
#include "service/guard.h"
#include "service/router.h"
#include <errno.h>

void service_worker_init(service_worker *worker, service_site *site)
{
        *worker = (service_worker){.site = site};
        pthread_mutex_init(&worker->lock, NULL);
}

static void close_log(service_worker *worker)
{
        pthread_mutex_lock(&worker->lock);
        pawl_log *log = worker->log;
        worker->log = NULL;
        pthread_mutex_unlock(&worker->lock);
        pawl_log_close(log);
}

void service_worker_free(service_worker *worker)
{
        close_log(worker);
        pthread_mutex_destroy(&worker->lock);
}

/* Does the path still lead to the open file? */
static bool same_file(const service_worker *worker)
{
        struct stat st;

        return stat(worker->site->options->log_path, &st) == 0 && st.st_dev == worker->device &&
               st.st_ino == worker->inode;
}

pawl_status service_worker_keep(service_worker *worker, pawl_error *err)
{
        struct stat st;

        if (!worker->log || worker->site->options->read_only || same_file(worker))
                return PAWL_OK;
        pawl_status status = pawl__log_keep(worker->log);
        if (!status && stat(worker->site->options->log_path, &st) == 0) {
                status = pawl__log_keep(worker->log); /* it is what was looked at, then */
                worker->device = st.st_dev;
                worker->inode = st.st_ino;
        }
        if (!status)
                return PAWL_OK;
        pawl__log_failed(worker->log, status, err);
        if (!pawl__log_saved(worker->log))
                return status;
        close_log(worker);
        return stat(worker->site->options->log_path, &st) == 0 ? PAWL_OK : status;
}

pawl_status service_worker_ready(service_worker *worker, pawl_error *err)
{
        const service_options *from = worker->site->options;
        pawl_log_options options = PAWL_LOG_OPTIONS_INIT;
        struct stat st;
        pawl_log *log;

        if (worker->log && same_file(worker))
                return PAWL_OK;
        pawl_status status = worker->keeps ? service_worker_keep(worker, err)
                                           : service_feed_keep(worker->site->feed, err);
        if (status || (worker->log && same_file(worker)))
                return status;
        close_log(worker);
        options.flags = from->read_only ? PAWL_LOG_READONLY : 0;
        options.key = from->key;
        options.key_len = from->key_len;
        /* before it is opened: a file that is put there meanwhile is noticed at the next request */
        if (stat(from->log_path, &st) != 0)
                return pawl__fail(err, pawl__errno_status(errno),
                        "%.300s: %s; put the log back, or start the service again", from->log_path,
                        strerrordesc_np(errno));
        status = pawl_log_open(&log, from->log_path, &options, err);
        if (status)
                return status;
        pthread_mutex_lock(&worker->lock);
        worker->log = log;
        worker->opened++;
        worker->device = st.st_dev;
        worker->inode = st.st_ino;
        if (worker->interrupted)
                pawl_log_interrupt(log, true);
        pthread_mutex_unlock(&worker->lock);
        return PAWL_OK;
}

void service_worker_interrupt(service_worker *worker)
{
        pthread_mutex_lock(&worker->lock);
        worker->interrupted = true;
        if (worker->log)
                pawl_log_interrupt(worker->log, true);
        pthread_mutex_unlock(&worker->lock);
}

void service_worker_cancel(service_worker *worker, bool on)
{
        if (!worker)
                return;
        pthread_mutex_lock(&worker->lock);
        if (worker->log)
                pawl_log_interrupt(worker->log, on || worker->interrupted);
        pthread_mutex_unlock(&worker->lock);
}

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
