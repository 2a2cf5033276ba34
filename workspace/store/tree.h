/**
 * @file workspace/store/tree.h
 * @brief A directory of a checkpoint: its entries in one canonical encoding, whose SHA-256 names
 * it.
 *
 * A tree is a Merkle tree: a directory's entry for a directory within it has that one's hash, so
 * the hash of the topmost names all of it, and directories that are equal are one. Times are no
 * part of it.
 *
 * The encoding, integers little-endian: the five bytes "tree" and 1, the version; then each entry,
 * in strict order of the names' bytes:
 *
 *     kind    1   'f' file, 'd' directory, 'l' symbolic link, 'x' not captured
 *     mode    2   the permission bits, 07777; 0 for 'l' and 'x'
 *     length  1   of the name, 1 to 255
 *     name        any bytes but '/' and NUL; not "." and not ".."
 *     'f'     8   size in bytes
 *            32   SHA-256 of the content
 *     'd'    32   SHA-256 of the directory's own encoding
 *     'l'     2   length of the target, from 1
 *                 the target, any bytes but NUL
 *     'x'     1   why, a pawl__skip
 *
 * One directory has one encoding: what decodes, encodes to the same bytes.
 */
#pragma once

#include "base/text.h"

typedef enum pawl__entry_kind {
        PAWL__ENTRY_FILE = 'f',
        PAWL__ENTRY_DIRECTORY = 'd',
        PAWL__ENTRY_LINK = 'l',
        PAWL__ENTRY_SKIPPED = 'x'
} pawl__entry_kind;

/** No entry: nothing is there. */
#define PAWL__ENTRY_NONE ((pawl__entry_kind)0)

/** Why something that is there was not captured. The numbers stand in encodings. */
typedef enum pawl__skip {
        PAWL__SKIP_TOO_LARGE = 1,
        PAWL__SKIP_UNREADABLE = 2,
        PAWL__SKIP_SPECIAL = 3,  /**< a FIFO, a socket, a device */
        PAWL__SKIP_CHANGING = 4, /**< it changed each time while it was read */
        PAWL__SKIP_RULES = 5, /**< a directory whose rules cannot be read: what they leave out must
                                   not be taken */
        PAWL__SKIP_REPOSITORY = 6, /**< git's own: the .git of a repository within, or a directory
                                        of another name */
        PAWL__SKIP_BUDGET = 7,     /**< the time budget was used up before it was read */
        PAWL__SKIP_RESERVED = 8,   /**< what is called .pawl or .git in another writing, and below
                                        the root .pawl */
        PAWL__SKIP_FORK = 9,       /**< the directory that a fork of this log runs in */
        PAWL__SKIP_WORKTREE = 10 /**< a linked work tree of git, which is a workspace of its own */
} pawl__skip;

/** Such as "too large"; NULL for a number that is none. Static. */
const char *pawl__skip_name(pawl__skip why);

typedef struct pawl__entry {
        pawl__entry_kind kind;
        pawl_text name;
        uint32_t mode;          /**< of a file or directory: 07777 */
        uint64_t size;          /**< of a file, in bytes */
        unsigned char hash[32]; /**< of a file's content, of a directory's encoding */
        pawl_text target;       /**< of a link */
        pawl__skip why;         /**< of what was not captured */
} pawl__entry;

enum {
        PAWL__TREE_NAME_MAX = 255,
        PAWL__TREE_TARGET_MAX = 65535,
        PAWL__TREE_HEAD = 5 /* bytes before the first entry: all that an empty directory has */
};
/** No directory's encoding is larger: about a million files with names of some 20 bytes. */
#define PAWL__TREE_MAX ((size_t)64 << 20)

/** Files that a restore is making are called so, with 16 hex digits after it. */
#define PAWL__TEMPORARY_PREFIX ".pawl-tmp-"

/** Is it a name that no scan takes: .git, .pawl, or a restore's? */
bool pawl__tree_name_never(pawl_text name);
/** Is it one of the entries that may be called so, as they say that something was not captured: the
 *  .git of a repository within, a .pawl? */
bool pawl__tree_listed(pawl__entry_kind kind, pawl__skip why, pawl_text name);
/** Is the encoding one of a directory of git's own, whatever was captured of it? */
bool pawl__tree_is_git(pawl_text encoded);
/** May a tree have it: 1 to 255 bytes without '/' and NUL, not "." or "..", and none of those that
 *  no scan takes? A tree that has one was made by somebody else: put back, it would change what git
 *  or pawl runs. */
bool pawl__tree_name_valid(pawl_text name);

/**
 * Append the encoding of @p n entries. That they are in order and each of its form is the caller's
 * business (asserted).
 * @return PAWL_ENOMEM, with @p out as it was; PAWL_ETOOBIG beyond PAWL__TREE_MAX.
 */
PAWL_MUST_CHECK pawl_status pawl__tree_encode(
        pawl__buf *out, const pawl__entry *entries, size_t n, pawl_error *err);

/** The same entry by entry, in order: first the head, into a buffer that is empty. The buffer must
 *  not be used after a failure. */
PAWL_MUST_CHECK pawl_status pawl__tree_begin(pawl__buf *out, pawl_error *err);
PAWL_MUST_CHECK pawl_status pawl__tree_add(
        pawl__buf *out, const pawl__entry *entry, pawl_error *err);

/** Goes through an encoding, entry by entry. */
typedef struct pawl__tree_reader {
        pawl_text encoded; /**< borrowed */
        size_t at;         /**< offset of the next entry */
        pawl_text last;    /**< name of the last one, within the encoding */
} pawl__tree_reader;

/** @return PAWL_EDAMAGED for what begins as no encoding, PAWL_ENEWER for one of a later version,
 *  PAWL_ETOOBIG. */
PAWL_MUST_CHECK pawl_status pawl__tree_open(
        pawl__tree_reader *reader, pawl_text encoded, pawl_error *err);
/**
 * The next entry. Its texts lie in the encoding and live as long as that.
 * @return PAWL_DONE after the last one; PAWL_EDAMAGED naming the byte, again and again, with *out
 *         as it was.
 */
PAWL_MUST_CHECK pawl_status pawl__tree_next(
        pawl__entry *out, pawl__tree_reader *reader, pawl_error *err);
