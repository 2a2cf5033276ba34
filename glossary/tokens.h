/**
 * @file glossary/tokens.h
 * @brief A text as words, white space and signs: what every rule of extraction reads.
 *
 * A word is a maximal run of letters, digits, marks and underscores; white space is one token a
 * run; any other character is a sign, with the marks that follow it. Text is valid UTF-8. Tokens
 * cover the text without gaps, and folding neither joins nor splits them.
 */
#pragma once

#include "base/text.h"

typedef enum pawl__token_kind {
        PAWL__TOKEN_END,
        PAWL__TOKEN_SPACE,
        PAWL__TOKEN_WORD,
        PAWL__TOKEN_SIGN
} pawl__token_kind;

typedef struct pawl__token {
        pawl__token_kind kind;
        size_t start, end; /**< bytes of the text */
        bool after_word;   /**< a sign: the token before it is a word */
        bool before_word;  /**< a sign: the token after it is a word */
} pawl__token;

typedef struct pawl__tokens {
        pawl_text text;
        size_t at;
        bool after_word;
} pawl__tokens;

static inline pawl__tokens pawl__tokens_of(pawl_text text)
{
        return (pawl__tokens){text, 0, false};
}

/** The next token; after the last, always one of kind END. */
pawl__token pawl__token_next(pawl__tokens *tokens);

static inline pawl_text pawl__token_text(const pawl__tokens *tokens, const pawl__token *token)
{
        return pawl__text_n(tokens->text.data + token->start, token->end - token->start);
}

/** The sign is this ASCII character, without marks. */
static inline bool pawl__token_is(
        const pawl__tokens *tokens, const pawl__token *token, char character)
{
        return token->end - token->start == 1 && tokens->text.data[token->start] == character;
}

/** The character that a sign starts with. */
uint32_t pawl__token_symbol(const pawl__tokens *tokens, const pawl__token *token);

/** The same of a word with what may be an apostrophe beside it. */
bool pawl__word_joined(pawl_text text, size_t start, size_t end);

/** Is the word at [start, end) part of a contraction: joined to another by an apostrophe (' or
 *  U+2019), and not as the word in front of a possessive 's? Of "customer's" only the s is. */
static inline bool pawl__word_contracted(pawl_text text, size_t start, size_t end)
{
        const char before = start > 0 ? text.data[start - 1] : ' ';
        const char after = end < text.len ? text.data[end] : ' ';

        /* The last byte of U+2019 is 0x99, its first 0xe2. */
        if (before != '\'' && before != '\x99' && after != '\'' && after != '\xe2')
                return false;
        return pawl__word_joined(text, start, end);
}

/** Line breaks in a run of white space; CR LF is one. */
size_t pawl__line_breaks(pawl_text space);

/** A word that may be a noun: three letters or more, the first character a letter, no underscore.
 */
bool pawl__noun_like(pawl_text word);

/** Walk over the words of a text that may be nouns and are no part of a contraction: *word is the
 *  next one. False at the end. */
bool pawl__noun_next(pawl__tokens *tokens, pawl__token *word);
