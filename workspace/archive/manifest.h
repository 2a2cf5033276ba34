/**
 * @file workspace/archive/manifest.h
 * @brief What an archive carries: checkpoints, the part of the chain they lie in, and their
 * contents.
 *
 * docs/reference/checkpoint-archive.md has the form. This is the deciding part: manifest and chain
 * as texts, without files.
 */
#pragma once

#include "events/log.h"
#include "workspace/store/checkpoint_event.h"
#include "workspace/store/object_set.h"

enum { PAWL__ARCHIVE_VERSION = 2 };                      /**< 2: histories of runs */
#define PAWL__ARCHIVE_MANIFEST_MAX ((uint64_t)192 << 20) /* bytes */
#define PAWL__ARCHIVE_EVENTS_MAX   ((uint64_t)1 << 30)   /* bytes */
#define PAWL__ARCHIVE_LINE_MAX     ((uint64_t)16 << 20)  /* bytes */
#define PAWL__ARCHIVE_DIRECTORIES_MAX                                                              \
        ((uint64_t)256 << 20)                  /* bytes, of all directories' encodings */
#define PAWL__ARCHIVE_MAX ((uint64_t)64 << 30) /* bytes, of all contents */

typedef struct pawl__manifest {
        pawl__arena arena;
        unsigned char log[32];  /**< the hash of the log's first event: which log it is */
        unsigned char head[32]; /**< the log's last event's, when it was exported */
        uint64_t head_seq;
        pawl__checkpoint_event *checkpoints; /**< by n */
        size_t n_checkpoints;
        pawl__object
                *contents; /**< as pawl__object_set_sort() leaves them; file and document not set */
        size_t n_contents;
        uint64_t first_seq, last_seq, events_size; /**< of the part of the chain */
        unsigned char events_hash[32];             /**< of its text */
        unsigned char digest[32];
} pawl__manifest;

void pawl__manifest_free(pawl__manifest *manifest);

/**
 * What the checkpoints are, wherever they are: SHA-256 over the 32 bytes each of tree, state (or
 * the history of its run) and outputs (zeros: none), checkpoint by checkpoint in the order of their
 * numbers. The numbers and times are not in it, so it is the same before and after it was carried.
 */
PAWL_MUST_CHECK pawl_status pawl__manifest_digest(
        unsigned char out[32], const pawl__manifest *manifest, pawl_error *err);

/** manifest.json: of each checkpoint n, seq, event_hash and, in_manifest, history. */
PAWL_MUST_CHECK pawl_status pawl__manifest_write(
        pawl__buf *out, const pawl__manifest *manifest, pawl_error *err);
/** The reverse; @p out is zero-initialised, and freed by the caller in any case.
 *  @param name  of the archive, for messages: PAWL_EFORMAT, PAWL_ENEWER, PAWL_ETOOBIG. */
PAWL_MUST_CHECK pawl_status pawl__manifest_read(
        pawl__manifest *out, pawl_text text, const char *name, pawl_error *err);

/* ---- The part of the chain (workspace/archive/chain_excerpt.c)
 * --------------------------------------------- */

/** One line of events.jsonl. Of events that are no matter of workspaces the payload stays behind.
 */
PAWL_MUST_CHECK pawl_status pawl__chain_excerpt_line(
        pawl__buf *out, pawl_log *log, const pawl_event *event, pawl_error *err);

/** Goes through events.jsonl, line by line, as it comes. */
typedef struct pawl__chain_excerpt_reader {
        pawl__manifest *manifest;
        const char *name; /**< of the archive */
        pawl__hasher *hasher;
        pawl__buf line, scratch;
        pawl__json_tree tree;
        uint64_t seq; /**< of the last event; 0: none yet */
        unsigned char hash[32];
        size_t met; /**< checkpoints whose events were there */
} pawl__chain_excerpt_reader;

/** More of the text: events in a chain without a gap, each hash recomputed, those of the manifest's
 * checkpoints among them, which are filled in. @p user is the reader. PAWL_EFORMAT. */
PAWL_MUST_CHECK pawl_status pawl__chain_excerpt_take(
        const void *data, size_t len, void *user, pawl_error *err);
/** That was all of it. */
PAWL_MUST_CHECK pawl_status pawl__chain_excerpt_end(
        pawl__chain_excerpt_reader *reader, pawl_error *err);
void pawl__chain_excerpt_free(pawl__chain_excerpt_reader *reader);
