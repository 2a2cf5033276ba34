/**
 * @file events/merkle.h
 * @brief The Merkle tree over a log's events (RFC 6962, section 2.1), and proofs about it.
 *
 * A leaf is the canonical JSON of an event's envelope with payload_hash in place of payload, and
 * without prev and hash: so a pruned payload changes none. The tree of the first n events is that
 * of the log when it had n. Trees are read in one pass over the events, in O(log n) memory; the
 * chain is verified on the way.
 */
#pragma once

#include "base/digest.h"
#include "events/log.h"

/** The tree of the leaves so far: the roots of its whole subtrees, the smallest in front. */
typedef struct pawl__merkle {
        uint64_t size;
        unsigned char nodes[64][PAWL__HASH_LEN]; /* of 2^i leaves, where size has that bit */
} pawl__merkle;

PAWL_MUST_CHECK pawl_status pawl__merkle_leaf(
        unsigned char out[PAWL__HASH_LEN], pawl__hasher *hasher, pawl_text leaf, pawl_error *err);
PAWL_MUST_CHECK pawl_status pawl__merkle_add(pawl__merkle *tree, pawl__hasher *hasher,
        const unsigned char leaf_hash[PAWL__HASH_LEN], pawl_error *err);
/** The root; of no leaves the hash of nothing. */
PAWL_MUST_CHECK pawl_status pawl__merkle_root(unsigned char out[PAWL__HASH_LEN],
        const pawl__merkle *tree, pawl__hasher *hasher, pawl_error *err);

/** A hash of a proof: the root over the leaves from @p start to before @p end. */
typedef struct pawl__merkle_part {
        uint64_t start, end;
        unsigned char hash[PAWL__HASH_LEN];
} pawl__merkle_part;

#define PAWL__PROOF_MAX 65

/** What proves, in this order, that the leaf at @p index is in the tree of @p size; index < size.
 * Returns how many; their hashes are not set. */
size_t pawl__merkle_inclusion(
        pawl__merkle_part out[PAWL__PROOF_MAX], uint64_t index, uint64_t size);
/** The same for the tree of the first @p old leaves being what that of @p size grew from; old <=
 * size. */
size_t pawl__merkle_consistency(
        pawl__merkle_part out[PAWL__PROOF_MAX], uint64_t old, uint64_t size);

/** Each leaf with its hash; the first has index 0. */
typedef pawl_status (*pawl__leaf_fn)(uint64_t index, pawl_text leaf,
        const unsigned char hash[PAWL__HASH_LEN], void *user, pawl_error *err);

/** One reading of a log's tree: what is asked, then what is found. */
typedef struct pawl__merkle_reading {
        uint64_t size;            /**< so many events; 0 of an empty log alone */
        uint64_t mark;            /**< at most size: of this many the root is wanted, too */
        pawl__merkle_part *parts; /**< their hashes are set; may be NULL */
        size_t n_parts;
        pawl__leaf_fn on_leaf; /**< may be NULL */
        void *user;
        unsigned char root[PAWL__HASH_LEN], mark_root[PAWL__HASH_LEN];
} pawl__merkle_reading;

/** PAWL_EDAMAGED naming the first event that does not verify, or that is missing. */
PAWL_MUST_CHECK pawl_status pawl__merkle_read(
        pawl__merkle_reading *reading, pawl_log *log, pawl_error *err);
