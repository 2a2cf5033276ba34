/**
 * @file service/mcp_headers.h
 * @brief What the headers of a request to /mcp say, and how it is answered by HTTP.
 */
#pragma once

#include "mcp/server.h"
#include "service/request.h"

/** Name a session, so that nothing need be kept of it: "UUID.e.agent:NAME.SEAL", or "-" for "e"
 * where the client asks its person nothing. The seal is the service's, so that no client can take
 * another's name. Empty on failure. */
void service_mcp_name_session(char out[160], const mcp_server *server, pawl_log *log);
/** Read such an id into the server. False: this service did not give it. */
bool service_mcp_read_session(mcp_server *server, pawl_text id);

/** What is wrong with the headers, and its code; NULL: nothing. @p modern: it is of the era without
 *  a handshake. */
const char *service_mcp_check_headers(
        int *code, const service_request *request, const pawl__json_tree *tree, bool *modern);

/** The status of HTTP of an answer with this error, or 0. */
unsigned service_mcp_status_of(int error, bool modern);
