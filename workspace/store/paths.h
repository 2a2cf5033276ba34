/**
 * @file workspace/store/paths.h
 * @brief Some paths of a workspace: those that a rollback or a comparison is of.
 */
#pragma once

#include "base/map.h"
#include "base/text.h"
#include <stdbool.h>

/** Zero-initialised is none. Texts are the caller's. */
typedef struct pawl__paths {
        pawl__map only;  /**< the paths; "" is the root */
        pawl__map above; /**< the directories that lead to them */
        bool exact;      /**< what is in a directory of them is none of them */
} pawl__paths;

PAWL_MUST_CHECK pawl_status pawl__paths_add(pawl__paths *paths, pawl_text path, pawl_error *err);
void pawl__paths_free(pawl__paths *paths);

/** Is it one of them or, unless they are exact, in one of them? */
bool pawl__paths_have(const pawl__paths *paths, pawl_text path);
/** Is it a directory above one of them? */
bool pawl__paths_below(const pawl__paths *paths, pawl_text path);

/**
 * @p given as paths of a tree are: relative to @p root, without "." and "//" and a '/' at the end.
 * An absolute one must lie in the root.
 * @param[out] out  in @p arena, ended by a NUL.
 * @return PAWL_EINVAL, naming it, for one that lies elsewhere.
 */
PAWL_MUST_CHECK pawl_status pawl__paths_normal(
        pawl_text *out, const char *root, const char *given, pawl__arena *arena, pawl_error *err);

/** Is @p path @p directory, or something in it? Nothing is in an absent one. */
bool pawl__path_within(pawl_text path, pawl_text directory);
