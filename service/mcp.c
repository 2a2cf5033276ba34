/*
 * POST /mcp: the Model Context Protocol by Streamable HTTP.
 *
 * What a request asks for is answered as JSON. A call that goes on (a run, a subscription) gets a
 * thread of its own, and its messages a stream of server-sent events: service/long_call.h.
 *
 * Nothing is kept from request to request. By handshake the session's id says what the server has
 * to know of the client; where a run asks the person something, the question's id leads back to it.
 */
#include "base/error.h"
#include "events/log.h"
#include "mcp/server.h"
#include "mcp/subscriptions.h"
#include "service/long_call.h"
#include "service/mcp_headers.h"
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

/* A call that is answered later, or told of until its client goes. */
typedef struct mcp_call {
        service_long_call base;
        mcp_server server; /* the thread's own, but for its prefix */
        char session[160]; /* of a call by handshake */
        bool listens;      /* it is no request's: what the session is to be told */
} mcp_call;

enum {
        LISTENERS_MAX = SERVICE_LONG_CALLS / 2, /* so that runs have room beside them */
        LISTEN_MS = 60000                       /* a look, where nothing is subscribed to */
};

/* ---- A call that goes on --------------------------------------------------------------------- */

static void add_event(pawl__buf *out, pawl_text message)
{
        pawl__buf_adds(out, "event: message\ndata: ");
        pawl__buf_add_text(out, message);
        pawl__buf_adds(out, "\n\n");
}

/* Of the server of a call that goes on. */
static void send_event(pawl_text message, void *user)
{
        mcp_call *call = user;
        pawl__buf event = PAWL__BUF_INIT;

        add_event(&event, message);
        service_long_call_send(&call->base, pawl__buf_text(&event));
        pawl__buf_free(&event);
}

static const pawl_text by_handshake = {"", 0};

enum { HASH_LEN = 64 };

/* A message of the client's; "-URI", which it does not want to be told of any more; or "+HASH URI",
 * which it does, and what that was when it asked. */
static void take(mcp_call *call, pawl_text message)
{
        const pawl_text rest = {message.data + 1, message.len ? message.len - 1 : 0};
        unsigned char known[32];
        pawl_error err = PAWL_ERROR_INIT;

        if (*message.data == '-') {
                mcp_unsubscribe(&call->server, rest, by_handshake);
        } else if (*message.data != '+') {
                mcp_handle(&call->server, message);
        } else if (rest.len > HASH_LEN && call->server.log.log &&
                   pawl__unhex32(known, (pawl_text){rest.data, HASH_LEN})) {
                const pawl_text uri = {rest.data + HASH_LEN, rest.len - HASH_LEN};
                mcp_unsubscribe(&call->server, uri, by_handshake);
                (void)!mcp_subscribe(&call->server, uri, by_handshake, known, &err);
        }
}

/* One round: it may wait for the disk. -1: there is nothing left to do. */
static int look(mcp_call *call, const pawl__buf *in)
{
        service_worker *worker = &call->base.worker;
        pawl_error err = PAWL_ERROR_INIT;

        if (call->listens && !in->len && !call->server.subscriptions)
                return LISTEN_MS;
        call->server.log.log = service_worker_ready(worker, &err) ? NULL : worker->log;
        for (size_t at = 0; at < in->len; at += strlen(in->data + at) + 1)
                take(call, pawl__text(in->data + at));
        const int ms = mcp_tick(&call->server);
        return ms < 0 && call->listens ? LISTEN_MS : ms;
}

static void go_on(service_long_call *base)
{
        mcp_call *call = (mcp_call *)base;
        pawl__buf in = PAWL__BUF_INIT;

        for (int ms = 0; ms >= 0 && service_long_call_wait(base, (unsigned)ms, &in);) {
                ms = look(call, &in);
                pawl__buf_free(&in);
        }
        pawl__buf_free(&in);
        mcp_stop(&call->server); /* nobody else finds it: it is stopping, or has nothing left */
}

static void free_call(service_long_call *base)
{
        free(base);
}

/* ---- One request ----------------------------------------------------------------------------- */

/* The messages of a request, one after the other, each ended by a newline. */
static void collect(pawl_text message, void *user)
{
        pawl__buf_add_text(user, message);
        pawl__buf_addc(user, '\n');
}

/* One as JSON; several, of which the last is the answer, as events. */
static void answer_with(service_answer *answer, unsigned status, pawl__buf *out)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl__buf events = PAWL__BUF_INIT;
        const char *line = out->data, *end;

        if (out->len && memchr(out->data, '\n', out->len - 1)) {
                for (; (end = strchr(line, '\n')); line = end + 1)
                        pawl__buf_addf(
                                &events, "event: message\ndata: %.*s\n\n", (int)(end - line), line);
                if (!pawl__buf_check(&events, &err))
                        service_answer_body(answer, status, "text/event-stream", &events);
                else
                        service_answer_fail(answer, &err);
                return;
        }

        if (pawl__buf_check(out, &err))
                service_answer_fail(answer, &err);
        else if (!out->len)
                service_answer_fixed(answer, 202, SERVICE_JSON, "", 0);
        else
                service_answer_body(answer, status, SERVICE_JSON, out);
}

/* The call goes on in a thread of its own; what was said already is its stream's beginning. Since
 * 2026-07-28 a client that goes wants no answer any more; before it might come back. */
static pawl_status keep(service_answer *answer, const service_call *from, mcp_server *server,
        const pawl__buf *said, bool modern, pawl_error *err)
{
        const pawl_text session = from->request->headers[SERVICE_MCP_SESSION];
        mcp_call *call = calloc(1, sizeof *call);
        const char *line = said->data, *end;

        if (!call)
                return pawl__nomem(err);
        call->base.run = go_on;
        call->base.free = free_call;
        call->base.goes = modern || server->subscriptions;
        call->base.beat_ms = call->base.goes ? SERVICE_GOES_BEAT_MS : SERVICE_BEAT_MS;
        call->server = *server;
        call->server.send = send_event;
        call->server.send_user = call;
        call->server.log.log = NULL;
        if (session.data)
                snprintf(call->session, sizeof call->session, "%s", session.data);
        for (; line && (end = strchr(line, '\n')); line = end + 1)
                add_event(&call->base.out, (pawl_text){line, (size_t)(end - line)});
        const pawl_status status = service_long_call_start(answer, &call->base, from->site, err);
        if (status)
                free(call);
        else
                *server = (mcp_server){.registry = NULL}; /* its runs are the call's */
        return status;
}

/* Whom a message is for. */
typedef struct addressee {
        pawl_text id;      /* of the question that it answers; absent: it answers none */
        pawl_text session; /* of what calls; absent: nobody's */
} addressee;

static bool is_for(const service_long_call *base, const void *user)
{
        const addressee *to = user;
        const mcp_call *call = (const mcp_call *)base;

        if (base->run != go_on)
                return false;
        return to->session.data && pawl__text_is(to->session, call->session) &&
               (!to->id.data || (to->id.len > 5 && pawl__text_starts((pawl_text){to->id.data + 5,
                                                                             to->id.len - 5},
                                                           call->server.prefix)));
}

/* Of a call that goes on: an answer to a question of its, or that it is not wanted any more. */
static void tell_calls(const service_call *call, const pawl__json_tree *tree, bool modern)
{
        const bool answers = !pawl__json_get_text(tree, 0, "method").data;
        addressee to = {.id = {NULL, 0}};

        if (answers)
                to.id = pawl__json_get_text(tree, 0, "id");
        if (!modern)
                to.session = call->request->headers[SERVICE_MCP_SESSION];
        service_long_calls_notify(
                call->site->long_calls, is_for, &to, pawl__buf_text(&call->request->body));
}

/* Of one session: its streams, or its listener. */
typedef struct of_session {
        pawl_text session; /* absent: any */
        bool listens;      /* the first that does */
        size_t *n;
} of_session;

static bool is_of(const service_long_call *base, const void *user)
{
        const of_session *of = user;
        const mcp_call *call = (const mcp_call *)base;

        if (base->run != go_on || (of->session.data && !pawl__text_is(of->session, call->session)))
                return false;
        return !of->listens || (call->listens && (!of->session.data || !(*of->n)++));
}

/* Say "+HASH URI" to the listener of the session, or "-URI" to all streams that it has. False:
 * there is none. */
static bool tell_session(const service_call *call, const unsigned char hash[32], pawl_text uri)
{
        size_t n = 0;
        const of_session to = {call->request->headers[SERVICE_MCP_SESSION], hash != NULL, &n};
        char hex[HASH_LEN + 1] = "";
        pawl__buf text = PAWL__BUF_INIT;

        if (hash)
                pawl__hex(hex, hash, 32);
        pawl__buf_addf(&text, "%s%s", hash ? "+" : "-", hex);
        pawl__buf_add_text(&text, uri);
        const bool told = to.session.data && !text.failed &&
                          service_long_calls_notify(
                                  call->site->long_calls, is_of, &to, pawl__buf_text(&text)) > 0;
        pawl__buf_free(&text);
        return told;
}

static bool is_response(const pawl__json_tree *tree)
{
        return mcp_get(tree, 0, "method") == PAWL__NO_NODE &&
               pawl__json_get_text(tree, 0, "id").data &&
               (mcp_get(tree, 0, "result") != PAWL__NO_NODE ||
                       mcp_get(tree, 0, "error") != PAWL__NO_NODE);
}

static void refuse_headers(
        mcp_server *server, const pawl__json_tree *tree, int code, const char *wrong)
{
        const pawl__node id = mcp_get(tree, 0, "id");
        pawl__buf text = PAWL__BUF_INIT;

        if (id != PAWL__NO_NODE)
                pawl__json_node_text(&text, pawl__json_at(tree, id));
        mcp_send_error(
                server, text.len ? pawl__buf_text(&text) : (pawl_text){NULL, 0}, code, wrong);
        pawl__buf_free(&text);
}

/* With a prefix of its own. X-Pawl-Actor does not count here: an agent acts under its own name. */
static mcp_server server_of(
        const service_call *call, void (*send)(pawl_text message, void *user), void *send_user)
{
        const service_options *options = call->site->options;
        const pawl_sources *sources = pawl__log_sources(call->log);
        mcp_server server = {.registry = options->registry,
                .log = {.log = call->log,
                        .home = options->home,
                        .config_home = options->config_home,
                        .workspace = options->workspace,
                        .needs_workspace = true,
                        .read_only = options->read_only,
                        .db = options->log_path,
                        .key_file = options->key_file},
                .send = send,
                .send_user = send_user,
                .person = options->actor,
                .pages = call->site->pages,
                .tools = options->mcp_tools,
                .more = options->mcp_more};

        sources->uuid(server.prefix, sources->user);
        memcpy(server.key, call->site->program_token.bytes, sizeof server.key);
        return server;
}

static void handle(service_answer *answer, service_call *call, const pawl__json_tree *tree)
{
        const pawl_text session = call->request->headers[SERVICE_MCP_SESSION],
                        method = pawl__json_get_text(tree, 0, "method"),
                        uri = pawl__json_get_text(tree, mcp_get(tree, 0, "params"), "uri");
        pawl__buf said = PAWL__BUF_INIT;
        mcp_server server = server_of(call, collect, &said);
        pawl_error err = PAWL_ERROR_INIT;
        pawl_status status = PAWL_OK;
        bool modern;
        int code;

        const char *wrong = service_mcp_check_headers(&code, call->request, tree, &modern);
        if (wrong) {
                refuse_headers(&server, tree, code, wrong);
        } else if (!modern && session.data && !service_mcp_read_session(&server, session)) {
                service_answer_refuse(answer, 404, PAWL_ENOTFOUND,
                        "Mcp-Session-Id: is none of this service's; begin with initialize");
                return;
        } else if (is_response(tree) || pawl__text_is(method, "notifications/cancelled")) {
                tell_calls(call, tree, modern);
        } else {
                server.modern = modern;
                mcp_handle_tree(&server, tree);
        }
        if (!modern && !server.error && pawl__text_is(method, "resources/unsubscribe"))
                (void)tell_session(call, NULL, uri);
        /* where the session listens, it is told there; else by the answer, which then goes on */
        if (!modern && server.subscriptions && tell_session(call, mcp_subscribed(&server), uri))
                mcp_subscriptions_free(&server);
        if (server.runs || server.subscriptions || *server.waits)
                status = keep(answer, call, &server, &said, modern, &err);
        if (status)
                service_answer_fail(answer, &err);
        else if (!answer->stream)
                answer_with(answer, service_mcp_status_of(server.error, modern), &said);
        if (!modern && answer->status == 200 && pawl__text_is(method, "initialize"))
                service_mcp_name_session(answer->session, &server, call->log);
        server.log.log = NULL;
        mcp_stop(&server);
        pawl__buf_free(&said);
}

void service_mcp_post(service_answer *answer, service_call *call)
{
        const pawl_text body = pawl__buf_text(&call->request->body),
                        type = call->request->headers[SERVICE_CONTENT_TYPE];
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl__buf said = PAWL__BUF_INIT;
        pawl_error err = PAWL_ERROR_INIT;

        if (type.data && strncasecmp(type.data, SERVICE_JSON, sizeof SERVICE_JSON - 1) != 0) {
                service_answer_refuse(answer, 415, PAWL_EINVAL,
                        "Content-Type: is not application/json; send JSON");
                return;
        }
        if (pawl__json_tree_read(&tree, body.data, body.len, &err)) {
                mcp_server none = {.send = collect, .send_user = &said};
                mcp_send_error(&none, (pawl_text){NULL, 0}, MCP_PARSE, err.message);
                answer_with(answer, 400, &said);
        } else {
                handle(answer, call, &tree);
        }
        pawl__buf_free(&said);
        pawl__json_tree_free(&tree);
}

/* What the session is told that no request of its asked for: by handshake alone. */
void service_mcp_get(service_answer *answer, service_call *call)
{
        const pawl_text session = call->request->headers[SERVICE_MCP_SESSION];
        mcp_server none = server_of(call, NULL, NULL);
        size_t n = 0;
        const of_session any = {{NULL, 0}, true, &n};
        pawl_error err = PAWL_ERROR_INIT;
        mcp_call *listener;

        if (!pawl__text_is(call->request->method, "GET")) {
                service_answer_refuse(answer, 405, PAWL_EINVAL,
                        "the method: this address knows GET, POST alone; use one of them");
        } else if (!call->request->wants_events) {
                service_answer_refuse(answer, 406, PAWL_EINVAL,
                        "Accept: is not text/event-stream; accept it, or send messages by POST");
        } else if (!session.data) {
                service_answer_refuse(answer, 400, PAWL_EINVAL,
                        "Mcp-Session-Id: is missing; send the one that initialize was answered with");
        } else if (!service_mcp_read_session(&none, session)) {
                service_answer_refuse(answer, 404, PAWL_ENOTFOUND,
                        "Mcp-Session-Id: is none of this service's; begin with initialize");
        } else if (service_long_calls_notify(call->site->long_calls, is_of, &any,
                           pawl__text(NULL)) >= LISTENERS_MAX) {
                service_answer_refuse(answer, 503, PAWL_EBUSY,
                        "mcp: %d sessions listen already; close one, or subscribe without this",
                        LISTENERS_MAX);
        } else if (!(listener = calloc(1, sizeof *listener))) {
                service_answer_refuse(answer, 500, PAWL_ENOMEM, "out of memory");
        } else {
                listener->base.run = go_on;
                listener->base.free = free_call;
                listener->base.goes = listener->listens = true;
                listener->base.beat_ms = SERVICE_BEAT_MS;
                listener->server = server_of(call, send_event, listener);
                listener->server.log.log = NULL;
                snprintf(listener->session, sizeof listener->session, "%s", session.data);
                pawl__buf_adds(&listener->base.out, ": listening\n\n");
                if (service_long_call_start(answer, &listener->base, call->site, &err)) {
                        service_answer_fail(answer, &err);
                        free(listener);
                }
        }
}
