/**
 * @file mcp/question.h
 * @brief A conflict as a question to the person whom a client can ask, and the words of the answer.
 */
#pragma once

#include "base/json_tree.h"
#include "base/json_write.h"

/** The person at this machine: "user:ana", of $USER. */
void mcp_person(char out[300]);

/** May that actor answer the conflict, an object as `conflicts --json` prints it? */
bool mcp_question_is_to(const pawl__json_tree *tree, pawl__node conflict, pawl_text actor);

/** The members of elicitation/create. */
void mcp_question_write(
        pawl__json_writer *w, const pawl__json_tree *tree, pawl__node conflict, bool modern);

/** The option of `resolve` that says what the person did: "--pick=1". False: nothing was said. */
bool mcp_question_said(pawl__buf *option, const pawl__json_tree *tree, pawl__node answer);
