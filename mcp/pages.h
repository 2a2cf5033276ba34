/**
 * @file mcp/pages.h
 * @brief Results that are too long to be sent at once: pages, each with the `next` of the one
 * after.
 *
 * `next` is "CALL.OUTPUT.PLACE": digests of the call and of its output, and the place of the page.
 * The output of a call is kept for its pages, in memory, up to a bound; the oldest goes first. What
 * is kept no longer is asked for again where the call only reads, and must then be the same.
 */
#pragma once

#include "mcp/run_command.h"

/** The most bytes of a result as it is sent. */
#define MCP_RESULT_MAX 100000

/** Outputs that are kept. Any thread may use them. */
typedef struct mcp_pages mcp_pages;

/** NULL: out of memory. */
mcp_pages *mcp_pages_new(void);
void mcp_pages_free(mcp_pages *pages);

/** A call, and which page of its result is wanted. */
typedef struct mcp_turn {
        char call[17];   /**< a digest of the call, in hex */
        char output[33]; /**< a digest of its output; empty: the first page is wanted */
        size_t place;
} mcp_turn;

/**
 * @param what  the tool, or what else is asked for; @p words and @p actor may be NULL.
 * @param next  as the client sent it; absent: the first page is wanted.
 * @return PAWL_EINVAL: it is not the `next` of this call.
 */
PAWL_MUST_CHECK pawl_status mcp_turn_of(mcp_turn *out, pawl_text what, const mcp_words *words,
        const char *actor, pawl_text next, pawl_error *err);
/** Keep the output of a call. @p turn gets its digest. */
PAWL_MUST_CHECK pawl_status mcp_pages_keep(
        mcp_pages *pages, mcp_turn *turn, const mcp_outcome *outcome, pawl_error *err);
/** A copy of the output that the turn is of. False: it is not kept. */
bool mcp_pages_get(mcp_outcome *out, mcp_pages *pages, const mcp_turn *turn);
/** Is the output the one that the turn is of? PAWL_ESTATE: it has changed since. */
PAWL_MUST_CHECK pawl_status mcp_turn_check(const mcp_turn *turn, pawl_text output, pawl_error *err);
/** Append the text of the `next` that leads to @p place. */
void mcp_turn_write(pawl__buf *out, const mcp_turn *turn, size_t place);
