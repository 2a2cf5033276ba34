/**
 * @file tests/support/repository.h
 * @brief A repository of git in a fresh directory, made by git itself.
 */
#pragma once

#include "support/test.h"
#include "workspace/git/git.h"

struct repository {
        char *directory; /* $HOME, and what holds repositories */
        pawl__arena arena;
        pawl_error err;
        pawl__git *git;
        char first[PAWL__COMMIT_ID], second[PAWL__COMMIT_ID], third[PAWL__COMMIT_ID];
};
/** Run in the directory by sh; the first line that it prints. */
void repository_line(struct repository *f, const char *script, char *line, size_t size);
/** The same, whatever it prints; it must end well. */
void repository_shell(struct repository *f, const char *script);
/** The script prints exactly this line. */
void repository_prints(struct repository *f, const char *script, const char *is);
/** A repository "repo" of three commits, of which f->git is not opened. */
int repository_setup(void **state);
int repository_teardown(void **state);
#define REPOSITORY_TEST(name)                                                                      \
        UNIT_TEST_WITH(name, struct repository *f, repository_setup, repository_teardown)
/** Open f->git at a root below the directory. */
pawl_status repository_open(struct repository *f, const char *name);
/** Setup of a group: nobody's configuration of git but the test's. */
int repository_alone(void **state);
