/* Which commits of git lie between. */
#include "base/error.h"
#include "workspace/diff/compare.h"

enum { NEWEST = 10 };

/* The commit of one side, NUL-ended; NULL: it has none. */
static pawl_status commit_of(const char **out, pawl__comparing *c, int side, pawl_error *err)
{
        pawl__git_head head;
        pawl_text commit;

        *out = NULL;
        if (side == 0 || c->has_b) {
                commit = c->rows[side].v[PAWL__WCP_GIT_HEAD].text;
                *out = pawl__arena_copy(&c->ws.arena, commit).data;
                return pawl__arena_check(&c->ws.arena, err);
        }
        pawl_status status = pawl__workspace_git(&head, &c->ws, &c->ws.arena, err);
        if (status || !*head.commit)
                return status == PAWL_DONE ? PAWL_OK : status;
        *out = pawl__arena_copy(&c->ws.arena, pawl__text(head.commit)).data;
        return pawl__arena_check(&c->ws.arena, err);
}

static pawl_status list_commits(pawl_git_between *git, pawl__comparing *c, pawl_error *err)
{
        pawl__arena *arena = &c->ws.arena;
        pawl__git_commit *found, *unused;
        size_t n, none;
        pawl_status status = pawl__git_commits(
                &git->commits, &found, &n, NEWEST, c->ws.git, git->from, git->to, arena, err);

        if (!status)
                status = pawl__git_commits(&git->given_up, &unused, &none, 0, c->ws.git, git->to,
                        git->from, arena, err);
        if (status)
                return status;
        pawl_git_commit *list = pawl__arena_array(arena, n + 1, sizeof *list);
        if (!list)
                return pawl__nomem(err);
        for (size_t i = 0; i < n; i++)
                list[i] = (pawl_git_commit){found[i].id, found[i].subject};
        git->newest = list;
        git->n_newest = n;
        return PAWL_OK;
}

static pawl_status count_files(pawl_git_between *git, pawl__comparing *c, pawl_error *err)
{
        pawl__git_changed *list;
        size_t n;
        pawl_status status =
                pawl__git_stat(&list, &n, c->ws.git, git->from, git->to, &c->ws.arena, err);

        if (status)
                return status;
        git->files = n;
        for (size_t i = 0; i < n; i++) {
                git->lines_added += list[i].added;
                git->lines_removed += list[i].removed;
        }
        return PAWL_OK;
}

pawl_status pawl__compare_git(pawl__comparing *c, pawl_error *err)
{
        pawl_git_between *git = &c->git;
        pawl__git_head now;
        pawl_status status = commit_of(&git->from, c, 0, err);

        if (!status)
                status = commit_of(&git->to, c, 1, err);
        if (status || !git->from || !git->to || strcmp(git->from, git->to) == 0)
                return status;
        status = pawl__workspace_git(&now, &c->ws, &c->ws.arena, err);
        if (!status)
                status = list_commits(git, c, err);
        if (!status)
                status = count_files(git, c, err);
        c->has_git = !status;
        return status == PAWL_ENOMEM ? status : PAWL_OK;
}
