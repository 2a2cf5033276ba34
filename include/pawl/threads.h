/**
 * @file pawl/threads.h
 * @brief Threads of graph runners such as LangGraph: their checkpoints, the values of their
 *        channels, and the writes that are pending, in a log.
 *
 * A thread is a run, and a checkpoint of it a step of that run: both show where runs do. Each is an
 * event; so are writes. What values are, the caller knows: they are bytes of a type that it names.
 * A value that did not change is not given again: the checkpoint says its version, and the value is
 * the one that its parent, or else the newest checkpoint of that namespace with that version, has.
 * A value of up to 8 KiB of UTF-8 is kept in the event that put it, any other once by its content.
 *
 * Errors: PAWL_OK or a failure with its message in @p err (may be NULL); a call that failed wrote
 * nothing.
 */
#ifndef PAWL_THREADS_H
#define PAWL_THREADS_H

#include <pawl/events.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pawl_threads pawl_threads; /**< Opaque. Close with pawl_threads_close(). */

/** A channel's value at a checkpoint. */
typedef struct pawl_thread_channel {
        pawl_text name;
        pawl_text version; /**< as text; of one thread and namespace, the same text is the same
                              version */
        pawl_text type;    /**< how data is to be read, such as "json"; absent on put: unchanged */
        pawl_text data;    /**< any bytes */
} pawl_thread_channel;

/** What a task wrote on top of a checkpoint. */
typedef struct pawl_thread_write {
        pawl_text task_id;   /**< on put, all writes of an item are of one task */
        pawl_text task_path; /**< may be absent */
        pawl_text channel;
        int64_t index; /**< within the task; one that is not negative is written once, a negative
                          one is replaced by the last */
        pawl_text type, data; /**< as of a channel */
} pawl_thread_write;

/** A checkpoint, its writes, or both. */
typedef struct pawl_thread_checkpoint {
        pawl_text thread_id;     /**< 1 byte or more of UTF-8 */
        pawl_text checkpoint_ns; /**< "" or absent: the root */
        pawl_text checkpoint_id; /**< ids rise with time; at most 64 bytes, see PAWL_EINVAL */
        pawl_text parent_id;     /**< absent: it has none */
        pawl_text checkpoint;    /**< all but the values; UTF-8; absent on put: writes alone */
        pawl_text metadata;      /**< UTF-8; a JSON object where it is to be filtered by */
        const pawl_thread_channel *channels;
        size_t n_channels;
        const pawl_thread_write *writes; /**< by task_path, task_id and index, when read */
        size_t n_writes;
        uint64_t seq; /**< of its event; set by the log */
} pawl_thread_checkpoint;

/** Checkpoints. Free with pawl_thread_checkpoints_free(); all texts live as long. */
typedef struct pawl_thread_checkpoints {
        const pawl_thread_checkpoint *items;
        size_t n;
} pawl_thread_checkpoints;

/** Which checkpoints. Start from PAWL_THREAD_FILTER_INIT, which means all of them. */
typedef struct pawl_thread_filter {
        unsigned version;                    /**< PAWL_THREAD_FILTER_VERSION */
        const char *thread_id;               /**< NULL: of any thread */
        const char *checkpoint_ns;           /**< NULL: of any namespace; "": of the root */
        const char *checkpoint_id;           /**< that one alone */
        const char *before;                  /**< those with an id before that one */
        const pawl_thread_checkpoint *after; /**< those listed after that one; NULL: from the first
                                                on */
        const char *metadata; /**< a JSON object, each member of which the metadata has */
        size_t limit;         /**< the first so many; 0: all */
} pawl_thread_filter;

#define PAWL_THREAD_FILTER_VERSION 1
#define PAWL_THREAD_FILTER_INIT                                                                    \
        {                                                                                          \
                PAWL_THREAD_FILTER_VERSION, NULL, NULL, NULL, NULL, NULL, NULL, 0                  \
        }

/**
 * The threads of a log, which is borrowed and must outlive them.
 * @param mission_id  what their runs belong to; NULL: "langgraph".
 */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_threads_open(
        pawl_threads **out, pawl_log *log, const char *mission_id, pawl_error *err);
PAWL_EXTERN void pawl_threads_close(pawl_threads *threads);

/**
 * Put checkpoints and writes, in their order, as one transaction. A checkpoint that is there is
 * replaced. Writes may come before their checkpoint.
 * @return PAWL_EINVAL for ids and texts that are none: a checkpoint's id is 1 to 64 bytes of an id
 *         without blanks that begins with a letter or digit; PAWL_EEXISTS for a thread whose id is
 *         that of a mission's run; PAWL_ESTATE where the thread was deleted since the parent, or
 * the checkpoint that the writes are for, was put; and as an append.
 */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_thread_put(
        pawl_threads *threads, const pawl_thread_checkpoint *items, size_t n, pawl_error *err);

/** Checkpoints, those with the greatest ids first, with their values and writes. Nothing that fits:
 *  an empty list. */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_thread_list(pawl_thread_checkpoints **out,
        pawl_threads *threads, const pawl_thread_filter *filter, pawl_error *err);
PAWL_EXTERN void pawl_thread_checkpoints_free(pawl_thread_checkpoints *list);

/**
 * Delete a thread for good: the payloads of its events, and the values that nothing else names; the
 * chain still verifies, and a Pruned event is the receipt. No failure where there is none.
 * @param actor  who does it; NULL: "program".
 */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_thread_delete(
        pawl_threads *threads, const char *thread_id, const char *actor, pawl_error *err);

/** A thread, and whether it goes. Texts live as long as the report. */
typedef struct pawl_pruned_thread {
        pawl_text thread_id, mission_id;
        uint64_t checkpoints;
        int64_t updated_us;
        const char *stays; /**< why: newest, not older; NULL: it goes */
} pawl_pruned_thread;

/** Every thread, the one that was put to last first. Free with pawl_thread_prune_free(). */
typedef struct pawl_thread_prune_report {
        const pawl_pruned_thread *items;
        size_t n, going;
        uint64_t contents; /**< values that are kept by their hash and nothing else names */
        uint64_t bytes;    /**< what these and the payloads of the events took */
        uint64_t checkpoints, writes; /**< those of the threads that go */
} pawl_thread_prune_report;

/**
 * Delete the threads but for the @p keep that were put to last (SIZE_MAX: all) and those that were
 * put to at @p older_us or later (INT64_MAX: none), as pawl_thread_delete() does.
 * @param dry_run  only tell, with the same figures.
 */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_thread_prune(pawl_thread_prune_report **out,
        pawl_threads *threads, size_t keep, int64_t older_us, bool dry_run, const char *actor,
        pawl_error *err);
PAWL_EXTERN void pawl_thread_prune_free(pawl_thread_prune_report *report);

#ifdef __cplusplus
}
#endif

#endif
