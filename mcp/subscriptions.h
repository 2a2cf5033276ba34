/**
 * @file mcp/subscriptions.h
 * @brief Telling a client when a resource has changed: one is read again when the log has new
 * events.
 */
#pragma once

#include "mcp/server.h"

/** From now on tell of changes of @p uri. @p listen: the id of the request that listens, JSON;
 * absent for a subscription by handshake. @p known: the hash of what the client knows; NULL: of
 * what is there now. */
PAWL_MUST_CHECK pawl_status mcp_subscribe(mcp_server *server, pawl_text uri, pawl_text listen,
        const unsigned char known[32], pawl_error *err);
/** That hash, of the newest subscription. There must be one. */
const unsigned char *mcp_subscribed(const mcp_server *server);
/** Absent uri: all of @p listen. */
void mcp_unsubscribe(mcp_server *server, pawl_text uri, pawl_text listen);
/** Read what is subscribed to, if there is anything new. */
void mcp_subscriptions_tick(mcp_server *server);
/** End them, and answer the requests that they are of. */
void mcp_subscriptions_end(mcp_server *server);
void mcp_subscriptions_free(mcp_server *server);
