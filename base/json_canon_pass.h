/**
 * @file base/json_canon_pass.h
 * @brief The one pass over a JSON text that writes its canonical form.
 *
 * The canonical text grows in a buffer; of an open object, a record a member says where it stands
 * there. When an object ends and its members came out of order, their slices are put in order: a
 * small object's at once, by way of the free end of the buffer; a large one's only when everything
 * is given out (json_walk.h), so that no byte is moved once a level.
 *
 * Where no object is open, what is written is final, and a hasher takes it out of the buffer.
 */
#ifndef PAWL_BASE_JSON_CANON_PASS_H
#define PAWL_BASE_JSON_CANON_PASS_H

#include "base/digest.h"
#include "base/json_read.h"
#include "base/json_walk.h"
#include "base/text.h"

/** Room that must be free behind the text: a copy writes 16 bytes at a time, a number up to 32. */
#define PAWL__CANON_SLACK 64
/** Bytes of an object that is put in order at once. */
#define PAWL__CANON_SMALL (32 * 1024)
/** Bytes that are given to the hasher at once. */
#define PAWL__CANON_BATCH (64 * 1024)

/** An open object; of an array only that it is none. */
typedef struct pawl__canon_level {
        uint32_t first;  /**< its first member's record */
        uint32_t start;  /**< its '{' in the canonical text */
        uint32_t source; /**< its '{' in the source */
        bool is_object;
        bool unsorted;
} pawl__canon_level;

typedef struct pawl__canon {
        const char *source;
        size_t source_len;
        pawl__buf *buf; /**< has room for what is left of the source, small and SLACK, always */
        size_t small;   /**< SMALL, or the length of a text that is shorter */
        size_t base;    /**< where the canonical text begins in the buffer */
        pawl__hasher *hasher;  /**< NULL: everything stays in the buffer */
        size_t batch;          /**< from so many bytes on, what is written goes to the hasher */
        pawl__member *members; /**< of all open objects */
        size_t n_members, cap_members;
        pawl__reorder walk;
        size_t n_objects; /**< open ones */
        unsigned depth;
        pawl_error *err;
        pawl__canon_level levels[PAWL__JSON_DEPTH + 1]; /**< [0]: the text's one value */
} pawl__canon;

/** What the buffer must have room for at the beginning, beside what is in it. */
static inline size_t pawl__canon_room(size_t source_len)
{
        return source_len + (source_len < PAWL__CANON_SMALL ? source_len : PAWL__CANON_SMALL) +
               PAWL__CANON_SLACK;
}

/** @p buf has that room already. Nothing is allocated. */
void pawl__canon_init(pawl__canon *canon, const char *text, size_t len, pawl__buf *buf,
        pawl__hasher *hasher, pawl_error *err);
/** Free what it allocated beside the buffer. */
void pawl__canon_free(pawl__canon *canon);

/** Write everything. What is not with the hasher then ends at *end in the buffer, whose len is not
 *  set; objects noted in the walk, if there are any, must still be put in order. */
PAWL_MUST_CHECK pawl_status pawl__canon_write(pawl__canon *canon, char **end);

/** The refusal of a text, or canonical form, of 4 GiB or more. */
pawl_status pawl__canon_too_big(pawl_error *err);

#endif
