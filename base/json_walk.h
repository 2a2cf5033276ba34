/**
 * @file base/json_walk.h
 * @brief Giving canonical text out in another order than it was written in.
 *
 * A large object whose members came out of order is left as it is and noted here, with its members
 * in their order. The walk goes through the text and, where such an object stands, through its
 * members instead; they may hold such objects again. So each byte is moved once, whatever the
 * nesting.
 */
#ifndef PAWL_BASE_JSON_WALK_H
#define PAWL_BASE_JSON_WALK_H

#include "base/digest.h"
#include "base/json_order.h"

typedef struct pawl__walk_object {
        uint32_t start, end;      /* from '{' to after '}' */
        const pawl__member *lent; /* its members, sorted, if the caller keeps them */
        size_t first, n;          /* otherwise in the walk's own */
} pawl__walk_object;

/** Zero-initialised is empty. */
typedef struct pawl__walk {
        pawl__walk_object *objects;
        size_t n_objects, cap_objects;
        pawl__member *members;
        size_t n_members, cap_members;
} pawl__walk;

/** Note an object. @p lend: the members stay where they are until the walk; otherwise they are
 *  copied. An object is noted after the objects in it. */
PAWL_MUST_CHECK pawl_status pawl__walk_add(pawl__walk *walk, uint32_t start, uint32_t end,
        const pawl__member *members, size_t n, bool lend);

/** Give @p text to the hasher in its order, gathered in @p stage. The walk is empty then. */
PAWL_MUST_CHECK pawl_status pawl__walk_hash(pawl__walk *walk, const char *text, size_t len,
        pawl__hasher *hasher, char *stage, size_t stage_cap);

/** Write it to @p out, which holds len bytes. The walk is empty then. */
void pawl__walk_text(pawl__walk *walk, const char *text, size_t len, char *out);

void pawl__walk_free(pawl__walk *walk);

#endif
