/**
 * @file base/json_order.h
 * @brief Putting the members of an object in the order of RFC 8785, section 3.2.3.
 *
 * A member is a slice of canonical text that is written already: "name":value. Sorting moves the
 * records; what becomes of the text is the caller's business.
 */
#ifndef PAWL_BASE_JSON_ORDER_H
#define PAWL_BASE_JSON_ORDER_H

#include <pawl/base.h>
#include <stdbool.h>
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

/** Sort, in place. False if two names are the same; these then stand together, the order being by
 *  start for them. Takes n log n comparisons at most. */
bool pawl__members_sort(const char *text, pawl__member *members, size_t n);

#endif
