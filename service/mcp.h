/**
 * @file service/mcp.h
 * @brief POST /mcp: the Model Context Protocol by Streamable HTTP.
 *
 * What a request asks for is answered as JSON. A call that goes on (a run, a subscription) gets a
 * thread of its own, and its messages a stream of server-sent events: there are at most
 * SERVICE_MCP_CALLS of them.
 *
 * Nothing is kept from request to request. By handshake the session's id says what the server has
 * to know of the client; where a run asks the person something, the question's id leads back to it.
 */
#ifndef SERVICE_MCP_H
#define SERVICE_MCP_H

#include "service/site.h"

#define SERVICE_MCP_CALLS 64

typedef struct service_mcp service_mcp;

PAWL_MUST_CHECK pawl_status service_mcp_open(
        service_mcp **out, service_site *site, pawl_error *err);
/** End the calls: their processes get TERM. Their streams may be read to their end. NULL is
 *  allowed, here and below. */
void service_mcp_stop(service_mcp *mcp);
/** After the last stream was closed. */
void service_mcp_free(service_mcp *mcp);

#endif
