#include "workspace/rollback/restore.h"
#include "base/error.h"
#include "workspace/rollback/restore_internal.h"
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- Paths that cannot be written ----------------------------------------------------------- */

/* Does the step lie in a directory that could not be made, or could not take the place of something
 * else? */
static bool lacks_directory(const pawl__restore_work *q, size_t step)
{
        const size_t above = q->states[step].above;

        return above != PAWL__NO_STEP && q->states[above].failed && q->states[above].kind != 'd' &&
               pawl__goal(q, above)->kind == PAWL__ENTRY_DIRECTORY;
}

static void list_unwritten(pawl__restore *r, size_t step, int reason)
{
        if (!reason || !r->unwritten)
                return;
        r->unwritten[step] = reason;
        r->n_unwritten++;
}

/* ---- One phase after the other ------------------------------------------------------------ */

/* Names come and go in a directory only with its write permission: its mode comes back at the end.
 * Where none does, it is left alone: it may be somebody else's. */
static pawl_status open_directories(pawl__restore_work *q)
{
        for (size_t i = 0; i < q->n; i++) {
                pawl__path_state *state = &q->states[i];
                pawl_text path = q->steps[i].path;
                if (state->kind != 'd' || pawl__rootdir_writable(q->root, path) == 0)
                        continue;
                if (errno == EACCES && !state->stirs)
                        continue;
                if (errno != EACCES && !pawl__restore_skips(q, errno))
                        return pawl__restore_fail(q->err, errno, path, "look at the directory");
                if (errno == EACCES &&
                        pawl__rootdir_chmod(q->root, path, (mode_t)(state->mode | 0700)) != 0 &&
                        !pawl__restore_skips(q, errno))
                        return pawl__restore_fail(
                                q->err, errno, path, "make the directory writable");
        }
        return PAWL_OK;
}

static bool must_go(const pawl__restore_work *q, size_t step)
{
        const pawl__entry *goal = pawl__goal(q, step);
        char kind = q->states[step].kind;

        if (!kind || q->states[step].same || q->states[step].failed)
                return false;
        return goal->kind == PAWL__ENTRY_NONE || goal->kind == PAWL__ENTRY_DIRECTORY || kind == 'd';
}

/* What is to go goes, the innermost first. A link or file that another takes the place of stays
 * until then. */
static pawl_status remove_all(pawl__restore_work *q)
{
        pawl_status status = PAWL_OK;

        for (size_t i = q->n; i-- > 0 && !status;) {
                pawl_text path = q->steps[i].path;
                bool directory = q->states[i].kind == 'd';
                if (!must_go(q, i))
                        continue;
                if (directory && q->states[i].stuck)
                        status = pawl__restore_unwritten(
                                q, i, q->states[i].stuck, "remove the directory");
                else if (!directory)
                        status = pawl__restore_still(q, i);
                if (status || q->states[i].failed)
                        continue;
                if ((directory ? pawl__rootdir_rmdir(q->root, path)
                               : pawl__rootdir_unlink(q->root, path)) != 0 &&
                        errno != ENOENT) {
                        status = pawl__restore_unwritten(
                                q, i, errno, directory ? "remove the directory" : "remove it");
                        continue;
                }
                if (directory)
                        pawl__rootdir_forget(q->root);
                else
                        q->r->removed++;
                q->states[i].kind = 0;
        }
        return status;
}

static pawl_status make_directory(pawl__restore_work *q, size_t step)
{
        const pawl_text path = q->steps[step].path;
        pawl__owner owner;

        if (pawl__rootdir_mkdir(q->root, path, 0700) != 0)
                return errno == EEXIST
                               ? pawl__restore_changed(q, step)
                               : pawl__restore_unwritten(q, step, errno, "make the directory");
        if (q->gives)
                TRY(pawl__restore_owner(&owner, q, step));
        if (pawl__rootdir_drop_acl(q->root, path) == 0 &&
                (!q->gives || pawl__rootdir_give(q->root, path, owner.uid, owner.gid) == 0))
                return PAWL_OK;
        const int error = pawl__give_error(errno);
        (void)pawl__rootdir_rmdir(q->root, path);
        return pawl__restore_unwritten(q, step, error, "give the directory to its owner");
}

static pawl_status make_directories(pawl__restore_work *q)
{
        for (size_t i = 0; i < q->n; i++) {
                const pawl__path_state *state = &q->states[i];
                if (state->failed)
                        continue;
                if (!state->same && lacks_directory(q, i))
                        TRY(pawl__restore_unwritten(
                                q, i, q->states[state->above].failed, "make its directory"));
                else if (pawl__goal(q, i)->kind == PAWL__ENTRY_DIRECTORY && state->kind != 'd')
                        TRY(make_directory(q, i));
        }
        return PAWL_OK;
}

/* Of files whose content is what it should be. */
static pawl_status set_file_modes(pawl__restore_work *q)
{
        pawl_status status = PAWL_OK;

        for (size_t i = 0; i < q->n && !status; i++) {
                const pawl__entry *goal = pawl__goal(q, i);
                if (goal->kind != PAWL__ENTRY_FILE || q->states[i].failed ||
                        pawl__restore_makes(q, i) ||
                        q->states[i].mode == pawl__goal_mode(q, i, q->states[i].mode))
                        continue;
                status = pawl__restore_still(q, i);
                if (!status && !q->states[i].failed &&
                        (pawl__rootdir_drop_acl(q->root, q->steps[i].path) ||
                                pawl__rootdir_chmod(q->root, q->steps[i].path,
                                        (mode_t)pawl__goal_mode(q, i, q->states[i].mode))))
                        status = pawl__restore_unwritten(q, i, errno, "set the mode");
        }
        return status;
}

/* One that is only written in has been opened for a while, and keeps its access control list. */
static pawl_status set_directory_mode(pawl__restore_work *q, size_t step)
{
        const pawl__entry *goal = pawl__goal(q, step), *origin = pawl__origin(q, step);
        const bool opened = origin->kind == goal->kind && origin->mode == goal->mode;
        const pawl_text path = q->steps[step].path;
        struct stat found;

        if (!opened && q->states[step].kind == 'd' && pawl__rootdir_drop_acl(q->root, path) != 0)
                return pawl__restore_unwritten(q, step, errno, "set the directory's mode");
        if (pawl__rootdir_stat(q->root, path, &found) != 0)
                return pawl__restore_unwritten(q, step, errno, "look at the directory");
        uint32_t mode = pawl__goal_mode(q, step, found.st_mode);
        if (opened)
                mode = (mode & 0700) | (found.st_mode & 07077);
        if ((found.st_mode & 07777) != mode &&
                pawl__rootdir_chmod(q->root, path, (mode_t)mode) != 0)
                return pawl__restore_unwritten(q, step, errno, "set the directory's mode");
        return PAWL_OK;
}

/* The innermost first: its directory may not let us in afterwards. */
static pawl_status set_directory_modes(pawl__restore_work *q)
{
        for (size_t i = q->n; i-- > 0;)
                if (pawl__goal(q, i)->kind == PAWL__ENTRY_DIRECTORY && !q->states[i].failed)
                        TRY(set_directory_mode(q, i));
        return PAWL_OK;
}

static pawl_status do_all(pawl__restore_work *q)
{
        pawl_status status = open_directories(q);

        if (!status && q->r->again)
                status = pawl__restore_sweep(q);
        if (!status)
                status = remove_all(q);
        if (!status)
                status = make_directories(q);
        if (!status)
                status = pawl__restore_make_all(q);
        if (!status)
                status = set_file_modes(q);
        pawl__rootdir_forget(q->root);
        if (!status)
                status = set_directory_modes(q);
        if (!status && !q->r->unsynced && syncfs(q->root->root) != 0)
                status = pawl__restore_fail(
                        q->err, errno, pawl__text("the workspace"), "sync its file system");
        return status;
}

/* ---- The whole ------------------------------------------------------------------------------ */

static pawl_status begin(pawl__restore_work *q, pawl__restore *restore, pawl_error *err)
{
        struct stat root;
        pawl_status status = PAWL_OK;

        *q = (pawl__restore_work){
                .r = restore, .root = restore->root, .steps = restore->plan->steps, .err = err};
        restore->written = restore->removed = 0;
        if (fstat(restore->root->root, &root) != 0)
                return pawl__restore_fail(err, errno, pawl__text(""), "look at its root");
        q->dev = (uint64_t)root.st_dev;
        q->gives = geteuid() == 0;
        q->states = calloc(restore->plan->n_steps + 1, sizeof *q->states);
        q->buffer = malloc(PAWL__RESTORE_BUFFER);
        if (q->states && q->buffer)
                q->n = restore->plan->n_steps;
        else
                status = pawl__nomem(err);
        for (size_t i = 0; i < q->n; i++)
                q->states[i].above = PAWL__NO_STEP;
        if (!status)
                status = pawl__hasher_new(&q->hasher, err);
        pawl__rootdir_forget(q->root);
        return status;
}

/* The innermost step that this one lies in: steps are in the order of a walk. */
static size_t above_of(const pawl__restore_work *q, size_t step)
{
        size_t above = step ? step - 1 : PAWL__NO_STEP;

        while (above != PAWL__NO_STEP && q->steps[above].path.len &&
                !pawl__path_within(q->steps[step].path, q->steps[above].path))
                above = q->states[above].above;
        return above;
}

static pawl_status look_at_all(pawl__restore_work *q)
{
        pawl_status status = PAWL_OK;

        for (size_t i = 0; i < q->n && !status; i++) {
                q->states[i].above = above_of(q, i);
                status = pawl__restore_inspect(q, i);
        }
        for (size_t i = q->n; i-- > 0;) {
                const pawl__path_state *state = &q->states[i];
                if (state->above != PAWL__NO_STEP && (!state->same || state->stirs))
                        q->states[state->above].stirs = true;
        }
        pawl__rootdir_forget(q->root);
        return status;
}

/* The contents that would be written. */
static pawl_status verify_all(pawl__restore_work *q)
{
        const pawl__restore_source *source = q->r->source;

        for (size_t i = 0; i < q->n; i++) {
                const pawl__entry *goal = pawl__goal(q, i);
                if (goal->kind == PAWL__ENTRY_FILE && pawl__restore_makes(q, i))
                        TRY(pawl__restore_read(q, i,
                                source->read(goal->hash, goal->size, pawl__content_to_nothing, NULL,
                                        source->user, q->err)));
        }
        return PAWL_OK;
}

static void end(pawl__restore_work *q)
{
        pawl__rootdir_forget(q->root);
        pawl__hasher_free(q->hasher);
        free(q->states);
        free(q->buffer);
}

static pawl_status look_and(bool run, pawl__restore *restore, pawl_error *err)
{
        pawl__restore_work q;
        pawl_status status = begin(&q, restore, err);

        restore->n_unwritten = 0;
        if (!status)
                status = look_at_all(&q);
        if (!status)
                status = run ? do_all(&q) : verify_all(&q);
        for (size_t i = 0; i < q.n && !status; i++)
                list_unwritten(restore, i, q.states[i].failed);
        end(&q);
        return status;
}

pawl_status pawl__restore_run(pawl__restore *restore, pawl_error *err)
{
        return look_and(true, restore, err);
}

pawl_status pawl__restore_look(pawl__restore *restore, pawl_error *err)
{
        return look_and(false, restore, err);
}

pawl_status pawl__restore_checker_new(
        pawl__restore_checker **out, pawl__restore *restore, pawl_error *err)
{
        pawl__restore_work *q = malloc(sizeof *q);

        if (!q)
                return pawl__nomem(err);
        pawl_status status = begin(q, restore, err);
        if (status)
                pawl__restore_checker_free(q);
        else
                *out = q;
        return status;
}

void pawl__restore_checker_free(pawl__restore_checker *checker)
{
        if (!checker)
                return;
        end(checker);
        free(checker);
}

pawl_status pawl__restore_check(pawl__restore_checker *q, size_t step)
{
        const pawl__entry *goal = pawl__goal(q, step);
        const bool moded = goal->kind == PAWL__ENTRY_FILE || goal->kind == PAWL__ENTRY_DIRECTORY;

        const pawl__path_state *state = &q->states[step];

        pawl__rootdir_forget(q->root); /* others may have moved a directory since */
        TRY(pawl__restore_inspect(q, step));
        if (!state->failed &&
                (!state->same || (moded && state->mode != pawl__goal_mode(q, step, state->mode))))
                TRY(pawl__restore_changed(q, step));
        list_unwritten(q->r, step, state->failed);
        return PAWL_OK;
}
