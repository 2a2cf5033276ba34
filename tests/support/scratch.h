/**
 * @file tests/support/scratch.h
 * @brief A directory of this process, for files that are written again and again.
 */
#pragma once

#include <stddef.h>

/** Its name; in memory (/dev/shm) where there is such a place, else under $TMPDIR. Made at the
 * first call, removed with all in it at exit. */
const char *scratch_directory(void);

/** Write FOLDER/NAME. Aborts where that cannot be done. */
void scratch_write(const char *path, const void *data, size_t len);
