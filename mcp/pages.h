/**
 * @file mcp/pages.h
 * @brief Results that are too long to be sent at once: pages, each with the `next` of the one
 * after.
 *
 * `next` is "CALL.OUTPUT.PLACE": digests of the call and of its output, and the place of the page.
 * The output of a call is kept for its pages, in memory, up to a bound; the oldest goes first. What
 * is kept no longer is asked for again where the call only reads, and must then be the same.
 *
 * A page is JSON where the output is JSON that can be cut: the same value with some elements of its
 * largest array, or some characters of its longest string. Any other output is cut between two
 * characters. Where a page is cut depends on the output and the place alone, and the pages in their
 * order are the whole.
 */
#pragma once

#include "base/json_write.h"
#include "mcp/run_command.h"

/** The most bytes of a result as it is sent. */
#define MCP_RESULT_MAX 100000

/* ---- One page (mcp/page.c) ------------------------------------------------------------------- */

/** The place of a page in an output: where its bytes, or elements, begin. */
typedef struct mcp_page {
        pawl__buf text; /**< a JSON value, or text; what surrounds the part is in each page */
        bool json;
        bool object;
        size_t next; /**< the place of the next page; 0: this is the last */
} mcp_page;

#define MCP_PAGE_INIT                                                                              \
        {                                                                                          \
                PAWL__BUF_INIT, false, false, 0                                                    \
        }

/**
 * Cut a page. A top-level object has no member `next`, unless this is the last page.
 * @param from   0, or `next` of the page before.
 * @param room   bytes for the page: as a JSON string, and with @p twice as JSON beside that.
 * @return PAWL_EINVAL: no page begins at @p from; PAWL_ENOMEM.
 */
PAWL_MUST_CHECK pawl_status mcp_page_cut(
        mcp_page *out, pawl_text output, size_t from, size_t room, bool twice, pawl_error *err);
void mcp_page_free(mcp_page *page);

/* ---- The pages of a call --------------------------------------------------------------------- */

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
