/* Repositories within the root: what each of them tracks is taken, whatever git's lists say, as in
 * the root's own. */
#include "base/error.h"
#include "workspace/git/git_place.h"
#include "workspace/scan/git_config.h"
#include "workspace/scan/scan_internal.h"

/* What the repository tracks whose work tree is at @p top. One that is none tracks nothing. */
static pawl_status read_tracked(
        pawl__tracked *out, const pawl__scanner *s, const char *top, pawl_error *err)
{
        const pawl__git_user user = {s->options->home, s->options->config_home};
        pawl__git_place place;
        pawl__git_config config = {.excludes = PAWL__BUF_INIT, .worktree = PAWL__BUF_INIT};
        pawl_status status = pawl__git_place_at(&place, top, err);

        if (!status)
                status = pawl__git_config_read(
                        &config, &user, place.git.data, place.common.data, place.top.data, err);
        if (!status)
                status = pawl__tracked_read(out, place.git.data, config.sha256 ? 32 : 20, err);
        pawl__git_config_free(&config);
        pawl__git_place_free(&place);
        return status;
}

/* Is what it tracks what it was when the former index was made? */
static pawl_status compare(pawl__scanner *s, const pawl__tracked *tracked, pawl_error *err)
{
        pawl__level *level = &s->levels[s->depth - 1];
        const pawl_text names = pawl__buf_text(&tracked->names);
        const pawl__index_entry *old =
                level->old_directory ? pawl__index_find(&s->old, level->old_directory, ".git")
                                     : NULL;
        const pawl_status status = pawl__sha256(
                pawl__contents_hasher(s->contents), level->repository, names.data, names.len, err);

        level->rules_same = level->rules_same && !status && old &&
                            memcmp(old->hash, level->repository, 32) == 0;
        return status;
}

pawl_status pawl__scan_enter_repository(pawl__scanner *s, pawl_error *err)
{
        pawl__repository found = {.prefix_len = s->path.len};
        pawl__buf top = PAWL__BUF_INIT;
        pawl_error unread = PAWL_ERROR_INIT;

        if (pawl__grow(&s->repositories, &s->cap_repositories, s->n_repositories + 1,
                    sizeof *s->repositories) ||
                pawl__buf_addf(&top, "%s/", s->options->root) ||
                pawl__buf_add(&top, s->path.data, s->path.len - 1)) {
                pawl__buf_free(&top);
                return pawl__nomem(err);
        }
        pawl_status status = read_tracked(&found.tracked, s, top.data, &unread);
        pawl__buf_free(&top);
        if (status == PAWL_ENOMEM)
                return pawl__nomem(err);
        s->repositories[s->n_repositories++] = found;
        return compare(s, &found.tracked, err);
}

void pawl__scan_leave_repositories(pawl__scanner *s, size_t n)
{
        while (s->n_repositories > n)
                pawl__tracked_free(&s->repositories[--s->n_repositories].tracked);
}

pawl__tracking pawl__scan_tracking(const pawl__scanner *s, pawl_text path, bool directory)
{
        const pawl_text below = pawl__buf_text(&s->path);

        for (size_t i = s->n_repositories; i-- > 0;) {
                const pawl__repository *r = &s->repositories[i];
                const pawl__tracking says = pawl__tracked_lookup(&r->tracked,
                        pawl__text_n(below.data + r->prefix_len, below.len - r->prefix_len),
                        directory);
                if (says != PAWL__UNTRACKED)
                        return says;
        }
        return pawl__tracked_lookup(&s->tracked, path, directory);
}
