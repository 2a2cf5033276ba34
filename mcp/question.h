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

/** How a question is put, by the revision that was agreed on. */
typedef enum mcp_form {
        MCP_FORM_NAMED,  /**< 2025-06-18: values that have names */
        MCP_FORM_TITLED, /**< 2025-11-25: constants that have titles */
        MCP_FORM_MODAL   /**< 2026-07-28: which says that it is a form, too */
} mcp_form;

/** Can a client with this capability `elicitation` put a form to the person? */
bool mcp_takes_forms(const pawl__json_tree *tree, pawl__node elicitation);

/** The members of elicitation/create. */
void mcp_question_write(
        pawl__json_writer *w, const pawl__json_tree *tree, pawl__node conflict, mcp_form form);

/** The option of `resolve` that says what the person did: "--pick=1". False: nothing was said. */
bool mcp_question_said(pawl__buf *option, const pawl__json_tree *tree, pawl__node answer);
