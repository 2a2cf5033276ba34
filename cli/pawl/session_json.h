/**
 * @file cli/pawl/session_json.h
 * @brief A session as JSON: an element of `sessions --json`, and what the commands on one print.
 */
#pragma once

#include "command/table.h"
#include <pawl/session.h>

/** Of a pawl_session. */
extern const cli_field cli_session_fields[];

/** For people, a mission's name with that of the linked work tree with this top, absent: none. */
const char *cli_mission_in(char buf[CLI_WORD_MAX], pawl_text mission, pawl_text root);

/** The session that a command is about: --id, else $PAWL_SESSION_ID (not where --mission is given),
 *  else the one of this work tree that is active, of --mission if that is given. PAWL_ENOTFOUND:
 * none is active.
 *  @param kept  one of a run, which no agent keeps, does not count as the active one. */
PAWL_MUST_CHECK pawl_status cli_session_meant(
        char id[129], const cli_call *cli, pawl_log *log, bool kept, pawl_error *err);
