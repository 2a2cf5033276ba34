/**
 * @file tests/support/contents.h
 * @brief Contents whose bytes a test can make again, put into a log by the fill of a batch.
 */
#pragma once

#include "events/group.h"
#include "support/event_log.h"

enum { CONTENT_PARTS = 3, CONTENT_PART = 6000 };

/** What a fill does, in this order, and how often it was called. */
typedef struct content_work {
        unsigned char first; /* contents of these hashes are put */
        int contents;
        size_t part_len;
        int events;
        const pawl_event *event; /* what it adds; NULL: of a scope */
        const unsigned char *drops;
        pawl_status fails;
        void (*meanwhile)(void *user);
        void *user;
        int calls;
} content_work;
/** The hash that content @p which goes by. */
void content_hash(unsigned char hash[32], unsigned char which);
/** The fill itself; its user is a content_work. */
pawl_status contents_fill(pawl_log *log, pawl__batch *batch, void *user, pawl_error *err);
/** Commit @p batch with a fill that does the work. */
pawl_status contents_commit(pawl_log *log, content_work *w, pawl__batch *batch, uint64_t *seq);
/** The same with a batch of one event. */
pawl_status contents_commit_one(pawl_log *log, content_work *w);
/** The parts of all contents in the log. */
int64_t contents_rows(event_log *f);
/** The log has content @p which, of CONTENT_PARTS parts of this length. */
void content_check(pawl_log *log, unsigned char which, size_t part_len);

/** What pawl__log_content_each() tells. */
typedef struct content_listing {
        unsigned char hash[4][32];
        uint64_t size[4], stored[4], parts[4];
        size_t n, stop_at;
} content_listing;
/** A pawl__log_content_each() callback over a content_listing; PAWL_EEXISTS at stop_at. */
pawl_status contents_list(
        const unsigned char hash[32], uint64_t size, uint64_t stored, uint64_t parts, void *user);
