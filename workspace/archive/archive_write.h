/**
 * @file workspace/archive/archive_write.h
 * @brief Writing an archive: a tar, compressed by Zstandard, that is the same bytes for the same
 * members.
 *
 * It is written under a temporary name beside its own, synced, and renamed: at its own name there
 * is the whole of it or what was there before.
 */
#pragma once

#include "base/text.h"

typedef struct pawl__archive_writer pawl__archive_writer;

/** Begin; nothing is at @p path yet. PAWL_ENOTFOUND, PAWL_EACCESS, PAWL_EIO, PAWL_EFULL. */
PAWL_MUST_CHECK pawl_status pawl__archive_create(
        pawl__archive_writer **out, const char *path, pawl_error *err);
/** Begin a member of @p size bytes: a plain file, its time and owner zero. */
PAWL_MUST_CHECK pawl_status pawl__archive_add(
        pawl__archive_writer *writer, const char *name, uint64_t size, pawl_error *err);
/** More of it; its form is that of a pawl__content_sink. @p writer is a pawl__archive_writer. */
PAWL_MUST_CHECK pawl_status pawl__archive_put(
        const void *data, size_t len, void *writer, pawl_error *err);
/** End: on PAWL_OK the archive is on disk at its name. @param sha256 of the file; @param bytes in
 * it. */
PAWL_MUST_CHECK pawl_status pawl__archive_finish(
        pawl__archive_writer *writer, unsigned char sha256[32], uint64_t *bytes, pawl_error *err);
/** After the end, or instead of it: then nothing is left of it. NULL is allowed. */
void pawl__archive_writer_free(pawl__archive_writer *writer);
