/**
 * @file workspace/archive/archive_library.h
 * @brief libarchive, loaded when it is first used.
 */
#pragma once

#include "base/lazy.h"
#include <archive.h>
#include <archive_entry.h>

#define PAWL__ARCHIVE_FUNCTIONS(X)                                                                 \
        X(archive_errno)                                                                           \
        X(archive_error_string)                                                                    \
        X(archive_write_new)                                                                       \
        X(archive_write_add_filter_zstd)                                                           \
        X(archive_write_set_filter_option)                                                         \
        X(archive_write_set_format_pax_restricted)                                                 \
        X(archive_write_set_bytes_in_last_block)                                                   \
        X(archive_write_open)                                                                      \
        X(archive_write_header)                                                                    \
        X(archive_write_data)                                                                      \
        X(archive_write_finish_entry)                                                              \
        X(archive_write_close)                                                                     \
        X(archive_write_free)                                                                      \
        X(archive_write_fail)                                                                      \
        X(archive_read_new)                                                                        \
        X(archive_read_support_filter_zstd)                                                        \
        X(archive_read_support_format_tar)                                                         \
        X(archive_read_set_option)                                                                 \
        X(archive_read_open_fd)                                                                    \
        X(archive_read_open_memory)                                                                \
        X(archive_read_next_header)                                                                \
        X(archive_read_data)                                                                       \
        X(archive_read_free)                                                                       \
        X(archive_entry_new)                                                                       \
        X(archive_entry_free)                                                                      \
        X(archive_entry_set_pathname)                                                              \
        X(archive_entry_set_filetype)                                                              \
        X(archive_entry_set_perm)                                                                  \
        X(archive_entry_set_size)                                                                  \
        X(archive_entry_set_mtime)                                                                 \
        X(archive_entry_pathname)                                                                  \
        X(archive_entry_filetype)                                                                  \
        X(archive_entry_hardlink)                                                                  \
        X(archive_entry_symlink)                                                                   \
        X(archive_entry_size)                                                                      \
        X(archive_entry_size_is_set)                                                               \
        X(archive_entry_sparse_count)

/** Its functions, under their own names. */
typedef struct pawl__archive_library {
        PAWL__ARCHIVE_FUNCTIONS(PAWL__LAZY_FIELD)
} pawl__archive_library;

/** Load it. PAWL_ENOTFOUND where it is not installed. Static. */
PAWL_MUST_CHECK pawl_status pawl__archive_load(const pawl__archive_library **out, pawl_error *err);
