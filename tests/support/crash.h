/**
 * @file tests/support/crash.h
 * @brief The disk as a power cut may leave it, after so many operations of a recording.
 *
 * What is assumed of a disk, and no more:
 *  - A sync makes the earlier writes and truncations of its file durable; the sync of a directory
 * the names made and deleted in it. Neither does the other's.
 *  - Of everything else each operation is there or not, by itself: later ones without earlier ones,
 *    across files too. A file whose name is not durable may be absent although its content was
 *    synced; one whose deletion is not may be there again.
 *  - A write may be there in part, in sectors of 512 bytes at multiples of 512. A sector has the
 *    write's bytes or not, and never loses bytes that were there beside them (what SQLite calls
 *    powersafe overwrite). What lies before a part that is there and was never written is zeros.
 */
#pragma once

#include "support/recorder.h"

typedef enum crash_kind {
        CRASH_ALL,     /**< every unsynced operation is there */
        CRASH_NONE,    /**< none */
        CRASH_WITHOUT, /**< all but the index-th */
        CRASH_ONLY,    /**< the index-th alone */
        CRASH_SOME,    /**< some, by the seed */
        CRASH_TORN,    /**< some sectors of each write, by the seed; of the rest as CRASH_SOME */
        CRASH_KINDS
} crash_kind;

extern const char *const crash_names[CRASH_KINDS];

typedef struct crash_choice {
        crash_kind kind;
        size_t index;
        uint64_t seed;
} crash_choice;

typedef struct crash_file {
        unsigned char *data;
        size_t len, cap;
        const char *name; /* NULL: it is not there */
} crash_file;

/** A disk in memory: a file or directory for each node. Zero-initialised is empty; used again and
 *  again, then freed. */
typedef struct crash_disk {
        const recording *r;
        crash_file *files;
        size_t n_files;
        size_t *synced; /* the operation after the node's last sync */
} crash_disk;

/** How many of the first @p n_ops operations are not durable after them. */
size_t crash_pending(crash_disk *disk, const recording *r, size_t n_ops);
/** The disk after the first @p n_ops operations and the cut. */
void crash_build(crash_disk *disk, const recording *r, size_t n_ops, const crash_choice *choice);
/** Equal disks have equal hashes. */
uint64_t crash_hash(const crash_disk *disk);
/** Write it into @p directory, which is empty. */
void crash_write(const crash_disk *disk, const char *directory);
void crash_free(crash_disk *disk);

/** A number by which the next differs; the seed of CRASH_SOME and CRASH_TORN. */
uint64_t crash_random(uint64_t *seed);
