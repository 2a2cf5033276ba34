/**
 * @file tests/support/test.h
 * @brief What every test includes: cmocka, and the few checks that all of them need.
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include <cmocka.h>

#include "base/text.h"

/** A test: UNIT_TEST_OF(name, setup, teardown, of) { ... } runs between the two, either of which
 * may be NULL; the setup finds @p of in *state. Tests run in the order in which a file has them. */
#define UNIT_TEST_OF(name, setup, teardown, of)                                                    \
        static void name(void **state);                                                            \
        __attribute__((constructor)) static void add_##name(void)                                  \
        {                                                                                          \
                test_add((struct CMUnitTest){#name, name, setup, teardown, of});                   \
        }                                                                                          \
        static void name(void **state __attribute__((unused)))
#define UNIT_TEST(name) UNIT_TEST_OF(name, NULL, NULL, NULL)
/** A test of what the setup made, which is its argument: UNIT_TEST_WITH(name, struct x *x, ...). */
#define UNIT_TEST_WITH(name, fixture, setup, teardown)                                             \
        static void with_##name(fixture);                                                          \
        UNIT_TEST_OF(name, setup, teardown, NULL)                                                  \
        {                                                                                          \
                with_##name(*state);                                                               \
        }                                                                                          \
        static void with_##name(fixture __attribute__((unused)))
void test_add(struct CMUnitTest test);
/** The end of a file whose tests run between a setup and a teardown of all; without it they just
 * run (support/main.c). */
#define TESTS_MAIN(setup, teardown)                                                                \
        int main(void)                                                                             \
        {                                                                                          \
                return test_run(setup, teardown);                                                  \
        }
int test_run(CMFixtureFunction setup, CMFixtureFunction teardown);
/** The same where nothing is about what a disk has: temporary directories are in memory, if they
 * can be. */
int test_run_in_memory(CMFixtureFunction setup, CMFixtureFunction teardown);

#define assert_ok(status) assert_int_equal((status), PAWL_OK)

/** The text is exactly this string. */
#define assert_text(text, string) check_text((text), (string), __FILE__, __LINE__)
void check_text(pawl_text text, const char *string, const char *file, int line);

/** The message holds this. */
#define assert_says(message, part) check_says((message), (part), __FILE__, __LINE__)
void check_says(const char *message, const char *part, const char *file, int line);

/** Is the full size of a test wanted (scripts/torture sets PAWL_TEST_FULL=1), and not what suits
 *  every change? */
bool test_full(void);

/** fork(), with what was printed so far printed, out of a process that holds no freed memory: what
 *  AddressSanitizer keeps of it, to find its use, would be copied for each child of a long sweep.
 */
pid_t process_fork(void);

/** A fresh directory under $TMPDIR, removed with all in it by directory_remove(), which frees the
 * name.
 */
char *directory_make(void);
void directory_remove(char *directory);
/** "FOLDER/NAME", malloc'd. */
char *path_in(const char *directory, const char *name);
/**
 * What opens the log NAME of that directory: its path; or, where the test runs over PostgreSQL, the
 * URL of a log of its own (and the directory is the working directory from here on, which is where
 * a log on a server has its files). malloc'd.
 */
char *log_in(const char *directory, const char *name);
/** Does the test run over PostgreSQL? As ctest's postgres/... do. */
bool on_server(void);
/** The test is of logs in files: it is skipped where there is none. */
void needs_file(void);
/** Write a file; fails the test if that can't be done. */
void file_write(const char *path, const void *data, size_t len);
/** Read a file whole, malloc'd and NUL-ended. */
char *file_read(const char *path, size_t *len);
