/**
 * @file workspace/scan/read.h
 * @brief A file read whole, as it was at one moment, or not at all.
 */
#pragma once

#include "workspace/store/contents.h"
#include <sys/stat.h>

/** What came of reading a file. */
typedef enum pawl__reading {
        PAWL__READ_WHOLE,   /**< its bytes, its hash and its status belong together */
        PAWL__READ_CHANGED, /**< it changed meanwhile, or is no file any more: look again */
        PAWL__READ_REFUSED  /**< it cannot be read: errno says why */
} pawl__reading;

/**
 * Read the open file, from its start: its status before and after must be the same, and of a file
 * that is no larger than @p max. What the sink took counts only with PAWL__READ_WHOLE.
 *
 * @param sink  takes a file of more than PAWL__PART_SIZE bytes piece by piece, and may read and put
 *              contents meanwhile; a smaller one is in pawl__contents_scratch() afterwards. NULL:
 *              only the hash is wanted.
 * @return PAWL_OK with *what; a failure of the sink, or PAWL_ENOMEM.
 */
PAWL_MUST_CHECK pawl_status pawl__read_file(pawl__reading *what, struct stat *st,
        unsigned char hash[32], pawl__contents *contents, int fd, uint64_t max,
        pawl__content_sink sink, void *user, pawl_error *err);

/**
 * A store through a shared mapping moves a file's times only where it is the first to its page
 * since that was last written to disk. Let what waits to be written begin to be, where that can be
 * had (ext4, XFS, Btrfs and F2FS of Linux 6.5 and later): then every store from now on moves them.
 * @return false: stores that move no time may still come.
 */
bool pawl__read_write_back(int fd);
/** Elsewhere: how long after its times a file may still be stored to without their telling: until
 *  the kernel writes it back. Five minutes at most. */
int64_t pawl__write_back_ns(void);

/** Do both say the same file with the same content, as far as times tell? */
bool pawl__stat_same(const struct stat *a, const struct stat *b);

/** Nanoseconds since 1970-01-01 UTC; times beyond what that holds are the last ones. */
int64_t pawl__time_ns(const struct timespec *time);
