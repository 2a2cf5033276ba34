/**
 * @file service/mcp_headers.h
 * @brief What the headers of a request to /mcp say, and how it is answered by HTTP.
 */
#pragma once

#include "mcp/server.h"
#include "service/request.h"

/** What a session's id says, by which nothing need be kept: "UUID.e.agent:NAME", or "-" for "e"
 * where the client asks its person nothing. */
void service_mcp_name_session(char out[160], const mcp_server *server, pawl_log *log);
/** Let the server know what it says. False: it is none. */
bool service_mcp_read_session(mcp_server *server, pawl_text id);

/** What is wrong with the headers, and its code; NULL: nothing. @p modern: it is of the era without
 *  a handshake. */
const char *service_mcp_check_headers(
        int *code, const service_request *request, const pawl__json_tree *tree, bool *modern);

/** The status of HTTP of an answer with this error, or 0. */
unsigned service_mcp_status_of(int error, bool modern);
