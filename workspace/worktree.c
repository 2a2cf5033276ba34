/*
 * Work trees of git. Each linked one is a workspace of its own in the log that all of them share,
 * and goes by an id that is kept in its git directory: it keeps it when it is moved, and another
 * that gets its name later has another.
 */
#include "workspace/worktree.h"
#include "base/error.h"
#include "base/file.h"
#include "base/sources.h"
#include "base/system.h"
#include "workspace/git/git_index.h"
#include "workspace/git/git_place.h"
#include "workspace/workspace.h"
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static const char file_name[] = "/pawl-worktree";

static bool is_id(pawl_text id)
{
        for (size_t i = 0; i < id.len; i++)
                if (!strchr("0123456789abcdef-", id.data[i]) || !id.data[i])
                        return false;
        return id.len >= 16 && id.len <= PAWL__WORKTREE_ID_MAX;
}

/* The id that the git directory has, "" where it has none yet. */
static pawl_status read_id(char id[PAWL__WORKTREE_ID_MAX + 1], const char *file, pawl_error *err)
{
        pawl__buf text = PAWL__BUF_INIT;
        pawl_status status = pawl__git_file(&text, file, 4096, err);

        *id = '\0';
        if (!status && text.len && text.data[text.len - 1] == '\n')
                text.len--;
        if (!status && is_id(pawl__buf_text(&text)))
                snprintf(id, PAWL__WORKTREE_ID_MAX + 1, "%.*s", (int)text.len, text.data);
        else if (!status)
                status = pawl__fail(err, PAWL_EPARSE,
                        "%.300s: is no id of a work tree; remove the file, and the work tree begins "
                        "anew",
                        file);
        pawl__buf_free(&text);
        return status == PAWL_ENOTFOUND ? PAWL_OK : status;
}

/* Does the log lie in that directory? */
static bool holds_log(const char *top, const pawl_log *log)
{
        const size_t len = strlen(top); /* "TOP/" */

        return strncmp(pawl__log_place(log), top, len) == 0;
}

/* ---- Where one is now ------------------------------------------------------------------------ */

/* Does the git directory have that id? */
static bool has_id(const char *git, const char *id)
{
        char kept[PAWL__WORKTREE_ID_MAX + 1] = "";
        pawl__buf file = PAWL__BUF_INIT;

        pawl__buf_addf(&file, "%s%s", git, file_name);
        const bool has = !file.failed && !read_id(kept, file.data, NULL) && strcmp(kept, id) == 0;
        pawl__buf_free(&file);
        return has;
}

/* The directory that all work trees share of the repository around the log, or that holds it. */
static bool find_common(pawl__buf *common, const pawl_log *log)
{
        const char *const path = pawl__log_place(log), *const end = strstr(path, "/.pawl/");
        pawl__git_place place;
        struct stat st;

        if (*path != '/' || !end || pawl__buf_add(common, path, (size_t)(end - path)))
                return false;
        if (!pawl__git_place_find(&place, common->data, NULL)) {
                pawl__buf_clear(common);
                pawl__buf_add_text(common, pawl__buf_text(&place.common));
        }
        pawl__git_place_free(&place);
        pawl__buf_adds(common, "/worktrees");
        return !common->failed && stat(common->data, &st) == 0;
}

/* Append the top of the work tree that has this git directory: its file gitdir names TOP/.git. */
static bool add_top(pawl__buf *top, const char *git)
{
        static const char behind[] = "/.git\n";
        const size_t cut = sizeof behind - 1;
        pawl__buf file = PAWL__BUF_INIT, text = PAWL__BUF_INIT, path = PAWL__BUF_INIT;
        char real[PATH_MAX];

        pawl__buf_addf(&file, "%s/gitdir", git);
        bool is = !file.failed && !pawl__git_file(&text, file.data, PATH_MAX, NULL) &&
                  text.len > cut && strcmp(text.data + text.len - cut, behind) == 0;
        if (is && *text.data != '/')
                pawl__buf_addf(&path, "%s/", git);
        is = is && !pawl__buf_add(&path, text.data, text.len - cut) && realpath(path.data, real) &&
             !pawl__buf_adds(top, real);
        pawl__buf_free(&file);
        pawl__buf_free(&text);
        pawl__buf_free(&path);
        return is;
}

/* pawl__worktree_find_fn. What no repository says is as it was. */
static bool find_worktree(pawl__buf *top, const pawl_log *log, const char *id, const char *root)
{
        pawl__buf git = PAWL__BUF_INIT;
        pawl__git_place place;
        bool found = !pawl__git_place_at(&place, root, NULL) && has_id(place.git.data, id);
        const bool asked = !found && find_common(&git, log);
        DIR *const list = asked ? opendir(git.data) : NULL;
        const size_t len = git.len;

        pawl__git_place_free(&place);
        for (const struct dirent *entry; list && !found && (entry = readdir(list));) {
                git.len = len;
                if (!pawl__buf_addf(&git, "/%s", entry->d_name) && has_id(git.data, id))
                        found = add_top(top, git.data);
        }
        if (list)
                closedir(list);
        pawl__buf_free(&git);
        return found || !list;
}

void pawl__worktrees_follow(pawl__state *state)
{
        pawl__state_find_worktrees(state, find_worktree);
}

/* ---- Entering one ---------------------------------------------------------------------------- */

static pawl_status enter(
        pawl__state *state, const pawl_log *log, const pawl__git_place *place, pawl_error *err)
{
        const pawl_sources *sources = pawl__log_sources(log);
        char id[PAWL__WORKTREE_ID_MAX + 1], top[PATH_MAX];
        pawl__buf file = PAWL__BUF_INIT;

        if (!realpath(place->top.data, top))
                return pawl__fail_errno(err, errno, place->top.data, "find it");
        pawl__buf_addf(&file, "%s%s", place->git.data, file_name);
        pawl_status status = pawl__buf_check(&file, err);
        if (!status)
                status = read_id(id, file.data, err);
        if (!status && !*id)
                sources->uuid(id, sources->user);
        if (!status)
                status = pawl__state_set_worktree(state, id, top, err);
        pawl__buf_free(&file);
        return status;
}

pawl_status pawl__workspace_enter(pawl_log *log, const char *directory, pawl_error *err)
{
        pawl_error unread = PAWL_ERROR_INIT;
        pawl__git_place place;
        pawl__state *state;
        pawl_status status = pawl__state_of(&state, log, err);

        if (status)
                return status;
        status = pawl__git_place_find(&place, directory, &unread);
        if (status == PAWL_ENOMEM)
                status = pawl__nomem(err);
        else if (status || strcmp(place.git.data, place.common.data) == 0 ||
                 holds_log(place.top.data, log))
                status = pawl__state_set_worktree(state, "", NULL, err);
        else
                status = enter(state, log, &place, err);
        pawl__git_place_free(&place);
        return status;
}

static pawl_status keep_id(const char *worktree, const char *root, pawl_error *err)
{
        pawl__git_place place;
        pawl__buf file = PAWL__BUF_INIT;
        char id[PAWL__WORKTREE_ID_MAX + 1] = "";
        pawl_status status = pawl__git_place_find(&place, root, err);

        pawl__buf_addf(&file, "%s%s", status ? "" : place.git.data, file_name);
        if (!status)
                status = pawl__buf_check(&file, err);
        if (!status)
                status = read_id(id, file.data, err);
        if (!status && !*id) {
                const int len = snprintf(id, sizeof id, "%.63s\n", worktree);
                const int error = pawl__replace_file(file.data, id, (size_t)len, 0666);
                if (error)
                        status = pawl__fail_errno(err, error, file.data, "keep the work tree's id");
        } else if (!status && strcmp(id, worktree) != 0) {
                status = pawl__fail(err, PAWL_EHELD,
                        "work tree %.200s: another process began in it meanwhile; try again", root);
        }
        pawl__git_place_free(&place);
        pawl__buf_free(&file);
        return status;
}

pawl_status pawl__workspace_keep_id(pawl__workspace *ws, pawl_error *err)
{
        return !*ws->worktree || ws->any ? PAWL_OK : keep_id(ws->worktree, ws->root, err);
}

pawl_status pawl__worktree_write(pawl__json_writer *w, const pawl__state *state, pawl_error *err)
{
        const char *root, *id = pawl__state_worktree(state, &root);

        if (!*id)
                return PAWL_OK;
        pawl__json_member_string(w, "worktree", id);
        pawl__json_member_string(w, "root", root);
        return keep_id(id, root, err);
}
