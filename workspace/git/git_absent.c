/* git, in a build without libgit2: no repository is ever opened, so nothing else is ever called. */
#include "base/error.h"
#include "workspace/git/git.h"
#include "workspace/git/git_diff.h"
#include "workspace/git/git_tree.h"

static pawl_status absent(pawl_error *err)
{
        return pawl__fail(err, PAWL_ENOTFOUND,
                "git: this build does without libgit2; use one that was configured with "
                "-DPAWL_WITH_GIT=ON, or go on without git");
}

pawl_status pawl__git_open(pawl__git **out, const char *root, pawl_error *err)
{
        (void)out, (void)root;
        return absent(err);
}

void pawl__git_close(pawl__git *git)
{
        (void)git;
}

pawl_status pawl__git_head_read(
        pawl__git_head *out, pawl__git *git, pawl__arena *arena, pawl_error *err)
{
        (void)out, (void)git, (void)arena;
        return absent(err);
}

pawl_status pawl__git_has(bool *has, pawl__git *git, const char *commit, pawl_error *err)
{
        (void)has, (void)git, (void)commit;
        return absent(err);
}

pawl_status pawl__git_commits(uint64_t *count, pawl__git_commit **list, size_t *n, size_t max,
        pawl__git *git, const char *from, const char *to, pawl__arena *arena, pawl_error *err)
{
        (void)count, (void)list, (void)n, (void)max, (void)git, (void)from, (void)to, (void)arena;
        return absent(err);
}

pawl_status pawl__git_subject(
        pawl_text *out, pawl__git *git, const char *commit, pawl__arena *arena, pawl_error *err)
{
        (void)out, (void)git, (void)commit, (void)arena;
        return absent(err);
}

pawl_status pawl__git_stat(pawl__git_changed **list, size_t *n, pawl__git *git, const char *from,
        const char *to, pawl__arena *arena, pawl_error *err)
{
        (void)list, (void)n, (void)git, (void)from, (void)to, (void)arena;
        return absent(err);
}

pawl_status pawl__git_blob(pawl__buf *out, pawl__git *git, const char *commit, pawl_text path,
        uint64_t max, pawl_error *err)
{
        (void)out, (void)git, (void)commit, (void)path, (void)max;
        return absent(err);
}

pawl_status pawl__git_move_check(
        char from[PAWL__COMMIT_ID], pawl__git *git, const pawl__git_move *move, pawl_error *err)
{
        (void)from, (void)git, (void)move;
        return absent(err);
}

pawl_status pawl__git_move_do(
        char from[PAWL__COMMIT_ID], pawl__git *git, const pawl__git_move *move, pawl_error *err)
{
        (void)from, (void)git, (void)move;
        return absent(err);
}

pawl_status pawl__git_compare(pawl_text before, pawl_text after, unsigned context,
        const pawl__git_sink *sink, pawl_error *err)
{
        (void)before, (void)after, (void)context, (void)sink, (void)err;
        return PAWL_DONE;
}

pawl_status pawl__git_open_at(pawl__git **out, const char *directory, pawl_error *err)
{
        (void)out, (void)directory;
        return absent(err);
}

pawl_status pawl__git_directory(
        char id[PAWL__COMMIT_ID], pawl__git *git, const char *commit, pawl_error *err)
{
        (void)id, (void)git, (void)commit;
        return absent(err);
}

pawl_status pawl__git_entries(pawl__git *git, const char id[PAWL__COMMIT_ID], pawl__git_entry_fn fn,
        void *user, pawl_error *err)
{
        (void)git, (void)id, (void)fn, (void)user;
        return absent(err);
}

pawl_status pawl__git_content(
        pawl__buf *out, pawl__git *git, const char id[PAWL__COMMIT_ID], pawl_error *err)
{
        (void)out, (void)git, (void)id;
        return absent(err);
}
