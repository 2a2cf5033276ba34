/**
 * @file tests/replaced/files.h
 * @brief libc's calls that change a file, replaced in a test: the n-th fails, or is the last.
 *
 * For the tests that tests/CMakeLists.txt names. Standard output and error are let through, and
 * what stdio writes.
 */
#pragma once

#include <stdbool.h>

/** Count from here on, and change nothing. */
void files_count(void);
/** The n-th call from here on fails with that errno; with @p all, so do all after it. */
void files_fail_at(long n, int error, bool all);
/** At the n-th call from here on the process is killed: before it, or with @p half, half-way
 * through a write, and right after any other call. */
void files_die_at(long n, bool half);
/** Before the n-th call from here on this is called; nothing fails. */
void files_call_at(long n, void (*fn)(void *user), void *user);
/** How many calls there were since then. */
long files_calls(void);
/** The name of the last call. */
const char *files_last(void);
/** Be as if not there. */
void files_leave(void);
