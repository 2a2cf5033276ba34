#include "events/merkle.h"
#include "base/error.h"
#include "events/handle.h"
#include <string.h>

/* RFC 6962: no leaf can pass for a node. */
static const unsigned char leaf_mark = 0, node_mark = 1;

pawl_status pawl__merkle_leaf(
        unsigned char out[PAWL__HASH_LEN], pawl__hasher *hasher, pawl_text leaf, pawl_error *err)
{
        pawl_status status = pawl__hasher_begin(hasher, err);

        if (status)
                return status;
        if (pawl__hasher_add(hasher, &leaf_mark, 1) ||
                pawl__hasher_add(hasher, leaf.data, leaf.len) || pawl__hasher_end(hasher, out))
                return pawl__nomem(err);
        return PAWL_OK;
}

/* @p out may be one of the two. */
static pawl_status join(unsigned char out[PAWL__HASH_LEN], pawl__hasher *hasher,
        const unsigned char *left, const unsigned char *right, pawl_error *err)
{
        pawl_status status = pawl__hasher_begin(hasher, err);

        if (status)
                return status;
        if (pawl__hasher_add(hasher, &node_mark, 1) ||
                pawl__hasher_add(hasher, left, PAWL__HASH_LEN) ||
                pawl__hasher_add(hasher, right, PAWL__HASH_LEN) || pawl__hasher_end(hasher, out))
                return pawl__nomem(err);
        return PAWL_OK;
}

pawl_status pawl__merkle_add(pawl__merkle *tree, pawl__hasher *hasher,
        const unsigned char leaf_hash[PAWL__HASH_LEN], pawl_error *err)
{
        unsigned char hash[PAWL__HASH_LEN];
        pawl_status status = PAWL_OK;
        size_t level = 0;

        memcpy(hash, leaf_hash, sizeof hash);
        for (; tree->size >> level & 1 && !status; level++)
                status = join(hash, hasher, tree->nodes[level], hash, err);
        if (status)
                return status;
        memcpy(tree->nodes[level], hash, sizeof hash);
        tree->size++;
        return PAWL_OK;
}

pawl_status pawl__merkle_root(unsigned char out[PAWL__HASH_LEN], const pawl__merkle *tree,
        pawl__hasher *hasher, pawl_error *err)
{
        pawl_status status = PAWL_OK;
        bool any = false;

        if (!tree->size)
                return pawl__sha256(hasher, out, "", 0, err);
        for (size_t level = 0; level < 64 && !status; level++) {
                if (!(tree->size >> level & 1))
                        continue;
                if (any)
                        status = join(out, hasher, tree->nodes[level], out, err);
                else
                        memcpy(out, tree->nodes[level], PAWL__HASH_LEN);
                any = true;
        }
        return status;
}

/* ---- Proofs ---------------------------------------------------------------------------------- */

/* The largest power of 2 that is smaller than n; n > 1. */
static uint64_t split(uint64_t n)
{
        uint64_t half = 1;

        while (half < n - half)
                half *= 2;
        return half;
}

/* They were found from the root on. */
static void turn_round(pawl__merkle_part *parts, size_t n)
{
        for (size_t i = 0; i < n / 2; i++) {
                const pawl__merkle_part part = parts[i];
                parts[i] = parts[n - 1 - i];
                parts[n - 1 - i] = part;
        }
}

size_t pawl__merkle_inclusion(pawl__merkle_part out[PAWL__PROOF_MAX], uint64_t index, uint64_t size)
{
        uint64_t start = 0, end = size;
        size_t n = 0;

        while (end - start > 1) {
                const uint64_t middle = start + split(end - start);
                if (index < middle) {
                        out[n++] = (pawl__merkle_part){.start = middle, .end = end};
                        end = middle;
                } else {
                        out[n++] = (pawl__merkle_part){.start = start, .end = middle};
                        start = middle;
                }
        }
        turn_round(out, n);
        return n;
}

size_t pawl__merkle_consistency(pawl__merkle_part out[PAWL__PROOF_MAX], uint64_t old, uint64_t size)
{
        uint64_t start = 0, end = size;
        size_t n = 0;

        if (old == 0 || old == size)
                return 0;
        while (end != old) {
                const uint64_t middle = start + split(end - start);
                if (old <= middle) {
                        out[n++] = (pawl__merkle_part){.start = middle, .end = end};
                        end = middle;
                } else {
                        out[n++] = (pawl__merkle_part){.start = start, .end = middle};
                        start = middle;
                }
        }
        if (start) /* otherwise it is the old root, which the verifier has */
                out[n++] = (pawl__merkle_part){.start = start, .end = end};
        turn_round(out, n);
        return n;
}

/* ---- Reading a log --------------------------------------------------------------------------- */

struct state {
        pawl__merkle_reading *reading;
        pawl_log *log;
        pawl__hasher *hasher;
        pawl__merkle whole, part;
        pawl__merkle_part *at; /* the part that is being read; NULL: none */
        unsigned char prev[PAWL__HASH_LEN];
        pawl__buf leaf, scratch;
};

static pawl_status check_chain(struct state *s, const pawl_event *event,
        const unsigned char *payload_hash, pawl_error *err)
{
        unsigned char hash[PAWL__HASH_LEN];

        if (event->seq != s->whole.size + 1 || memcmp(event->prev, s->prev, sizeof s->prev) != 0)
                return pawl__damaged(
                        s->log, err, event->seq, "it does not follow the event before it");
        if (pawl__chain_hash(hash, s->hasher, &s->scratch, event, payload_hash))
                return pawl__nomem(err);
        if (memcmp(hash, event->hash, sizeof hash) != 0)
                return pawl__damaged(s->log, err, event->seq,
                        "its hash does not fit: its payload or its envelope was changed");
        memcpy(s->prev, hash, sizeof hash);
        return PAWL_OK;
}

/* Parts do not overlap. */
static pawl_status add_to_part(struct state *s, const unsigned char *hash, pawl_error *err)
{
        const uint64_t index = s->whole.size;

        for (size_t i = 0; i < s->reading->n_parts && !s->at; i++)
                if (s->reading->parts[i].start == index) {
                        s->at = &s->reading->parts[i];
                        s->part.size = 0;
                }
        if (!s->at)
                return PAWL_OK;
        pawl_status status = pawl__merkle_add(&s->part, s->hasher, hash, err);
        if (!status && s->at->end == index + 1) {
                status = pawl__merkle_root(s->at->hash, &s->part, s->hasher, err);
                s->at = NULL;
        }
        return status;
}

static pawl_status take(const pawl_event *event, pawl__event_type type, void *user, pawl_error *err)
{
        struct state *s = user;
        pawl__merkle_reading *reading = s->reading;
        unsigned char payload_hash[PAWL__HASH_LEN], hash[PAWL__HASH_LEN];
        pawl_status status = pawl__log_payload_hash(payload_hash, s->log, event, err);

        (void)type;
        if (!status)
                status = check_chain(s, event, payload_hash, err);
        if (status)
                return status;
        pawl__buf_clear(&s->leaf);
        if (pawl__chain_leaf(&s->leaf, event, payload_hash))
                return pawl__nomem(err);
        status = pawl__merkle_leaf(hash, s->hasher, pawl__buf_text(&s->leaf), err);
        if (!status && reading->on_leaf)
                status = reading->on_leaf(
                        s->whole.size, pawl__buf_text(&s->leaf), hash, reading->user, err);
        if (!status)
                status = add_to_part(s, hash, err);
        if (!status)
                status = pawl__merkle_add(&s->whole, s->hasher, hash, err);
        if (!status && s->whole.size == reading->mark)
                status = pawl__merkle_root(reading->mark_root, &s->whole, s->hasher, err);
        return status ? status : s->whole.size == reading->size ? PAWL_DONE : PAWL_OK;
}

pawl_status pawl__merkle_read(pawl__merkle_reading *reading, pawl_log *log, pawl_error *err)
{
        struct state s = {.reading = reading, .log = log, .hasher = log->hasher};
        pawl_status status = PAWL_OK;

        if (!reading->mark)
                status = pawl__merkle_root(reading->mark_root, &s.whole, s.hasher, err);
        if (!status && reading->size)
                status = pawl__log_each(log, 0, take, &s, err);
        if (!status && s.whole.size != reading->size)
                status = pawl__damaged(
                        log, err, s.whole.size + 1, "is missing; put back a copy that has it");
        if (!status)
                status = pawl__merkle_root(reading->root, &s.whole, s.hasher, err);
        pawl__buf_free(&s.leaf);
        pawl__buf_free(&s.scratch);
        return status;
}
