/**
 * @file workspace/store/thread_values.h
 * @brief What the events of threads (pawl/threads.h) hold: values in the event, or as contents.
 */
#pragma once

#include "base/map.h"
#include "state/threads.h"

/** A value, as its event has it. */
typedef struct pawl__thread_value {
        pawl_text channel, version; /**< version: absent of a write */
        pawl_text type;
        pawl_text text;         /**< absent: it stands elsewhere: */
        uint64_t seq;           /**< in the event of this seq; 0: it is a content */
        unsigned char hash[32]; /**< of this hash */
        int64_t size;           /**< and size */
        int64_t index;          /**< of a write */
} pawl__thread_value;

/** Is it kept by its hash, and not in an event? */
static inline bool pawl__thread_is_content(const pawl__thread_value *value)
{
        return !value->text.data && !value->seq;
}

/** The values of an event's payload, in @p arena, which they and their texts live in. @p member:
 * "channels" or "writes". PAWL_EDAMAGED naming the event. */
PAWL_MUST_CHECK pawl_status pawl__thread_values_read(pawl__thread_value **out, size_t *n,
        uint64_t seq, const pawl__json_tree *payload, const char *member, pawl__arena *arena,
        pawl_error *err);

typedef pawl_status (*pawl__thread_seq_fn)(uint64_t seq, void *user, pawl_error *err);
/** The events of a checkpoint's step: writes in their order, and its own last. */
PAWL_MUST_CHECK pawl_status pawl__thread_seqs(
        const pawl__row *step, pawl__thread_seq_fn fn, void *user, pawl_error *err);

typedef pawl_status (*pawl__thread_hash_fn)(
        const unsigned char hash[32], void *user, pawl_error *err);
/** What an event of a thread has. */
typedef struct pawl__thread_payload {
        size_t bytes;  /**< 0: it was pruned */
        size_t writes; /**< 0 of a checkpoint */
} pawl__thread_payload;
/** The contents that an event of a thread names; none of one that was pruned, or is another.
 * @p out may be NULL. */
PAWL_MUST_CHECK pawl_status pawl__thread_hashes(pawl__thread_payload *out, pawl_log *log,
        uint64_t seq, pawl__thread_hash_fn fn, void *user, pawl_error *err);
/** The contents that threads name, but for the runs in @p but (may be NULL). */
PAWL_MUST_CHECK pawl_status pawl__thread_hashes_all(pawl_log *log, pawl__state *state,
        const pawl__map *but, pawl__thread_hash_fn fn, void *user, pawl_error *err);
