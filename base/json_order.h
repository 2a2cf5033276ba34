/**
 * @file base/json_order.h
 * @brief Putting the members of an object in the order of RFC 8785, section 3.2.3.
 *
 * A member is a slice of canonical text that is written already: "name":value. Sorting moves the
 * records; the text is moved once everything is written.
 */
#pragma once

#include "base/digest.h"
#include <string.h>

typedef struct pawl__member {
        uint64_t prefix;     /**< the name's beginning: two that differ here are in this order */
        uint32_t start, end; /**< the slice, as offsets in the canonical text */
} pawl__member;

/** The prefix of a canonical (escaped) name, which a '"' ends. */
uint64_t pawl__member_prefix_any(const char *name);

/** The same for a name without escapes, of which at least 8 bytes can be read. */
static inline uint64_t pawl__member_prefix(const char *name, size_t len)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        uint64_t word;
        memcpy(&word, name, sizeof word);
        if (len < sizeof word)
                word &= (UINT64_C(1) << len * 8) - 1;
        if (!(word & UINT64_C(0x8080808080808080)))
                return __builtin_bswap64(word);
#else
        (void)len;
#endif
        return pawl__member_prefix_any(name);
}

/** Order of two members of @p text by their names; 0: the names are the same. */
int pawl__member_cmp(const char *text, const pawl__member *a, const pawl__member *b);

/** The order that a few members were brought into. Zero-initialised is none. */
enum { PAWL__ORDER_FEW = 16 };
typedef struct pawl__order {
        unsigned char n, from[PAWL__ORDER_FEW];
} pawl__order;

/** Sort, in place; members of one name by their start. Takes about n log n comparisons; n, if they
 *  come in the order that as many did before, which is what @p last is for. */
void pawl__members_sort(const char *text, pawl__member *members, size_t n, pawl__order *last);

/** Order of two UTF-8 texts by their UTF-16 code units. */
int pawl__utf16_cmp(const char *a, size_t a_len, const char *b, size_t b_len);

/**
 * Canonical text, to be read in another order than it was written in. A large object whose members
 * came out of order is left as it is and noted here, with its members in their order. The walk goes
 * through the text and, at such an object, through its members instead; they may hold such objects
 * again. So each byte is moved once, whatever the nesting.
 */
typedef struct pawl__reorder_object {
        uint32_t start, end; /**< from '{' to after '}' */
        size_t first, n;     /**< its members, sorted */
} pawl__reorder_object;

/** Zero-initialised is empty. */
typedef struct pawl__reorder {
        pawl__reorder_object *objects;
        size_t n_objects, cap_objects;
        pawl__member *members;
        size_t n_members, cap_members;
} pawl__reorder;

/** Note an object, after the objects in it. */
PAWL_MUST_CHECK pawl_status pawl__reorder_add(
        pawl__reorder *walk, uint32_t start, uint32_t end, const pawl__member *members, size_t n);

/** Give @p text to the hasher in its order, gathered in @p stage. */
PAWL_MUST_CHECK pawl_status pawl__reorder_hash(pawl__reorder *walk, const char *text, size_t len,
        pawl__hasher *hasher, char *stage, size_t stage_cap);

/** Write it to @p out, which holds len bytes. */
void pawl__reorder_text(pawl__reorder *walk, const char *text, size_t len, char *out);

void pawl__reorder_free(pawl__reorder *walk);
