/**
 * @file tests/support/backup.h
 * @brief A log, and a directory in which copies of it are to stand.
 */
#pragma once

#include "support/event_log.h"

typedef struct backup {
        event_log *f;
        char *directory, *copy; /* FOLDER/copies, empty, and a name in it */
} backup;

/** cmocka's setup and teardown: no log yet. */
int backup_setup(void **state);
int backup_teardown(void **state);

#define BACKUP_TEST(name) UNIT_TEST_WITH(name, backup *b, backup_setup, backup_teardown)

/** How many names a directory holds. */
int names_in(const char *directory);
/** A log by its path, by the library's public face. */
pawl_log *open_at(const char *path, unsigned flags);
/** The copy is in its directory alone, verifies, and is what the result says of it. */
void check_copy(const backup *b, const pawl_backup *made);
