/* From a request to its answer: who may ask, the checks before its body is read, and its route. */
#include "base/error.h"
#include "base/ids.h"
#include "service/feed.h"
#include "service/worker.h"
#include <strings.h>

/* ---- Access: Host, Origin and the token, before anything else -------------------------------- */

/* The origin of a request, as a browser gives it. */
typedef enum origin {
        FROM_PROGRAM, /* not given: no browser, an old one, or plain HTTP from another machine */
        FROM_OUR_PAGE,
        FROM_USER,     /* typed or bookmarked */
        FROM_ELSEWHERE /* a page of another site */
} origin;

static origin origin_of(const service_site *site, const service_request *request)
{
        const pawl_text sent = request->headers[SERVICE_ORIGIN];
        const pawl_text site_of = request->headers[SERVICE_FETCH_SITE];

        if (site_of.data && pawl__text_is(site_of, "none"))
                return sent.data ? FROM_ELSEWHERE : FROM_USER;
        if (site_of.data && !pawl__text_is(site_of, "same-origin"))
                return FROM_ELSEWHERE;
        if (sent.data)
                return service_origin_ours(&site->hosts, sent, request->headers[SERVICE_HOST])
                               ? FROM_OUR_PAGE
                               : FROM_ELSEWHERE;
        return site_of.data ? FROM_OUR_PAGE : FROM_PROGRAM;
}

static bool reads(const service_request *request)
{
        return pawl__text_is(request->method, "GET") || pawl__text_is(request->method, "HEAD");
}

/* A link from any site may lead to open routes: to the page, which shows nothing without its token.
 */
static bool is_click(const service_request *request)
{
        return reads(request) && !request->headers[SERVICE_ORIGIN].data &&
               pawl__text_is(request->headers[SERVICE_FETCH_MODE], "navigate");
}

/* The text after "Bearer", or the absent text. */
static pawl_text bearer(const service_request *request)
{
        pawl_text text = request->headers[SERVICE_AUTHORIZATION];

        if (!text.data || text.len < 7 || strncasecmp(text.data, "Bearer ", 7) != 0)
                return pawl__text(NULL);
        text = pawl__text_n(text.data + 7, text.len - 7);
        while (text.len && *text.data == ' ')
                text = pawl__text_n(text.data + 1, text.len - 1);
        return text;
}

static bool refuse(service_answer *answer, unsigned status, const char *message)
{
        service_answer_refuse(answer, status, PAWL_EACCESS, "%s", message);
        answer->challenge = status == 401;
        answer->close = true;
        return false;
}

static bool check_token(service_answer *answer, service_site *site, const service_request *request,
        origin from, bool agents)
{
        const pawl_text given = bearer(request);

        if (service_token_is(&site->program_token, given)) {
                if (from != FROM_OUR_PAGE || agents)
                        return true;
                return refuse(answer, 403,
                        "the token: is the one of programs, and a page asks; open the link that "
                        "`pawl serve` printed");
        }
        if (service_token_is(&site->page_token, given)) {
                if (!agents && (from == FROM_OUR_PAGE || (from == FROM_PROGRAM && reads(request))))
                        return true;
                return refuse(answer, 403,
                        "the token: is the one of the page, and no page asks here; use the one in "
                        "the token file");
        }
        atomic_fetch_add(&site->gauges.unauthorized, 1);
        return refuse(answer, 401,
                given.data ? "the token: is not this service's; take the one in the token file, or "
                             "open the link that `pawl serve` printed last"
                           : "the token: is missing; send \"Authorization: Bearer TOKEN\" with the "
                             "one in the token file");
}

/* May this request use a route of these traits? */
static bool guard(
        service_answer *answer, service_site *site, const service_request *request, unsigned traits)
{
        if (!service_host_ours(&site->hosts, request->headers[SERVICE_HOST]))
                return refuse(answer, 421,
                        "the header Host: is no name of this service; ask for it by the address "
                        "that it listens at, or start it with --host NAME");
        const origin from = origin_of(site, request);
        if (from == FROM_ELSEWHERE && !((traits & SERVICE_OPEN) && is_click(request)))
                return refuse(answer, 403,
                        "the page that asks: is not of this service; only its own page may ask it");
        return (traits & SERVICE_OPEN) ||
               check_token(answer, site, request, from, traits & SERVICE_AGENTS);
}

/* ---- The request ----------------------------------------------------------------------------- */

pawl_status service_may(const service_call *call, const char *what, const char *name,
        unsigned traits, pawl_error *err)
{
        if ((traits & SERVICE_CHANGES) && call->site->options->read_only)
                return pawl__fail(err, PAWL_EREADONLY,
                        "%s%s: changes something, and the service only reads; start it without "
                        "--read-only",
                        what, name);
        if ((traits & SERVICE_WORKSPACE) && !call->workspace)
                return pawl__fail(err, PAWL_EINVAL,
                        "%s%s: needs a workspace, and the service has none; start it with "
                        "--workspace DIR",
                        what, name);
        return PAWL_OK;
}

/* The checks that depend on the route. */
static bool fits_route(service_answer *answer, service_call *call)
{
        const service_options *options = call->site->options;
        pawl_error err = PAWL_ERROR_INIT;

        if (!service_route_query(call->route, call->request, &err) &&
                !service_may(call, "", call->route->path, call->route->traits, &err) &&
                (call->actor == options->actor ||
                        !pawl__id_check(pawl__text(call->actor), "actor id", &err)))
                return true;
        service_answer_fail(answer, &err);
        return false;
}

bool service_admit(service_answer *answer, service_call *call, service_site *site,
        const service_request *request)
{
        const char *actor = request->headers[SERVICE_ACTOR].data;
        char allow[64];

        *call = (service_call){.request = request,
                .site = site,
                .workspace = site->options->workspace,
                .actor = actor ? actor : site->options->actor};
        service_route_find(call, allow, site->tables);
        if (!guard(answer, site, request, call->route ? call->route->traits : 0))
                return false;
        if (call->route)
                return fits_route(answer, call);
        if (allow[0]) {
                service_answer_refuse(answer, 405, PAWL_EINVAL,
                        "the method: this address knows %s alone; use one of them", allow);
                memcpy(answer->allow, allow, sizeof allow);
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
        if (answer->status == 500 && call->log && pawl__log_is_away(call->log)) {
                answer->status = 503;
                answer->retry_after_s = 1;
        }
        if (service_route_posts(call->route)) /* what it appended is to be seen at once */
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
