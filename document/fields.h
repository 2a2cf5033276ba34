/**
 * @file document/fields.h
 * @brief Reading a mapping of a document by a table of its keys.
 *
 * Each level of a file that people write has one table: what keys there are, of which type, and
 * where the value goes. A key that is not in the table is an error that names the nearest one.
 */
#pragma once

#include "document/document.h"

typedef enum pawl__entry_type {
        PAWL__ENTRY_ANY,
        PAWL__ENTRY_TEXT,
        PAWL__ENTRY_BOOL,
        PAWL__ENTRY_NUMBER,
        PAWL__ENTRY_MAPPING,
        PAWL__ENTRY_LIST
} pawl__entry_type;

/** Where the errors of a document go that is read to its end: each as the line that it would fail
 *  with alone, but the last, which is the failure. */
typedef struct pawl__problems {
        void (*tell)(const char *line, void *user);
        void *user;
        size_t n;        /**< how many there were */
        pawl_error last; /**< not told yet */
} pawl__problems;

enum { PAWL__PROBLEMS_MOST = 10 }; /**< that are told */

/** One more of them. */
void pawl__problems_add(pawl__problems *problems, const pawl_error *err);
/** What they come to: PAWL_OK without any; else the last one, or "NAME: N more errors; ...". */
PAWL_MUST_CHECK pawl_status pawl__problems_close(
        const pawl__problems *problems, const char *name, pawl_error *err);

/** Where the reader is. */
typedef struct pawl__place {
        const pawl__document *document;
        const char *where; /**< what comes before a key in messages: "", "steps[2]." */
        const char *key;   /**< the current key; "" before the first */
        void *target;      /**< what the setters fill */
        pawl_error *err;
        pawl__problems *problems; /**< NULL: the first one ends the reading */
} pawl__place;

typedef struct pawl__field {
        const char *name; /**< one that ends in "-" stands for every key that begins so */
        pawl__entry_type type;
        const char *missing; /**< how to fix its absence; NULL: it may be absent */
        /** Take the value, which is of the type above. */
        pawl_status (*set)(const pawl__place *place, pawl__node node);
} pawl__field;

/**
 * Read a mapping: check every key, then read the fields in the table's order (not the file's,
 * so that a setter can rely on the ones above it, but where problems are collected).
 * @return PAWL_EPARSE "PATH: line N: WHEREKEY: WHAT; HOW TO FIX", or what a setter returned.
 */
PAWL_MUST_CHECK pawl_status pawl__fields_read(
        const pawl__field *fields, size_t n, const pawl__place *place, pawl__node mapping);

/** A failure of PAWL_EPARSE is a problem among others, if problems are collected: then PAWL_OK. */
PAWL_MUST_CHECK pawl_status pawl__problem(const pawl__place *place, pawl_status status);
/** At the end of a document: what its reading comes to. */
PAWL_MUST_CHECK pawl_status pawl__problems_end(const pawl__place *place, pawl_status status);

/** Fail at a value: "PATH: line N: WHEREKEY: WHAT". Returns PAWL_EPARSE. */
pawl_status pawl__field_fail(const pawl__place *place, pawl__node node, const char *format, ...)
        PAWL_PRINTF(3, 4);
