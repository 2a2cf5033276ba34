/**
 * @file mcp/question.h
 * @brief A conflict as a question to the person whom a client can ask, and the words of the answer.
 */
#pragma once

#include "mcp/server.h"

/**
 * Find the object of `conflicts --json` with that id, where it is open and put to the person whom
 * the client can ask; @p others: it is open, but put to other people. *out is PAWL__NO_NODE where
 * it is not found. Both @p tree and @p conflicts are the caller's to free.
 */
PAWL_MUST_CHECK pawl_status mcp_question_find(pawl__json_tree *tree, pawl__node *out,
        mcp_outcome *conflicts, bool *others, mcp_server *server, pawl_text id, pawl_error *err);
/** Record what the person said, under the person's name. PAWL_DONE: nothing was said. */
PAWL_MUST_CHECK pawl_status mcp_question_record(mcp_server *server, pawl_text conflict,
        const pawl__json_tree *tree, pawl__node answer, pawl_error *err);

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
