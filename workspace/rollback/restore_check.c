/* What is at the paths of a plan, before a restore and right before each of its acts. */
#include "base/error.h"
#include "base/system.h"
#include "workspace/rollback/restore_internal.h"
#include "workspace/store/acl.h"
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static pawl_status leave(pawl__restore_work *q, size_t step, int reason)
{
        const size_t above = q->states[step].above;

        q->states[step].failed = reason;
        if (above != PAWL__NO_STEP)
                q->states[above].stuck = reason;
        return PAWL_OK;
}

pawl_status pawl__restore_changed(pawl__restore_work *q, size_t step)
{
        if (!q->r->whole)
                return leave(q, step, PAWL__PATH_CHANGED);
        return pawl__fail(q->err, PAWL_ESTATE,
                "%.*s: was changed by somebody else while the files were put back, and was left so; "
                "move it away",
                PAWL__FMT(q->steps[step].path));
}

static int64_t nanoseconds(struct timespec time)
{
        return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static pawl__path_state state_of(const struct stat *found)
{
        const mode_t type = found->st_mode & S_IFMT;

        return (pawl__path_state){
                .kind = type == S_IFREG ? 'f'
                                        : (type == S_IFDIR ? 'd' : (type == S_IFLNK ? 'l' : 'x')),
                .mode = (uint32_t)(found->st_mode & 07777),
                .uid = found->st_uid,
                .gid = found->st_gid,
                .dev = (uint64_t)found->st_dev,
                .ino = (uint64_t)found->st_ino,
                .links = (uint64_t)found->st_nlink,
                .size = (uint64_t)found->st_size,
                .mtime_ns = nanoseconds(found->st_mtim),
                .ctime_ns = nanoseconds(found->st_ctim)};
}

/* Nothing can be at a path whose directories are not there, or are something else. */
static bool is_absent(int error)
{
        return error == ENOENT || error == ENOTDIR || error == ELOOP;
}

/* ---- Contents ------------------------------------------------------------------------------- */

static pawl_status hash_file(
        pawl__restore_work *q, size_t step, uint32_t *mode, unsigned char hash[32])
{
        ssize_t len = 0;
        int fd = pawl__rootdir_file(q->root, q->steps[step].path, O_RDONLY, 0);
        pawl_status status;

        if (fd < 0)
                return pawl__restore_unwritten(q, step, errno, "read the file");
        status = pawl__hasher_begin(q->hasher, q->err);
        while (!status && (len = read(fd, q->buffer, PAWL__RESTORE_BUFFER)) != 0) {
                if (len < 0 && errno != EINTR)
                        status = pawl__restore_fail(
                                q->err, errno, q->steps[step].path, "read the file");
                else if (len > 0 && pawl__hasher_add(q->hasher, q->buffer, (size_t)len))
                        status = pawl__nomem(q->err);
        }
        *mode = pawl__acl_mode(fd, *mode);
        close(fd);
        if (!status && pawl__hasher_end(q->hasher, hash))
                status = pawl__nomem(q->err);
        return status;
}

static bool is_file(const pawl__entry *entry, uint64_t size, const unsigned char hash[32])
{
        return entry->kind == PAWL__ENTRY_FILE && entry->size == size &&
               memcmp(entry->hash, hash, 32) == 0;
}

static pawl_status look_at_file(pawl__restore_work *q, size_t step, bool *expected)
{
        pawl__path_state *state = &q->states[step];
        unsigned char hash[32];
        pawl_status status = hash_file(q, step, &state->mode, hash);

        if (status || state->failed)
                return status;
        state->same = is_file(pawl__goal(q, step), state->size, hash);
        *expected = state->same || is_file(pawl__origin(q, step), state->size, hash);
        return PAWL_OK;
}

static pawl_status look_at_link(pawl__restore_work *q, size_t step, bool *expected)
{
        const pawl__entry *goal = pawl__goal(q, step), *origin = pawl__origin(q, step);
        ssize_t len = pawl__rootdir_readlink(
                q->root, q->steps[step].path, q->buffer, PAWL__RESTORE_BUFFER);

        if (len < 0)
                return pawl__restore_unwritten(q, step, errno, "read the link");
        pawl_text target = {q->buffer, (size_t)len};
        q->states[step].same =
                goal->kind == PAWL__ENTRY_LINK && pawl__text_eq(goal->target, target);
        *expected = q->states[step].same ||
                    (origin->kind == PAWL__ENTRY_LINK && pawl__text_eq(origin->target, target));
        return PAWL_OK;
}

static pawl_status refuse_own(pawl__restore_work *q, size_t step)
{
        if (!q->r->whole)
                return leave(q, step, PAWL__PATH_OWN);
        return pawl__fail(q->err, PAWL_ESTATE,
                "%.*s: is one of the log's own files, which no rollback touches; move it away",
                PAWL__FMT(q->steps[step].path));
}

pawl_status pawl__restore_owner(pawl__owner *owner, pawl__restore_work *q, size_t step)
{
        const pawl_text path = q->steps[step].path, above = pawl__rootdir_parent(path);
        struct stat st;

        *owner = (pawl__owner){q->states[step].uid, q->states[step].gid};
        if (q->states[step].links) /* there was something */
                return PAWL_OK;
        if (above.len ? pawl__rootdir_stat(q->root, above, &st) : fstat(q->root->root, &st))
                return pawl__restore_fail(q->err, errno, path, "look at its directory");
        *owner = (pawl__owner){st.st_uid, st.st_gid};
        return PAWL_OK;
}

/* To open such a file, and close it, would end the locks that the log has on it. */
pawl_status pawl__restore_inspect(pawl__restore_work *q, size_t step)
{
        const pawl__entry *goal = pawl__goal(q, step), *origin = pawl__origin(q, step);
        pawl__path_state *state = &q->states[step];
        pawl_text path = q->steps[step].path;
        const size_t above = state->above;
        struct stat found;
        bool expected = false;
        pawl_status status = PAWL_OK;

        *state = (pawl__path_state){.above = above};
        if (pawl__own_files_named(q->r->own, path))
                return refuse_own(q, step);
        if (pawl__rootdir_stat(q->root, path, &found) != 0) {
                state->same = goal->kind == PAWL__ENTRY_NONE;
                return is_absent(errno) ? PAWL_OK
                                        : pawl__restore_unwritten(q, step, errno, "look at it");
        }
        if (pawl__own_files_is(q->r->own, &found))
                return refuse_own(q, step);
        *state = state_of(&found);
        state->above = above;
        switch (state->kind) {
        case 'f':
                status = look_at_file(q, step, &expected);
                break;
        case 'l':
                status = look_at_link(q, step, &expected);
                break;
        case 'd':
                state->same = goal->kind == PAWL__ENTRY_DIRECTORY;
                expected = state->same || origin->kind == PAWL__ENTRY_DIRECTORY;
                break;
        default:
                break;
        }
        return status || expected || state->failed ? status : pawl__restore_changed(q, step);
}

pawl_status pawl__restore_still(pawl__restore_work *q, size_t step)
{
        const pawl__path_state *then = &q->states[step];
        pawl__path_state now = {0};
        struct stat found;

        if (pawl__rootdir_stat(q->root, q->steps[step].path, &found) == 0)
                now = state_of(&found);
        else if (errno != ENOENT)
                return pawl__restore_unwritten(q, step, errno, "look at it again");
        if (now.kind == 0) /* nothing can be lost there */
                return PAWL_OK;
        /* another name of it may have come or gone: that changes its ctime, and not its content */
        if (now.kind != then->kind || now.dev != then->dev || now.ino != then->ino ||
                now.size != then->size || now.mtime_ns != then->mtime_ns ||
                (now.ctime_ns != then->ctime_ns && now.links == then->links))
                return pawl__restore_changed(q, step);
        return PAWL_OK;
}

/* ---- Reasons -------------------------------------------------------------------------------- */

typedef struct path_reason {
        int reason;
        bool meanwhile; /* paths were checked before: somebody else is at work */
        const char *text, *fix;
} path_reason;

/* Every reason that concerns one path, so that others can be written all the same. NULL: it is not
 * one of them. */
static const path_reason *reason_of(int reason)
{
        static const path_reason all[] = {
                {EACCES, false, NULL, "change the permissions of it or of its directory"},
                {EPERM, false, NULL, "change its owner, or its attributes (`lsattr`)"},
                {EROFS, false, NULL, "make the file system writable"},
                {EBUSY, false, NULL, "unmount it, or end the process that uses it"},
                {ETXTBSY, false, NULL, "end the program that runs from it"},
                {EXDEV, false, NULL, "unmount the file system that is mounted there"},
                {ENOSPC, false, NULL, "free some space"},
                {EDQUOT, false, NULL, "free some space of the quota"},
                {EFBIG, false, NULL, "raise the limit of a file's size (`ulimit -f`)"},
                {ENAMETOOLONG, false, NULL, "use a shorter path"},
                {EOPNOTSUPP, false, NULL, "use a file system that supports it"},
                {EEXIST, false, NULL, "move away what is there"},
                {EISDIR, false, NULL, "move the directory away"},
                {ENOTEMPTY, true, NULL, "move away what somebody put into it"},
                {ENOENT, true, NULL, "put its directory back, which went away"},
                {ENOTDIR, true, NULL, "put its directory back, which something else replaced"},
                {ELOOP, true, NULL, "put its directory back, which a symbolic link replaced"},
                {PAWL__PATH_CHANGED, true, "changed since the rollback", "move it away"},
                {PAWL__PATH_OWN, true, "one of the log's own files, which no rollback touches",
                        "move the log away"},
                {PAWL__PATH_DAMAGED, false, "its content in the log is damaged or lost",
                        "see `pawl validate`, which names what heals it"},
        };

        for (size_t i = 0; i < sizeof all / sizeof *all; i++)
                if (all[i].reason == reason)
                        return &all[i];
        return NULL;
}

const char *pawl__unwritten_text(int reason)
{
        const path_reason *is = reason_of(reason);

        return is && is->text ? is->text : strerrordesc_np(reason);
}

const char *pawl__unwritten_fix(int reason)
{
        const path_reason *is = reason_of(reason);

        return is ? is->fix : NULL;
}

pawl_status pawl__restore_fail(pawl_error *err, int error, pawl_text path, const char *doing)
{
        const path_reason *is = reason_of(error);

        if (path.len == 0)
                path = pawl__text("the workspace");
        if (is && is->meanwhile)
                return pawl__fail(err, PAWL_ESTATE, "%.*s: cannot %s: %s; %s", PAWL__FMT(path),
                        doing, strerrordesc_np(error), is->fix);
        return pawl__fail_errno_at(err, error, path, doing);
}

bool pawl__restore_skips(const pawl__restore_work *q, int error)
{
        return !q->r->whole && reason_of(error);
}

pawl_status pawl__restore_unwritten(
        pawl__restore_work *q, size_t step, int error, const char *doing)
{
        if (!pawl__restore_skips(q, error))
                return pawl__restore_fail(q->err, error, q->steps[step].path, doing);
        return leave(q, step, error);
}

pawl_status pawl__restore_read(pawl__restore_work *q, size_t step, pawl_status status)
{
        return (status == PAWL_EDAMAGED || status == PAWL_ENOTFOUND) && !q->r->whole
                       ? leave(q, step, PAWL__PATH_DAMAGED)
                       : status;
}
