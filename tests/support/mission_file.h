/**
 * @file tests/support/mission_file.h
 * @brief A directory with one mission file, which is read and never run.
 */
#pragma once

#include "mission/mission.h"
#include "support/test.h"

struct file_fixture {
        char *directory, *path;
        pawl_mission *mission;
        pawl_error err;
};

/** cmocka's setup and teardown: a directory; path is FOLDER/m.yaml, not written yet. */
int file_setup(void **state);
int file_teardown(void **state);

#define FILE_TEST(name) UNIT_TEST_WITH(name, struct file_fixture *f, file_setup, file_teardown)

/** Read a mission, which must be well-formed, in place of the fixture's. */
void file_load_from(struct file_fixture *f, const char *path);
/** Write it to path first. */
void file_load(struct file_fixture *f, const char *text);
/** The text is refused with exactly "PATH: line N: MESSAGE". */
void file_refused(struct file_fixture *f, const char *text, unsigned line, const char *message);
