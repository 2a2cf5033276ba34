/*
 * Files and links come into being: under other names first, some at a time, then they are waited
 * for, then they get their names. What fails on the way takes its other names with it.
 */
#include "base/error.h"
#include "base/file.h"
#include "workspace/rollback/restore_internal.h"
#include "workspace/store/acl.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

enum {
        BATCH_FILES = 256, /* at most so many at a time */
        FEW_FILES = 8,     /* up to so many are waited for one by one */
        DIGITS = 16,
        NAME_LEN = sizeof PAWL__TEMPORARY_PREFIX - 1 + DIGITS
};
#define BATCH_BYTES ((uint64_t)128 << 20)

typedef struct batch {
        size_t steps[BATCH_FILES];
        int files[FEW_FILES]; /* the first of them are open still; -1: a link */
        size_t n, renamed;
        uint64_t first_name, bytes;
} batch;

static void name_of(char name[NAME_LEN + 1], uint64_t number)
{
        snprintf(name, NAME_LEN + 1, "%s%016" PRIx64, PAWL__TEMPORARY_PREFIX, number);
}

bool pawl__restore_makes(const pawl__restore_work *q, size_t step)
{
        const pawl__entry *goal = pawl__goal(q, step);
        const pawl__path_state *state = &q->states[step];

        if (state->failed)
                return false;
        if (goal->kind == PAWL__ENTRY_LINK)
                return !state->same;
        /* the mode of a file with other names would be theirs too: it is made anew */
        return goal->kind == PAWL__ENTRY_FILE &&
               (!state->same ||
                       (state->mode != pawl__goal_mode(q, step, state->mode) && state->links > 1));
}

/* ---- One file under another name ------------------------------------------------------------ */

typedef struct sink {
        int fd;
        pawl__restore_work *q;
        size_t step;
} sink;

static pawl_status write_piece(const void *data, size_t len, void *user, pawl_error *err)
{
        const sink *to = user;
        const int error = to->q->states[to->step].failed ? 0 : pawl__write_all(to->fd, data, len);

        (void)err; /* it is q's */
        return error ? pawl__restore_unwritten(to->q, to->step, error, "write the file") : PAWL_OK;
}

/* "DIRECTORY/NAME" beside @p path. */
static pawl_status beside(pawl__buf *out, pawl_text path, const char *name)
{
        pawl_text directory = pawl__rootdir_parent(path);

        pawl__buf_clear(out);
        if (directory.len &&
                (pawl__buf_add(out, directory.data, directory.len) || pawl__buf_addc(out, '/')))
                return PAWL_ENOMEM;
        return pawl__buf_adds(out, name);
}

/* What runs as its owner or group does so again only if it did, as the same. */
static mode_t mode_of(const pawl__restore_work *q, size_t step, const struct stat *made)
{
        const pawl__path_state *state = &q->states[step];
        uint32_t had = state->kind == 'f' && state->uid == made->st_uid ? state->mode : 0;

        if (state->gid != made->st_gid)
                had &= ~(uint32_t)S_ISGID;
        return (mode_t)pawl__goal_mode(q, step, had);
}

/* The new file is its owner's, as far as this user may give it away. */
static pawl_status give_file(pawl__restore_work *q, size_t step, int fd, struct stat *made)
{
        const pawl__path_state *state = &q->states[step];
        pawl__owner owner = {made->st_uid, state->links ? state->gid : made->st_gid};

        if (q->gives)
                TRY(pawl__restore_owner(&owner, q, step));
        if (owner.uid == made->st_uid && owner.gid == made->st_gid)
                return PAWL_OK;
        if (fchown(fd, owner.uid, owner.gid) != 0)
                return q->gives ? pawl__restore_unwritten(q, step, pawl__give_error(errno),
                                          "give the file to its owner")
                                : PAWL_OK; /* a group that this user is not in */
        made->st_uid = owner.uid;
        made->st_gid = owner.gid;
        return PAWL_OK;
}

static pawl_status fill_file(pawl__restore_work *q, batch *b, size_t step, int fd)
{
        const pawl__entry *goal = pawl__goal(q, step);
        const pawl__restore_source *source = q->r->source;
        sink to = {fd, q, step};
        struct stat made;
        TRY(pawl__restore_read(q, step,
                source->read(goal->hash, goal->size, write_piece, &to, source->user, q->err)));
        if (q->states[step].failed)
                return PAWL_OK;
        if (fstat(fd, &made) != 0 || pawl__acl_drop(fd) != 0)
                return pawl__restore_unwritten(q, step, errno, "look at the file");
        TRY(give_file(q, step, fd, &made));
        if (fchmod(fd, mode_of(q, step, &made)) != 0)
                return pawl__restore_unwritten(q, step, errno, "set the mode");
        if ((uint64_t)made.st_dev != q->dev && !q->r->unsynced &&
                fsync(fd) != 0) /* syncfs() does not reach it */
                return pawl__restore_fail(q->err, errno, q->steps[step].path, "sync the file");
        b->bytes += goal->size;
        return PAWL_OK;
}

/* Of a path that is left as it is: a rollback that ends leaves none of them. */
static pawl_status remove_temporary(pawl__restore_work *q, size_t step, const pawl__buf *temporary)
{
        if (pawl__rootdir_unlink(q->root, pawl__buf_text(temporary)) == 0 ||
                pawl__restore_skips(q, errno)) /* a later one sweeps it */
                return PAWL_OK;
        return pawl__restore_fail(
                q->err, errno, q->steps[step].path, "remove a temporary file beside it");
}

/* Under the batch's next name. */
static pawl_status make_one(pawl__restore_work *q, batch *b, size_t step, pawl__buf *temporary)
{
        const pawl__entry *goal = pawl__goal(q, step);
        pawl_text path = q->steps[step].path;
        char name[NAME_LEN + 1];
        pawl__owner owner;
        int fd = -1;

        name_of(name, b->first_name + b->n);
        if (beside(temporary, path, name))
                return pawl__nomem(q->err);
        if (goal->kind == PAWL__ENTRY_LINK) {
                if (q->gives)
                        TRY(pawl__restore_owner(&owner, q, step));
                if (pawl__rootdir_symlink(q->root, pawl__buf_text(temporary), goal->target.data) !=
                        0)
                        return pawl__restore_unwritten(q, step, errno, "make the link");
                if (q->gives) {
                        if (pawl__rootdir_give(q->root, pawl__buf_text(temporary), owner.uid,
                                    owner.gid) != 0) {
                                const int error = pawl__give_error(errno);
                                TRY(remove_temporary(q, step, temporary));
                                return pawl__restore_unwritten(
                                        q, step, error, "give the link to its owner");
                        }
                }
        } else {
                fd = pawl__rootdir_file(
                        q->root, pawl__buf_text(temporary), O_WRONLY | O_CREAT | O_EXCL, 0600);
                if (fd < 0)
                        return pawl__restore_unwritten(q, step, errno, "make the file");
        }
        b->steps[b->n] = step;
        if (b->n < FEW_FILES)
                b->files[b->n] = fd;
        pawl_status status = fd < 0 ? PAWL_OK : fill_file(q, b, step, fd);
        if (!status && q->states[step].failed) { /* what was written of it makes room */
                close(fd);
                return remove_temporary(q, step, temporary);
        }
        if (b->n++ >= FEW_FILES && fd >= 0 && close(fd) != 0 && !status)
                status = pawl__restore_fail(q->err, errno, path, "write the file");
        return status;
}

/* ---- A batch -------------------------------------------------------------------------------- */

static pawl_status sync_batch(pawl__restore_work *q, const batch *b)
{
        if (q->r->unsynced)
                return PAWL_OK;
        if (b->n > FEW_FILES)
                return syncfs(q->root->root) == 0
                               ? PAWL_OK
                               : pawl__restore_fail(q->err, errno, pawl__text("the workspace"),
                                         "sync its file system");
        for (size_t i = 0; i < b->n; i++)
                if (b->files[i] >= 0 && fdatasync(b->files[i]) != 0)
                        return pawl__restore_fail(
                                q->err, errno, q->steps[b->steps[i]].path, "sync the file");
        return PAWL_OK;
}

static pawl_status rename_one(pawl__restore_work *q, batch *b, pawl__buf *temporary)
{
        size_t step = b->steps[b->renamed];
        pawl_text path = q->steps[step].path;
        bool exists = q->states[step].kind == 'f' || q->states[step].kind == 'l';
        char name[NAME_LEN + 1];

        if (exists)
                TRY(pawl__restore_still(q, step));
        name_of(name, b->first_name + b->renamed);
        if (!q->states[step].failed && pawl__rootdir_rename(q->root, name, path, exists) != 0)
                TRY(errno == EEXIST ? pawl__restore_changed(q, step)
                                    : pawl__restore_unwritten(q, step, errno, "rename to it"));
        if (q->states[step].failed) {
                if (beside(temporary, path, name))
                        return pawl__nomem(q->err);
                TRY(remove_temporary(q, step, temporary));
        } else {
                q->r->written++;
        }
        b->renamed++;
        return PAWL_OK;
}

/* What has not got its name goes; and nothing of it is open any more. */
static void end_batch(pawl__restore_work *q, batch *b, pawl__buf *temporary)
{
        char name[NAME_LEN + 1];

        for (size_t i = 0; i < b->n && i < FEW_FILES; i++)
                if (b->files[i] >= 0)
                        close(b->files[i]);
        for (size_t i = b->renamed; i < b->n; i++) {
                name_of(name, b->first_name + i);
                if (!beside(temporary, q->steps[b->steps[i]].path, name))
                        (void)pawl__rootdir_unlink(q->root, pawl__buf_text(temporary));
        }
}

/* From the step *next on; leaves *next behind the last one. */
static pawl_status make_batch(pawl__restore_work *q, size_t *next, pawl__buf *temporary)
{
        batch b = {.first_name = q->r->names};
        pawl_status status = PAWL_OK;

        pawl__rootdir_forget(q->root);
        for (; *next < q->n && !status && b.n < BATCH_FILES && b.bytes < BATCH_BYTES; ++*next)
                if (pawl__restore_makes(q, *next))
                        status = make_one(q, &b, *next, temporary);
        if (!status)
                status = sync_batch(q, &b);
        pawl__rootdir_forget(q->root);
        while (!status && b.renamed < b.n)
                status = rename_one(q, &b, temporary);
        q->r->names += b.n;
        end_batch(q, &b, temporary);
        return status;
}

pawl_status pawl__restore_make_all(pawl__restore_work *q)
{
        pawl__buf temporary = PAWL__BUF_INIT;
        pawl_status status = PAWL_OK;

        for (size_t next = 0; next < q->n && !status;)
                status = make_batch(q, &next, &temporary);
        pawl__buf_free(&temporary);
        return status;
}

/* ---- What a restore that was killed has left ------------------------------------------------ */

static bool is_temporary(const char *name)
{
        static const size_t prefix = sizeof PAWL__TEMPORARY_PREFIX - 1;

        return strlen(name) == NAME_LEN && memcmp(name, PAWL__TEMPORARY_PREFIX, prefix) == 0 &&
               strspn(name + prefix, "0123456789abcdef") == DIGITS;
}

static pawl_status sweep_directory(pawl__restore_work *q, pawl_text directory)
{
        const struct dirent *entry;
        pawl_status status = PAWL_OK;
        int fd = pawl__rootdir_directory(q->root, directory);
        DIR *names = fd < 0 ? NULL : fdopendir(fd);

        if (!names) {
                if (fd >= 0)
                        close(fd);
                if (errno == ENOENT || errno == ENOTDIR || errno == ELOOP ||
                        pawl__restore_skips(q, errno))
                        return PAWL_OK;
                return pawl__restore_fail(q->err, errno, directory, "read the directory");
        }
        while (!status && (entry = readdir(names)))
                if (is_temporary(entry->d_name) && unlinkat(fd, entry->d_name, 0) != 0 &&
                        !pawl__restore_skips(q, errno))
                        status = pawl__restore_fail(
                                q->err, errno, directory, "remove a temporary file in it");
        closedir(names);
        return status;
}

pawl_status pawl__restore_sweep(pawl__restore_work *q)
{
        pawl__map swept = PAWL__MAP_INIT;
        pawl_status status = PAWL_OK;

        for (size_t i = 0; i < q->n && !status; i++) {
                pawl_text directory = pawl__rootdir_parent(q->steps[i].path);
                if (pawl__map_get(&swept, directory) != PAWL__MAP_NONE)
                        continue;
                status = pawl__map_put(&swept, directory, 0) ? pawl__nomem(q->err)
                                                             : sweep_directory(q, directory);
        }
        pawl__map_free(&swept);
        return status;
}
