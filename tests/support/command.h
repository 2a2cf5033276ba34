/**
 * @file tests/support/command.h
 * @brief A directory, and a command that is run in it.
 */
#pragma once

#include "mission/command.h"
#include "support/test.h"

struct command_fixture {
        char *directory;
        pawl__command command;
        pawl__command_result result;
        pawl_error err;
};

/** cmocka's setup and teardown: a directory, no input, an output of 1 MiB, no ticks and no signals.
 */
int command_setup(void **state);
int command_teardown(void **state);

#define COMMAND_TEST(name)                                                                         \
        UNIT_TEST_WITH(name, struct command_fixture *f, command_setup, command_teardown)

/** Run the fixture's command, its result and error set anew. */
pawl_status command_run(struct command_fixture *f, char *const *argv);
/** The same with /bin/sh -c. */
pawl_status command_shell(struct command_fixture *f, const char *script);

/** Wait until the process that wrote its id into FOLDER/NAME is gone; it was killed before. */
void command_gone(struct command_fixture *f, const char *name);

/** How many descriptors this process has open. */
int open_files(void);
/** By a clock that does not step. */
double seconds(void);
