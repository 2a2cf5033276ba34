/**
 * @file workspace/store/pack.h
 * @brief A pack: many contents in one row of the log, whole ones and differences from others.
 *
 * The heads, one a content, in the order of its frames, which lie one behind the other:
 *
 *     step    1   0: the frame has the content whole; 1 to 48: its difference from another one
 *     size    1-  of the content, in bytes
 *     length  1-  of the frame, in bytes
 *    [base   16   the first half of the SHA-256 of the other one; unless the step is 0]
 *
 * Both numbers have seven bits a byte, the least first, and the eighth bit where another byte
 * follows. A frame is a Zstandard frame (RFC 8878) without its first four bytes, which are always
 * the same; that of a difference has the base as its prefix (a dictionary of raw content, in no
 * frame itself).
 *
 * Steps count the versions of a file since the last whole one. Each is the difference from the
 * version before, but every twelfth (13, 25, 37) from the whole one: so a content is read by way of
 * twelve others at most, and what is damaged damages the 48 versions after it at most. What comes
 * after step 48 is whole again. A step never tells more than that: what is read is what its hash
 * says, or damaged.
 */
#pragma once

#include "base/text.h"

enum {
        PAWL__PACK_STEPS = 48, /**< the greatest step */
        PAWL__PACK_RUN = 12,   /**< steps from one version to the next, before one from the whole */
        PAWL__PACK_MEMBERS = 256, /**< contents in a pack, at most */
        PAWL__PACK_BASE = 16,     /**< bytes of a base's hash */
        PAWL__PACK_WAY = 32 /**< no content is read by way of more than so many others: steps say
                               what was so when each was put */
};

typedef struct pawl__pack_member {
        unsigned step;
        uint64_t size;                       /**< of the content */
        size_t at, len;                      /**< of its frame */
        unsigned char base[PAWL__PACK_BASE]; /**< of a step from 1 on */
} pawl__pack_member;

/** Goes through a pack's heads. */
typedef struct pawl__pack_reader {
        pawl_text heads; /**< borrowed */
        size_t at, frame;
        unsigned n;
} pawl__pack_reader;

/** Append a head; the buffer's failure is its own. */
void pawl__pack_add(pawl__buf *heads, const pawl__pack_member *member);

/** The next head. PAWL_DONE behind the last one. PAWL_EDAMAGED, without a message, for what is no
 *  head: again and again. */
PAWL_MUST_CHECK pawl_status pawl__pack_next(pawl__pack_member *out, pawl__pack_reader *reader);
/** The head with so many others before it. PAWL_EDAMAGED, without a message. */
PAWL_MUST_CHECK pawl_status pawl__pack_at(pawl__pack_member *out, pawl_text heads, int64_t at);
