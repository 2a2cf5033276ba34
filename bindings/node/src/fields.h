/**
 * @file bindings/node/src/fields.h
 * @brief A struct of the library as a JSON object: a table of its fields, and one function that
 * writes it.
 */
#pragma once

#include "json.h"
#include <stddef.h>

typedef enum field_kind {
        FIELD_TEXT,   /* pawl_text */
        FIELD_JSON,   /* pawl_text that is JSON; null where it is absent */
        FIELD_MEMBER, /* pawl_text that is JSON; left out where it is absent */
        FIELD_STRING, /* const char * */
        FIELD_CHARS,  /* char [] */
        FIELD_CHAR,   /* null where it is 0 */
        FIELD_BOOLEAN,
        FIELD_INT,
        FIELD_UNSIGNED,
        FIELD_INT64,
        FIELD_UINT64,
        FIELD_DOUBLE,
        FIELD_HASH /* unsigned char [32] */
} field_kind;

typedef struct json_field {
        const char *name; /* as in C, such as run_id; the member is runId */
        size_t offset;
        field_kind kind;
} json_field;

/* clang-format off */
#define FIELD_AS(type, name, kind) {#name, offsetof(type, name), kind}
#define FIELD(type, name)                                                                          \
        FIELD_AS(type, name, _Generic(((type *)0)->name, pawl_text: FIELD_TEXT,                    \
                const char *: FIELD_STRING, char *: FIELD_CHARS, char: FIELD_CHAR,                 \
                bool: FIELD_BOOLEAN, int: FIELD_INT, unsigned: FIELD_UNSIGNED,                     \
                int64_t: FIELD_INT64, uint64_t: FIELD_UINT64, double: FIELD_DOUBLE,                \
                unsigned char *: FIELD_HASH))
/* clang-format on */

/* The members of an object that is open. */
void json_fields(json_out *o, const json_field *fields, size_t n, const void *object);
#define JSON_FIELDS(o, fields, object)                                                             \
        json_fields(o, fields, sizeof(fields) / sizeof *(fields), object)

/* A whole object; member NULL: an element of an array. */
#define JSON_OBJECT(o, member, fields, object)                                                     \
        (json_open(o, member, "{"), JSON_FIELDS(o, fields, object), json_close(o, "}"))

/* An array of them. */
#define JSON_ARRAY(o, member, fields, items, n)                                                    \
        json_array(o, member, fields, sizeof(fields) / sizeof *(fields), items, n, sizeof *(items))
void json_array(json_out *o, const char *member, const json_field *fields, size_t n_fields,
        const void *items, size_t n, size_t size);
