#include "mcp/server.h"
#include "mcp/question.h"
#include "mcp/run.h"
#include "mcp/subscriptions.h"
#include <stdio.h>

enum { TICK_MS = 50, SUBSCRIPTION_MS = 300, CACHE_MS = 60000 };

/* The newest of those with a handshake first; then the one without. */
static const char *const versions[] = {
        "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2026-07-28"};
enum { WITH_HANDSHAKE = 4, N_VERSIONS = 5 };
const char mcp_modern[] = "2026-07-28";

#define META MCP_META

/* ---- Methods --------------------------------------------------------------------------------- */

static void write_capabilities(pawl__json_writer *w)
{
        pawl__json_name(w, "capabilities");
        pawl__json_open_object(w);
        pawl__json_name(w, "tools");
        pawl__json_open_object(w);
        pawl__json_close_object(w);
        pawl__json_name(w, "resources");
        pawl__json_open_object(w);
        pawl__json_member_bool(w, "subscribe", true);
        pawl__json_close_object(w);
        pawl__json_name(w, "prompts");
        pawl__json_open_object(w);
        pawl__json_close_object(w);
        pawl__json_close_object(w);
        pawl__json_member_string(w, "instructions",
                "Pawl takes checkpoints of the workspace and keeps runs of missions that can be "
                "resumed. Take a checkpoint before risky edits; rollback and undo want yes: true "
                "once the person agrees. A blocked run has conflicts: resolve each, then resume. "
                "A long result has next: call again with it for the rest.");
}

/* "agent:NAME", where NAME has the letters, digits and `._-` of what a client calls itself: an
 * agent cannot take the name of a person, or of the system. */
static void take_client(char actor[80], const pawl__json_tree *tree, pawl__node info)
{
        static const char plain[] =
                "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
        const pawl_text name = pawl__json_get_text(tree, info, "name");
        size_t n = 0;

        snprintf(actor, 80, "agent:");
        for (size_t i = 0; i < name.len && n < 64; i++)
                if (memchr(plain, name.data[i], sizeof plain - 1))
                        actor[6 + n++] = name.data[i];
        if (n == 0)
                memcpy(actor + 6, "mcp", n = 3);
        actor[6 + n] = '\0';
}

static void initialize(mcp_server *server, const mcp_request *request)
{
        const pawl_text wanted =
                pawl__json_get_text(request->tree, request->params, "protocolVersion");
        const pawl__node client = mcp_get(request->tree, request->params, "capabilities");
        const char *version = versions[0];
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        for (size_t i = 0; i < WITH_HANDSHAKE; i++)
                if (pawl__text_is(wanted, versions[i]))
                        version = versions[i];
        take_client(server->actor, request->tree,
                mcp_get(request->tree, request->params, "clientInfo"));
        server->can_elicit =
                mcp_takes_forms(request->tree, mcp_get(request->tree, client, "elicitation"));
        server->takes_names = strcmp(version, "2025-11-25") < 0;
        mcp_begin_result(&w, request);
        pawl__json_member_string(&w, "protocolVersion", version);
        mcp_write_server_info(&w, "serverInfo");
        write_capabilities(&w);
        mcp_send_result(server, &w);
}

static void discover(mcp_server *server, const mcp_request *request)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        mcp_begin_result(&w, request);
        mcp_cacheable(&w, request, CACHE_MS);
        pawl__json_name(&w, "supportedVersions");
        pawl__json_open_array(&w);
        pawl__json_string(&w, mcp_modern);
        pawl__json_close_array(&w);
        write_capabilities(&w);
        mcp_send_result(server, &w);
}

static void ping(mcp_server *server, const mcp_request *request)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        mcp_begin_result(&w, request);
        mcp_complete(&w, request);
        mcp_send_result(server, &w);
}

static void list(mcp_server *server, const mcp_request *request, void (*write)(pawl__json_writer *))
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        if (mcp_get(request->tree, request->params, "cursor") != PAWL__NO_NODE) {
                mcp_send_error(server, request->id, MCP_PARAMS,
                        "cursor: is none of this server's, whose lists have one page; leave it out");
                return;
        }
        mcp_begin_result(&w, request);
        mcp_cacheable(&w, request, CACHE_MS);
        if (write)
                write(&w);
        else
                mcp_tools_write(&w, server->registry, server->tools);
        mcp_send_result(server, &w);
}

static void tools_list(mcp_server *server, const mcp_request *request)
{
        list(server, request, NULL);
}

static void resources_list(mcp_server *server, const mcp_request *request)
{
        list(server, request, mcp_resources_write);
}

static void templates_list(mcp_server *server, const mcp_request *request)
{
        list(server, request, mcp_resource_templates_write);
}

static void prompts_list(mcp_server *server, const mcp_request *request)
{
        list(server, request, mcp_prompts_write);
}

static const pawl_text by_handshake = {"", 0};

static void resources_subscribe(mcp_server *server, const mcp_request *request)
{
        const pawl_text uri = pawl__json_get_text(request->tree, request->params, "uri");
        pawl_error err = PAWL_ERROR_INIT;

        mcp_unsubscribe(server, uri, by_handshake);
        if (mcp_subscribe(server, uri, by_handshake, NULL, &err))
                mcp_refuse_resource(server, request, uri, &err);
        else
                ping(server, request);
}

static void resources_unsubscribe(mcp_server *server, const mcp_request *request)
{
        mcp_unsubscribe(
                server, pawl__json_get_text(request->tree, request->params, "uri"), by_handshake);
        ping(server, request);
}

/* The lists never change; what is agreed to are resources that can be read. */
static void listen(mcp_server *server, const mcp_request *request)
{
        const pawl__json_tree *tree = request->tree;
        const pawl__node wanted = mcp_get(tree, request->params, "notifications");
        const pawl__node uris = mcp_get(tree, wanted, "resourceSubscriptions");
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;
        pawl_error err = PAWL_ERROR_INIT;

        mcp_begin_message(&w, "notifications/subscriptions/acknowledged", NULL);
        pawl__json_name(&w, "_meta");
        pawl__json_open_object(&w);
        pawl__json_member_raw(&w, META "subscriptionId", request->id);
        pawl__json_close_object(&w);
        pawl__json_name(&w, "notifications");
        pawl__json_open_object(&w);
        if (uris != PAWL__NO_NODE && pawl__json_at(tree, uris)->type == PAWL__JSON_ARRAY) {
                pawl__json_name(&w, "resourceSubscriptions");
                pawl__json_open_array(&w);
                for (pawl__node at = pawl__json_first(tree, uris); at != PAWL__NO_NODE;
                        at = pawl__json_after(tree, uris, at)) {
                        const pawl__json_node *uri = pawl__json_at(tree, at);
                        if (uri->type == PAWL__JSON_STRING &&
                                !mcp_subscribe(server, uri->value, request->id, NULL, &err))
                                pawl__json_text(&w, uri->value);
                }
                pawl__json_close_array(&w);
        }
        pawl__json_close_object(&w);
        mcp_send_result(server, &w);
}

static void prompts_get(mcp_server *server, const mcp_request *request)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;
        pawl_error err = PAWL_ERROR_INIT;

        mcp_begin_result(&w, request);
        mcp_complete(&w, request);
        if (mcp_prompt_write(&w, server, request, &err)) {
                pawl__json_writer_free(&w);
                mcp_send_error(server, request->id, MCP_PARAMS, err.message);
        } else {
                mcp_send_result(server, &w);
        }
}

static void cancelled(mcp_server *server, const mcp_request *request)
{
        const pawl__node id = mcp_get(request->tree, request->params, "requestId");
        pawl__buf text = PAWL__BUF_INIT;

        if (id == PAWL__NO_NODE)
                return;
        pawl__json_node_text(&text, pawl__json_at(request->tree, id));
        if (!text.failed) {
                mcp_run_cancel(server, pawl__buf_text(&text));
                mcp_unsubscribe(server, (pawl_text){NULL, 0}, pawl__buf_text(&text));
        }
        pawl__buf_free(&text);
}

enum { OLD = 1, NEW = 2, BOTH = OLD | NEW };

static const struct method {
        const char *name;
        int eras;
        bool notification;
        void (*run)(mcp_server *, const mcp_request *);
} methods[] = {
        {"initialize", OLD, false, initialize},
        {"ping", OLD, false, ping},
        {"logging/setLevel", OLD, false, ping},
        {"server/discover", NEW, false, discover},
        {"tools/list", BOTH, false, tools_list},
        {"tools/call", BOTH, false, mcp_tools_call},
        {"resources/list", BOTH, false, resources_list},
        {"resources/templates/list", BOTH, false, templates_list},
        {"resources/read", BOTH, false, mcp_resources_read},
        {"resources/subscribe", OLD, false, resources_subscribe},
        {"resources/unsubscribe", OLD, false, resources_unsubscribe},
        {"subscriptions/listen", NEW, false, listen},
        {"prompts/list", BOTH, false, prompts_list},
        {"prompts/get", BOTH, false, prompts_get},
        {"notifications/cancelled", BOTH, true, cancelled},
};

/* ---- Messages in ----------------------------------------------------------------------------- */

static void refuse_version(mcp_server *server, pawl_text id, pawl_text requested)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        server->error = MCP_VERSION;
        mcp_open_error(&w, id, MCP_VERSION, "Unsupported protocol version");
        pawl__json_name(&w, "data");
        pawl__json_open_object(&w);
        pawl__json_name(&w, "supported");
        pawl__json_open_array(&w);
        pawl__json_string(&w, mcp_modern); /* the others begin with a handshake */
        pawl__json_close_array(&w);
        pawl__json_member_text(&w, "requested", requested);
        pawl__json_close_object(&w);
        mcp_send_result(server, &w);
}

/* By its _meta a request says that it is of the era without a handshake. False: it was refused. */
static bool take_era(mcp_request *request, char actor[80], mcp_server *server)
{
        const pawl__node meta = mcp_get(request->tree, request->params, "_meta");
        const pawl_text version = pawl__json_get_text(request->tree, meta, META "protocolVersion");
        const pawl__node client = mcp_get(request->tree, meta, META "clientCapabilities");

        request->modern = server->modern || mcp_is_modern(request->tree);
        request->can_elicit = server->can_elicit;
        request->actor = *server->actor ? server->actor : "agent:mcp";
        if (!request->modern || !request->id.data)
                return true;
        if (version.data && !pawl__text_is(version, mcp_modern)) {
                refuse_version(server, request->id, version);
                return false;
        }
        if (!version.data || client == PAWL__NO_NODE) {
                mcp_send_error(server, request->id, MCP_PARAMS,
                        "params._meta: wants " META "protocolVersion and " META
                        "clientCapabilities");
                server->error = MCP_REQUEST; /* over HTTP it is a bad request */
                return false;
        }
        request->can_elicit =
                mcp_takes_forms(request->tree, mcp_get(request->tree, client, "elicitation"));
        take_client(actor, request->tree, mcp_get(request->tree, meta, META "clientInfo"));
        request->actor = actor;
        return true;
}

static void dispatch(mcp_server *server, mcp_request *request, pawl_text method)
{
        char actor[80];

        if (!take_era(request, actor, server) ||
                (server->more && server->more->take(server, request, method)))
                return;
        for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
                const struct method *m = &methods[i];
                if (!pawl__text_is(method, m->name) || !(m->eras & (request->modern ? NEW : OLD)))
                        continue;
                if (m->notification == !request->id.data)
                        m->run(server, request);
                else if (request->id.data)
                        mcp_send_error(server, request->id, MCP_REQUEST,
                                "is a notification: it has no id");
                return;
        }
        if (request->id.data)
                mcp_send_error(server, request->id, MCP_METHOD, "Method not found");
}

bool mcp_is_modern(const pawl__json_tree *tree)
{
        const pawl__node params = mcp_get(tree, 0, "params");
        const pawl__node meta = mcp_get(tree, params, "_meta");

        return pawl__json_get_text(tree, meta, META "protocolVersion").data != NULL ||
               pawl__text_is(pawl__json_get_text(tree, 0, "method"), "server/discover");
}

bool mcp_speaks(pawl_text version)
{
        for (size_t i = 0; i < N_VERSIONS; i++)
                if (pawl__text_is(version, versions[i]))
                        return true;
        return false;
}

static bool is_id(const pawl__json_node *node)
{
        return node->type == PAWL__JSON_STRING || node->type == PAWL__JSON_NUMBER;
}

static void take_answer(mcp_server *server, pawl_text id, const pawl__json_tree *tree)
{
        if (!mcp_run_answer(server, id, tree) && *server->waits)
                server->more->answered(server, tree);
}

void mcp_handle_tree(mcp_server *server, const pawl__json_tree *tree)
{
        const pawl_text method = pawl__json_get_text(tree, 0, "method");
        const pawl__node id = mcp_get(tree, 0, "id");
        mcp_request request = {.tree = tree, .params = mcp_get(tree, 0, "params")};
        pawl__buf text = PAWL__BUF_INIT;

        if (id != PAWL__NO_NODE && is_id(pawl__json_at(tree, id))) {
                pawl__json_node_text(&text, pawl__json_at(tree, id));
                request.id = pawl__buf_text(&text);
        }
        if (pawl__json_at(tree, 0)->type != PAWL__JSON_OBJECT ||
                !pawl__text_is(pawl__json_get_text(tree, 0, "jsonrpc"), "2.0") ||
                (id != PAWL__NO_NODE && !request.id.data))
                mcp_send_error(server, request.id, MCP_REQUEST,
                        "is no JSON-RPC 2.0 message; send one object a line");
        else if (text.failed)
                mcp_send_error(server, (pawl_text){NULL, 0}, MCP_INTERNAL, "out of memory");
        else if (method.data && request.params != PAWL__NO_NODE &&
                 pawl__json_at(tree, request.params)->type != PAWL__JSON_OBJECT) {
                if (request.id.data) /* a notification is not answered */
                        mcp_send_error(
                                server, request.id, MCP_PARAMS, "params: is no object; send one");
        } else if (method.data)
                dispatch(server, &request, method);
        else if (request.id.data && (mcp_get(tree, 0, "result") != PAWL__NO_NODE ||
                                            mcp_get(tree, 0, "error") != PAWL__NO_NODE))
                take_answer(server, request.id, tree);
        else
                mcp_send_error(server, request.id, MCP_REQUEST, "method: is missing; say one");
        pawl__buf_free(&text);
}

void mcp_handle(mcp_server *server, pawl_text message)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl_error err = PAWL_ERROR_INIT;

        if (message.len > MCP_MESSAGE_MAX)
                mcp_refuse_long(server);
        else if (pawl__json_tree_read(&tree, message.data, message.len, &err))
                mcp_send_error(server, (pawl_text){NULL, 0}, MCP_PARSE, err.message);
        else
                mcp_handle_tree(server, &tree);
        pawl__json_tree_free(&tree);
}

void mcp_refuse_long(mcp_server *server)
{
        mcp_send_error(server, (pawl_text){NULL, 0}, MCP_REQUEST,
                "the message: has more than 16 MiB; send less at once");
}

int mcp_tick(mcp_server *server)
{
        mcp_runs_tick(server);
        mcp_subscriptions_tick(server);
        return server->runs || *server->waits ? TICK_MS
               : server->subscriptions        ? SUBSCRIPTION_MS
                                              : -1;
}

void mcp_stop(mcp_server *server)
{
        mcp_runs_stop(server);
        mcp_subscriptions_end(server);
        mcp_subscriptions_free(server);
        mcp_log_close(&server->log);
}
