/**
 * @file tests/service/fixture.h
 * @brief A service without connections: a log in a fresh directory, a site, a worker, and requests.
 */
#pragma once

#include "service/worker.h"
#include "support/test.h"

typedef struct test_service {
        char *directory, *log_path, *token_file;
        service_options options;
        service_site site;
        service_worker worker;
        service_answer answer;                  /* of the last request */
        char program_token[80], page_token[80]; /* as an Authorization header has them */
} test_service;

/** The directory, and options with which it can be opened: they may be changed before that. */
void test_service_prepare(test_service *s, const cli_registry *registry);
/** Make the log, the site and the worker. */
void test_service_open(test_service *s);
void test_service_close(test_service *s);

/** A test of @p s, prepared with all commands and its directory as the workspace, and closed after.
 */
#define SERVICE_TEST(name, s) UNIT_TEST_OF(name, test_service_setup, test_service_teardown, s)
int test_service_setup(void **state);
int test_service_teardown(void **state);

/**
 * Ask: @p headers are names and values in turn, ended by NULL. A Host is given where none is among
 * them, and a Content-Type with a body. Returns the answer's status; the answer is s->answer.
 */
unsigned test_service_ask(test_service *s, const char *method, const char *target,
        const char *const *headers, const char *body);

/** The same as a program that knows the token. */
unsigned test_service_get(test_service *s, const char *target);
unsigned test_service_post(test_service *s, const char *target, const char *body);

/** The answer's body is JSON, and holds this. */
#define answer_says(s, part) check_says(test_service_body(s), (part), __FILE__, __LINE__)
const char *test_service_body(test_service *s);
