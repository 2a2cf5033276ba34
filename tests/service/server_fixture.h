/**
 * @file tests/service/server_fixture.h
 * @brief A server with routes of its own, and connections to it.
 *
 * GET /quick answers at once, /large with 32 MiB, /gated (POST too) when the gate is open, /endless
 * when the log is interrupted, and /stream with the events that tell() appends.
 */
#pragma once

#include "service/fixture.h"
#include "service/server.h"

extern test_service s;         /* of the test that runs */
extern service_server *server; /* NULL: it does not run */

/** cmocka's: options that may be changed, and the end of all that is left. */
int server_setup(void **state);
int server_teardown(void **state);

#define SERVER_TEST(name) UNIT_TEST_OF(name, server_setup, server_teardown, NULL)

void start(void);
void stop(void);
void rest_ms(int ms);

extern atomic_bool gate_open;
extern atomic_int at_gate; /* so many wait there, or run without an end */

/** Append an event of this mission, as another process would. */
void tell(const char *mission);

/** Wait until there are so many. */
void reaches(atomic_int *count, int n);

int connect_to(void);
/** Does it refuse a connection? */
bool refuses_to_connect(void);
void put(int fd, const char *text);
/** Give a byte now and then, until the server has had enough. */
void dribble(int fd);

/** A request's head; @p rest is more of its lines. */
void ask(int fd, const char *method, const char *path, const char *rest);
/** The same on a connection of its own. */
int asked(const char *method, const char *path, const char *rest);

/** Read until @p end was seen; "": until the server closes. What came is there until the next. */
const char *takes(int fd, const char *end);
/** Ask on a connection of its own; the answer holds this. */
void answers(const char *path, const char *says);
