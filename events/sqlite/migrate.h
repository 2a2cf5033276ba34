/**
 * @file events/sqlite/migrate.h
 * @brief The schema a file must have, and the numbered steps that lead an old file to it.
 */
#pragma once

#include "events/log.h"

#define PAWL__APPLICATION_ID 0x5061776c /* "Pawl" */

/** From version `from` to the next. Events are never rewritten. */
typedef struct pawl__migration {
        int from;
        const char *sql;                                   /**< run first; NULL: nothing */
        pawl_status (*fn)(pawl_log *log, pawl_error *err); /**< run then; NULL: nothing */
        bool rebuild; /**< the derived tables change: they are dropped and filled again */
} pawl__migration;

typedef struct pawl__schema {
        int version;
        const char *sql; /**< the whole schema; may be run again on a file that has it */
        const pawl__migration *steps;
        size_t n_steps;
} pawl__schema;

/** schema.sql, and every step that ever was. */
extern const pawl__schema pawl__schema_current;

/**
 * Tell whether the connected file is a log. It is only read.
 * @param[out] empty  a file that holds nothing yet, which is then no failure.
 * @return PAWL_EFORMAT, PAWL_ENEWER, PAWL_EDAMAGED and what reading may give.
 */
PAWL_MUST_CHECK pawl_status pawl__schema_identify(
        bool *empty, pawl_log *log, const pawl__schema *schema, pawl_error *err);

/** Make an empty file a log, bring an old one to this version, and put back derived tables and
 *  triggers that are missing: each in one transaction, or not at all. */
PAWL_MUST_CHECK pawl_status pawl__schema_ensure(
        pawl_log *log, const pawl__schema *schema, pawl_error *err);

/** In the transaction that is open: drop every table that is derived from the events, whatever it
 * has become, and make it anew, empty. */
PAWL_MUST_CHECK pawl_status pawl__schema_derive_anew(pawl_log *log, pawl_error *err);
