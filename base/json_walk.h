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

typedef struct pawl__reorder_object {
        uint32_t start, end;          /* from '{' to after '}' */
        const pawl__member *borrowed; /* its members, sorted, if the caller keeps them */
        size_t first, n;              /* otherwise in the walk's own */
} pawl__reorder_object;

/** Zero-initialised is empty. */
typedef struct pawl__reorder {
        pawl__reorder_object *objects;
        size_t n_objects, cap_objects;
        pawl__member *members;
        size_t n_members, cap_members;
} pawl__reorder;

/** Note an object. @p lend: the members stay where they are until the walk; otherwise they are
 *  copied. An object is noted after the objects in it. */
PAWL_MUST_CHECK pawl_status pawl__reorder_add(pawl__reorder *walk, uint32_t start, uint32_t end,
        const pawl__member *members, size_t n, bool borrow);

/** Give @p text to the hasher in its order, gathered in @p stage. The walk is empty then. */
PAWL_MUST_CHECK pawl_status pawl__reorder_hash(pawl__reorder *walk, const char *text, size_t len,
        pawl__hasher *hasher, char *stage, size_t stage_cap);

/** Write it to @p out, which holds len bytes. The walk is empty then. */
void pawl__reorder_text(pawl__reorder *walk, const char *text, size_t len, char *out);

void pawl__reorder_free(pawl__reorder *walk);

#endif
