/**
 * @file workspace/archive/archive_read.h
 * @brief Reading an archive, whose members must be exactly those that are asked for, in that order.
 *
 * Nothing that the archive says of a name, a link or a size is acted on: a member must be a plain
 * file, have the name that belongs there and the size that the manifest gives it.
 */
#pragma once

#include "base/text.h"

/** Where an archive is read from. */
typedef struct pawl__archive_source {
        const char *name;   /**< for messages */
        int fd;             /**< read from where it stands; -1: memory */
        const void *memory; /**< borrowed */
        size_t len;
        bool plain; /**< not compressed: what a fuzzer can get through */
} pawl__archive_source;

typedef struct pawl__archive_reader pawl__archive_reader;

/** A file that is to be read must be one Zstandard frame and nothing else. PAWL_EFORMAT otherwise;
 *  PAWL_ETOOBIG for one that would unpack without end. pawl__archive_open() looks, too. */
PAWL_MUST_CHECK pawl_status pawl__archive_one_frame(
        const pawl__archive_source *source, pawl_error *err);

PAWL_MUST_CHECK pawl_status pawl__archive_open(
        pawl__archive_reader **out, const pawl__archive_source *source, pawl_error *err);
/** The next member must be the plain file @p name; *size is what its header says.
 *  @return PAWL_EFORMAT otherwise, and for what is no such archive. */
PAWL_MUST_CHECK pawl_status pawl__archive_next(
        pawl__archive_reader *reader, const char *name, uint64_t *size, pawl_error *err);
/** Its content, piece by piece: exactly @p size bytes, PAWL_EFORMAT otherwise. */
PAWL_MUST_CHECK pawl_status pawl__archive_take(pawl__archive_reader *reader, uint64_t size,
        pawl_status (*sink)(const void *data, size_t len, void *user, pawl_error *err), void *user,
        pawl_error *err);
/** Nothing may follow. */
PAWL_MUST_CHECK pawl_status pawl__archive_end(pawl__archive_reader *reader, pawl_error *err);
void pawl__archive_reader_free(pawl__archive_reader *reader);

/** "NAME: WHAT; it is no archive of `pawl export`, or was changed": PAWL_EFORMAT. */
pawl_status pawl__archive_refuse(pawl_error *err, const char *name, const char *what, ...)
        PAWL_PRINTF(3, 4);
