/**
 * @file state/versions.h
 * @brief Versions of a scope's senses that rest on others: which rows of the table hold in one.
 *
 * A version has all its senses as rows of its own; or, where it depends on an earlier one (the
 * base), those that are new or other there, and two kinds of marks beside them:
 *
 *     status "base"     normal and identity "", definition: the version it depends on
 *     status "removed"  a sense of the base that this version does not have
 *
 * Of the rows of one sense in a version and all below it the one with the highest seq holds.
 */
#pragma once

#include "base/map.h"
#include "state/store.h"

/** What a version costs a reader beside its own rows, in rows. */
enum { PAWL__VERSION_COST = 8 };

typedef struct pawl__versions {
        pawl__arena arena;
        pawl__map index; /**< of versions that rest on others or are in use, by scope and version */
        pawl_text *bases; /**< beside it; absent: none */
        bool *used;
        size_t n, cap, cap_used;
        pawl__map senses; /**< of rows above a base in use, by scope, normal and identity */
        int64_t *newest;  /**< beside it: the highest seq */
        size_t n_newest, cap_newest;
        pawl__buf key;
} pawl__versions;

/** Zero-initialised is empty. */
#define PAWL__VERSIONS_INIT                                                                        \
        {                                                                                          \
                .n = 0                                                                             \
        }

/** First: what a row says of bases; of any row of PAWL__SENSES, in the table's order. */
PAWL_MUST_CHECK pawl_status pawl__versions_learn(
        pawl__versions *versions, const pawl__row *sense, pawl_error *err);
/** Then: this version is asked for, with all that it depends on. */
PAWL_MUST_CHECK pawl_status pawl__versions_use(
        pawl__versions *versions, pawl_text scope, pawl_text version, pawl_error *err);
/** *base: what the version depends on. False: on none, as far as is known. */
bool pawl__versions_base(
        pawl_text *base, pawl__versions *versions, pawl_text scope, pawl_text version);
/** Then: which rows stand above others; of any row. */
PAWL_MUST_CHECK pawl_status pawl__versions_weigh(
        pawl__versions *versions, const pawl__row *sense, pawl_error *err);
/** At last: is the row a sense of a version that was asked for, or of none? */
PAWL_MUST_CHECK pawl_status pawl__versions_hold(
        bool *holds, pawl__versions *versions, const pawl__row *sense, pawl_error *err);

/** All of that for the versions in force, as the tables of a store have them. */
PAWL_MUST_CHECK pawl_status pawl__versions_in_force(
        pawl__versions *versions, pawl__store *store, pawl_error *err);
void pawl__versions_free(pawl__versions *versions);
