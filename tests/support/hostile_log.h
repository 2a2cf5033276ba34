/**
 * @file tests/support/hostile_log.h
 * @brief Logs that somebody else wrote: any values in any rows, any bytes in any page.
 *
 * Everything starts from the bytes of a sound log, which are the same each time: event_samples told
 * with fixed clocks, in pages of 512 bytes, so that a small file has trees of several levels.
 */
#pragma once

#include "events/sqlite/sqlite.h"

/** A log's file, and its write-ahead log (NULL: none). */
typedef struct log_image {
        unsigned char *db, *wal;
        size_t len, wal_len;
} log_image;

#define HOSTILE_KEY "a key that hostile writers don't have"

typedef struct hostile_log {
        char *path;       /**< events.db in the scratch directory, where images are put */
        log_image sound;  /**< closed, in rollback mode: one file */
        log_image loose;  /**< the same, its tables not STRICT and without their triggers */
        log_image open;   /**< copied while a writer had it open: two files */
        log_image keyed;  /**< as the sound one, made with HOSTILE_KEY */
        uint64_t n_keyed; /**< its events, each with its hash */
        unsigned char (*hashes)[32];
        pawl__hasher *hasher;
} hostile_log;

/** Make the images. Aborts where it cannot. */
hostile_log *hostile_log_new(void);
void hostile_log_free(hostile_log *h);

log_image log_image_copy(const log_image *image);
void log_image_free(log_image *image);
/** Make the image the file at h->path, without any other beside it. */
void hostile_log_put(hostile_log *h, const log_image *image);
/** Is the image what lies at h->path, with nothing beside it? */
bool hostile_log_untouched(const hostile_log *h, const log_image *image);

/** The image as a database in memory, all that guards its events taken away. */
sqlite3 *hostile_log_edit(const log_image *image);
/** The image of that database; closes it. NULL in db: what became of it cannot be a file. */
log_image hostile_log_edited(sqlite3 *db);

/** Open h->path with fixed clocks and as process 100 of host-a; @p key may be NULL. */
pawl_status hostile_log_open(
        pawl_log **out, hostile_log *h, unsigned flags, const char *key, pawl_error *err);
