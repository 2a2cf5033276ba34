/**
 * @file command/fields.h
 * @brief What is shown of a struct, in one table: the members of its JSON object and the columns of
 * its line for people.
 *
 * A field is found in the struct by its offset. Fields with a name are members, in the order of the
 * table; fields with a title are columns (command/table.h). A table of fields ends with
 * CLI_NO_FIELD.
 */
#pragma once

#include "base/json_write.h"
#include "command/command.h"
#include "state/state.h"
#include <stddef.h>

typedef enum cli_type {
        CLI_AS_NOTHING, /**< ends a table */
        CLI_AS_TEXT,    /**< pawl_text; absent: null, "-" in a column */
        CLI_AS_BYTES,   /**< pawl_text that may be no UTF-8: a member NAME_hex has all of it then */
        CLI_AS_STRING,  /**< const char *; NULL as absent */
        CLI_AS_CHARS,   /**< char[], ended by a NUL */
        CLI_AS_WORD,    /**< what the field's word() makes of the value */
        CLI_AS_ID,      /**< pawl_text, an id of the field's state table: short for people */
        CLI_AS_INTEGER, /**< of 4 or 8 bytes */
        CLI_AS_SIZE,    /**< uint64_t of bytes; "4.2 MB" for people */
        CLI_AS_NUMBER,  /**< double */
        CLI_AS_BOOL,
        CLI_AS_NULL,    /**< true for a pointer that is NULL, else false */
        CLI_AS_TIME,    /**< int64_t of microseconds; "2026-11-22 17:57:48", in UTC, for people */
        CLI_AS_RAW,     /**< pawl_text, one value of JSON; absent: null */
        CLI_AS_OBJECT,  /**< a struct that is in this one, of the field's fields */
        CLI_AS_PART,    /**< members of this struct, as an object of its own */
        CLI_AS_POINTER, /**< a pointer to a struct; NULL: null */
        CLI_AS_LIST     /**< a pointer to n structs; with one field without a name, of its values */
} cli_type;

/** What becomes of a column where the table is wider than the terminal. */
typedef enum cli_cut {
        CLI_WHOLE,    /**< nothing: it is there to be copied, or is short */
        CLI_CUT,      /**< free text: gets the columns that the others leave, and ends in "…" */
        CLI_CUT_LAST, /**< cut, too, where that is not enough */
        CLI_CUT_NAME  /**< a name, which is to be read: cut where less text beside it is not enough
                       */
} cli_cut;

#define CLI_WORD_MAX 80

typedef struct cli_field {
        const char *name; /**< of the member; NULL: it is none */
        cli_type type;    /**< numbers are aligned to the right */
        cli_cut cut;
        size_t at, size;   /**< of the value in the struct: CLI_AT() */
        const char *title; /**< of the column, shown in upper case; NULL: it is none */
        bool or_null;      /**< a 0 means that there is none */
        bool or_none;      /**< absent: there is no such member, in place of null */
        pawl__table table; /**< CLI_AS_ID */
        /** CLI_AS_WORD: NULL for none; may use @p buf. */
        const char *(*word)(const void *value, char buf[CLI_WORD_MAX]);
        bool (*has)(const void *item);  /**< null where it says no; NULL: always there */
        const struct cli_field *fields; /**< of an object, or of each of a list */
        size_t n_at, each;              /**< CLI_AS_LIST: CLI_ITEMS() */
} cli_field;

#define CLI_AT(of, member) .at = offsetof(of, member), .size = sizeof(((of *)NULL)->member)
/** The whole struct, for a word. */
#define CLI_ITSELF .at = 0
#define CLI_ITEMS(of, items, n)                                                                    \
        CLI_AT(of, items), .n_at = offsetof(of, n), .each = sizeof *((of *)NULL)->items
#define CLI_NO_FIELD                                                                               \
        {                                                                                          \
                .type = CLI_AS_NOTHING                                                             \
        }

/** Of a list of uint64_t. */
extern const cli_field cli_numbers[];

/** The members, into an object that is open. */
void cli_fields_json(pawl__json_writer *w, const cli_field *fields, const void *item);
/** The member NAME (NULL: none is open): the object of a struct; null where @p item is NULL. */
void cli_object_json(
        pawl__json_writer *w, const char *name, const cli_field *fields, const void *item);
/** The member NAME (NULL: none is open): an array of @p n structs of @p each bytes. */
void cli_list_json(pawl__json_writer *w, const char *name, const cli_field *fields,
        const void *items, size_t n, size_t each);
/** A text that may be no UTF-8: then NAME shows each wrong byte as \xNN, and NAME_hex has all of
 *  them. */
void cli_bytes_json(pawl__json_writer *w, const char *name, pawl_text bytes);

/** What is shown of a field that is a text, a word or a string; absent: none. @p item is the
 * struct. */
pawl_text cli_field_text(const cli_field *field, const void *item, char buf[CLI_WORD_MAX]);
int64_t cli_field_integer(const cli_field *field, const void *item);

/** Print a struct as one JSON object and a newline. */
PAWL_MUST_CHECK pawl_status cli_print_object(
        const cli_call *cli, const cli_field *fields, const void *item, pawl_error *err);
