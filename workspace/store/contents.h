/**
 * @file workspace/store/contents.h
 * @brief What files and directories of checkpoints hold: in the log by hash, compressed.
 *
 * A content of up to PAWL__PART_SIZE is one Zstandard frame (RFC 8878): whole, in a row of its own
 * or, where it is small, in a pack (workspace/store/pack.h); or as its difference from a content
 * that it resembles, mostly what was at the same path before. Such a base is kept as long as what
 * is a difference from it.
 *
 * A larger content is a list of chunks (workspace/store/chunks.h), each a content like any other,
 * so that what did not change in it is stored once. Older logs have it in parts of PAWL__PART_SIZE,
 * the last one shorter, each a frame. Either way one part at a time is in memory. What is read is
 * hashed again on the way.
 *
 * Failures of the log are passed on with its message in @p err.
 */
#pragma once

#include "base/map.h"
#include "events/log.h"
#include "workspace/store/tree_diff.h"

#define PAWL__PART_SIZE ((size_t)4 << 20) /* bytes, before compression */

/** A log's contents, with what packing and unpacking need. One thread at a time. */
typedef struct pawl__contents pawl__contents;

PAWL_MUST_CHECK pawl_status pawl__contents_open(
        pawl__contents **out, pawl_log *log, pawl_error *err);
void pawl__contents_close(pawl__contents *contents);

/** From now on compress what is whole and of less than 16 KiB in half of the time, which leaves a
 * twentieth more: a commit of one small content waits for nothing else as long, but the disk. */
void pawl__contents_quick(pawl__contents *contents);

/** How many parts a content of that size has. PAWL_ETOOBIG beyond what part numbers reach. */
PAWL_MUST_CHECK pawl_status pawl__contents_parts(uint32_t *n, uint64_t size, pawl_error *err);

/** Commit what a prepare hook puts, drops and adds to the batch, in one transaction. */
PAWL_MUST_CHECK pawl_status pawl__contents_commit(
        pawl__contents *contents, pawl__batch_prepare_fn prepare, void *user, pawl_error *err);

/** Is it in the log, or does it wait to be? */
PAWL_MUST_CHECK pawl_status pawl__contents_has(
        bool *has, pawl__contents *contents, const unsigned char hash[32], pawl_error *err);

/** Is it in the log, or waiting to be, and what its hash says? @p damaged (or NULL): it is there,
 * but not what its hash says. Reads it, unless this handle has verified it before, but leaves
 * pawl__contents_scratch() as it is. */
PAWL_MUST_CHECK pawl_status pawl__contents_intact(bool *intact, bool *damaged,
        pawl__contents *contents, const unsigned char hash[32], pawl_error *err);
/** Must it be put? What is stored of it and damaged is dropped, so that it is put anew. Within a
 * batch's prepare hook alone. */
PAWL_MUST_CHECK pawl_status pawl__contents_lacks(
        bool *lacks, pawl__contents *contents, const unsigned char hash[32], pawl_error *err);

/** What a frame is: the content whole (step 0), or its difference from the base. */
typedef struct pawl__delta {
        unsigned step;          /**< workspace/store/pack.h */
        unsigned char base[16]; /**< the first half of the base's hash */
        pawl__pack_place place; /**< of the base, when the difference was made */
} pawl__delta;

/** Append the frame of a content of up to a part: as its difference from one that it resembles,
 * where that is in the log and makes it smaller. @p like: the hash of such a one; NULL: there is
 * none. */
PAWL_MUST_CHECK pawl_status pawl__contents_encode(pawl__buf *out, pawl__delta *delta,
        pawl__contents *contents, pawl_text content, const unsigned char *like, pawl_error *err);
/** Is the base still where it was, so that the frame may be added? In the transaction that adds it.
 */
PAWL_MUST_CHECK pawl_status pawl__contents_base_valid(
        bool *stands, pawl__contents *contents, const pawl__delta *delta, pawl_error *err);
/** Keep a frame, which the log does not have; within a batch's prepare hook alone. What is small
 * waits until pawl__contents_flush(). */
PAWL_MUST_CHECK pawl_status pawl__contents_add(pawl__contents *contents,
        const unsigned char hash[32], uint64_t size, pawl_text frame, const pawl__delta *delta,
        pawl_error *err);
/** Put what waits into the log; the last thing in a prepare hook. pawl__contents_commit() does it
 * itself.
 */
PAWL_MUST_CHECK pawl_status pawl__contents_flush(pawl__contents *contents, pawl_error *err);
/** Nothing waits: the first thing in a prepare hook, as what waited for one that failed is not to
 * be kept. pawl__contents_commit() does it itself. */
void pawl__contents_reset(pawl__contents *contents);
/** Does it wait? */
bool pawl__contents_waits(const pawl__contents *contents, const unsigned char hash[32]);

/** Keep a row: a list of chunks, which is part 0, or a packed part; within a batch's prepare hook
 * alone. @p size is that of the whole content. */
PAWL_MUST_CHECK pawl_status pawl__contents_put(pawl__contents *contents,
        const unsigned char hash[32], uint32_t part, uint64_t size, pawl_text packed,
        pawl_error *err);

/** Keep a content that is whole in memory, unless the log has it undamaged; within a batch's
 * prepare hook alone.
 *  @param like  as of pawl__contents_encode(). */
PAWL_MUST_CHECK pawl_status pawl__contents_put_whole(pawl__contents *contents,
        const unsigned char hash[32], pawl_text content, const unsigned char *like,
        pawl_error *err);

/** The list of a content's chunks into *list, which is cleared; empty: it is not in chunks. It is
 * what was put under @p hash, but whether the chunks are there is not known.
 * PAWL_ENOTFOUND, PAWL_EDAMAGED. */
PAWL_MUST_CHECK pawl_status pawl__contents_list(
        pawl__buf *list, pawl__contents *contents, const unsigned char hash[32], pawl_error *err);
/** pawl__contents_has() of every chunk that a list names. */
PAWL_MUST_CHECK pawl_status pawl__contents_has_chunks(
        bool *all, pawl__contents *contents, pawl_text list, pawl_error *err);
/** pawl__contents_has() of a content and, if it is in chunks, of each. */
PAWL_MUST_CHECK pawl_status pawl__contents_has_whole(
        bool *whole, pawl__contents *contents, const unsigned char hash[32], pawl_error *err);

/** Remove a content, which is put anew: what is a difference from it needs it. Within a batch's
 * fill alone. */
PAWL_MUST_CHECK pawl_status pawl__contents_drop(
        pawl__contents *contents, const unsigned char hash[32], pawl_error *err);

/** Gets a content piece by piece. Anything but PAWL_OK ends the reading and is passed on. */
typedef pawl_status (*pawl__content_sink)(
        const void *data, size_t len, void *user, pawl_error *err);

/** A sink that appends to the pawl__buf @p buf. */
pawl_status pawl__content_to_buf(const void *data, size_t len, void *buf, pawl_error *err);
/** A sink for who wants to know that a content verifies, and no more. */
pawl_status pawl__content_to_nothing(const void *data, size_t len, void *user, pawl_error *err);

/** Read a content whole. That it is what its hash says is known when this returns PAWL_OK, and not
 *  before.
 *  @param size  that its entry gives.
 *  @return PAWL_ENOTFOUND (not in the log), PAWL_EDAMAGED, what @p sink returned. */
PAWL_MUST_CHECK pawl_status pawl__contents_read(pawl__contents *contents,
        const unsigned char hash[32], uint64_t size, pawl__content_sink sink, void *user,
        pawl_error *err);

/** Append the encoding of a directory (workspace/store/tree.h), verified: from the directories
 * beside the log, those that were read lately, or the log. PAWL_ENOTFOUND, PAWL_EDAMAGED. */
PAWL_MUST_CHECK pawl_status pawl__contents_directory(
        pawl__buf *out, pawl__contents *contents, const unsigned char hash[32], pawl_error *err);
/** Directories that are asked first, such as those of a scan, whose get() says PAWL_ENOTFOUND,
 * without a message, for what is not its own. Copied; NULL: none any more. */
void pawl__contents_overlay(pawl__contents *contents, const pawl__directories *directories);
/** pawl__contents_directory() as the source of a diff. */
pawl__directories pawl__contents_directories(pawl__contents *contents);

/* ---- Borrowed by workspace/scan/read.h and workspace/scan/scan.h ----------------------------- */

/** Room for one part, until the next call that reads a content. NULL: no memory. */
char *pawl__contents_scratch(pawl__contents *contents);
/** The log that they are in. */
pawl_log *pawl__contents_log(pawl__contents *contents);
/** A hasher, for the same time. */
pawl__hasher *pawl__contents_hasher(pawl__contents *contents);

/** Paths whose files were no longer the same when they were to be kept: how often, by path. */
pawl__map *pawl__contents_unstable(pawl__contents *contents);
/** Remember one more time. */
PAWL_MUST_CHECK pawl_status pawl__contents_note_unstable(
        pawl__contents *contents, pawl_text path, pawl_error *err);
