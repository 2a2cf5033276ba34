/**
 * @file document/fields.h
 * @brief Reading a mapping of a document by a table of its keys.
 *
 * Each level of a file that people write has one table: what keys there are, of which type, and
 * where the value goes. A key that is not in the table is an error that names the nearest one.
 */
#ifndef PAWL_DOCUMENT_FIELDS_H
#define PAWL_DOCUMENT_FIELDS_H

#include "document/document.h"

typedef enum pawl__entry_type {
        PAWL__ENTRY_ANY,
        PAWL__ENTRY_TEXT,
        PAWL__ENTRY_BOOL,
        PAWL__ENTRY_NUMBER,
        PAWL__ENTRY_MAPPING,
        PAWL__ENTRY_LIST
} pawl__entry_type;

/** Where the reader is. */
typedef struct pawl__place {
        const pawl__document *document;
        const char *where; /**< what comes before a key in messages: "", "steps[2]." */
        const char *key;   /**< the key at hand; "" before the first */
        void *target;      /**< what the setters fill */
        pawl_error *err;
} pawl__place;

typedef struct pawl__field {
        const char *name;
        pawl__entry_type type;
        const char *missing; /**< how to fix its absence; NULL: it may be absent */
        /** Take the value, which is of the type above. */
        pawl_status (*set)(const pawl__place *place, pawl__node node);
} pawl__field;

/**
 * Read a mapping: check every key, then read the fields in the table's order (not the file's,
 * so that a setter can rely on the ones above it).
 * @return PAWL_EPARSE "PATH: line N: WHEREKEY: WHAT; HOW TO FIX", or what a setter returned.
 */
PAWL_MUST_CHECK pawl_status pawl__fields_read(
        const pawl__field *fields, size_t n, const pawl__place *place, pawl__node mapping);

/** Fail at a value: "PATH: line N: WHEREKEY: WHAT". Returns PAWL_EPARSE. */
pawl_status pawl__field_fail(const pawl__place *place, pawl__node node, const char *format, ...)
        PAWL_PRINTF(3, 4);

#endif
