/**
 * @file workspace/scan/index.h
 * @brief What the last scan saw: each entry of the tree with the file's status, so that a file that
 *        still has the same one need not be read again.
 *
 * In memory it is what a scan builds, and all that it keeps of the tree; on disk it is the same
 * bytes in the file workspace.index beside the log, with a head before them that has their length,
 * their SHA-256 and its own: what is there is not read further where the head is of no use. It
 * is never the truth: a file that is missing, damaged, of another byte order, of another root, or
 * of another event of the log is as if there were none.
 *
 * The bytes: directory after directory, each before the directories in it and those in the order of
 * their names. A directory: a pawl__index_directory and its entries in strict order of names. An
 * entry: a pawl__index_entry, its target, its name, and one zero or more, up to a multiple of eight
 * bytes.
 */
#pragma once

#include "base/digest.h"
#include "workspace/store/tree.h"

/** A directory that was there when its name was read, and not when it was opened. */
#define PAWL__INDEX_GONE '-'

enum {
        PAWL__INDEX_TRUSTED = 1, /**< the same status means the same content; of a directory: the
                                    same names, if the rules are the same too */
        PAWL__INDEX_NEW = 2,     /**< the log may not have the content; on disk nothing is */
        PAWL__INDEX_SPOOLED = 4, /**< its content waits, packed, in the scan; the same */
        PAWL__INDEX_SEEN =
                8, /**< found unchanged by a thread (workspace/scan/preload.h); the same */
        PAWL__INDEX_TRACKED = 16, /**< a directory of which only what git tracks is taken */
        PAWL__INDEX_ASKED = 32, /**< one of which only what is asked for is, until it is entered */
        PAWL__INDEX_KEPT = 64   /**< the log had its content, undamaged, when it was scanned; on
                                   disk nothing is */
};

typedef struct pawl__index_directory {
        uint32_t entries;
        uint32_t ignored; /**< names that the rules left out */
} pawl__index_directory;

typedef struct pawl__index_entry {
        uint8_t kind; /**< a pawl__entry_kind, or PAWL__INDEX_GONE */
        uint8_t flags, why, name_len;
        uint16_t mode, target_len;
        uint64_t size; /**< of a file; of a directory: the offset of its pawl__index_directory */
        int64_t mtime_ns, ctime_ns;
        uint64_t inode;
        unsigned char hash[32]; /**< of the .git of a repository within: of what that one tracks */
} pawl__index_entry;

/** What a file of an index must belong to. */
typedef struct pawl__index_of {
        uint64_t device, inode;  /**< the root */
        unsigned char event[32]; /**< hash of the log's event whose tree it is */
        unsigned char tree[32];  /**< the root directory's hash; not compared, but told */
        unsigned char rules[32]; /**< of the lists that are no file of the tree; not compared */
        int64_t tick_ns;         /**< when the scan began */
} pawl__index_of;

/** Where the root directory begins: there is room for the file's head before it. */
enum { PAWL__INDEX_HEAD = 208 };

typedef struct pawl__index {
        pawl__buf bytes;
        pawl__index_of of;
        unsigned char sum[32]; /**< of what follows the head, once it was read or sealed */
        bool summed;           /**< it is there for these very bytes */
} pawl__index;

#define PAWL__INDEX_INIT                                                                           \
        {                                                                                          \
                PAWL__BUF_INIT, {0}, {0}, false                                                    \
        }

void pawl__index_free(pawl__index *index);

/* ---- Reading --------------------------------------------------------------------------------- */

/** Goes through the entries of a directory. */
typedef struct pawl__index_cursor {
        size_t at; /**< offset of the next */
        uint32_t left;
} pawl__index_cursor;

static inline pawl__index_entry *pawl__index_entry_at(const pawl__index *index, size_t at)
{
        return (pawl__index_entry *)(void *)(index->bytes.data + at);
}

static inline size_t pawl__index_entry_size(const pawl__index_entry *entry)
{
        return (sizeof *entry + entry->name_len + entry->target_len + 8) / 8 * 8;
}

static inline pawl_text pawl__index_target(const pawl__index_entry *entry)
{
        return (pawl_text){(const char *)(entry + 1), entry->target_len};
}

/** Ended by a NUL. */
static inline pawl_text pawl__index_name(const pawl__index_entry *entry)
{
        return (pawl_text){(const char *)(entry + 1) + entry->target_len, entry->name_len};
}

pawl__index_cursor pawl__index_open(const pawl__index *index, size_t directory);
/** The next entry, or NULL. It lives until something is added to the index. */
pawl__index_entry *pawl__index_next(const pawl__index *index, pawl__index_cursor *cursor);
/** How many names the rules left out in a directory. */
uint32_t pawl__index_ignored(const pawl__index *index, size_t directory);
/** The entry of that name in a directory, or NULL. */
const pawl__index_entry *pawl__index_find(
        const pawl__index *index, size_t directory, const char *name);
/** The encoding of a directory, for which *out is cleared. PAWL_ETOOBIG, PAWL_ENOMEM. */
PAWL_MUST_CHECK pawl_status pawl__index_encode(
        pawl__buf *out, const pawl__index *index, size_t directory, pawl_error *err);

/* ---- Writing --------------------------------------------------------------------------------- */

/** A directory's head, with no entries yet; they are added right after it. */
PAWL_MUST_CHECK pawl_status pawl__index_begin(
        size_t *directory, pawl__index *index, pawl_error *err);
/** An entry of the directory begun last, from what @p entry says but for its lengths. */
PAWL_MUST_CHECK pawl_status pawl__index_add(pawl__index *index, size_t directory,
        const pawl__index_entry *entry, pawl_text name, pawl_text target, pawl_error *err);

/** Say how many names were left out in a directory. */
void pawl__index_set_ignored(pawl__index *index, size_t directory, uint32_t ignored);

/* ---- The file -------------------------------------------------------------------------------- */

/** Let no flag but those that a file has stay: PAWL__INDEX_TRUSTED, PAWL__INDEX_TRACKED. */
void pawl__index_settle(pawl__index *index);
/** Make its bytes those of a file: the head is filled in. Nothing may be added to it any more. */
PAWL_MUST_CHECK pawl_status pawl__index_seal(
        pawl__index *index, pawl__hasher *hasher, pawl_error *err);
/** The reverse: takes over @p bytes, which is empty afterwards. Every offset, length and value is
 *  checked once, here. @return PAWL_EDAMAGED. */
PAWL_MUST_CHECK pawl_status pawl__index_decode(
        pawl__index *out, pawl__buf *bytes, pawl__hasher *hasher, pawl_error *err);

/** Read the file at @p path, if it is of that root and event and does not come from the future.
 *  @return PAWL_ENOTFOUND for whatever makes it of no use; PAWL_ENOMEM. */
PAWL_MUST_CHECK pawl_status pawl__index_load(pawl__index *out, const char *path,
        const pawl__index_of *of, pawl__hasher *hasher, pawl_error *err);
/** The event that the file at @p path says it is of; false: there is no such file. Whether it is
 *  damaged is found when it is read. */
bool pawl__index_event(unsigned char event[32], const char *path);
/** Write it, sealed, under another name beside @p path, and rename. A failure leaves what stood
 *  there. Where @p path has it already, but for the head (index->summed), the head alone is
 * written: should somebody else have put another there meanwhile, or the writing be cut off, the
 * sums tell. */
PAWL_MUST_CHECK pawl_status pawl__index_save(
        pawl__index *index, const char *path, pawl__hasher *hasher, pawl_error *err);
