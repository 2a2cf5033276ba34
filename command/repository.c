/* See command/repository.h; what lies where is gitrepository-layout(5). */
#include "command/repository.h"
#include "base/error.h"
#include "base/file.h"
#include "command/owner.h"
#include "workspace/git/git_index.h"
#include "workspace/scan/git_config.h"
#include "workspace/scan/ignore.h"
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { RULES_MAX = 16 << 20 };

static bool belongs_to_user(const pawl__git_place *place)
{
        struct stat st;

        return stat(place->git.data, &st) == 0 && cli_is_own(st.st_uid);
}

static bool same_directory(const char *a, const char *b)
{
        struct stat one, other;

        return a && b && stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev &&
               one.st_ino == other.st_ino;
}

/* ---- Is the directory ignored? -----------------------------------------------------------------
 */

/* Adds the patterns of a file, which need not be there. */
static pawl_status add_rules(pawl__ignore *ignore, const char *path, size_t base, pawl_error *err)
{
        pawl__buf text = PAWL__BUF_INIT;
        pawl_status status = pawl__git_file(&text, path, RULES_MAX, err);

        if (!status)
                status = pawl__ignore_add(ignore, pawl__buf_text(&text), base, err);
        else if (status != PAWL_ENOMEM)
                status = PAWL_OK; /* git itself goes on without a list that it cannot read */
        pawl__buf_free(&text);
        return status;
}

static pawl_status is_ignored(
        bool *is, pawl__ignore *ignore, const pawl__git_place *place, pawl_error *err)
{
        const pawl_text prefix = pawl__buf_text(&place->prefix);
        pawl__buf path = PAWL__BUF_INIT;
        pawl_status status = PAWL_OK;

        for (size_t start = 0, end; start < prefix.len && !*is && !status; start = end + 1) {
                const char *slash = memchr(prefix.data + start, '/', prefix.len - start);
                end = slash ? (size_t)(slash - prefix.data) : prefix.len;
                pawl__buf_clear(&path);
                pawl__buf_addf(&path, "%s%.*s.gitignore", place->top.data, (int)start, prefix.data);
                status = pawl__buf_check(&path, err);
                if (!status)
                        status = add_rules(ignore, path.data, start, err);
                *is = !status && pawl__ignore_match(ignore, pawl__text_n(prefix.data, end), start,
                                         true) == PAWL__IGNORE_LEAVE;
        }
        pawl__buf_free(&path);
        return status;
}

static pawl_status ignores_directory(
        bool *is, const pawl__git_place *place, const pawl__git_config *config, pawl_error *err)
{
        pawl__ignore ignore = {.fold = config->fold};
        pawl__buf path = PAWL__BUF_INIT;
        pawl_status status = PAWL_OK;

        if (config->excludes.len)
                status = add_rules(&ignore, config->excludes.data, 0, err);
        pawl__buf_addf(&path, "%s/info/exclude", place->common.data);
        if (!status)
                status = pawl__buf_check(&path, err);
        if (!status)
                status = add_rules(&ignore, path.data, 0, err);
        if (!status)
                status = is_ignored(is, &ignore, place, err);
        pawl__ignore_free(&ignore);
        pawl__buf_free(&path);
        return status;
}

/* ---- Where its log belongs ---------------------------------------------------------------------
 */

/* The directory that holds the repository's, if its ".git" is that, or names it. */
static void find_holder(pawl__buf *path, const char *real)
{
        pawl__git_place place;
        pawl__buf holder = PAWL__BUF_INIT;
        const size_t len = pawl__directory_len(real);

        pawl__buf_add(&holder, real, len > 1 ? len - 1 : 1);
        if (holder.failed)
                path->failed = true;
        else if (!pawl__git_place_at(&place, holder.data, NULL) &&
                 same_directory(place.git.data, real))
                pawl__buf_adds(path, holder.data);
        if (!holder.failed)
                pawl__git_place_free(&place);
        pawl__buf_free(&holder);
}

/* Of a linked work tree: git says of the repository that all share whether it is bare, or where its
 * own work tree is; else that is the directory that holds it. */
static pawl_status find_main(cli_repository *out, const pawl__git_config *config, pawl_error *err)
{
        const char *common = out->place.common.data;
        pawl__buf path = PAWL__BUF_INIT;
        char real[PATH_MAX], main[PATH_MAX];

        if (!realpath(common, real))
                return PAWL_OK;
        if (config->bare)
                pawl__buf_adds(&path, real);
        else if (config->worktree.len)
                pawl__buf_addf(&path, "%s%s%s", *config->worktree.data == '/' ? "" : real,
                        *config->worktree.data == '/' ? "" : "/", config->worktree.data);
        else
                find_holder(&path, real);
        if (!path.failed && path.len && realpath(path.data, main))
                pawl__buf_adds(&out->main, main);
        const pawl_status status =
                path.failed ? pawl__nomem(err) : pawl__buf_check(&out->main, err);
        pawl__buf_free(&path);
        return status;
}

static pawl_status look_at(cli_repository *out, const pawl__git_user *user, pawl_error *err)
{
        const pawl__git_place *place = &out->place;
        const pawl_text top = pawl__buf_text(&place->top);
        pawl__git_config config = {.excludes = PAWL__BUF_INIT, .worktree = PAWL__BUF_INIT};
        bool ignored = false;
        pawl_status status = PAWL_OK;

        if (top.len <= 1 || !belongs_to_user(place) || same_directory(top.data, user->home))
                return PAWL_ENOTFOUND;
        out->linked = strcmp(place->git.data, place->common.data) != 0;
        if (out->linked || place->prefix.len)
                status = pawl__git_config_read(
                        &config, user, place->git.data, place->common.data, top.data, err);
        if (!status && place->prefix.len)
                status = ignores_directory(&ignored, place, &config, err);
        if (!status && ignored)
                status = PAWL_ENOTFOUND;
        if (!status && out->linked)
                status = find_main(out, &config, err);
        else if (!status && pawl__buf_add(&out->main, top.data, top.len - 1))
                status = pawl__nomem(err);
        pawl__git_config_free(&config);
        return status;
}

/* A bare repository around the directory, which has no ".git". */
static pawl_status find_bare(cli_repository *out, const char *directory, pawl_error *err)
{
        static const char *const parts[] = {"HEAD", "objects", "refs"};
        pawl__buf path = PAWL__BUF_INIT;
        pawl_status status = PAWL_ENOTFOUND;

        for (size_t len = strlen(directory); len > 1 && status == PAWL_ENOTFOUND;) {
                struct stat st;
                size_t found = 0;
                for (size_t i = 0; i < 3; i++) {
                        pawl__buf_clear(&path);
                        pawl__buf_addf(&path, "%.*s/%s", (int)len, directory, parts[i]);
                        found += !path.failed && stat(path.data, &st) == 0;
                }
                if (found == 3 && cli_is_own(st.st_uid))
                        status = pawl__buf_add(&out->main, directory, len) ? pawl__nomem(err)
                                                                           : PAWL_OK;
                while (len > 0 && directory[len - 1] != '/')
                        len--;
                len -= len > 0;
        }
        pawl__buf_free(&path);
        return status;
}

/* Is a file named .git, which is all that a linked work tree has of its repository, nearer than a
 * directory of that name? Then @p top gets "TOP/". */
static bool names_repository(pawl__buf *top, const char *directory)
{
        pawl__buf path = PAWL__BUF_INIT;
        struct stat st;
        bool is = false, found = false;

        for (size_t len = strlen(directory); len > 1 && !found;) {
                pawl__buf_clear(&path);
                pawl__buf_addf(&path, "%.*s/.git", (int)len, directory);
                found = path.failed || lstat(path.data, &st) == 0;
                is = found && !path.failed && S_ISREG(st.st_mode);
                if (is)
                        pawl__buf_addf(top, "%.*s/", (int)len, directory);
                while (len > 1 && directory[len - 1] != '/')
                        len--;
                len--;
        }
        pawl__buf_free(&path);
        return is;
}

/* What a work tree names as its repository is not there. */
static pawl_status is_lost(cli_repository *out, const char *directory, pawl_error *err)
{
        pawl__buf top = PAWL__BUF_INIT;
        pawl_status status = PAWL_ENOTFOUND;

        if (names_repository(&top, directory) &&
                !pawl__text_eq(pawl__buf_text(&top), pawl__buf_text(&out->place.top))) {
                pawl__buf_clear(&out->place.top);
                pawl__buf_add_text(&out->place.top, pawl__buf_text(&top));
                out->linked = true;
                status = pawl__buf_check(&out->place.top, err);
        }
        pawl__buf_free(&top);
        return status;
}

pawl_status cli_repository_find(
        cli_repository *out, const cli_call *cli, const char *directory, pawl_error *err)
{
        const pawl__git_user user = {cli->in->home, cli->in->config_home};
        pawl_error unread = PAWL_ERROR_INIT;

        *out = (cli_repository){.linked = false};
        pawl_status status = pawl__git_place_find(&out->place, directory, &unread);
        if (status == PAWL_ENOMEM)
                return pawl__nomem(err);
        const pawl_status lost = is_lost(out, directory, err);
        if (lost != PAWL_ENOTFOUND)
                return lost;
        if (status == PAWL_ENOTFOUND)
                return find_bare(out, directory, err);
        return status ? PAWL_ENOTFOUND : look_at(out, &user, err);
}

void cli_repository_free(cli_repository *repository)
{
        pawl__git_place_free(&repository->place);
        pawl__buf_free(&repository->main);
}
