/**
 * @file mcp/call.h
 * @brief tools/call and resources/read: what is run, and how much of its result is sent at once.
 */
#pragma once

#include "mcp/server.h"

void mcp_tools_call(mcp_server *server, const mcp_request *request);
void mcp_resources_read(mcp_server *server, const mcp_request *request);
/** Send the error of a resource that cannot be read. */
void mcp_refuse_resource(
        mcp_server *server, const mcp_request *request, pawl_text uri, const pawl_error *err);
