/* See workspace/git/git_place.h; what lies where is gitrepository-layout(5). */
#include "workspace/git/git_place.h"
#include "base/error.h"
#include "base/system.h"
#include "workspace/git/git_index.h"
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_MAX_BYTES = 4096 };

/* A path out of a file, of one line: relative to @p directory. */
static pawl_status read_path(
        pawl__buf *out, const char *file, const char *before, pawl_text directory, pawl_error *err)
{
        pawl__buf text = PAWL__BUF_INIT;
        const size_t skip = strlen(before);
        pawl_status status = pawl__git_file(&text, file, PATH_MAX_BYTES, err);

        while (!status && text.len &&
                (text.data[text.len - 1] == '\n' || text.data[text.len - 1] == '\r'))
                text.data[--text.len] = '\0';
        if (!status && (text.len <= skip || memcmp(text.data, before, skip) != 0))
                status = pawl__fail(err, PAWL_EPARSE,
                        "%.300s: names no repository; look with `git status`", file);
        pawl__buf_clear(out);
        if (!status && text.data[skip] != '/' &&
                (pawl__buf_add(out, directory.data, directory.len) || pawl__buf_addc(out, '/')))
                status = pawl__nomem(err);
        if (!status && pawl__buf_adds(out, text.data + skip))
                status = pawl__nomem(err);
        pawl__buf_free(&text);
        return status;
}

/* Is what is at place->git, "TOP/.git", a repository, or does it name one? PAWL_ENOTFOUND. */
static pawl_status take(pawl__git_place *place, pawl_error *err)
{
        pawl__buf file = PAWL__BUF_INIT;
        struct stat st;
        pawl_status status = PAWL_OK;

        if (stat(place->git.data, &st) != 0)
                return errno == ENOENT || errno == ENOTDIR || errno == ELOOP
                               ? PAWL_ENOTFOUND
                               : pawl__fail_errno(err, errno, place->git.data, "look at it");
        if (S_ISREG(st.st_mode)) {
                if (pawl__buf_adds(&file, place->git.data))
                        status = pawl__nomem(err);
                if (!status)
                        status = read_path(&place->git, file.data,
                                "gitdir: ", pawl__buf_text(&place->top), err);
        }
        pawl__buf_clear(&file);
        if (!status && pawl__buf_addf(&file, "%s/HEAD", place->git.data))
                status = pawl__nomem(err);
        if (!status && lstat(file.data, &st) != 0)
                status = errno == EACCES ? pawl__fail_errno(err, errno, file.data, "look at it")
                                         : PAWL_ENOTFOUND;
        pawl__buf_clear(&file);
        if (!status && pawl__buf_addf(&file, "%s/commondir", place->git.data))
                status = pawl__nomem(err);
        if (!status) {
                status = read_path(&place->common, file.data, "", pawl__buf_text(&place->git), err);
                if (status == PAWL_ENOTFOUND)
                        status = pawl__buf_adds(&place->common, place->git.data) ? pawl__nomem(err)
                                                                                 : PAWL_OK;
        }
        pawl__buf_free(&file);
        return status;
}

/* May the repository of a directory above the root say what is captured? */
static bool counts(const pawl__git_place *place, const struct stat *root)
{
        struct stat git, top;

        return stat(place->git.data, &git) == 0 && stat(place->top.data, &top) == 0 &&
               top.st_dev == root->st_dev &&
               (git.st_uid == geteuid() || git.st_uid == root->st_uid);
}

/* Is @p directory, with '/' at its end, one of git's own? It has HEAD, objects and refs. */
static bool is_git(const char *directory)
{
        static const char *const names[] = {"HEAD", "objects/", "refs/"};
        char path[PATH_MAX_BYTES];
        struct stat st;

        for (size_t i = 0; i < 3; i++)
                if ((size_t)snprintf(path, sizeof path, "%s%s", directory, names[i]) >=
                                sizeof path ||
                        lstat(path, &st) != 0)
                        return false;
        return true;
}

pawl_status pawl__git_place_find(pawl__git_place *out, const char *root, pawl_error *err)
{
        size_t len = strlen(root) == 1 ? 0 : strlen(root);
        struct stat st;

        *out = (pawl__git_place)PAWL__GIT_PLACE_INIT;
        if (stat(root, &st) != 0)
                return pawl__fail_errno(err, errno, root, "look at it");
        for (bool first = true;; first = false) {
                pawl__buf_clear(&out->git);
                pawl__buf_clear(&out->top);
                if (pawl__buf_add(&out->top, root, len) || pawl__buf_addc(&out->top, '/') ||
                        pawl__buf_addf(&out->git, "%s.git", out->top.data))
                        return pawl__nomem(err);
                pawl_status status = take(out, err);
                if (!first && (status == PAWL_EACCESS || (!status && !counts(out, &st))))
                        return PAWL_ENOTFOUND;
                if (status != PAWL_ENOTFOUND) {
                        const char *below = root + len + (root[len] == '/');
                        if (!status && (pawl__buf_adds(&out->prefix, below) ||
                                               (*below && pawl__buf_addc(&out->prefix, '/'))))
                                status = pawl__nomem(err);
                        return status;
                }
                out->inside = !first && is_git(out->top.data);
                if (len == 0 || out->inside)
                        return PAWL_ENOTFOUND;
                while (len > 0 && root[len - 1] != '/')
                        len--;
                len -= len > 0;
        }
}

pawl_status pawl__git_place_at(pawl__git_place *out, const char *top, pawl_error *err)
{
        *out = (pawl__git_place)PAWL__GIT_PLACE_INIT;
        if (pawl__buf_addf(&out->top, "%s/", top) || pawl__buf_addf(&out->git, "%s/.git", top))
                return pawl__nomem(err);
        return take(out, err);
}

pawl_status pawl__git_place_linked(bool *is, const char *directory, pawl_error *err)
{
        pawl__buf file = PAWL__BUF_INIT;
        pawl_error unread = PAWL_ERROR_INIT;
        pawl__git_place place;
        struct stat st;
        pawl_status status = PAWL_OK;

        pawl__buf_addf(&file, "%s/.git", directory);
        *is = !file.failed && lstat(file.data, &st) == 0 && S_ISREG(st.st_mode);
        if (*is) {
                status = pawl__git_place_at(&place, directory, &unread);
                *is = !status && strcmp(place.git.data, place.common.data) != 0;
                pawl__git_place_free(&place);
        }
        if (file.failed || status == PAWL_ENOMEM)
                status = pawl__nomem(err);
        pawl__buf_free(&file);
        return status == PAWL_ENOMEM ? status : PAWL_OK;
}

void pawl__git_place_free(pawl__git_place *place)
{
        pawl__buf_free(&place->git);
        pawl__buf_free(&place->common);
        pawl__buf_free(&place->top);
        pawl__buf_free(&place->prefix);
}
