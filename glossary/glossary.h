/**
 * @file glossary/glossary.h
 * @brief The senses that hold for one run, ready to be looked up and to be found in text.
 */
#pragma once

#include "base/text.h"
#include "state/state.h"

/** By precedence, highest first. */
typedef enum pawl__scope {
        PAWL__MISSION_LOCAL,
        PAWL__TEAM_DOMAIN,
        PAWL__AUDIENCE_DOMAIN,
        PAWL__CORE,
        PAWL__SCOPES_N
} pawl__scope;

const char *pawl__scope_name(pawl__scope scope);
/** "spec_kitty_core" is read as core. False for any other name. */
bool pawl__scope_of(pawl__scope *out, pawl_text name);
/** The same as a user's choice: PAWL_EINVAL, naming the scopes there are. */
PAWL_MUST_CHECK pawl_status pawl__scope_read(pawl__scope *out, pawl_text name, pawl_error *err);

typedef enum pawl__sense_status {
        PAWL__ACTIVE,
        PAWL__DRAFT,
        PAWL__DEPRECATED,
        PAWL__IGNORED /**< no term: nobody is asked what it means in this scope */
} pawl__sense_status;

const char *pawl__sense_status_name(pawl__sense_status status);
bool pawl__sense_status_of(pawl__sense_status *out, pawl_text name);

/** What a seed says of a sense for people to read, as JSON; absent: nothing. */
typedef struct pawl__sense_notes {
        pawl_text see_also;          /**< an array of anything */
        pawl_text synonyms_to_avoid; /**< an array of texts */
} pawl__sense_notes;

typedef struct pawl__sense {
        pawl_text surface, normal, definition;
        pawl_text
                alias; /**< the normal form of a further surface of it; absent: none comes along */
        pawl__scope scope;
        double confidence; /**< 0..1 */
        pawl__sense_status status;
        bool answered; /**< the mission's answer to a conflict: in mission_local it decides alone */
        bool written;  /**< defined by a person who was asked, not by a file */
        uint64_t seq;  /**< of its event; 0: it is not in the log yet */
        const pawl__sense_notes *notes; /**< NULL: none */
} pawl__sense;

typedef struct pawl__glossary pawl__glossary;

PAWL_MUST_CHECK pawl_status pawl__glossary_new(pawl__glossary **out, pawl_error *err);
void pawl__glossary_free(pawl__glossary *glossary);

/** Add a sense; copies. normal may be absent: then it is made. A sense equal in scope, normal form
 *  and definition to one that is there replaces it, so that two sources of one sense are one. An
 *  answer replaces the answer of its normal form that was there. */
PAWL_MUST_CHECK pawl_status pawl__glossary_add(
        pawl__glossary *glossary, const pawl__sense *sense, pawl_error *err);

/** An alias is in the log and in its state as its sense once more, under the normal form of the
 * alias but with the sense's own surface: is a row such a one? @p buf is scratch memory, and the
 * surface's normal form where that is the row's. */
PAWL_MUST_CHECK pawl_status pawl__sense_is_alias(
        bool *is, pawl__buf *buf, const pawl__row *row, pawl_error *err);

/** Does the sense of a row count? *counts comes in as true. */
typedef struct pawl__sense_filter {
        pawl_status (*look)(bool *counts, const pawl__row *row, void *user, pawl_error *err);
        void *user;
} pawl__sense_filter;

/** Rows that are added from now on count only if this says so, which is copied; look NULL: all do.
 */
void pawl__glossary_filter(pawl__glossary *glossary, const pawl__sense_filter *filter);

/** Add the sense of a row; @p user is the glossary. One of a scope that is not known here is none.
 */
PAWL_MUST_CHECK pawl_status pawl__glossary_add_row(
        const pawl__row *row, void *user, pawl_error *err);

/** All that hold for a mission by the state tables (pawl__state_senses). */
PAWL_MUST_CHECK pawl_status pawl__glossary_load(pawl__glossary *glossary, pawl__state *state,
        pawl_text mission_id, const pawl__scope_ref *refs, size_t n_refs, pawl_error *err);

/** How many senses, of any status. */
size_t pawl__glossary_count(const pawl__glossary *glossary);

/** What a term means: the active senses of the first scope, by precedence, that has any, by
 *  confidence, highest first, then in the order they were added. Where that scope says that it is
 *  no term, it is ignored: its senses there count no more. Valid until the next add. */
typedef struct pawl__resolution {
        const pawl__sense *const *senses;
        size_t n;     /**< 0: unknown, unless ignored; 1: resolved; more: ambiguous */
        bool ignored; /**< it is no term */
} pawl__resolution;

/** Is nobody to be asked about it? */
static inline bool pawl__resolves(pawl__resolution resolution)
{
        return resolution.n == 1 || resolution.ignored;
}

pawl__resolution pawl__glossary_resolve(const pawl__glossary *glossary, pawl_text normal);
/** The same by the number of a surface that was found (glossary/surfaces.h), which stays its own.
 */
pawl__resolution pawl__glossary_resolve_number(const pawl__glossary *glossary, uint32_t number);
