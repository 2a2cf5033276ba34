/**
 * @file tests/support/json_values.h
 * @brief JSON values made of bytes, and texts that spell them.
 */
#pragma once

#include "fuzz/fuzzing.h"

typedef enum json_kind { NOTHING, TRUTH, DOUBLE, DIGITS, STRING, ARRAY, OBJECT } json_kind;

typedef struct json_value {
        json_kind kind;
        bool truth;
        double number;  /**< finite */
        pawl_text text; /**< a string's characters; the digits of an integer beyond 2^53 - 1 */
        pawl_text name; /**< in its object, where no other has it */
        struct json_value *items;
        size_t n;
} json_value;

/** Any value: numbers of any bits, strings of any characters, members in any order, depth up to
 *  300. Its memory is the arena's. */
void json_value_make(json_value *out, pawl__arena *arena, bytes *input);

/** The value as the project's own writer puts it. */
void json_value_write(pawl__buf *out, const json_value *value);

/** The same value with blanks, escapes, forms of numbers and an order of members that the bytes
 *  choose; used up, they go on with zeros. */
void json_value_spell(pawl__buf *out, const json_value *value, bytes choices);

/** The member of that name, or NULL. */
const json_value *json_value_member(const json_value *object, pawl_text name);
