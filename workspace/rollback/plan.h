/**
 * @file workspace/rollback/plan.h
 * @brief What a rollback will do, decided before any of it is done.
 *
 * A plan goes from the workspace as it is to a tree. It is kept in the log, as the blob that its
 * hash names, before the first file is touched: who finds a rollback half done goes on, or back, by
 * that plan and no other. Each step says what is at a path before and after, so it can be
 * walked both ways.
 *
 * The encoding, integers little-endian: the five bytes "plan" and 1, the version; the target's
 * number 8, its tree 32, the tree of the workspace 32, the log's last seq 8 and hash 32; flags 1
 * (1: undo, 2: decisions are dropped, 4: of some paths alone, 8: git goes forward, or, of an undo,
 * back); two texts (length 1, bytes): the commits that git goes from
 * and to. Then, in the order of a walk (a directory before what is in it, names in order of bytes):
 *
 *     's'  a step: path (length 4, bytes), what is there before, what after; each one of
 *             0                                  nothing
 *             'f'  mode 2, size 8, SHA-256 32    a file
 *             'd'  mode 2                        a directory
 *             'l'  length 2, target              a symbolic link
 *     'x'  what is left alone: path (length 4, bytes), why 1, skip 1, wanted 1
 *
 * Steps come first. One plan has one encoding.
 */
#pragma once

#include "base/map.h"
#include "events/own_files.h"
#include "workspace/rollback/tracked_paths.h"
#include "workspace/store/paths.h"

/** What is to happen at a path. Before and after alike, it is a directory that needs its write
 *  permission for a while. Entries have no names; a directory's hash is not part of it. */
typedef struct pawl__plan_step {
        pawl_text path; /**< NUL-ended */
        pawl__entry from, to;
} pawl__plan_step;

/** Why something is left alone. The numbers stand in encodings. */
typedef enum pawl__left_why {
        PAWL__LEFT_UNRECORDED = 1,   /**< no checkpoint recorded it */
        PAWL__LEFT_IGNORED = 2,      /**< it is there, and is ignored */
        PAWL__LEFT_SKIPPED = 3,      /**< it is there, and was not captured: skip says why */
        PAWL__LEFT_NOT_CAPTURED = 4, /**< the target did not capture it: skip says why */
        PAWL__LEFT_HOLDS = 5,        /**< a directory that holds something that stays */
        PAWL__LEFT_OWN = 6,          /**< a name that no rollback touches: the log's, git's */
        PAWL__LEFT_OTHERS = 7        /**< recorded, but not as made by what is taken back */
} pawl__left_why;

typedef struct pawl__plan_left {
        pawl_text path; /**< NUL-ended */
        pawl__left_why why;
        pawl__skip skip; /**< 0: does not apply */
        bool wanted;     /**< the target has something at this path */
} pawl__plan_left;

/** Such as "no checkpoint recorded it", "can't be brought back: too large then". Static. */
const char *pawl__left_text(const pawl__plan_left *left);

typedef struct pawl__plan {
        pawl__arena arena;
        uint64_t target, head_seq;
        unsigned char target_tree[32], now[32], head_hash[32];
        bool undo, drop_decisions;
        bool in_part;               /**< of some paths alone */
        bool git_forward;           /**< the commit that git goes to grew from the present one */
        pawl_text git_from, git_to; /**< "": git stays where it is */
        pawl__plan_step *steps;
        pawl__plan_left *left;
        size_t n_steps, cap_steps, n_left, cap_left;
        unsigned char hash[32]; /**< of its encoding; set by pawl__plan_encode() and _decode() */
} pawl__plan;

#define PAWL__PLAN_INIT                                                                            \
        {                                                                                          \
                .arena = PAWL__ARENA_INIT, .git_from = {"", 0}, .git_to = { "", 0 }                \
        }

/** What the plan must know of the workspace beside its tree. */
typedef struct pawl__world {
        /** What is at the path: 0 nothing, 'd' a directory, 'x' anything else. */
        pawl_status (*look)(char *kind, pawl_text path, void *user, pawl_error *err);
        /** Does the directory, of that encoding in the tree, hold names beside those? */
        pawl_status (*holds_more)(bool *more, pawl_text path, const unsigned char hash[32],
                void *user, pawl_error *err);
        void *user;
        /** Do the target's rules leave the path out? It may have been there then. NULL: no. */
        pawl_status (*ignored_then)(
                bool *yes, pawl_text path, bool directory, void *user, pawl_error *err);
} pawl__world;

/** What a rollback may touch. */
typedef struct pawl__plan_rights {
        pawl__tracked_paths *recorded;  /**< where it may write */
        pawl__tracked_paths *removable; /**< where it may remove what the target has not, as what it
                                      takes back may have made it; NULL: as recorded */
        const pawl__map *also;          /**< paths where it may do both, of an undo to 1 if what it
                                           undoes made them; NULL: none */
        const pawl__paths *touched;     /**< the same: what leads to them is gone into, also where a
                                           directory is not to be touched; NULL: none */
        const pawl__plan_step *tried;   /**< steps that it retries, to which `also` leads from their
                                           paths: where something else is by now, the same step is
                                           tried again, and leaves it; NULL: none */
        const pawl__own_files *own;     /**< the log's, which are left alone */
        bool imported;                  /**< the target is: no setuid or setgid bit comes of it */
        bool target_recorded;     /**< the target is one of those recorded: its paths are too */
        bool clean;               /**< it may remove what no checkpoint recorded, too */
        const pawl__paths *paths; /**< nothing else is looked at; NULL: everything is */
} pawl__plan_rights;

/**
 * Decide. Set target_tree and now before; steps and left are filled in the order of a walk.
 * The plan is a function of its arguments: it looks at files by @p world alone.
 */
PAWL_MUST_CHECK pawl_status pawl__plan_make(pawl__plan *plan, const pawl__directories *directories,
        const pawl__plan_rights *rights, const pawl__world *world, pawl_error *err);
/** List more paths as left alone, each unless it or a directory above it is. */
PAWL_MUST_CHECK pawl_status pawl__plan_leave(
        pawl__plan *plan, const pawl__plan_left *more, size_t n, pawl_error *err);
void pawl__plan_free(pawl__plan *plan);

/** Append the encoding, and set the plan's hash. */
PAWL_MUST_CHECK pawl_status pawl__plan_encode(pawl__buf *out, pawl__plan *plan, pawl_error *err);
/** The reverse; PAWL_EDAMAGED naming the byte for anything else. @p out is empty before. */
PAWL_MUST_CHECK pawl_status pawl__plan_decode(pawl__plan *out, pawl_text encoded, pawl_error *err);

/** Order of a walk: names by their bytes, a directory before what is in it. */
int pawl__path_cmp(pawl_text a, pawl_text b);
