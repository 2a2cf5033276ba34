/**
 * @file workspace/verify/contents_verify.h
 * @brief Do the log's contents still have the hashes that its events name?
 */
#pragma once

#include "events/log.h"

/** What it came to. */
typedef struct pawl__contents_verdict {
        uint64_t contents, blobs; /**< that verify */
        uint64_t bad_seq; /**< the event that needs the damaged one; 0: none does, or all verify */
} pawl__contents_verdict;

/**
 * Compute the hash of each content that is kept, of files, directories and threads, and of each
 * blob that an event names, such as an output. Find those that are missing. It takes the events as
 * they are: the chain is pawl_log_verify()'s. Memory grows with the number of contents, not with
 * their sizes; of a log on a server a blob is read whole.
 * @return PAWL_EDAMAGED naming the content, and the checkpoint or the event that needs it.
 */
PAWL_MUST_CHECK pawl_status pawl__contents_verify(
        pawl__contents_verdict *out, pawl_log *log, pawl_error *err);
