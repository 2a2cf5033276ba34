/**
 * @file threads/threads.h
 * @brief Threads inside the library: their handle, and what their ids are in the log.
 */
#pragma once

#include "base/ids.h"
#include "base/json_tree.h"
#include "base/json_write.h"
#include "workspace/store/contents.h"
#include "workspace/store/thread_values.h"
#include <pawl/threads.h>

/** A value of more bytes is a content of its own; a smaller one stands in the event that put it, as
 *  a content's rows lie on pages of their own, and a commit waits for each. Events after it name
 *  that event, or where it is no longer than that, repeat it. */
#define PAWL__THREAD_INLINE   ((size_t)8 << 10)
#define PAWL__THREAD_REPEATED ((size_t)32)

/** What a checkpoint's event says of its channels. */
typedef struct pawl__thread_manifest {
        pawl__arena arena;
        char run[PAWL__ID_MAX + 1], step[PAWL__ID_MAX + 1]; /**< of which; "": none */
        pawl__thread_value *values;
        size_t n;
} pawl__thread_manifest;

enum { PAWL__THREAD_CACHE = 4096, PAWL__THREAD_CACHE_BYTES = 16 << 20 };

/** Contents by hash, payloads of events by seq, and values in them, that were put or read last:
 * none changes, and a payload that is pruned is of no step any more. */
typedef struct pawl__thread_cache {
        pawl__arena arena;
        pawl__map index; /* in contents */
        pawl_text contents[PAWL__THREAD_CACHE];
        size_t n, bytes;
} pawl__thread_cache;

struct pawl_threads {
        pawl_log *log;
        pawl__state *state;
        pawl__contents *contents;
        pawl__json_tree tree;           /* of the current payload */
        pawl__thread_manifest manifest; /* the last that was put or asked for */
        pawl__thread_cache cache;
        char mission[PAWL__ID_MAX + 1];
};

/** A checkpoint's ids in the log. */
typedef struct pawl__thread_key {
        char run[PAWL__ID_MAX + 1]; /**< the thread's id, or "#" and a hash where it is no id */
        char step[PAWL__ID_MAX +
                  1];  /**< "(NAMESPACE) ID", the namespace likewise; see state/threads.h */
        size_t prefix; /**< bytes before the checkpoint's id */
} pawl__thread_key;

/** Absent texts leave their part empty. PAWL_EINVAL: see pawl_thread_put(). */
PAWL_MUST_CHECK pawl_status pawl__thread_key_of(pawl__thread_key *out, pawl_threads *threads,
        pawl_text thread_id, pawl_text ns, pawl_text checkpoint_id, pawl_error *err);

/** A key of the cache: a content's hash, or an event's seq, which is borrowed. */
static inline pawl_text pawl__thread_hash_key(const unsigned char hash[32])
{
        return pawl__text_n((const char *)hash, 32);
}
static inline pawl_text pawl__thread_seq_key(const uint64_t *seq)
{
        return pawl__text_n((const char *)seq, sizeof *seq);
}
/** The same of a value that is in the event @p seq, in @p buf; absent: no memory. */
pawl_text pawl__thread_value_key(pawl__buf *buf, uint64_t seq, pawl_text channel);
/** What is cached; absent: nothing. Valid until the next call below. */
pawl_text pawl__thread_cached(const pawl_threads *threads, pawl_text key);
/** Remember, if there is memory: the cache is emptied when it is full. */
void pawl__thread_cache_put(pawl_threads *threads, pawl_text key, pawl_text content);
void pawl__thread_cache_empty(pawl_threads *threads);

/** The payload of the event @p seq, in threads->tree; its text is in @p arena. One that is cached
 * may name this event's own values by its seq. PAWL_DONE: it was pruned. */
PAWL_MUST_CHECK pawl_status pawl__thread_event(
        pawl_threads *threads, uint64_t seq, pawl__arena *arena, pawl_error *err);
/** The same as the log has it. */
PAWL_MUST_CHECK pawl_status pawl__thread_event_stored(
        pawl_threads *threads, uint64_t seq, pawl__arena *arena, pawl_error *err);

/** A value of a checkpoint, or of a write. */
void pawl__thread_write_value(pawl__json_writer *w, const pawl__thread_value *value, bool of_write);
/** The members checkpoint_ns and thread_id, where the envelope does not tell them. @p run: its
 * run_id. */
void pawl__thread_write_ns(pawl__json_writer *w, const pawl_thread_checkpoint *item);
void pawl__thread_write_thread(
        pawl__json_writer *w, const pawl_thread_checkpoint *item, pawl_text run);
/** All members of a checkpoint's payload, but for the brace that ends it. */
void pawl__thread_write_checkpoint(pawl__json_writer *w, const pawl_thread_checkpoint *item,
        pawl_text run, const pawl__thread_value *values, size_t n);
