/**
 * @file workspace/rollback/restore.h
 * @brief Doing what a plan says: each path of it goes to what is after, or before, and no other
 *        path is touched.
 *
 * What it leaves when it ends half-way, by whatever cause, it can be called on again, in either
 * direction: paths that are as they should be are passed over. A file comes into being under
 * another name beside its place, whole, with its mode, on disk, and is then renamed.
 */
#pragma once

#include "workspace/rollback/plan.h"
#include "workspace/store/contents.h"
#include "workspace/store/rootdir.h"

/** Where contents come from. */
typedef struct pawl__restore_source {
        /** Give the content of that hash to @p sink, and fail (PAWL_EDAMAGED) if it is not that. */
        pawl_status (*read)(const unsigned char hash[32], uint64_t size, pawl__content_sink sink,
                void *sink_user, void *user, pawl_error *err);
        void *user;
} pawl__restore_source;

/** Why a step's path is left as it is: an errno, or one of these. */
enum {
        PAWL__PATH_CHANGED = -1, /**< neither what was there before nor what is to be there */
        PAWL__PATH_OWN = -2,     /**< the log's own */
        PAWL__PATH_DAMAGED = -3  /**< the log has lost what is to be there, or damaged it */
};
/** The reason, and how to fix it (NULL: it is not known). Static. */
const char *pawl__unwritten_text(int reason);
const char *pawl__unwritten_fix(int reason);

typedef struct pawl__restore {
        pawl__rootdir *root;
        const pawl__plan *plan;
        bool back;     /**< to what was before, not to what is after */
        bool unsynced; /**< files need not outlive a crash of the machine */
        bool again;    /**< one was begun before: its temporary files are removed */
        const pawl__restore_source *source;
        const pawl__own_files *own; /**< the log's, which are not touched */
        uint64_t names;             /**< of temporary files: any number that is not used twice */
        uint64_t written, removed;  /**< files and links; set by the call */
        bool whole;                 /**< a path that cannot be written is a failure */
        int *unwritten;     /**< one a step, where not whole: why it was left; 0: it was not */
        size_t n_unwritten; /**< how many were; set by the call */
} pawl__restore;

/**
 * Do it. First everything is looked at: a file that is neither what was there before nor what is
 * there after is somebody's own work, and stays. Such a path, and one that cannot be written or
 * whose content is damaged, is listed in unwritten, and the rest is done. If whole, the call fails
 * instead, for somebody's own work before it has touched anything.
 * @return PAWL_EIO, PAWL_ENOMEM, what source failed with, and if whole PAWL_ESTATE, PAWL_EFULL,
 *         PAWL_EACCESS, PAWL_EREADONLY: then it may be half done.
 */
PAWL_MUST_CHECK pawl_status pawl__restore_run(pawl__restore *restore, pawl_error *err);
/** Only look: list in unwritten what a run would leave as somebody's own work, or as damaged. */
PAWL_MUST_CHECK pawl_status pawl__restore_look(pawl__restore *restore, pawl_error *err);

/** To look at steps' paths alone, in whatever order; each costs what is there. */
typedef struct pawl__restore_work pawl__restore_work, pawl__restore_checker;
PAWL_MUST_CHECK pawl_status pawl__restore_checker_new(
        pawl__restore_checker **out, pawl__restore *restore, pawl_error *err);
/** A path that is not as it should be is listed in unwritten; if whole: PAWL_ESTATE naming it. */
PAWL_MUST_CHECK pawl_status pawl__restore_check(pawl__restore_checker *checker, size_t step);
void pawl__restore_checker_free(pawl__restore_checker *checker);

/** An errno as a status, with the message "PATH: cannot DOING: the system's reason; ...". */
pawl_status pawl__restore_fail(pawl_error *err, int error, pawl_text path, const char *doing);
