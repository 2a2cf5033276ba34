/**
 * @file workspace/scan/listing.h
 * @brief The names in a directory, by its handle, in the order of their bytes.
 */
#pragma once

#include "workspace/scan/index.h"

typedef struct pawl__listed {
        const char *name; /**< NUL-ended */
        uint64_t inode;
        unsigned char len,
                type; /**< type: DT_DIR and so on; DT_UNKNOWN: the directory does not say */
} pawl__listed;

/** Used for directory after directory. Zero-initialised is empty. */
typedef struct pawl__listing {
        pawl__listed *items;
        size_t n, cap;
        pawl__buf names;
        char *buf; /* for what the kernel gives at once */
} pawl__listing;

/** Read a directory from its handle, which was not read from before; what was listed before is
 * gone.
 *  @return PAWL_OK; PAWL_EIO without a message, and errno; PAWL_ENOMEM. */
PAWL_MUST_CHECK pawl_status pawl__list_directory(pawl__listing *listing, int fd, pawl_error *err);
/** The same by the names of a directory in an index, which must live as long. */
PAWL_MUST_CHECK pawl_status pawl__list_former(
        pawl__listing *listing, const pawl__index *index, size_t directory, pawl_error *err);
void pawl__listing_free(pawl__listing *listing);
