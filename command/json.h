/**
 * @file command/json.h
 * @brief Printing JSON: one document and its newline, or one laid out for people.
 */
#pragma once

#include "base/json_write.h"
#include "command/command.h"

/** End the writer, print what it holds and a newline, free it. */
PAWL_MUST_CHECK pawl_status cli_print_json(
        const cli_call *cli, pawl__json_writer *w, pawl_error *err);
/** Print a text that is whole, such as JSON, and a newline. */
void cli_print_line(const cli_call *cli, pawl_text line);

/** Append @p json, one valid value, laid out over lines with an indent of two. Characters that must
 * not reach a terminal are written as \u escapes, which leaves the value what it is. */
PAWL_MUST_CHECK pawl_status cli_json_layout(pawl__buf *out, pawl_text json, pawl_error *err);
