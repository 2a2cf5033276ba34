/**
 * @file base/unicode.h
 * @brief What Unicode says of text: the class of a character, and the folding that makes two
 *        writings of a word one.
 *
 * Text is valid UTF-8 throughout; these functions do not check it again.
 */
#pragma once

#include "base/text.h"

/** Bits of a class. A character without any is a sign: punctuation, a symbol, a control. */
enum {
        PAWL__LETTER = 1, /**< general category L, and Nl (Roman numerals and their like) */
        PAWL__UPPER = 2,  /**< Lu, beside LETTER */
        PAWL__LOWER = 4,  /**< Ll, beside LETTER */
        PAWL__DIGIT = 8,  /**< Nd */
        PAWL__MARK = 16,  /**< M: it belongs to the character before it */
        PAWL__SPACE = 32  /**< the property White_Space */
};

extern const unsigned char pawl__ascii_class[128];
unsigned pawl__unicode_class_beyond_ascii(uint32_t character);

static inline unsigned pawl__unicode_class(uint32_t character)
{
        if (character < 0x80)
                return pawl__ascii_class[character];
        return pawl__unicode_class_beyond_ascii(character);
}

size_t pawl__unicode_decode_beyond_ascii(uint32_t *character, const char *data, size_t len);

/** The character at the start of @p data, of which @p len > 0 bytes are there; returns how many
 *  bytes it takes. */
static inline size_t pawl__unicode_decode(uint32_t *character, const char *data, size_t len)
{
        if ((unsigned char)*data >= 0x80)
                return pawl__unicode_decode_beyond_ascii(character, data, len);
        *character = (unsigned char)*data;
        return 1;
}

/**
 * Append @p text as NFC(toCasefold(NFD(text))), the canonical caseless form of the Unicode
 * Standard, section 3.13, composed again. Folding its result changes nothing. On PAWL_ENOMEM @p out
 * is as it was.
 */
PAWL_MUST_CHECK pawl_status pawl__unicode_fold(pawl__buf *out, pawl_text text);

/** Would a file system that knows no case, or normalises, take @p name for @p own; with @p begins,
 *  for a name that begins so? Bytes that are no UTF-8 are only themselves. */
bool pawl__unicode_same_name(pawl_text own, pawl_text name, bool begins);
