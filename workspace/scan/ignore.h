/**
 * @file workspace/scan/ignore.h
 * @brief Which files a workspace leaves out: the rules of gitignore(5), from files and from lists.
 *
 * A list of patterns belongs to a directory. Of all patterns that match a path the last one of the
 * list of the deepest directory decides; "!" before a pattern takes back what others said. What
 * lies in a directory that is left out is never asked about. Bytes are compared as they are, or, as
 * git does with core.ignoreCase, letters of ASCII without regard to their case.
 */
#pragma once

#include "base/text.h"

/** The lists in force, those of deeper directories after those of the directories that hold them.
 * Within a list a later pattern goes before an earlier one. Zero-initialised is empty. */
typedef struct pawl__ignore {
        struct pawl__ignore_rule *rules;
        size_t n, cap;
        bool fold; /**< of what is added from now on, the case of letters does not count */
} pawl__ignore;

/**
 * Add the patterns of a text, one a line, in force from now on.
 * @param base  length of the path, relative to the root, of the directory that they belong to, with
 *              the '/' after it; 0: the root itself.
 * @return PAWL_ENOMEM with the lists as they were.
 */
PAWL_MUST_CHECK pawl_status pawl__ignore_add(
        pawl__ignore *ignore, pawl_text patterns, size_t base, pawl_error *err);
/** What was added since there were @p n rules are rules of our own, which tell so. */
void pawl__ignore_own(pawl__ignore *ignore, size_t n);
/** Forget all that was added since there were @p n rules. */
void pawl__ignore_cut(pawl__ignore *ignore, size_t n);
void pawl__ignore_free(pawl__ignore *ignore);

typedef enum pawl__ignore_verdict {
        PAWL__IGNORE_SILENT, /**< no pattern matches */
        PAWL__IGNORE_TAKE,   /**< the last that matches has a "!" */
        PAWL__IGNORE_LEAVE,
        PAWL__IGNORE_LEAVE_OWN /**< by a rule of our own */
} pawl__ignore_verdict;

/** What the lists say of a path below the root, whose last name begins at @p name_at. It lies in
 *  the directory of each list or deeper. */
pawl__ignore_verdict pawl__ignore_match(
        pawl__ignore *ignore, pawl_text path, size_t name_at, bool directory);
