#include "cli/pawl/git.h"
#include "base/error.h"
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* git's exit code, or -1 with *err when it could not be run. What it prints goes to stderr. */
static int run_git(FILE *out, const char *const *args, pawl_error *err)
{
        posix_spawn_file_actions_t actions;
        char *argv[8];
        size_t n = 0;
        int status = 0;
        pid_t pid;

        for (; args[n]; n++)
                memcpy(&argv[n], &args[n], sizeof *argv); /* exec takes them unchanged */
        argv[n] = NULL;
        fflush(out);
        if (posix_spawn_file_actions_init(&actions) != 0) {
                pawl__nomem(err);
                return -1;
        }
        int error = posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
        if (!error)
                error = posix_spawnp(&pid, "git", &actions, NULL, argv, environ);
        posix_spawn_file_actions_destroy(&actions);
        while (!error && waitpid(pid, &status, 0) < 0)
                error = errno == EINTR ? 0 : errno;
        if (error) {
                pawl__fail(err, PAWL_EIO,
                        "git: cannot be run: %s; install git or leave --commit out",
                        strerror(error));
                return -1;
        }
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

pawl_status cli_git_commit(FILE *out, const char *task, const char *message, pawl_error *err)
{
        static const char *const inside[] = {
                "git", "rev-parse", NULL}; /* says why not, in a line */
        static const char *const staged[] = {"git", "diff", "--cached", "--quiet", NULL};
        char made[160];

        snprintf(made, sizeof made, "Complete %.128s", task);
        const char *const commit[] = {
                "git", "commit", "--quiet", "-m", message && *message ? message : made, NULL};

        int code = run_git(out, inside, err);
        if (code > 0)
                return pawl__fail(err, PAWL_EIO,
                        "git: this directory is no repository of git's to commit to; commit by hand "
                        "where it is, the task is marked");
        if (code == 0)
                code = run_git(out, staged, err);
        if (code == 0) {
                fputs("git: nothing is staged, so there is no commit\n", out);
                return PAWL_OK;
        }
        if (code == 1)
                code = run_git(out, commit, err);
        else if (code > 0)
                return pawl__fail(err, PAWL_EIO,
                        "git: `git diff --cached` ended with %d; commit by hand, the task is marked",
                        code);
        if (code < 0)
                return err->status;
        if (code)
                return pawl__fail(err, PAWL_EIO,
                        "git: the commit ended with %d; fix that and commit by hand, the task is "
                        "marked",
                        code);
        fputs("git: committed what was staged\n", out);
        return PAWL_OK;
}
