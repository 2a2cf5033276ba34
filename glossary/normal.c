#include "glossary/normal.h"
#include "base/unicode.h"

pawl_status pawl__fold(pawl__buf *out, pawl_text text)
{
        return pawl__unicode_fold(out, text);
}

/* Characters, as far as they matter here: up to four. */
static size_t count_characters(const char *word, size_t len)
{
        size_t n = 0;

        for (size_t i = 0; i < len && n < 4; i++)
                n += ((unsigned char)word[i] & 0xc0) != 0x80;
        return n;
}

size_t pawl__singular_len(const char *word, size_t len)
{
        if (len < 4 || word[len - 1] != 's' || memchr("suaio", word[len - 2], 5))
                return len;
        return count_characters(word, len) > 3 ? len - 1 : len;
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

pawl_status pawl__normal_form(pawl__buf *out, pawl_text surface)
{
        const size_t before = out->len;
        pawl_status status = pawl__unicode_fold(out, surface);

        if (status || out->len == before)
                return status;
        char *text = out->data + before;
        size_t len = squeeze(text, out->len - before);
        size_t start = last_word(pawl__text_n(text, len));
        len = start + pawl__singular_len(text + start, len - start);
        out->len = before + len;
        out->data[out->len] = '\0';
        return PAWL_OK;
}
