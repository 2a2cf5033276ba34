/**
 * @file workspace/store/chunk_writer.h
 * @brief Cuts a large content into chunks as it comes, and makes its list.
 */
#pragma once

#include "workspace/store/chunks.h"
#include "workspace/store/contents.h"

/** Takes a chunk, each content once. @p like: a chunk that it resembles; NULL: none is known. */
typedef pawl_status (*pawl__chunk_put)(const unsigned char hash[32], pawl_text chunk,
        const unsigned char *like, void *user, pawl_error *err);

/** Zero-initialised is empty. */
typedef struct pawl__chunk_writer {
        pawl__contents *contents; /* borrowed */
        pawl__chunk_put put;
        void *user;
        pawl__chunk_cutter cutter;
        pawl__buf held; /* not cut yet */
        pawl__buf list;
        uint64_t at;       /* bytes that were cut */
        pawl__buf former;  /* the list of the content that it resembles */
        size_t next;       /* the chunk behind the last one that both have */
        uint64_t next_at;  /* where that begins in the former content */
        uint64_t distance; /* from an offset to the same place in the former content, modulo 2^64 */
} pawl__chunk_writer;

/** Begin a content, whatever the writer was used for before.
 *  @param like  the hash of a content that it resembles; NULL: there is none. */
PAWL_MUST_CHECK pawl_status pawl__chunk_writer_begin(pawl__chunk_writer *writer,
        pawl__contents *contents, const unsigned char *like, pawl__chunk_put put, void *user,
        pawl_error *err);
/** A pawl__content_sink: the next bytes. */
pawl_status pawl__chunk_writer_add(const void *data, size_t len, void *writer, pawl_error *err);
/** That was all: writer->list is what the log keeps under @p hash. */
PAWL_MUST_CHECK pawl_status pawl__chunk_writer_end(
        pawl__chunk_writer *writer, const unsigned char hash[32], pawl_error *err);
void pawl__chunk_writer_free(pawl__chunk_writer *writer);

/** A pawl__chunk_put that puts into the pawl__contents @p contents, unless they have it; within a
 * batch's prepare hook alone. */
pawl_status pawl__chunk_to_log(const unsigned char hash[32], pawl_text chunk,
        const unsigned char *like, void *contents, pawl_error *err);
