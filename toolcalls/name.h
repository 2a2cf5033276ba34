/**
 * @file toolcalls/name.h
 * @brief The names of documents: "2026-01-20T14-30-00-123Z-CALLID-TOOL.json".
 */
#pragma once

#include "base/text.h"

/** Room for a call's id or its tool in a name, and for a whole name, with their NULs. */
#define PAWL__TOOLCALL_PART_MAX 65
#define PAWL__TOOLCALL_NAME_MAX 192

/** What a name has of an id or a tool: letters, digits, '_', '-' and '.' of ASCII, at most 64
 * bytes;
 *  '_' for whatever else, and for a '.' that is first, last, or follows another. Never empty. */
void pawl__toolcall_part(char out[PAWL__TOOLCALL_PART_MAX], pawl_text text);

/** The name at that time, UTC, in whole milliseconds since 1970. */
void pawl__toolcall_name(
        char out[PAWL__TOOLCALL_NAME_MAX], int64_t wall_ms, const char *call_id, const char *tool);

/** Why @p name is none that a document may be read by, for a message; NULL: it is one. UTF-8
 * without control characters, '/', '\' and "..", that ends in .json and fits a directory. */
const char *pawl__toolcall_name_wrong(pawl_text name);
