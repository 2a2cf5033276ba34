/**
 * @file workspace/scan/scan_internal.h
 * @brief The inside of a scan, for the files that make it: scan.c (begin and end), walk.c
 * (directory after directory), stage_entry.c (one name), rules.c (what is left out), nested.c
 * (repositories within), spool.c (into the log).
 */
#pragma once

#include "events/own_files.h"
#include "workspace/git/git_index.h"
#include "workspace/scan/ignore.h"
#include "workspace/scan/index.h"
#include "workspace/scan/listing.h"
#include "workspace/scan/new_objects.h"
#include "workspace/scan/scan.h"
#include "workspace/store/chunk_writer.h"
#include <sys/stat.h>

/** Bytes of a file of rules. */
#define PAWL__RULES_MAX ((size_t)16 << 20)

/** What waits, packed, to be put into the log; beyond that the spool is flushed, or files are read
 * again. */
#define PAWL__SPOOL_MAX ((size_t)24 << 20)

/** A packed content in the spool, or the list of a larger one's chunks; its bytes follow. */
typedef struct pawl__spooled {
        unsigned char hash[32];
        uint64_t size, len; /**< of the whole; of what follows */
        pawl__delta delta;
} pawl__spooled;

struct pawl__scan_inside {
        pawl__index index;
        pawl__new_objects new_objects; /**< the new files and directories in it, each hash once */
        pawl__buf spool;
        uint64_t seq; /**< the log's last one before the first content was spooled; 0: none was */
        pawl__arena arena; /**< paths of what was not captured */
        size_t cap_not_captured;
        pawl__buf git_rules;
        char *root, *index_path;
        uint64_t max_file;
        size_t large_start; /**< in the spool: where the current large content begins */
        bool chunked;       /**< chunks were spooled: a content may be there twice */
        bool heals;         /**< some of what the log has is damaged, and is put anew */
        bool flush_spool; /**< some of what was packed is in the log already, or could not be put */
        bool root_spooled; /**< the document of the root's directory is in the spool */
        bool based;        /**< an index was used: what did not change since is in the log */
        unsigned char base_tree[32];
};

/** A repository within the root, while what is in it is gone through. */
typedef struct pawl__repository {
        pawl__tracked tracked; /**< relative to it */
        size_t prefix_len;     /**< of its path, with a '/' at its end */
} pawl__repository;

/** A directory that is being gone through. */
typedef struct pawl__level {
        int fd; /**< -1: closed while many others are open */
        dev_t device;
        ino_t inode;
        size_t directory;             /**< where it begins in the index */
        size_t entry;                 /**< the offset of the entry that names it; 0: the root */
        size_t old_directory;         /**< in the former index; 0: not there */
        size_t rules;                 /**< in force above it */
        size_t repositories;          /**< that it lies in */
        unsigned char repository[32]; /**< of what its own, if it is the top of one, tracks */
        bool rules_same;              /**< those in force in it are those of the former scan */
        bool names_same;              /**< its names are those of the former index */
        bool same;          /**< and so far all that they name: its former hash is its hash */
        bool tracked_alone; /**< it is left out, but for what git tracks */
        bool asked_alone;   /**< it is left out, but for what is asked for (options.also) */
        size_t path_len;    /**< of its path, with a '/' at its end */
        pawl__index_cursor cursor;
} pawl__level;

/** A content of more than a part, while it is spooled in chunks. */
typedef struct pawl__large {
        pawl__chunk_writer writer;
        const unsigned char *like; /**< the hash of what was at its path; NULL: nothing was */
        bool begun;                /**< a piece of it came */
        bool room;                 /**< so far all is in the spool or the log */
        bool kept;                 /**< so far all is in the log */
} pawl__large;

typedef struct pawl__scanner {
        const pawl__scan_options *options;
        pawl__contents *contents;
        pawl__scan *scan;
        struct pawl__scan_inside *in;
        pawl__index old;               /**< of the base; without bytes: there is none */
        struct pawl__preload *preload; /**< threads that look at what the old one tells; or NULL */
        pawl__level *levels;
        size_t depth, cap_levels;
        size_t held; /**< the first level whose handle is open */
        pawl__buf path;
        pawl__listing listing;
        pawl__ignore ignore, exclude;
        pawl__tracked tracked;          /**< by git */
        pawl__repository *repositories; /**< within the root, the innermost last */
        size_t n_repositories, cap_repositories;
        pawl__buf full; /**< a path from the top of git's work tree, where that is not the root */
        size_t prefix_len;       /**< of the root's in it */
        uint8_t directory_flags; /**< of the current name, if it is a directory's */
        pawl__buf lists;         /**< all that is in force when the scan begins */
        pawl__buf rules;         /**< a file of them, as it is read */
        const char *no_rules;    /**< the name of one that cannot be read; NULL: each can */
        pawl__buf encoding;      /**< of the directory that is being left */
        int64_t tick_ns;
        int64_t write_back_ns; /**< pawl__write_back_ns(), once it was wanted; before, 0 */
        pawl__own_files own;   /**< the log's */
        bool git_root;         /**< the root is a directory of git's own */
        pawl__large large;     /**< the content that is being spooled in chunks */
        bool measuring;        /**< files are counted, not read */
        int64_t deadline_ms;   /**< 0: there is none */
} pawl__scanner;

/** Pack a new content of up to a part into the spool, as its difference from @p like (NULL: none),
 * and mark the entry; unless the log has it or there is no room: then it is put when the scan is
 * stored. */
PAWL_MUST_CHECK pawl_status pawl__scan_spool(pawl__scanner *s, pawl__index_entry *entry,
        pawl_text content, const unsigned char *like, pawl_error *err);
/** The same of a content of any size. */
PAWL_MUST_CHECK pawl_status pawl__scan_spool_any(pawl__scanner *s, pawl__index_entry *entry,
        pawl_text content, const unsigned char *like, pawl_error *err);
/** A file of any size is read next, in whose place @p like was (NULL: nothing was). */
void pawl__scan_large_begin(pawl__scanner *s, const unsigned char *like);
/** A pawl__content_sink: the next bytes of a file of more than a part. */
pawl_status pawl__scan_large_add(const void *data, size_t len, void *scanner, pawl_error *err);
/** All of it was read, with the entry's hash. *kept: the log has it, undamaged; otherwise it is
 * spooled, and the entry marked, if there is room. */
PAWL_MUST_CHECK pawl_status pawl__scan_large_end(
        bool *kept, pawl__scanner *s, pawl__index_entry *entry, pawl_error *err);
/** It is not needed: what was spooled of it and not flushed goes. */
void pawl__scan_large_drop(pawl__scanner *s);
/** Is there room in the spool, once it was flushed if it may be? */
PAWL_MUST_CHECK pawl_status pawl__scan_make_room(
        bool *room, pawl__scanner *s, size_t len, pawl_error *err);
/** Put what is spooled into the log in a commit of its own, and empty the spool. */
PAWL_MUST_CHECK pawl_status pawl__scan_flush_spool(
        struct pawl__scan_inside *in, pawl__contents *contents, pawl_error *err);

/** Go through all below the root, whose handle becomes the scanner's. */
PAWL_MUST_CHECK pawl_status pawl__scan_walk(pawl__scanner *s, int root, pawl_error *err);

/** Add what has that name in the topmost level's directory. @p old may be NULL. */
PAWL_MUST_CHECK pawl_status pawl__scan_stage_entry(pawl__scanner *s, const pawl__listed *listed,
        const pawl__index_entry *old, pawl_error *err);
/** Count an entry that was not captured, the topmost level's path before its name. */
PAWL_MUST_CHECK pawl_status pawl__scan_skip(
        pawl__scanner *s, pawl_text name, pawl__skip why, int error, pawl_error *err);
/** The same, and an entry for it in the topmost level's directory. */
PAWL_MUST_CHECK pawl_status pawl__scan_add_skipped(
        pawl__scanner *s, pawl_text name, pawl__skip why, int error, pawl_error *err);
/** Was a time stamp, or both, made before the scan began, so that a later change shows? */
bool pawl__scan_trusts(const pawl__scanner *s, const struct stat *st);
/** Is the time budget used up? */
bool pawl__scan_late(const pawl__scanner *s);
/** Is it our own lack of handles or memory, and not the file's fault? */
bool pawl__scan_lacks(int error);
/** The same as a failure, PAWL_EIO or PAWL_ENOMEM. */
pawl_status pawl__scan_lack(pawl__scanner *s, int error, pawl_error *err);
/** Close the handle of the topmost-but-all level that has one; false: there is none to spare. */
bool pawl__scan_spare(pawl__scanner *s);

/** Let the rules that the listed directory has come into force; the topmost level's rules_same
 * stays true if they are the former scan's. PAWL_DONE: a file of them cannot be read, errno says
 * why and s->no_rules which. */
PAWL_MUST_CHECK pawl_status pawl__scan_rules(pawl__scanner *s, pawl_error *err);
/** The failure of a scan that cannot read the rules of its root. */
pawl_status pawl__scan_no_rules(pawl__scanner *s, const char *name, int error, pawl_error *err);
/** The listed directory is the top of a repository within: let what that one tracks count from now
 * on; rules_same as above. One that cannot be read tracks nothing. (nested.c) */
PAWL_MUST_CHECK pawl_status pawl__scan_enter_repository(pawl__scanner *s, pawl_error *err);
/** Forget all but the first @p n of them. */
void pawl__scan_leave_repositories(pawl__scanner *s, size_t n);
/** What the root's repository, by its @p path in it, or one within says of the current path. */
pawl__tracking pawl__scan_tracking(const pawl__scanner *s, pawl_text path, bool directory);
/** Are all files of rules that the listed directory has themselves in the tree? */
bool pawl__scan_rules_plain(pawl__scanner *s);
/** Let a file of rules below @p directory come into force, for paths whose first @p base bytes are
 * its directory's. What it holds is in s->rules afterwards. PAWL_DONE as above. */
PAWL_MUST_CHECK pawl_status pawl__scan_add_rules(
        pawl__scanner *s, int directory, const char *name, size_t base, pawl_error *err);
/** What is in force for all of it: git's lists, those of the directories above the root, the
 * options' own; and what git tracks. */
PAWL_MUST_CHECK pawl_status pawl__scan_root_rules(pawl__scanner *s, pawl_error *err);

typedef enum pawl__verdict {
        PAWL__TAKEN,
        PAWL__LEFT_OUT,
        PAWL__TRACKED_ALONE, /**< a directory that is left out, but for what git tracks in it */
        PAWL__ASKED_ALONE    /**< one that is left out, but for what options.also has in it */
} pawl__verdict;

/** What the rules say of this name, which was appended to the path. */
PAWL_MUST_CHECK pawl_status pawl__scan_verdict(
        pawl__verdict *out, pawl__scanner *s, size_t name_at, bool directory, pawl_error *err);
/** Add the .git of a repository within, of which the topmost level knows what it tracks. */
PAWL_MUST_CHECK pawl_status pawl__scan_add_repository(
        pawl__scanner *s, pawl_text name, pawl_error *err);
/** Does the listed directory, which is not the root, belong to something else? Then *why says to
 *  what, else it is left as it is. (belongs.c) */
PAWL_MUST_CHECK pawl_status pawl__scan_belongs(pawl__skip *why, pawl__scanner *s, pawl_error *err);
/** Is the listed directory git's own, whatever its name? It has HEAD, objects and refs. */
bool pawl__scan_is_git(const pawl__scanner *s);
/** Add what has that name in a root that is. */
PAWL_MUST_CHECK pawl_status pawl__scan_add_of_git(
        pawl__scanner *s, const pawl__listed *listed, pawl_error *err);
/** Is this name never in a tree? */
bool pawl__scan_never(const pawl__scanner *s, const pawl__listed *listed);
