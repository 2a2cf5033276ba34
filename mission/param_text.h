/**
 * @file mission/param_text.h
 * @brief How a mission file refers to a parameter: {"$param": NAME}, and {$param: NAME} in a text.
 *
 * The object stands for any value in a step's inputs, and for its text in a word of `run`. In a
 * text a string stands as it is, anything else as canonical JSON, and a value is not searched
 * again;
 * {$$param: NAME} stands for {$param: NAME} itself.
 */
#pragma once

#include "mission/loader.h"

/** NULL: none is declared under that name. */
pawl_mission_param *pawl__param_find(const pawl_mission *mission, pawl_text name);
/** What to write in place of a name that is not declared. */
void pawl__param_others(char *out, size_t size, const pawl_mission *mission, pawl_text name);

/** Is this node an object with a member $param? */
bool pawl__is_param(const pawl__json_tree *tree, pawl__node node);
/** The one that such a node names. PAWL_EPARSE, at "WHERE": it is beside other members, is no
 *  string, or is not declared. */
PAWL_MUST_CHECK pawl_status pawl__param_named(pawl_mission_param **out, const pawl_mission *mission,
        pawl__node node, const char *where, pawl_error *err);
/** That of a file that was read, or of a part of it; NULL: the node is none. */
const pawl_mission_param *pawl__param_at(
        const pawl_mission *mission, const pawl__json_tree *tree, pawl__node node);

/** Is there one of that name, as a text at a node says? PAWL_EPARSE naming others. */
PAWL_MUST_CHECK pawl_status pawl__param_in_text(
        const pawl_mission *mission, const pawl__place *place, pawl__node node, pawl_text name);
/** Append its value, a string as it is and anything else as JSON; without one @p text. */
PAWL_MUST_CHECK pawl_status pawl__param_put_text(pawl__buf *out, const pawl_mission *mission,
        pawl_text name, pawl_text text, pawl_error *err);

/** Does it hold "{$param" or "{$$param"? */
bool pawl__text_has_params(pawl_text text);
/** The next name in *text, which is then what follows it; false: there is no other. */
bool pawl__text_next_param(pawl_text *name, pawl_text *text);
/** PAWL_EPARSE at the node: a parameter is not declared, has no name, or an output is taken. */
PAWL_MUST_CHECK pawl_status pawl__text_check_params(
        const pawl_mission *mission, const pawl__place *place, pawl__node node, pawl_text text);
/** Append the text with the values; a parameter without a value stays as it is written. */
PAWL_MUST_CHECK pawl_status pawl__text_put_params(
        pawl__buf *out, const pawl_mission *mission, pawl_text text, pawl_error *err);

/** A word of a command, or a variable's value: what it says, or "" and the *text that it is made
 *  of. */
PAWL_MUST_CHECK pawl_status pawl__word_read(
        const pawl__place *place, pawl__node node, char **word, const char **text);
/** The words, variables and directories of the steps' commands as the values are now. One that
 * takes a parameter without a value stays as it is. PAWL_EINVAL: a value has no place there. */
PAWL_MUST_CHECK pawl_status pawl__params_put_words(pawl_mission *mission, pawl_error *err);
