/**
 * @file mcp/resources.h
 * @brief What the log holds, as resources to read: each is what a command prints.
 */
#pragma once

#include "mcp/run_command.h"

/** Write {"resources": [...]} or {"resourceTemplates": [...]} as members of an object. */
void mcp_resources_write(pawl__json_writer *w);
void mcp_resource_templates_write(pawl__json_writer *w);

/** Read one. PAWL_ENOTFOUND: there is no such resource, or its command failed.
 *  @param[out] type  its media type. */
PAWL_MUST_CHECK pawl_status mcp_resource_read(pawl__buf *text, const char **type, pawl_text uri,
        mcp_log *log, const cli_registry *registry, pawl_error *err);
