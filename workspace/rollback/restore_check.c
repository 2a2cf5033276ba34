/* What is at the paths of a plan, before a restore and right before each of its acts. */
#include "base/error.h"
#include "base/system.h"
#include "workspace/rollback/restore_internal.h"
#include "workspace/store/acl.h"
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

pawl_status pawl__restore_changed(pawl__restore_work *q, pawl_text path)
{
        return pawl__fail(q->err, PAWL_ESTATE,
                "%.*s: was changed by somebody else while the files were put back, and was left so; "
                "move it away",
                PAWL__FMT(path));
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
        pawl__restore_work *q, pawl_text path, uint32_t *mode, unsigned char hash[32])
{
        ssize_t len = 0;
        int fd = pawl__rootdir_file(q->root, path, O_RDONLY, 0);
        pawl_status status;

        if (fd < 0)
                return pawl__restore_fail(q->err, errno, path, "read the file");
        status = pawl__hasher_begin(q->hasher, q->err);
        while (!status && (len = read(fd, q->buffer, PAWL__RESTORE_BUFFER)) != 0) {
                if (len < 0 && errno != EINTR)
                        status = pawl__restore_fail(q->err, errno, path, "read the file");
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
        pawl_status status = hash_file(q, q->steps[step].path, &state->mode, hash);

        if (status)
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
                return pawl__restore_fail(q->err, errno, q->steps[step].path, "read the link");
        pawl_text target = {q->buffer, (size_t)len};
        q->states[step].same =
                goal->kind == PAWL__ENTRY_LINK && pawl__text_eq(goal->target, target);
        *expected = q->states[step].same ||
                    (origin->kind == PAWL__ENTRY_LINK && pawl__text_eq(origin->target, target));
        return PAWL_OK;
}

static pawl_status refuse_own(pawl__restore_work *q, pawl_text path)
{
        return pawl__fail(q->err, PAWL_ESTATE,
                "%.*s: is one of the log's own files, which no rollback touches; move it away",
                PAWL__FMT(path));
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
        pawl_text path = q->steps[step].path;
        struct stat found;
        bool expected = false;
        pawl_status status = PAWL_OK;

        q->states[step] = (pawl__path_state){0};
        if (pawl__own_files_named(q->r->own, path))
                return refuse_own(q, path);
        if (pawl__rootdir_stat(q->root, path, &found) != 0) {
                q->states[step].same = goal->kind == PAWL__ENTRY_NONE;
                return is_absent(errno) ? PAWL_OK
                                        : pawl__restore_fail(q->err, errno, path, "look at it");
        }
        if (pawl__own_files_is(q->r->own, &found))
                return refuse_own(q, path);
        q->states[step] = state_of(&found);
        switch (q->states[step].kind) {
        case 'f':
                status = look_at_file(q, step, &expected);
                break;
        case 'l':
                status = look_at_link(q, step, &expected);
                break;
        case 'd':
                q->states[step].same = goal->kind == PAWL__ENTRY_DIRECTORY;
                expected = q->states[step].same || origin->kind == PAWL__ENTRY_DIRECTORY;
                break;
        default:
                break;
        }
        return status || expected ? status : pawl__restore_changed(q, path);
}

pawl_status pawl__restore_still(pawl__restore_work *q, size_t step)
{
        const pawl__path_state *then = &q->states[step];
        pawl_text path = q->steps[step].path;
        pawl__path_state now = {0};
        struct stat found;

        if (pawl__rootdir_stat(q->root, path, &found) == 0)
                now = state_of(&found);
        else if (errno != ENOENT)
                return pawl__restore_fail(q->err, errno, path, "look at it again");
        if (now.kind == 0) /* nothing can be lost there */
                return PAWL_OK;
        /* another name of it may have come or gone: that changes its ctime, and not its content */
        if (now.kind != then->kind || now.dev != then->dev || now.ino != then->ino ||
                now.size != then->size || now.mtime_ns != then->mtime_ns ||
                (now.ctime_ns != then->ctime_ns && now.links == then->links))
                return pawl__restore_changed(q, path);
        return PAWL_OK;
}

/* Paths were checked before: a name that is gone now, a directory that is a link or holds something
 * more, is somebody else at work, and not a path that was given wrongly. */
pawl_status pawl__restore_fail(pawl_error *err, int error, pawl_text path, const char *doing)
{
        static const struct {
                int error;
                const char *fix;
        } meanwhile[] = {
                {ELOOP, "a directory on the way is a symbolic link now; put it back"},
                {ENOENT, "its directory went away; put it back"},
                {ENOTDIR, "its directory is none any more; put it back"},
                {ENOTEMPTY, "somebody put something into it; move that away"},
        };

        if (path.len == 0)
                path = pawl__text("the workspace");
        for (size_t i = 0; i < sizeof meanwhile / sizeof meanwhile[0]; i++)
                if (meanwhile[i].error == error)
                        return pawl__fail(err, PAWL_ESTATE, "%.*s: cannot %s: %s; %s",
                                PAWL__FMT(path), doing, strerrordesc_np(error), meanwhile[i].fix);
        return pawl__fail_errno_at(err, error, path, doing);
}

/* Does the error concern one path, so that others can be written all the same? */
bool pawl__restore_skips(const pawl__restore_work *q, int error)
{
        static const int of_a_path[] = {EACCES, EPERM, EROFS, EBUSY, ENOSPC, EDQUOT, ETXTBSY, EXDEV,
                EFBIG, ENAMETOOLONG, ENOTEMPTY, EOPNOTSUPP};

        for (size_t i = 0; i < sizeof of_a_path / sizeof *of_a_path; i++)
                if (!q->r->whole && of_a_path[i] == error)
                        return true;
        return false;
}

pawl_status pawl__restore_unwritten(
        pawl__restore_work *q, size_t step, int error, const char *doing)
{
        if (!pawl__restore_skips(q, error))
                return pawl__restore_fail(q->err, error, q->steps[step].path, doing);
        q->states[step].failed = error;
        return PAWL_OK;
}
