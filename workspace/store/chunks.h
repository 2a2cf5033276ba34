/**
 * @file workspace/store/chunks.h
 * @brief A large content in chunks, cut where its bytes say so, and the list that names them.
 *
 * Boundaries depend on the bytes before them alone, so that a change moves those near it and no
 * others: FastCDC (Xia et al., USENIX ATC 2016) with a table of our own. With gear[b] for each
 * byte b, which is the (b + 1)-th number of SplitMix64 from the seed 0, and h = 0 at the byte
 * PAWL__CHUNK_MIN - 64 of a chunk, each byte sets h = 2 * h + gear[byte] modulo 2^64. A chunk ends
 * behind the first byte, from PAWL__CHUNK_MIN bytes on, after which the upper 20 bits of h are
 * zero; from PAWL__CHUNK_NORMAL bytes on the upper 17; or at PAWL__CHUNK_MAX bytes. The last chunk
 * ends with the content.
 *
 * A list:
 *
 *     magic    4   "PWL" 1
 *     chunks  36   each: SHA-256 of its bytes; its length in bytes, 4, the least byte first
 *     sum     32   SHA-256 of the content's hash, the magic and the chunks
 *
 * A list is not trusted: pawl__chunks_valid() checks all but the sum.
 */
#pragma once

#include "base/text.h"

enum {
        PAWL__CHUNK_MIN = 128 << 10, /**< bytes; the last one may have fewer */
        PAWL__CHUNK_NORMAL = 512 << 10,
        PAWL__CHUNK_MAX = 1 << 20,
        PAWL__CHUNKS_MAGIC = 4,
        PAWL__CHUNKS_ENTRY = 36,
        PAWL__CHUNKS_SUM = 32
};

typedef struct pawl__chunk_cutter {
        uint64_t gear[256];
} pawl__chunk_cutter;

void pawl__chunk_cutter_init(pawl__chunk_cutter *cutter);
/** The length of the chunk that begins with @p data: all that is left of the content, or at least
 * PAWL__CHUNK_MAX bytes. */
size_t pawl__chunk_cut(const pawl__chunk_cutter *cutter, const char *data, size_t len);

typedef struct pawl__chunk {
        unsigned char hash[32];
        uint32_t len;
} pawl__chunk;

/** Is it a list, valid or not, and not a Zstandard frame? */
bool pawl__chunks_is_list(pawl_text data);
/** Is it the list of a content of that size, as far as can be told without hashes? */
bool pawl__chunks_valid(pawl_text list, uint64_t size);
/** Of a valid list, with its sum or without. */
size_t pawl__chunks_count(pawl_text list);
pawl__chunk pawl__chunks_at(pawl_text list, size_t i);

/** Let *list be without chunks; add one. The buffer's failure is its own. */
void pawl__chunks_begin(pawl__buf *list);
void pawl__chunks_add(pawl__buf *list, const pawl__chunk *chunk);
