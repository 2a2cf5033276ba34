/**
 * @file workspace/rollback/restore_internal.h
 * @brief The inside of a restore: what is at each step's path, and the files that are made.
 */
#pragma once

#include "base/digest.h"
#include "workspace/rollback/restore.h"
#include <errno.h>

/** What was at a step's path when it was looked at. */
typedef struct pawl__path_state {
        char kind;     /**< as an entry's; 'x': anything else; 0: nothing */
        bool same;     /**< of the goal's kind, content and target; its mode may be another */
        uint32_t mode; /**< 07777; of a file without its access control list */
        uid_t uid;
        gid_t gid;
        uint64_t dev, ino, links, size;
        int64_t mtime_ns, ctime_ns;
        int failed;   /**< why it is left as it is, as in pawl__restore.unwritten; 0: it is not */
        int stuck;    /**< the same of something beneath it; 0: none */
        bool stirs;   /**< something beneath it is not as it is to be */
        size_t above; /**< the innermost step that it lies in; PAWL__NO_STEP */
} pawl__path_state;

#define PAWL__NO_STEP SIZE_MAX

struct pawl__restore_work {
        pawl__restore *r;
        pawl__rootdir *root;
        const pawl__plan_step *steps;
        size_t n;
        pawl__path_state *states; /**< one a step */
        pawl__hasher *hasher;
        char *buffer; /**< PAWL__RESTORE_BUFFER bytes */
        bool gives;   /**< it is root's, who gives files to their owners */
        uint64_t dev; /**< the root's: syncfs() reaches this one alone */
        pawl_error *err;
};

enum { PAWL__RESTORE_BUFFER = 256 * 1024 };

/** What is to stand there in the end. */
static inline const pawl__entry *pawl__goal(const pawl__restore_work *q, size_t step)
{
        return q->r->back ? &q->steps[step].from : &q->steps[step].to;
}

/** What was there at the other end of the way. */
static inline const pawl__entry *pawl__origin(const pawl__restore_work *q, size_t step)
{
        return q->r->back ? &q->steps[step].to : &q->steps[step].from;
}

/** The goal's mode for what is there: setuid and setgid bits that it has not, it does not get.
 */
static inline uint32_t pawl__goal_mode(const pawl__restore_work *q, size_t step, uint32_t states)
{
        return pawl__goal(q, step)->mode & (01777 | states);
}

/** Whose a file is that comes to the step's path: that of what it replaces, else of the directory.
 */
typedef struct pawl__owner {
        uid_t uid;
        gid_t gid;
} pawl__owner;
PAWL_MUST_CHECK pawl_status pawl__restore_owner(
        pawl__owner *owner, pawl__restore_work *q, size_t step);
/** An errno of giving something away: a user that the user namespace does not have is EPERM. */
static inline int pawl__give_error(int error)
{
        return error == EINVAL ? EPERM : error;
}

/** Look at one path, and at its content unless that is known. Where it is neither the goal nor the
 *  origin: pawl__restore_changed(). */
PAWL_MUST_CHECK pawl_status pawl__restore_inspect(pawl__restore_work *q, size_t step);
/** Right before something is done to it: if what was there is not there any more,
 *  pawl__restore_changed(). */
PAWL_MUST_CHECK pawl_status pawl__restore_still(pawl__restore_work *q, size_t step);
/** Others have changed the path. PAWL_OK: it is noted, and the path is left; if whole: PAWL_ESTATE.
 */
PAWL_MUST_CHECK pawl_status pawl__restore_changed(pawl__restore_work *q, size_t step);

/** Does the error concern one path, which is left while the others are written? */
bool pawl__restore_skips(const pawl__restore_work *q, int error);
/** An act on the step's path failed with @p error. PAWL_OK: it is noted, and the path is left. */
PAWL_MUST_CHECK pawl_status pawl__restore_unwritten(
        pawl__restore_work *q, size_t step, int error, const char *doing);

/** Its content was read, with that result: one that the log has damaged is noted, as above. */
PAWL_MUST_CHECK pawl_status pawl__restore_read(
        pawl__restore_work *q, size_t step, pawl_status status);

/** Is the file or link of this step to be made? */
bool pawl__restore_makes(const pawl__restore_work *q, size_t step);
/** Make all of them, some at a time. */
PAWL_MUST_CHECK pawl_status pawl__restore_make_all(pawl__restore_work *q);
/** Remove what a former restore has left in the directories of the plan. */
PAWL_MUST_CHECK pawl_status pawl__restore_sweep(pawl__restore_work *q);
