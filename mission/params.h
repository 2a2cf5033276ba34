/**
 * @file mission/params.h
 * @brief A mission's parameters: declared in its file, given by who starts a run, recorded with it.
 *
 * {"$param": NAME} stands for the value: any value in a step's inputs, its text in a word of `run`.
 */
#pragma once

#include "base/json_write.h"
#include "mission/loader.h"
#include "state/state.h"

/** The mapping `params:`. */
PAWL_MUST_CHECK pawl_status pawl__params_read(const pawl__place *place, pawl__node node);

/** Is this node an object with a member $param? */
bool pawl__is_param(const pawl__json_tree *tree, pawl__node node);
/** The one that such a node names. PAWL_EPARSE, at "WHERE": it is beside other members, is no
 *  string, or is not declared. */
PAWL_MUST_CHECK pawl_status pawl__param_named(pawl_mission_param **out, const pawl_mission *mission,
        pawl__node node, const char *where, pawl_error *err);
/** That of a file that was read, or of a part of it; NULL: the node is none. */
const pawl_mission_param *pawl__param_at(
        const pawl_mission *mission, const pawl__json_tree *tree, pawl__node node);

/** A word of a command, or a variable's value: what it says, or "" and the parameter that it is. */
PAWL_MUST_CHECK pawl_status pawl__word_read(
        const pawl__place *place, pawl__node node, char **word, pawl_mission_param **param);
/** Is there one of that name, as a text at a node says? PAWL_EPARSE naming others. */
PAWL_MUST_CHECK pawl_status pawl__param_in_text(
        const pawl__place *place, pawl__node node, pawl_text name);
/** Append its value, a string as it is and anything else as JSON; without one @p text. */
PAWL_MUST_CHECK pawl_status pawl__param_put_text(pawl__buf *out, const pawl_mission *mission,
        pawl_text name, pawl_text text, pawl_error *err);
/** The words and variables of the steps' commands as the values are now; one without a value makes
 * "". */
PAWL_MUST_CHECK pawl_status pawl__params_put_words(pawl_mission *mission, pawl_error *err);
/** PAWL_EINVAL naming the first that has no value. */
PAWL_MUST_CHECK pawl_status pawl__params_complete(const pawl_mission *mission, pawl_error *err);

/** Member `params` of the event that begins a run; nothing where the mission has none. */
void pawl__params_write(pawl__json_writer *w, const pawl_mission *mission);
/** The values that the run began with, from that event's payload. One that the mission has had only
 *  since then has its default, or none. */
PAWL_MUST_CHECK pawl_status pawl__params_recorded(
        pawl_mission *mission, const pawl__json_tree *payload, pawl_error *err);

/** The same of a run, a row of the state tables. PAWL_ENOTFOUND where they were pruned.
 *  (mission/accept.c) */
PAWL_MUST_CHECK pawl_status pawl__params_of_run(
        pawl_mission *mission, pawl_log *log, const pawl__row *run, pawl_error *err);
