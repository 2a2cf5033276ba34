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

#define TEST_ADDED(name, as, setup, teardown, of)                                                  \
        static int end_##as(void **state)                                                          \
        {                                                                                          \
                return test_end(teardown, state);                                                  \
        }                                                                                          \
        __attribute__((constructor)) static void add_##as(void)                                    \
        {                                                                                          \
                test_add((struct CMUnitTest){#as, name, setup, end_##as, of});                     \
        }
/** A test: UNIT_TEST_OF(name, setup, teardown, of) { ... } runs between the two, either of which
 * may be NULL; the setup finds @p of in *state. Tests run in the order in which a file has them. */
#define UNIT_TEST_OF(name, setup, teardown, of)                                                    \
        static void name(void **state);                                                            \
        TEST_ADDED(name, name, setup, teardown, of)                                                \
        static void name(void **state __attribute__((unused)))
/** A test that runs once more, as name_AS, behind another setup. */
#define UNIT_TEST_TWICE(name, setup, teardown, as, other_setup)                                    \
        static void name(void **state);                                                            \
        TEST_ADDED(name, name, setup, teardown, NULL)                                              \
        TEST_ADDED(name, name##_##as, other_setup, teardown, NULL)                                 \
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
/** After the teardown, what the test owns goes. */
int test_end(CMFixtureFunction teardown, void **state);
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
/** Wait until the child has ended, by itself and with that code. */
#define child_exits(child, code) check_exits((child), (code), __FILE__, __LINE__)
void check_exits(pid_t child, int code, const char *file, int line);

/* ---- What belongs to the test: it goes when that ends, in reverse order, and is not freed before.
 * * What a setup of all made goes at the end of the program. */

/** Zeroed. */
void *test_alloc(size_t size);
/** A copy of the text, NUL-ended. */
char *test_text(const char *data, size_t len);
char *test_copy(const char *string);
/** The text of the buffer, which is freed. */
char *test_take(pawl__buf *buf);
/** What is there by now; and the end of what came since, in a test of many rounds. */
void *test_mark(void);
void test_release(void *mark);

/** A fresh directory under $TMPDIR, which is removed with all in it. */
char *directory_make(void);
/** The same at once. */
void directory_remove(const char *directory);
/** "FOLDER/NAME". */
char *path_in(const char *directory, const char *name);
/**
 * What opens the log NAME of that directory: its path; or, where the test runs over PostgreSQL, the
 * URL of a log of its own (and the directory is the working directory from here on, which is where
 * a log on a server has its files).
 */
char *log_in(const char *directory, const char *name);
/** A file whole, NUL-ended; @p len may be NULL. */
char *file_read(const char *path, size_t *len);

/* ---- The rest -----------------------------------------------------------------------------------
 */

/** Does the test run over PostgreSQL? As ctest's postgres/... do. */
bool on_server(void);
/** The test is of logs in files: it is skipped where there is none. */
void needs_file(void);
/** Write a file; fails the test if that can't be done. */
void file_write(const char *path, const void *data, size_t len);
