#include "mcp/subscriptions.h"
#include "base/digest.h"
#include "base/error.h"
#include "events/log.h"
#include "mcp/server.h"
#include <stdlib.h>

struct mcp_subscription {
        mcp_subscription *next;
        pawl__buf uri, listen;
        uint64_t seq; /* of the last event when it was read */
        unsigned char hash[32];
};

static void drop(mcp_subscription **at)
{
        mcp_subscription *s = *at;

        *at = s->next;
        pawl__buf_free(&s->uri);
        pawl__buf_free(&s->listen);
        free(s);
}

/* False: it could not be read, or is as it was. */
static bool is_new(mcp_server *server, mcp_subscription *s)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl__buf text = PAWL__BUF_INIT;
        unsigned char hash[32];
        const char *type;
        bool changed = false;

        if (!mcp_resource_read(
                    &text, &type, pawl__buf_text(&s->uri), &server->log, server->registry, &err) &&
                !pawl__sha256(pawl__log_hasher(server->log.log), hash, text.data, text.len, &err)) {
                changed = memcmp(hash, s->hash, sizeof hash) != 0;
                memcpy(s->hash, hash, sizeof hash);
        }
        pawl__buf_free(&text);
        return changed;
}

pawl_status mcp_subscribe(mcp_server *server, pawl_text uri, pawl_text listen,
        const unsigned char known[32], pawl_error *err)
{
        mcp_subscription *s = calloc(1, sizeof *s);
        unsigned char hash[32];

        if (!s)
                return pawl__nomem(err);
        pawl__buf_add_text(&s->uri, uri);
        pawl__buf_add_text(&s->listen, listen);
        s->next = server->subscriptions;
        server->subscriptions = s;
        pawl_status status = s->uri.failed || s->listen.failed ? pawl__nomem(err) : PAWL_OK;
        if (!status) {
                pawl__buf text = PAWL__BUF_INIT;
                const char *type;
                status = mcp_resource_read(&text, &type, uri, &server->log, server->registry, err);
                pawl__buf_free(&text);
        }
        if (!status)
                status = pawl_log_head(&s->seq, hash, server->log.log);
        if (status)
                drop(&server->subscriptions);
        else
                (void)is_new(server, s);
        if (!status && known) {
                memcpy(s->hash, known, sizeof s->hash);
                s->seq = 0; /* the next look compares */
        }
        return status;
}

const unsigned char *mcp_subscribed(const mcp_server *server)
{
        return server->subscriptions->hash;
}

void mcp_unsubscribe(mcp_server *server, pawl_text uri, pawl_text listen)
{
        for (mcp_subscription **at = &server->subscriptions; *at;) {
                mcp_subscription *s = *at;
                if (pawl__text_eq(pawl__buf_text(&s->listen), listen) &&
                        (!uri.data || pawl__text_eq(pawl__buf_text(&s->uri), uri)))
                        drop(at);
                else
                        at = &s->next;
        }
}

static void tell(mcp_server *server, const mcp_subscription *s)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        mcp_begin_message(&w, "notifications/resources/updated", NULL);
        if (s->listen.len) {
                pawl__json_name(&w, "_meta");
                pawl__json_open_object(&w);
                pawl__json_member_raw(
                        &w, "io.modelcontextprotocol/subscriptionId", pawl__buf_text(&s->listen));
                pawl__json_close_object(&w);
        }
        pawl__json_member_text(&w, "uri", pawl__buf_text(&s->uri));
        mcp_send_result(server, &w);
}

void mcp_subscriptions_tick(mcp_server *server)
{
        unsigned char hash[32];
        uint64_t seq;

        if (!server->subscriptions || !server->log.log ||
                pawl_log_head(&seq, hash, server->log.log))
                return;
        for (mcp_subscription *s = server->subscriptions; s; s = s->next) {
                if (seq == s->seq)
                        continue;
                s->seq = seq;
                if (is_new(server, s))
                        tell(server, s);
        }
}

/* The requests that they are of have their answer, once each. */
void mcp_subscriptions_end(mcp_server *server)
{
        for (mcp_subscription *s = server->subscriptions; s; s = server->subscriptions) {
                pawl__buf listen = s->listen;
                const mcp_request request = {.id = pawl__buf_text(&listen)};
                pawl__json_writer w = PAWL__JSON_WRITER_INIT;

                s->listen = (pawl__buf)PAWL__BUF_INIT;
                drop(&server->subscriptions);
                if (listen.len) {
                        mcp_unsubscribe(server, (pawl_text){NULL, 0}, pawl__buf_text(&listen));
                        mcp_begin_result(&w, &request);
                        pawl__json_name(&w, "_meta");
                        pawl__json_open_object(&w);
                        pawl__json_member_raw(
                                &w, MCP_META "subscriptionId", pawl__buf_text(&listen));
                        pawl__json_close_object(&w);
                        pawl__json_member_string(&w, "resultType", "complete");
                        mcp_send_result(server, &w);
                }
                pawl__buf_free(&listen);
        }
}

void mcp_subscriptions_free(mcp_server *server)
{
        while (server->subscriptions)
                drop(&server->subscriptions);
}
