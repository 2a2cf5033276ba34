/**
 * @file tests/support/allocator.h
 * @brief An allocator whose n-th call fails: malloc, calloc and realloc of the whole program.
 *
 * A test that names one of these functions gets it linked in. Under a sanitizer, which has an
 * allocator of its own, nothing ever fails.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/** Can it fail in this build? */
bool allocator_works(void);
/** The n-th call from now on fails, once; 0: none does. */
void allocator_fail_at(size_t n);
/** Has the call that should fail come? Later ones are let through. */
bool allocator_failed(void);
/** Blocks that were allocated and not freed; to be compared before and after. */
long allocator_live(void);
/** From now on libgit2's calls neither fail nor count: version 1.5 does not come out of every
 * failed one in one piece, which is not ours to mend. */
void allocator_leave_git_alone(void);
/** The same of libarchive 3.6, which must have been loaded, and of libzstd, of which it expects no
 * failure; its calls do not fail any more, but count as live.
 */
void allocator_leave_archive_alone(void);
