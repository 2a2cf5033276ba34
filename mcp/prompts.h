/**
 * @file mcp/prompts.h
 * @brief What a person can ask an agent for by name: to hand off, and to resolve conflicts.
 */
#pragma once

#include "mcp/server.h"

/** Write {"prompts": [...]} as members of an object. */
void mcp_prompts_write(pawl__json_writer *w);
/** Write {"description", "messages"} of the prompt that the request names. PAWL_ENOTFOUND. */
PAWL_MUST_CHECK pawl_status mcp_prompt_write(
        pawl__json_writer *w, mcp_server *server, const mcp_request *request, pawl_error *err);
