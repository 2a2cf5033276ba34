/**
 * @file tests/support/recorder.h
 * @brief What a workload does to its disk, written down operation by operation.
 *
 * An SQLite VFS over the system's for what SQLite writes; and, in place of libc's for the whole
 * program, the calls by which the library makes a log, and those that sync: so the files and
 * directories that are synced are seen, not assumed. While a recording runs, nothing below its
 * directory is really synced: the power is only ever cut on paper (support/crash.h). Written down
 * is what has to do with the log, without the -shm: after a cut that is gone.
 */
#pragma once

#include <pawl/events.h>

#define RECORDER_VFS "recorder"

enum { RECORDER_NAME = 128 };

/** A file or directory of its own: made again under its name, it is another. */
typedef struct recorder_node {
        char born[RECORDER_NAME]; /**< its first name, below the recording's directory, which is ""
                                   */
        char name[RECORDER_NAME]; /**< its last */
        int parent;               /**< the directory its name is in; -1 for "" */
        bool directory, at_start; /**< at_start: there, and durable, when the recording began */
        unsigned char *data;      /**< its content then */
        size_t len;
} recorder_node;

typedef enum recorder_kind {
        RECORDER_MAKE,     /**< the node's name comes into its directory */
        RECORDER_RENAME,   /**< is another from now on, in the same directory: data */
        RECORDER_DELETE,   /**< and goes out of it */
        RECORDER_WRITE,    /**< len bytes at offset */
        RECORDER_TRUNCATE, /**< to offset bytes */
        RECORDER_SYNC /**< a file's writes and truncations, or a directory's names, are durable */
} recorder_kind;

typedef struct recorder_op {
        recorder_kind kind;
        int node;
        int64_t offset;
        size_t len;
        unsigned char *data;
} recorder_op;

/** A seq and hash at which a transaction may end; from operation `at` on. */
typedef struct recorder_head {
        size_t at;
        uint64_t seq;
        unsigned char hash[32];
} recorder_head;

/** From operation `at` on, the head of that index and all before it must be found. */
typedef struct recorder_promise {
        size_t at, head;
} recorder_promise;

typedef struct recording {
        char *directory; /**< absolute, without symbolic links */
        recorder_node *nodes;
        recorder_op *ops;
        recorder_head *heads;
        recorder_promise *promises;
        size_t n_nodes, cap_nodes, n_ops, cap_ops, n_heads, cap_heads, n_promises, cap_promises;
} recording;

/** Begin: what lies in @p directory now is durable. One recording at a time. */
void recorder_start(recording *r, const char *directory);
/** End it; nothing of it is open any more. */
void recorder_stop(void);
void recording_free(recording *r);

/** The head at which this log stands is promised from now on. */
void recorder_promise_head(pawl_log *log);

/**
 * And so it goes on, for a log that was opened through RECORDER_VFS: each head at which a COMMIT
 * begins is possible from then on, and promised when that COMMIT has ended.
 */
void recorder_watch(pawl_log *log);
