/**
 * @file tests/support/history.h
 * @brief A log in a directory of its own, to which events are appended in short, with a clock that
 *        counts.
 */
#pragma once

#include "events/log.h"
#include "state/state.h"
#include "support/test.h"

/* Hashes of 64 digits. */
#define HASH_A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define HASH_B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define HASH_C "cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc"
/* A retry token with a last digit. */
#define TOKEN(digit) "00000000-0000-4000-8000-00000000000" #digit

enum { HISTORY_RUNS = 16 };

struct history {
        char *directory, *path;
        pawl_log_options options;
        pawl_log *log;
        pawl__state *state; /* attached by history_setup */
        pawl__batch batch;
        pawl__arena arena;
        pawl_error err;
        int64_t now_us; /* a microsecond more at each event */
        unsigned uuids; /* counted */
        /* envelope of the next events; session and step may be NULL */
        const char *mission, *run, *step, *session, *actor;
        struct {
                char run[40];
                uint64_t fence;
        } claims[HISTORY_RUNS];
        size_t n_claims;
};

/** An empty log with its state attached: run-1 of mission-1, step one. */
int history_setup(void **state);
int history_teardown(void **state);
#define HISTORY_TEST(name) UNIT_TEST_WITH(name, struct history *h, history_setup, history_teardown)

/** Close the log and open it again with these flags; the state is not attached. */
void history_reopen(struct history *h, unsigned flags);
/** Attach the state; fails the test if that can't be done. */
void history_attach(struct history *h);

/** Claim h->run, appending what waits with it. */
pawl_status history_claim(struct history *h);
/** Let an event wait; the payload is made as by printf. */
void history_add(struct history *h, const char *type, const char *format, ...) PAWL_PRINTF(3, 4);
/** Append what waits under the fence of h->run; what was refused waits no more. */
pawl_status history_commit(struct history *h);
/** history_add and history_commit, which must be PAWL_OK. */
#define history_append(h, ...)                                                                     \
        do {                                                                                       \
                history_add((h), __VA_ARGS__);                                                     \
                check_ok((h), history_commit(h), __FILE__, __LINE__);                              \
        } while (0)
/** The status was PAWL_OK; shows the log's message otherwise. */
void check_ok(struct history *h, pawl_status status, const char *file, int line);

/** Append what waits: refused with this status and words, the log and what it means unchanged. */
#define history_refuses(h, status, part) check_refused((h), (status), (part), __FILE__, __LINE__)
void check_refused(
        struct history *h, pawl_status status, const char *part, const char *file, int line);

/* Events with the payload that they need, added to what waits. */
void history_start(struct history *h, const char *steps_json);
void history_step_started(struct history *h);
void history_evaluated(struct history *h);
void history_checkpointed(struct history *h, const char *cursor, const char *token);
void history_blocked(struct history *h);
void history_blocked_by(struct history *h, const char *conflict);
void history_requested(struct history *h, const char *conflict, const char *token);
void history_resolved(struct history *h, const char *conflict, const char *definition);
void history_sense(struct history *h, const char *surface, const char *scope,
        const char *definition, const char *status, const char *version);
void history_resumed(struct history *h, const char *token);
void history_completed(struct history *h);

/** The last seq of the log. */
uint64_t history_head(struct history *h);
/** A row by its key texts; fails the test when there is none. */
pawl__row history_row(struct history *h, pawl__table table, const char *key, const char *key_2);
/** Is there such a row? */
bool history_has(struct history *h, pawl__table table, const char *key, const char *key_2);
/** Run SQL on the log's file, past the library; fails the test if that fails. */
void history_sql(struct history *h, const char *sql);
/** How many rows `SELECT count(*) FROM ` @p what gives. */
int64_t history_count(struct history *h, const char *what);
/** `replay --json` of the whole log, malloc'd. */
char *history_replay(struct history *h, const pawl__replay_filter *filter);
