#include "glossary/normal.h"
#include "base/unicode.h"
#include "glossary/casing.h"
#include "glossary/plural.h"
#include "glossary/tokens.h"

pawl_status pawl__fold(pawl__buf *out, pawl_text text)
{
        return pawl__unicode_fold(out, text);
}

/* Where the run of word characters at the end of a folded text begins. */
static size_t last_word(pawl_text text)
{
        size_t start = text.len;
        uint32_t character;

        while (start > 0) {
                size_t at = start - 1;
                while (at > 0 && ((unsigned char)text.data[at] & 0xc0) == 0x80)
                        at--;
                pawl__unicode_decode(&character, text.data + at, start - at);
                if (character != '_' && !(pawl__unicode_class(character) &
                                                (PAWL__LETTER | PAWL__DIGIT | PAWL__MARK)))
                        break;
                start = at;
        }
        return start;
}

/* Write @p text over itself: white space at the ends gone, inside single. Returns the length. */
static size_t squeeze(char *text, size_t len)
{
        size_t n = 0, pending = 0;
        uint32_t character;

        for (size_t at = 0; at < len;) {
                size_t size = pawl__unicode_decode(&character, text + at, len - at);
                if (pawl__unicode_class(character) & PAWL__SPACE) {
                        pending = n > 0;
                } else {
                        if (pending)
                                text[n++] = ' ';
                        pending = 0;
                        memmove(text + n, text + at, size);
                        n += size;
                }
                at += size;
        }
        return n;
}

pawl_status pawl__folded_form(pawl__buf *out, pawl_text surface)
{
        const size_t before = out->len;
        pawl_status status = pawl__unicode_fold(out, surface);

        if (status || out->len == before)
                return status;
        out->len = before + squeeze(out->data + before, out->len - before);
        out->data[out->len] = '\0';
        return PAWL_OK;
}

/* The last word of a surface as it is written, and whether a hyphen joins it to another. */
static pawl_text last_written(bool *joined, pawl_text surface)
{
        pawl__tokens tokens = pawl__tokens_of(surface);
        pawl_text word = {NULL, 0};
        pawl__token token;
        bool hyphen = false;

        *joined = false;
        while ((token = pawl__token_next(&tokens)).kind) {
                if (token.kind == PAWL__TOKEN_WORD) {
                        word = pawl__token_text(&tokens, &token);
                        *joined = hyphen;
                }
                hyphen = token.kind == PAWL__TOKEN_SIGN && token.after_word &&
                         pawl__token_is(&tokens, &token, '-');
        }
        return word;
}

static const unsigned name = PAWL__IS_ACRONYM | PAWL__IS_PATTERN | PAWL__IS_CAPITALS;

bool pawl__is_name(pawl_text surface)
{
        bool joined;
        const pawl_text word = last_written(&joined, surface);

        return word.data && (pawl__casing(word) & name);
}

pawl_status pawl__normal_form(pawl__buf *out, pawl_text surface)
{
        const size_t before = out->len;
        pawl_status status = pawl__folded_form(out, surface);
        bool joined;

        if (status || out->len == before)
                return status;
        const pawl_text written = last_written(&joined, surface);
        const unsigned bits = written.data ? pawl__casing(written) : 0;
        if (joined || bits & name)
                return PAWL_OK;
        char *text = out->data + before;
        const size_t len = out->len - before, start = last_word(pawl__text_n(text, len));
        out->len = before + start;
        out->len += bits & PAWL__IS_PLURAL_ACRONYM ? len - start - 1
                                                   : pawl__singular(text + start, len - start);
        out->data[out->len] = '\0';
        return PAWL_OK;
}
