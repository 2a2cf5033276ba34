/**
 * @file cli/pawl/session_json.h
 * @brief A session as JSON: an element of `sessions --json`, and what the commands on one print.
 */
#ifndef CLI_PAWL_SESSION_JSON_H
#define CLI_PAWL_SESSION_JSON_H

#include "base/json_write.h"
#include <pawl/session.h>

/** Its members, into an object that is open. */
void cli_session_members(pawl__json_writer *w, const pawl_session *s);
void cli_session_json(pawl__json_writer *w, const pawl_session *s);

#endif
