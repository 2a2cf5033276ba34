/**
 * @file workspace/scan/git_rules.h
 * @brief The lists of git that are no files of the tree, as the log keeps them of a checkpoint:
 *        core.excludesFile, info/exclude, and .gitignore of the directories above the root.
 *
 * The encoding, integers little-endian: the five bytes "rules" and 1, the version; flags 1 (1: the
 * case of letters does not count, in no list of the checkpoint); a text (length 4, bytes), the path
 * of the root in git's work tree, "" or "sub/directory/"; then each list, of which a later one goes
 * before: base 4, the length of the path in the work tree of the directory that it belongs to; a
 * text, its patterns.
 */
#pragma once

#include "workspace/scan/ignore.h"

/** Begin the encoding, in place of what is in the buffer. */
void pawl__git_rules_begin(pawl__buf *out, bool fold, pawl_text prefix);
void pawl__git_rules_add(pawl__buf *out, size_t base, pawl_text patterns);
/** Nothing that was begun says anything: the buffer is empty then. */
void pawl__git_rules_end(pawl__buf *out);

/** Add the rules of an encoding to the lists, which are empty, and set whether case counts in them;
 *  @p prefix lies in the encoding. PAWL_EDAMAGED: it is none. */
PAWL_MUST_CHECK pawl_status pawl__git_rules_read(
        pawl__ignore *rules, pawl_text *prefix, pawl_text encoded, pawl_error *err);
