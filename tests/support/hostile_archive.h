/**
 * @file tests/support/hostile_archive.h
 * @brief An archive taken apart, and put together in another way, which may lie.
 */
#pragma once

#include "support/checkpoints.h"
#include "workspace/archive/archive_library.h"
#include <pawl/workspace.h>

enum { HOSTILE_MEMBERS = 40 };

struct archive_member {
        char name[200];
        const char *link, *hard; /* targets */
        unsigned type;
        pawl__buf data;
        int64_t size; /* of the header; -1: as it is */
};

struct hostile {
        event_log *here, *there;
        trees trees;
        char *archive;
        pawl_error err;
        const pawl__archive_library *lib;
        struct archive_member members[HOSTILE_MEMBERS];
        size_t n;
        bool gzip; /* in place of zstd */
};
/** The first member whose name begins so. */
struct archive_member *hostile_member(struct hostile *f, const char *name);
/** Write f->archive of the members as they are now. */
void hostile_put_together(struct hostile *f);
/** An archive of two checkpoints, taken apart, and a log that it is imported into. */
int hostile_setup(void **state);
int hostile_teardown(void **state);
#define HOSTILE_TEST(name) UNIT_TEST_WITH(name, struct hostile *f, hostile_setup, hostile_teardown)
/** f->archive is refused so, and nothing is written into the log. */
void hostile_refused_file(struct hostile *f, pawl_status as, const char *says);
/** The same of the members as they are now, as PAWL_EFORMAT. */
void hostile_refused(struct hostile *f, const char *says);
