/**
 * @file cli/pawl/session_json.h
 * @brief A session as JSON: an element of `sessions --json`, and what the commands on one print.
 */
#pragma once

#include "command/table.h"

/** Of a pawl_session. */
extern const cli_field cli_session_fields[];
