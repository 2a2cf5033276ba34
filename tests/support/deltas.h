/**
 * @file tests/support/deltas.h
 * @brief Versions of a text as contents, each a difference from the one before.
 */
#pragma once

#include "support/event_log.h"
#include "workspace/store/pack.h"
#include "workspace/store/sweep.h"

enum { VERSIONS = 55, LINES = 100 };

typedef struct deltas {
        event_log *f;
        pawl__contents *contents;
        pawl__hasher *hasher;
        pawl_error err;
} deltas;

int deltas_setup(void **state);
int deltas_teardown(void **state);
#define DELTA_TEST(name) UNIT_TEST_WITH(name, deltas *t, deltas_setup, deltas_teardown)

void deltas_open_log(deltas *t);
void deltas_close_log(deltas *t);
/** Lines of which each version has one other than the version before. */
void deltas_make_version(pawl__buf *out, int version);
void deltas_hash_version(deltas *t, unsigned char hash[32], int version);

/** Putting a version as one that resembles another; like -1: as none. */
typedef struct deltas_putting {
        deltas *t;
        int version, like;
        pawl__buf text;
        unsigned char hash[32], former[32];
} deltas_putting;
deltas_putting deltas_prepare(deltas *t, int version, int like);
/** A prepare hook: puts it. */
pawl_status deltas_fill(pawl_log *log, pawl__batch *batch, void *user, pawl_error *err);
pawl_status deltas_try_put(deltas *t, int version, int like);
void deltas_put_all(deltas *t);
/** PAWL_OK: it is what was put. */
pawl_status deltas_read_version(deltas *t, int version);
void deltas_check_read(deltas *t, int from, int to);

/** In which pack a content is. */
typedef struct deltas_pack_of {
        unsigned char hash[32];
        pawl__pack_place place;
} deltas_pack_of;
pawl_status deltas_find_place(const unsigned char hash[32], pawl__pack_place place, void *user);
/** How many differences it is from a whole one. */
unsigned deltas_step_of(deltas *t, int version);

/** A sweep, of which some versions stay. */
typedef struct deltas_keeping {
        deltas *t;
        unsigned char hashes[VERSIONS][32];
        bool stays[VERSIONS];
        bool dry_run;
        pawl__swept out;
} deltas_keeping;
deltas_keeping deltas_keep(deltas *t, int from, int to, int step);
/** A prepare hook: does it. */
pawl_status deltas_sweep_fill(pawl_log *log, pawl__batch *batch, void *user, pawl_error *err);
void deltas_check_kept(deltas *t, const deltas_keeping *k);
