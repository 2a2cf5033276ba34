/**
 * @file mcp/page.h
 * @brief What of a long output is sent at once: a part of its largest array, or of a text.
 *
 * A page is JSON where the output is JSON that can be cut: the same value with some elements of its
 * largest array, or some characters of its longest string. Any other output is cut between two
 * characters. Where a page is cut depends on the output and the place alone, and the pages in their
 * order are the whole.
 */
#pragma once

#include "base/json_write.h"

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
