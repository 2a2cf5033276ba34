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
#include "mcp/run.h"
#include "mcp/server.h"
#include "service/long_call.h"
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

/* A call that is answered later, or told of until its client goes. */
typedef struct mcp_call {
        service_long_call base;
        mcp_server server; /* the thread's own, but for its prefix */
        char session[160]; /* of a call by handshake */
} mcp_call;

/* ---- A call that goes on ------------------------------------------------------------------------
 */

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

/* One round: it may wait for the disk. -1: there is nothing left to do. */
static int look(mcp_call *call, const pawl__buf *in)
{
        service_worker *worker = &call->base.worker;
        pawl_error err = PAWL_ERROR_INIT;

        call->server.log.log = service_worker_ready(worker, &err) ? NULL : worker->log;
        for (size_t at = 0; at < in->len; at += strlen(in->data + at) + 1)
                mcp_handle(&call->server, pawl__text(in->data + at));
        return mcp_tick(&call->server);
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

/* ---- One request --------------------------------------------------------------------------------
 */

/* What a session's id says, by which nothing need be kept: "UUID.e.agent:NAME", or "-" for "e"
 * where the client asks its person nothing. */
static void name_session(char out[160], const mcp_server *server, pawl_log *log)
{
        const pawl_sources *sources = pawl__log_sources(log);
        char id[37];

        sources->uuid(id, sources->user);
        snprintf(out, 160, "%s.%c.%s", id, server->can_elicit ? 'e' : '-', server->actor);
}

static bool read_session(mcp_server *server, pawl_text id)
{
        if (id.len < 46 || id.len > 36 + 3 + sizeof server->actor - 1 || id.data[36] != '.' ||
                id.data[38] != '.' || strncmp(id.data + 39, "agent:", 6) != 0)
                return false;
        server->can_elicit = id.data[37] == 'e';
        if (!server->named)
                snprintf(server->actor, sizeof server->actor, "%s", id.data + 39);
        return true;
}

/* The value of Mcp-Name: what a call, a prompt or a reading is of. Absent: it has none. */
static pawl_text name_of(const pawl__json_tree *tree, pawl_text method)
{
        const pawl__node params = pawl__json_get(tree, 0, "params");

        if (pawl__text_is(method, "tools/call") || pawl__text_is(method, "prompts/get"))
                return pawl__json_get_text(tree, params, "name");
        if (pawl__text_is(method, "resources/read"))
                return pawl__json_get_text(tree, params, "uri");
        return (pawl_text){NULL, 0};
}

/* Is the header this value: as it is, or in base64, as =?base64?VALUE?= ? */
static bool header_is(pawl_text header, pawl_text value)
{
        static const char digits[] =
                "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        static const char begin[] = "=?base64?";
        const size_t before = sizeof begin - 1, groups = (value.len + 2) / 3;

        if (header.len < before || memcmp(header.data, begin, before) != 0)
                return header.data && pawl__text_eq(header, value);
        if (header.len != before + 4 * groups + 2 ||
                memcmp(header.data + header.len - 2, "?=", 2) != 0)
                return false;
        for (size_t i = 0; i < 4 * groups; i++) {
                const size_t at = i / 4 * 3; /* of the group's three bytes */
                uint32_t bits = 0;
                for (size_t k = at; k < at + 3; k++)
                        bits = bits << 8 | (k < value.len ? (unsigned char)value.data[k] : 0U);
                const char digit =
                        at + i % 4 > value.len ? '=' : digits[bits >> (18 - 6 * (i % 4)) & 63];
                if (header.data[before + i] != digit)
                        return false;
        }
        return true;
}

/* What is wrong with the headers, and its code; NULL: nothing. */
static const char *check_headers(
        int *code, const service_request *request, const pawl__json_tree *tree, bool *modern)
{
        const pawl_text version = request->headers[SERVICE_MCP_VERSION],
                        method = request->headers[SERVICE_MCP_METHOD],
                        name = request->headers[SERVICE_MCP_NAME],
                        asked = pawl__json_get_text(tree, 0, "method");
        const pawl__node params = pawl__json_get(tree, 0, "params");
        const pawl_text meta = pawl__json_get_text(
                tree, pawl__json_get(tree, params, "_meta"), MCP_META "protocolVersion");

        *modern = mcp_is_modern(tree) || (version.data && pawl__text_is(version, mcp_modern));
        *code = MCP_HEADERS;
        if (!*modern) {
                *code = MCP_VERSION;
                return version.data && !mcp_speaks(version)
                               ? "MCP-Protocol-Version: is not spoken here"
                               : NULL;
        }
        if (!asked.data)
                return NULL;
        if (!version.data)
                return "MCP-Protocol-Version: is missing; send the version of params._meta";
        if (meta.data && !pawl__text_eq(version, meta))
                return "MCP-Protocol-Version: is not the version of params._meta; send the same";
        if (!method.data || !pawl__text_eq(method, asked))
                return "Mcp-Method: is not the method of the body; send the same";
        const pawl_text wanted = name_of(tree, asked);
        if (wanted.data && !header_is(name, wanted))
                return "Mcp-Name: is not the name of the body; send the same";
        return NULL;
}

static unsigned status_of(int error, bool modern)
{
        switch (error) {
        case MCP_PARSE:
        case MCP_REQUEST:
        case MCP_VERSION:
        case MCP_HEADERS:
                return 400;
        case MCP_METHOD:
                return modern ? 404 : 200;
        default:
                return 200;
        }
}

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
        pawl_text session; /* else of what calls; absent: nobody's */
} addressee;

static bool is_for(const service_long_call *base, const void *user)
{
        const addressee *to = user;
        const mcp_call *call = (const mcp_call *)base;

        if (base->run != go_on)
                return false;
        return to->id.data ? to->id.len > 5 &&
                                     pawl__text_starts((pawl_text){to->id.data + 5, to->id.len - 5},
                                             call->server.prefix)
                           : to->session.data && pawl__text_is(to->session, call->session);
}

/* Of a call that goes on: an answer to a question of its, or that it is not wanted any more. */
static void tell_calls(const service_call *call, const pawl__json_tree *tree, bool modern)
{
        const bool answers = !pawl__json_get_text(tree, 0, "method").data;
        addressee to = {.id = {NULL, 0}};

        if (answers)
                to.id = pawl__json_get_text(tree, 0, "id");
        else if (!modern)
                to.session = call->request->headers[SERVICE_MCP_SESSION];
        service_long_calls_tell(
                call->site->long_calls, is_for, &to, pawl__buf_text(&call->request->body));
}

static bool is_response(const pawl__json_tree *tree)
{
        return pawl__json_get(tree, 0, "method") == PAWL__NO_NODE &&
               pawl__json_get_text(tree, 0, "id").data &&
               (pawl__json_get(tree, 0, "result") != PAWL__NO_NODE ||
                       pawl__json_get(tree, 0, "error") != PAWL__NO_NODE);
}

static void refuse_headers(
        mcp_server *server, const pawl__json_tree *tree, int code, const char *wrong)
{
        const pawl__node id = pawl__json_get(tree, 0, "id");
        pawl__buf text = PAWL__BUF_INIT;

        if (id != PAWL__NO_NODE)
                pawl__json_node_text(&text, pawl__json_at(tree, id));
        mcp_send_error(
                server, text.len ? pawl__buf_text(&text) : (pawl_text){NULL, 0}, code, wrong);
        pawl__buf_free(&text);
}

static void handle(service_answer *answer, service_call *call, const pawl__json_tree *tree)
{
        const service_options *options = call->site->options;
        const pawl_text session = call->request->headers[SERVICE_MCP_SESSION],
                        method = pawl__json_get_text(tree, 0, "method");
        const pawl_sources *sources = pawl__log_sources(call->log);
        pawl__buf said = PAWL__BUF_INIT;
        mcp_server server = {.registry = options->registry,
                .log = {.log = call->log,
                        .home = options->home,
                        .config_home = options->config_home,
                        .workspace = options->workspace,
                        .needs_workspace = true,
                        .read_only = options->read_only,
                        .db = options->log_path,
                        .key_file = options->key_file},
                .send = collect,
                .send_user = &said,
                .plain = true,
                .more = options->mcp_more};
        pawl_error err = PAWL_ERROR_INIT;
        pawl_status status = PAWL_OK;
        bool modern;
        int code;

        sources->uuid(server.prefix, sources->user);
        const char *wrong = check_headers(&code, call->request, tree, &modern);
        if (call->request->headers[SERVICE_ACTOR].data) {
                snprintf(server.actor, sizeof server.actor, "%s", call->actor);
                server.named = true;
        }
        if (wrong) {
                refuse_headers(&server, tree, code, wrong);
        } else if (!modern && session.data && !read_session(&server, session)) {
                service_answer_refuse(answer, 404, PAWL_ENOTFOUND,
                        "Mcp-Session-Id: is none of this service's; begin with initialize");
                return;
        } else if (is_response(tree) || pawl__text_is(method, "notifications/cancelled")) {
                tell_calls(call, tree, modern);
        } else {
                mcp_handle_tree(&server, tree);
        }
        if (server.runs || server.subscriptions || *server.waits)
                status = keep(answer, call, &server, &said, modern, &err);
        if (status)
                service_answer_fail(answer, &err);
        else if (!answer->stream)
                answer_with(answer, status_of(server.error, modern), &said);
        if (!modern && answer->status == 200 && pawl__text_is(method, "initialize"))
                name_session(answer->session, &server, call->log);
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
