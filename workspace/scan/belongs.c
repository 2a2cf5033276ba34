/* Directories that belong to something else: a fork, another work tree, git. */
#include "base/error.h"
#include "base/ids.h"
#include "workspace/git/git_place.h"
#include "workspace/scan/scan_internal.h"
#include <fcntl.h>
#include <unistd.h>

/* Is the name among those of the listed directory, which are sorted? */
static bool has_name(const pawl__scanner *s, const char *name)
{
        size_t low = 0, high = s->listing.n;

        while (low < high) {
                const size_t middle = low + (high - low) / 2;
                const int order = strcmp(s->listing.items[middle].name, name);
                if (order == 0)
                        return true;
                low = order < 0 ? middle + 1 : low;
                high = order < 0 ? high : middle;
        }
        return false;
}

/* The absolute path of the topmost level, without '/' at its end. */
static pawl_status path_of_level(pawl__buf *path, pawl__scanner *s, pawl_error *err)
{
        const size_t len = s->levels[s->depth - 1].path_len;

        pawl__buf_addf(path, "%s/", strcmp(s->options->root, "/") ? s->options->root : "");
        pawl__buf_add(path, s->path.data, len ? len - 1 : 0);
        return pawl__buf_check(path, err);
}

/* Does the log have a fork that runs in the topmost level's directory? */
static pawl_status look_for_fork(pawl__skip *why, pawl__scanner *s, pawl_error *err)
{
        char id[PAWL__ID_MAX + 1];
        pawl__buf path = PAWL__BUF_INIT;
        const int fd = openat(s->levels[s->depth - 1].fd, PAWL__OWN_ROOT_MARK,
                O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
        const ssize_t len = fd < 0 ? -1 : read(fd, id, sizeof id);

        if (fd >= 0)
                close(fd);
        if (len <= 0 || !s->options->is_fork)
                return PAWL_OK;
        const pawl_status status = path_of_level(&path, s, err);
        const pawl_text run_id = {id, (size_t)len - (id[len - 1] == '\n')};
        if (!status && s->options->is_fork(path.data, run_id, s->options->is_fork_user))
                *why = PAWL__SKIP_FORK;
        pawl__buf_free(&path);
        return status;
}

/* Is the topmost level's directory, or what has that name in it, a linked work tree of git? */
static pawl_status look_for_worktree(
        pawl__skip *why, pawl__scanner *s, const char *name, pawl_error *err)
{
        pawl__buf path = PAWL__BUF_INIT;
        bool is = false;
        pawl_status status = path_of_level(&path, s, err);

        if (!status && pawl__buf_adds(&path, name))
                status = pawl__nomem(err);
        if (!status)
                status = pawl__git_place_linked(&is, path.data, err);
        if (is)
                *why = PAWL__SKIP_WORKTREE;
        pawl__buf_free(&path);
        return status;
}

bool pawl__scan_is_git(const pawl__scanner *s)
{
        static const char *const directories[] = {"objects", "refs"};
        struct stat st;

        if (!has_name(s, "HEAD"))
                return false;
        for (size_t i = 0; i < 2; i++)
                if (!has_name(s, directories[i]) ||
                        fstatat(s->levels[s->depth - 1].fd, directories[i], &st, 0) != 0 ||
                        !S_ISDIR(st.st_mode))
                        return false;
        return true;
}

pawl_status pawl__scan_belongs(pawl__skip *why, pawl__scanner *s, pawl_error *err)
{
        if (pawl__scan_is_git(s))
                *why = PAWL__SKIP_REPOSITORY;
        if (!*why && has_name(s, ".pawl"))
                TRY(look_for_fork(why, s, err));
        return *why || !has_name(s, ".git") ? PAWL_OK : look_for_worktree(why, s, "", err);
}

pawl_status pawl__scan_add_of_git(pawl__scanner *s, const pawl__listed *listed, pawl_error *err)
{
        pawl__skip why = PAWL__SKIP_REPOSITORY;

        TRY(look_for_worktree(&why, s, listed->name, err));
        return pawl__scan_add_skipped(s, (pawl_text){listed->name, listed->len}, why, 0, err);
}
