/**
 * @file workspace/store/contents_internal.h
 * @brief The inside of the contents, for the files that make them: contents.c (reading), packed.c
 *        (many to a row), delta.c (as differences), chunk_list.c (in chunks), sweep.c (letting go).
 */
#pragma once

#include "workspace/store/chunks.h"
#include "workspace/store/contents.h"
#include "workspace/store/pack.h"
#include <zstd.h>

enum { PAWL__PACKS_CACHED = 4, PAWL__DIRECTORIES_CACHED = 16 };

/*
 * Bytes of frames. Rows of SQLite fill its pages of 4 KiB well if they are much smaller or much
 * larger than one: a small frame is a pack alone, others wait until there are enough of them, and a
 * large one that is whole has a row in the other table.
 */
enum { PAWL__FRAME_SMALL = 512, PAWL__FRAME_LARGE = 32 << 10, PAWL__FRAMES_FULL = 8 << 10 };

/** Contents that a handle remembers to have read and verified. */
enum { PAWL__CONTENTS_VERIFIED = 1 << 17 };

/** A pack that was read lately. */
typedef struct pawl__cached_pack {
        int64_t pack; /**< 0: none */
        uint64_t used;
        pawl__buf heads, data;
} pawl__cached_pack;

/** A directory's encoding that was read lately, verified: of two checkpoints one after the other,
 *  most are read for both. */
typedef struct pawl__cached_directory {
        unsigned char hash[32];
        uint64_t used; /**< 0: none */
        pawl__buf encoded;
} pawl__cached_directory;

struct pawl__contents {
        pawl_log *log;
        pawl__hasher *hasher;
        ZSTD_CCtx *packer;   /* made when first used */
        ZSTD_DCtx *unpacker; /* the same */
        pawl__directories overlay;
        pawl__buf packed, part; /* kept from part to part */
        pawl__map unstable;
        pawl__arena paths; /* its keys */
        pawl__cached_pack cache[PAWL__PACKS_CACHED];
        pawl__cached_directory directories[PAWL__DIRECTORIES_CACHED];
        uint64_t uses;
        uint64_t *verified; /* PAWL__CONTENTS_VERIFIED, by bits of the hash; NULL: none yet */
        bool quick;         /* pawl__contents_quick() */
        int64_t last_pack;  /* the last number of one, in this transaction; 0: it was not asked for
                             */
        pawl__buf heads, frames,
                hashes; /* of the pack that is being made; its contents, 32 bytes each */
        pawl__buf base, whole,
                other; /* delta.c's: what a difference is from; while it is unpacked */
};

pawl_status pawl__contents_damaged(const unsigned char hash[32], const char *what, pawl_error *err);

/** Compress, after what is in @p out, with @p prefix (may be empty) before it. */
PAWL_MUST_CHECK pawl_status pawl__contents_compress(
        pawl__buf *out, pawl__contents *c, pawl_text content, pawl_text prefix, pawl_error *err);
/** The reverse: *out, which is cleared, gets exactly @p size bytes. PAWL_EDAMAGED without a
 * message. */
PAWL_MUST_CHECK pawl_status pawl__contents_decompress(pawl__buf *out, pawl__contents *c,
        pawl_text frame, pawl_text prefix, size_t size, pawl_error *err);

/** A pack, from those that were read lately or the log; it lives until the next one is read. */
PAWL_MUST_CHECK pawl_status pawl__contents_cached(
        const pawl__cached_pack **out, pawl__contents *c, int64_t pack, pawl_error *err);
/** Forget what was read: it may not be so any more. */
void pawl__contents_forget(pawl__contents *c);

/** The frame at that place, as it would be added, into c->packed. PAWL_EDAMAGED. */
PAWL_MUST_CHECK pawl_status pawl__contents_frame(pawl__delta *delta, uint64_t *size,
        pawl__contents *c, pawl__pack_place place, const unsigned char hash[32], pawl_error *err);

/** A content, in memory and verified: into *out, which is cleared. Of up to a part.
 *  PAWL_ENOTFOUND, PAWL_EDAMAGED. */
PAWL_MUST_CHECK pawl_status pawl__contents_load(
        pawl__buf *out, pawl__contents *c, const unsigned char hash[32], pawl_error *err);

/** The sum at the end of a list of chunks; @p list: without it. */
PAWL_MUST_CHECK pawl_status pawl__contents_list_sum(unsigned char sum[32], pawl__contents *c,
        const unsigned char hash[32], pawl_text list, pawl_error *err);
/** pawl__contents_read() by way of a list of chunks. */
PAWL_MUST_CHECK pawl_status pawl__contents_read_chunks(pawl__contents *c,
        const unsigned char hash[32], pawl__content_sink sink, void *user, pawl_error *err);
/** pawl__contents_put_whole() of a content of up to a part. */
PAWL_MUST_CHECK pawl_status pawl__contents_put_one(pawl__contents *c, const unsigned char hash[32],
        pawl_text content, const unsigned char *like, pawl_error *err);
