#include "glossary/tokens.h"
#include "base/unicode.h"

/* What a byte says of its character. */
enum { SIGN, WORD, SPACE, OTHER };

#define X4(kind)  kind, kind, kind, kind
#define X16(kind) X4(kind), X4(kind), X4(kind), X4(kind)

static const unsigned char bytes[256] = {
        SIGN, SIGN, SIGN, SIGN, SIGN, SIGN, SIGN, SIGN, SIGN, SPACE, SPACE, SPACE, SPACE, SPACE,
        SIGN, SIGN,                                                         /* 00: controls */
        X16(SIGN),                                                          /* 10 */
        SPACE, SIGN, SIGN, SIGN, X4(SIGN), X4(SIGN), X4(SIGN),              /* 20: space ! " */
        X4(WORD), X4(WORD), WORD, WORD, SIGN, SIGN, X4(SIGN),               /* 30: digits */
        SIGN, WORD, WORD, WORD, X4(WORD), X4(WORD), X4(WORD),               /* 40: @ A */
        X4(WORD), X4(WORD), WORD, WORD, WORD, SIGN, SIGN, SIGN, SIGN, WORD, /* 50: P [ _ */
        SIGN, WORD, WORD, WORD, X4(WORD), X4(WORD), X4(WORD),               /* 60: ` a */
        X4(WORD), X4(WORD), WORD, WORD, WORD, SIGN, SIGN, SIGN, SIGN, SIGN, /* 70: p { */
        X16(OTHER), X16(OTHER), X16(OTHER), X16(OTHER),                     /* 80 to bf */
        X16(OTHER), X16(OTHER), X16(OTHER), X16(OTHER),                     /* c0 to ff */
};

/* What the character at @p at is: WORD, SPACE, SIGN, or OTHER for a mark. *size: its bytes. */
static int kind_at(pawl_text text, size_t at, size_t *size)
{
        uint32_t character;
        int kind = bytes[(unsigned char)text.data[at]];

        *size = 1;
        if (kind != OTHER)
                return kind;
        *size = pawl__unicode_decode(&character, text.data + at, text.len - at);
        unsigned class = pawl__unicode_class(character);
        if (class & (PAWL__LETTER | PAWL__DIGIT))
                return WORD;
        return class & PAWL__SPACE ? SPACE : class & PAWL__MARK ? OTHER : SIGN;
}

/* Past the characters of a kind from @p at on; marks belong to what they follow. */
static size_t run_of(pawl_text text, size_t at, int kind, bool marks)
{
        size_t size;

        for (;;) {
                while (at < text.len && bytes[(unsigned char)text.data[at]] == kind)
                        at++;
                if (at == text.len || bytes[(unsigned char)text.data[at]] != OTHER)
                        return at;
                int found = kind_at(text, at, &size);
                if (found != kind && !(marks && found == OTHER))
                        return at;
                at += size;
        }
}

/* What is at @p at, or SIGN at the end; most characters are of one byte. */
static inline int kind_ahead(pawl_text text, size_t at)
{
        size_t size;

        if (at >= text.len)
                return SIGN;
        const int kind = bytes[(unsigned char)text.data[at]];
        return kind == OTHER ? kind_at(text, at, &size) : kind;
}

pawl__token pawl__token_next(pawl__tokens *tokens)
{
        const pawl_text text = tokens->text;
        pawl__token token = {PAWL__TOKEN_END, tokens->at, tokens->at, false, false};
        size_t at = token.start, size = 1;

        if (at == text.len)
                return token;
        int kind = bytes[(unsigned char)text.data[at]];
        if (kind == OTHER)
                kind = kind_at(text, at, &size);
        at += size;
        if (kind == SPACE) {
                token.kind = PAWL__TOKEN_SPACE;
                if (at < text.len && bytes[(unsigned char)text.data[at]] != WORD)
                        at = run_of(text, at, SPACE, false);
        } else if (kind == SIGN) {
                token.kind = PAWL__TOKEN_SIGN;
                while (at < text.len && bytes[(unsigned char)text.data[at]] == OTHER &&
                        kind_at(text, at, &size) == OTHER)
                        at += size;
                token.after_word = tokens->after_word;
                token.before_word = kind_ahead(text, at) == WORD;
        } else {
                token.kind = PAWL__TOKEN_WORD;
                while (at < text.len && bytes[(unsigned char)text.data[at]] == WORD)
                        at++;
                if (at < text.len && bytes[(unsigned char)text.data[at]] == OTHER)
                        at = run_of(text, at, WORD, true);
        }
        tokens->after_word = token.kind == PAWL__TOKEN_WORD;
        tokens->at = at;
        token.end = at;
        return token;
}

uint32_t pawl__token_symbol(const pawl__tokens *tokens, const pawl__token *token)
{
        uint32_t character;

        pawl__unicode_decode(
                &character, tokens->text.data + token->start, token->end - token->start);
        return character;
}

static const char curly[] = "\xe2\x80\x99"; /* U+2019 */

/* Bytes of the apostrophe at, or that ends at, an offset; 0: there is none. */
static size_t apostrophe_at(pawl_text text, size_t at)
{
        if (at < text.len && text.data[at] == '\'')
                return 1;
        return text.len - at >= 3 && memcmp(text.data + at, curly, 3) == 0 ? 3 : 0;
}

static size_t apostrophe_before(pawl_text text, size_t at)
{
        if (at > 0 && text.data[at - 1] == '\'')
                return 1;
        return at >= 3 && memcmp(text.data + at - 3, curly, 3) == 0 ? 3 : 0;
}

/* Does a word end at @p at? A mark ends a word, save in the rare case that it follows a sign. */
static bool word_before(pawl_text text, size_t at)
{
        size_t size;

        if (at == 0)
                return false;
        do
                at--;
        while (at > 0 && ((unsigned char)text.data[at] & 0xc0) == 0x80);
        int kind = kind_at(text, at, &size);
        return kind == WORD || kind == OTHER;
}

/* The offset past an apostrophe that a word follows, or 0. */
static size_t joined_after(pawl_text text, size_t end)
{
        size_t size, apostrophe = apostrophe_at(text, end);

        if (!apostrophe || end + apostrophe >= text.len)
                return 0;
        return kind_at(text, end + apostrophe, &size) == WORD ? end + apostrophe : 0;
}

bool pawl__word_joined(pawl_text text, size_t start, size_t end)
{
        size_t apostrophe = apostrophe_before(text, start);

        if (apostrophe && word_before(text, start - apostrophe))
                return true;
        size_t tail = joined_after(text, end);
        if (!tail)
                return false;
        if ((text.data[tail] | 0x20) != 's' || joined_after(text, tail + 1))
                return true;
        return run_of(text, tail, WORD, true) != tail + 1;
}

size_t pawl__line_breaks(pawl_text space)
{
        size_t n = 0;
        uint32_t character, before = 0;

        for (size_t at = 0; at < space.len; before = character) {
                at += pawl__unicode_decode(&character, space.data + at, space.len - at);
                if (character == '\n')
                        n += before != '\r';
                else
                        n += character == '\r' || character == 0x85 || character == 0x2028 ||
                             character == 0x2029;
        }
        return n;
}

bool pawl__noun_like(pawl_text word)
{
        size_t letters = 0;
        uint32_t character;

        for (size_t at = 0; at < word.len;) {
                bool first = at == 0;
                at += pawl__unicode_decode(&character, word.data + at, word.len - at);
                bool letter = (pawl__unicode_class(character) & PAWL__LETTER) != 0;
                if ((first && !letter) || character == '_')
                        return false;
                letters += letter;
        }
        return letters >= 3;
}

bool pawl__noun_next(pawl__tokens *tokens, pawl__token *word)
{
        for (;;) {
                *word = pawl__token_next(tokens);
                if (word->kind == PAWL__TOKEN_END)
                        return false;
                if (word->kind == PAWL__TOKEN_WORD &&
                        pawl__noun_like(pawl__token_text(tokens, word)) &&
                        !pawl__word_contracted(tokens->text, word->start, word->end))
                        return true;
        }
}
