#include "service/mcp.h"
#include "base/error.h"
#include "events/log.h"
#include "mcp/run.h"
#include "mcp/server.h"
#include "service/worker.h"
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

/* A comment so often: by it the server sees that a client has gone. */
enum { BEAT_MS = 15000, GOES_BEAT_MS = 1000 };

/* A call that is answered later, or told of until its client goes. Its first member is its stream.
 */
typedef struct mcp_call {
        service_stream stream;
        service_mcp *mcp;
        struct mcp_call *next;
        pthread_t thread;
        mcp_server server;     /* the thread's own, but for its prefix */
        service_worker worker; /* whose log it uses */
        char session[160];     /* of a call by handshake */
        bool goes;             /* with its client */

        /* under the lock of all calls: */
        pthread_cond_t changed;
        pawl__buf in;  /* messages for it, each ended by a NUL */
        pawl__buf out; /* to be sent */
        size_t sent;
        int64_t sent_ms;
        void (*sleep)(void *user, bool asleep);
        void *user;
        bool asleep, over, closed, stopping;
} mcp_call;

struct service_mcp {
        service_site *site;
        pthread_mutex_t lock;
        pthread_cond_t ended;
        mcp_call *calls;
        unsigned n;
        bool stopping;
};

/* ---- A call's messages --------------------------------------------------------------------------
 */

static void wake(mcp_call *call)
{
        if (call->asleep)
                call->sleep(call->user, false);
        call->asleep = false;
}

/* Of the server of a call that goes on. */
static void send_event(pawl_text message, void *user)
{
        mcp_call *call = user;

        pthread_mutex_lock(&call->mcp->lock);
        pawl__buf_addf(&call->out, "event: message\ndata: ");
        pawl__buf_add_text(&call->out, message);
        pawl__buf_adds(&call->out, "\n\n");
        call->sent_ms = service_now_ms();
        wake(call);
        pthread_mutex_unlock(&call->mcp->lock);
}

static void free_call(mcp_call *call)
{
        pawl__buf_free(&call->in);
        pawl__buf_free(&call->out);
        pthread_cond_destroy(&call->changed);
        free(call);
}

static void start_stream(service_stream *stream, void (*sleep)(void *user, bool asleep), void *user)
{
        mcp_call *call = (mcp_call *)stream;

        pthread_mutex_lock(&call->mcp->lock);
        call->sleep = sleep;
        call->user = user;
        pthread_mutex_unlock(&call->mcp->lock);
}

static ssize_t read_stream(service_stream *stream, char *out, size_t max)
{
        mcp_call *call = (mcp_call *)stream;
        ssize_t n = -1;

        pthread_mutex_lock(&call->mcp->lock);
        const size_t left = call->out.failed ? 0 : call->out.len - call->sent;
        if (left) {
                n = (ssize_t)(left < max ? left : max);
                memcpy(out, call->out.data + call->sent, (size_t)n);
                call->sent += (size_t)n;
                if (call->sent == call->out.len)
                        call->sent = call->out.len = 0;
        } else if (!call->over && !call->out.failed) {
                n = 0;
                call->asleep = true;
                call->sleep(call->user, true);
        }
        pthread_mutex_unlock(&call->mcp->lock);
        return n;
}

/* Since 2026-07-28 a client that goes wants no answer any more; before it might come back. */
static void close_stream(service_stream *stream)
{
        mcp_call *call = (mcp_call *)stream;
        service_mcp *mcp = call->mcp;

        pthread_mutex_lock(&mcp->lock);
        const bool over = call->over;
        call->closed = true;
        call->asleep = false;
        call->stopping |= call->goes;
        pthread_cond_signal(&call->changed);
        pthread_mutex_unlock(&mcp->lock);
        if (over)
                free_call(call);
}

/* ---- Its thread ---------------------------------------------------------------------------------
 */

static void forget(service_mcp *mcp, mcp_call *call)
{
        mcp_call **at = &mcp->calls;

        while (*at != call)
                at = &(*at)->next;
        *at = call->next;
        mcp->n--;
        pthread_cond_broadcast(&mcp->ended);
}

/* What others have put down for it. */
static void take_messages(mcp_call *call, const pawl__buf *in)
{
        for (size_t at = 0; at < in->len; at += strlen(in->data + at) + 1)
                mcp_handle(&call->server, pawl__text(in->data + at));
}

/* One round, without the lock: it may wait for the disk. -1: there is nothing left to do. */
static int look(mcp_call *call, pawl__buf *in)
{
        pawl_error err = PAWL_ERROR_INIT;

        call->server.log.log = service_worker_ready(&call->worker, &err) ? NULL : call->worker.log;
        take_messages(call, in);
        pawl__buf_free(in);
        return mcp_tick(&call->server);
}

static void *go_on(void *user)
{
        mcp_call *call = user;
        service_mcp *mcp = call->mcp;
        pthread_mutex_lock(&mcp->lock);
        while (!call->stopping) {
                pawl__buf in = call->in;
                call->in = (pawl__buf)PAWL__BUF_INIT;
                pthread_mutex_unlock(&mcp->lock);
                const int ms = look(call, &in);
                pthread_mutex_lock(&mcp->lock);
                if (ms < 0)
                        break;
                if (service_now_ms() - call->sent_ms >= (call->goes ? GOES_BEAT_MS : BEAT_MS)) {
                        pawl__buf_adds(&call->out, ": keep-alive\n\n");
                        call->sent_ms = service_now_ms();
                        wake(call);
                }
                const struct timespec until = service_in_ms((unsigned)ms);
                if (!call->stopping && !call->in.len)
                        pthread_cond_timedwait(&call->changed, &mcp->lock, &until);
        }
        pthread_mutex_unlock(&mcp->lock);
        mcp_stop(&call->server); /* nobody else finds it: it is stopping, or has nothing left */
        service_worker_free(&call->worker);
        pthread_mutex_lock(&mcp->lock);
        call->over = true;
        wake(call);
        const bool closed = call->closed;
        forget(mcp, call);
        pthread_mutex_unlock(&mcp->lock);
        if (closed)
                free_call(call);
        return NULL;
}

/* ---- All of them --------------------------------------------------------------------------------
 */

pawl_status service_mcp_open(service_mcp **out, service_site *site, pawl_error *err)
{
        service_mcp *mcp = calloc(1, sizeof *mcp);

        if (!mcp)
                return pawl__nomem(err);
        mcp->site = site;
        pthread_mutex_init(&mcp->lock, NULL);
        pthread_cond_init(&mcp->ended, NULL);
        *out = mcp;
        return PAWL_OK;
}

void service_mcp_stop(service_mcp *mcp)
{
        if (!mcp)
                return;
        pthread_mutex_lock(&mcp->lock);
        mcp->stopping = true;
        for (mcp_call *call = mcp->calls; call; call = call->next) {
                call->stopping = true;
                pthread_cond_signal(&call->changed);
        }
        while (mcp->n)
                pthread_cond_wait(&mcp->ended, &mcp->lock);
        pthread_mutex_unlock(&mcp->lock);
}

void service_mcp_free(service_mcp *mcp)
{
        if (!mcp)
                return;
        pthread_cond_destroy(&mcp->ended);
        pthread_mutex_destroy(&mcp->lock);
        free(mcp);
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

/* Messages that came before the call goes on are its stream's first. */
static void take_over(mcp_call *call, const pawl__buf *said)
{
        const char *line = said->data, *end;

        for (size_t left = said->len; left && (end = memchr(line, '\n', left)); line = end + 1) {
                send_event((pawl_text){line, (size_t)(end - line)}, call);
                left -= (size_t)(end - line) + 1;
        }
}

/* The call goes on in a thread of its own. */
static pawl_status keep(service_answer *answer, const service_call *from, mcp_server *server,
        const pawl__buf *said, bool modern, pawl_error *err)
{
        service_mcp *mcp = from->site->mcp;
        const pawl_text session = from->request->headers[SERVICE_MCP_SESSION];
        mcp_call *call = calloc(1, sizeof *call);
        pthread_attr_t detached;
        pawl_status status = PAWL_OK;

        if (!call)
                return pawl__nomem(err);
        call->stream = (service_stream){start_stream, read_stream, close_stream};
        call->mcp = mcp;
        call->goes = modern || server->subscriptions;
        call->server = *server;
        call->server.send = send_event;
        call->server.send_user = call;
        call->server.log.log = NULL;
        call->sent_ms = service_now_ms();
        if (session.data)
                snprintf(call->session, sizeof call->session, "%s", session.data);
        service_cond_init(&call->changed);
        service_worker_init(&call->worker, from->site);
        take_over(call, said);
        pthread_mutex_lock(&mcp->lock);
        if (mcp->stopping || mcp->n == SERVICE_MCP_CALLS)
                status = pawl__fail(err, PAWL_EBUSY,
                        "mcp: there are %u calls that go on already; wait for one, or try again",
                        mcp->n);
        call->next = mcp->calls;
        mcp->calls = call;
        mcp->n++;
        pthread_attr_init(&detached);
        pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
        if (!status && pthread_create(&call->thread, &detached, go_on, call) != 0)
                status = pawl__fail(err, PAWL_EIO, "a thread: cannot be started; try again");
        pthread_attr_destroy(&detached);
        if (status)
                forget(mcp, call);
        pthread_mutex_unlock(&mcp->lock);
        if (status) {
                service_worker_free(&call->worker);
                free_call(call);
                return status;
        }
        *server = (mcp_server){.registry = NULL}; /* its runs are the call's */
        service_answer_stream(answer, &call->stream);
        return PAWL_OK;
}

/* Of a call that goes on: an answer to a question of its, or that it is not wanted any more. */
static void tell_calls(
        service_mcp *mcp, const service_request *request, const pawl__json_tree *tree, bool modern)
{
        const pawl_text session = request->headers[SERVICE_MCP_SESSION];
        const pawl_text id = pawl__json_get_text(tree, 0, "id");
        const bool answers = !pawl__json_get_text(tree, 0, "method").data;

        pthread_mutex_lock(&mcp->lock);
        for (mcp_call *call = mcp->calls; call; call = call->next) {
                const bool its =
                        answers ? id.len > 5 &&
                                          pawl__text_starts((pawl_text){id.data + 5, id.len - 5},
                                                  call->server.prefix)
                                : !modern && session.data && pawl__text_is(session, call->session);
                if (!its)
                        continue;
                pawl__buf_add_text(&call->in, pawl__buf_text(&request->body));
                pawl__buf_addc(&call->in, '\0');
                pthread_cond_signal(&call->changed);
        }
        pthread_mutex_unlock(&mcp->lock);
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
                tell_calls(call->site->mcp, call->request, tree, modern);
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
