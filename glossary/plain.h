/**
 * @file glossary/plain.h
 * @brief Markdown's text without its markup, and its sentences.
 */
#pragma once

#include "base/text.h"

static inline pawl_text pawl__text_part(pawl_text text, size_t start, size_t end)
{
        return pawl__text_n(text.data + start, end - start);
}

static inline bool pawl__text_at(pawl_text text, size_t at, const char *with)
{
        const size_t len = strlen(with);

        return text.len - at >= len && memcmp(text.data + at, with, len) == 0;
}

/** Without the white space (space, tab, line breaks) at its ends. */
pawl_text pawl__text_trim(pawl_text text);

/** Put @p text into @p out, in place of what it held: on one line, without bold and the targets of
 *  links, with no control characters; the marks of code stay with @p code. @p most bytes at
 *  most. A failed allocation is kept in the buffer. */
void pawl__plain(pawl__buf *out, pawl_text text, size_t most, bool code);

/** Where a sentence that begins at @p at ends: past its full stop. */
size_t pawl__sentence_end(pawl_text text, size_t at);

/** As many whole sentences as fit into half of @p most bytes, one at least; one that is longer than
 *  @p most is cut between words. */
pawl_text pawl__sentences_cut(pawl_text text, size_t most);
