#include "mission/command.h"
#include "base/error.h"
#include "base/system.h"
#include "mission/command_io.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The pipes, and the directory to run in. -1: none. */
struct ends {
        int in_read, in_write, out_read, out_write, err_read, err_write, directory;
};

enum { PIPE_HOLDS = 1 << 16 };

static void close_fd(int *fd)
{
        if (*fd >= 0)
                close(*fd);
        *fd = -1;
}

static void close_ends(struct ends *ends)
{
        close_fd(&ends->in_read);
        close_fd(&ends->in_write);
        close_fd(&ends->out_read);
        close_fd(&ends->out_write);
        close_fd(&ends->err_read);
        close_fd(&ends->err_write);
        close_fd(&ends->directory);
}

static pawl_status system_failure(const pawl__command *command, int error, pawl_error *err)
{
        if (error == ENOMEM)
                return pawl__nomem(err);
        return pawl__fail(err, PAWL_EIO, "%s: could not be started: %s; try again",
                command->argv[0], strerrordesc_np(error));
}

/* A program may run with standard input or output closed: a pipe must not take their place, where
 * giving the child its own would close it. */
static int above_stdio(int fd)
{
        if (fd > STDERR_FILENO || fd < 0)
                return fd;
        int moved = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        int error = errno;
        close(fd);
        errno = error;
        return moved;
}

/* Only our own ends never block: an end of a pipe has flags of its own. */
static bool open_pipe(int *read_end, int *write_end, int *ours)
{
        int fds[2];

        if (pipe2(fds, O_CLOEXEC) != 0)
                return false;
        *read_end = above_stdio(fds[0]);
        int error = errno;
        *write_end = above_stdio(fds[1]);
        if (*read_end < 0)
                errno = error;
        return *read_end >= 0 && *write_end >= 0 && fcntl(*ours, F_SETFL, O_NONBLOCK) == 0;
}

/* By no link does it lead out. */
static pawl_status open_cwd(struct ends *ends, const pawl__command *command, pawl_error *err)
{
        const struct open_how how = {
                .flags = O_PATH | O_DIRECTORY | O_CLOEXEC, .resolve = RESOLVE_BENEATH};
        const int outer = ends->directory;

        ends->directory =
                above_stdio((int)syscall(SYS_openat2, outer, command->cwd, &how, sizeof how));
        const int error = errno;
        close(outer);
        if (ends->directory >= 0)
                return PAWL_OK;
        if (error == EXDEV)
                return pawl__fail(err, PAWL_EACCESS,
                        "%s: cwd %s leads out of %s; name a directory beneath it", command->argv[0],
                        command->cwd, command->directory);
        return pawl__fail(err, pawl__errno_status(error),
                "%s: cannot run in directory %s of %s: %s; check the directory", command->argv[0],
                command->cwd, command->directory, strerrordesc_np(error));
}

static pawl_status open_directory(struct ends *ends, const pawl__command *command, pawl_error *err)
{
        ends->directory = above_stdio(open(command->directory, O_PATH | O_DIRECTORY | O_CLOEXEC));
        if (ends->directory >= 0)
                return command->cwd ? open_cwd(ends, command, err) : PAWL_OK;
        return pawl__fail(err, pawl__errno_status(errno),
                "%s: cannot run in directory %s: %s; check the directory", command->argv[0],
                command->directory, strerrordesc_np(errno));
}

static pawl_status open_ends(struct ends *ends, const pawl__command *command, pawl_error *err)
{
        if (!open_pipe(&ends->in_read, &ends->in_write, &ends->in_write) ||
                !open_pipe(&ends->out_read, &ends->out_write, &ends->out_read) ||
                (command->log && !open_pipe(&ends->err_read, &ends->err_write, &ends->err_read)))
                return system_failure(command, errno, err);
        return open_directory(ends, command, err);
}

/* Does entry set the variable that "NAME=value" sets? */
static bool same_name(const char *entry, const char *given)
{
        while (*given && *given != '=' && *entry == *given) {
                entry++;
                given++;
        }
        return *entry == '=' && (*given == '=' || !*given);
}

/* This process's environment with the command's in place of variables of the same name. The strings
 * are borrowed; NULL: no memory. */
static char **environment(const pawl__command *command)
{
        size_t n = 0, added = 0, at = 0;

        while (environ && environ[n])
                n++;
        while (command->env && command->env[added])
                added++;
        char **all = calloc(n + added + 1, sizeof *all);
        if (!all)
                return NULL;
        for (size_t i = 0; i < n; i++) {
                bool replaced = false;
                for (size_t k = 0; k < added && !replaced; k++)
                        replaced = same_name(environ[i], command->env[k]);
                if (!replaced)
                        all[at++] = environ[i];
        }
        for (size_t k = 0; k < added; k++)
                if (strchr(command->env[k], '=')) /* exec takes them unchanged */
                        memcpy(&all[at++], &command->env[k], sizeof *all);
        return all;
}

/* Why the system would not start it, as far as it can be told. */
static pawl_status refuse(
        const pawl__command *command, const struct ends *ends, int error, pawl_error *err)
{
        const char *name = command->argv[0];
        bool by_path = strchr(name, '/') != NULL;
        struct stat st;
        bool there = by_path && fstatat(ends->directory, name, &st, 0) == 0;

        switch (error) {
        case ENOENT:
        case ENOTDIR:
                if (there)
                        return pawl__fail(err, PAWL_ENOTFOUND,
                                "%s: its interpreter is not there; fix the file's #! line", name);
                return pawl__fail(err, PAWL_ENOTFOUND, "%s: no such command; check run and %s",
                        name, by_path ? "the mission's directory" : "PATH");
        case EACCES:
                if (there && S_ISDIR(st.st_mode))
                        return pawl__fail(err, PAWL_EACCESS,
                                "%s: is a directory; name a command in it", name);
                return pawl__fail(err, PAWL_EACCESS, "%s: is not executable; chmod +x it", name);
        case ENOEXEC:
                return pawl__fail(err, PAWL_EACCESS,
                        "%s: is neither a program nor a script; start it with a #! line", name);
        case E2BIG:
                return pawl__fail(err, PAWL_ETOOBIG,
                        "%s: its arguments are too long; pass them as inputs", name);
        default:
                return system_failure(command, error, err);
        }
}

/* Could the file be started? An error number; ENOENT also for a script's interpreter that is not
 * there. */
static int startable(int directory, const char *path)
{
        char line[256];
        struct stat st;

        if (fstatat(directory, path, &st, 0) != 0)
                return errno;
        if (!S_ISREG(st.st_mode) || faccessat(directory, path, X_OK, AT_EACCESS) != 0)
                return EACCES;
        const int fd = openat(directory, path, O_RDONLY | O_CLOEXEC);
        const ssize_t n = fd < 0 ? 0 : read(fd, line, sizeof line - 1);
        close_fd(&(int){fd});
        if (n < 3 || memcmp(line, "#!", 2) != 0)
                return 0;
        line[n] = '\0';
        const char *interpreter = line + 2 + strspn(line + 2, " \t");
        line[(size_t)(interpreter - line) + strcspn(interpreter, " \t\n")] = '\0';
        return faccessat(directory, interpreter, X_OK, AT_EACCESS) == 0 ? 0 : errno;
}

/* As posix_spawnp() looks: what cannot be run is passed over, and remembered. */
static int find_in_path(int directory, const char *name)
{
        const char *path = "/bin:/usr/bin";
        char file[PATH_MAX];
        int error = ENOENT;

        for (char **entry = environ; entry && *entry; entry++)
                if (strncmp(*entry, "PATH=", 5) == 0)
                        path = *entry + 5;
        for (size_t len; path; path = path[len] ? path + len + 1 : NULL) {
                len = strcspn(path, ":");
                if (snprintf(file, sizeof file, "%.*s/%s", len ? (int)len : 1, len ? path : ".",
                            name) >= (int)sizeof file)
                        continue;
                const int found = startable(directory, file);
                if (!found)
                        return 0;
                if (found == EACCES)
                        error = EACCES;
        }
        return error;
}

pawl_status pawl__command_find(const pawl__command *command, pawl_error *err)
{
        struct ends ends = {-1, -1, -1, -1, -1, -1, -1};
        const char *name = command->argv[0];
        pawl_status status = open_directory(&ends, command, err);

        if (status)
                return status;
        const int error = strchr(name, '/') ? startable(ends.directory, name)
                                            : find_in_path(ends.directory, name);
        if (error)
                status = refuse(command, &ends, error, err);
        close_ends(&ends);
        return status;
}

static int prepare(
        posix_spawn_file_actions_t *actions, posix_spawnattr_t *attributes, const struct ends *ends)
{
        sigset_t none, all;
        int error = posix_spawn_file_actions_adddup2(actions, ends->in_read, STDIN_FILENO);

        if (!error)
                error = posix_spawn_file_actions_adddup2(actions, ends->out_write, STDOUT_FILENO);
        if (!error && ends->err_write >= 0)
                error = posix_spawn_file_actions_adddup2(actions, ends->err_write, STDERR_FILENO);
        if (!error)
                error = posix_spawn_file_actions_addfchdir_np(actions, ends->directory);
        sigemptyset(&none);
        sigfillset(&all);
        posix_spawnattr_setsigmask(attributes, &none);
        posix_spawnattr_setsigdefault(attributes, &all);
        posix_spawnattr_setpgroup(attributes, 0);
        posix_spawnattr_setflags(
                attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
        return error;
}

static pawl_status start(pawl__watcher *watcher, const pawl__command *command,
        const struct ends *ends, pawl_error *err)
{
        posix_spawn_file_actions_t actions;
        posix_spawnattr_t attributes;
        char **env = environment(command);

        if (!env)
                return pawl__nomem(err);
        if (posix_spawn_file_actions_init(&actions) != 0) {
                free(env);
                return pawl__nomem(err);
        }
        int error = posix_spawnattr_init(&attributes);
        if (!error) {
                const int fds[PAWL__WATCHED_FDS] = {
                        ends->in_read, ends->out_write, ends->directory, ends->err_write};
                const pawl__watched_start watched = {command->argv, env, &actions, &attributes,
                        command->lock_fd, fds, command->log ? 4 : 3};
                error = prepare(&actions, &attributes, ends);
                if (!error)
                        error = pawl__watcher_start(watcher, &watched, command->watchers);
                posix_spawnattr_destroy(&attributes);
        }
        posix_spawn_file_actions_destroy(&actions);
        free(env);
        return error ? refuse(command, ends, error, err) : PAWL_OK;
}

static pawl_status explain(const pawl__command *command, const pawl__command_result *result,
        bool lost, pawl_status status, pawl_error *err)
{
        const char *name = command->argv[0];
        const char *abbreviation = sigabbrev_np(result->interrupted_by);

        switch (status) {
        case PAWL_ETOOBIG:
                return pawl__fail(err, status,
                        "%s: its output passes %zu bytes; raise max_output_bytes or write to a "
                        "file",
                        name, command->output_max);
        case PAWL_EINTERRUPTED:
                return pawl__fail(err, status,
                        "%s: ended by signal %d (%s), which was passed on to it; resume the run to "
                        "start it again",
                        name, result->interrupted_by, abbreviation ? abbreviation : "real-time");
        case PAWL_ENOMEM:
                return pawl__nomem(err);
        case PAWL_EIO:
                if (lost)
                        return pawl__fail(err, status,
                                "%s: was killed, since the process that watches it was; resume the "
                                "run to start it again",
                                name);
                return pawl__fail(err, status, "%s: its output could not be read; try again", name);
        default:
                return pawl__fail(err, status, "%s: was ended, since the run cannot go on (%s)",
                        name, pawl_status_name(status));
        }
}

/* What a pipe takes of the input at once, which is most often all of it. Both its ends are here. */
static size_t feed_first(struct ends *ends, pawl_text input)
{
        const ssize_t n = input.len ? write(ends->in_write, input.data,
                                              input.len < PIPE_HOLDS ? input.len : PIPE_HOLDS)
                                    : 0;
        const size_t written = n > 0 ? (size_t)n : 0;

        if (written == input.len)
                close_fd(&ends->in_write);
        return written;
}

pawl_status pawl__command_start(pawl__child **out, const pawl__command *command, pawl_error *err)
{
        struct ends ends = {-1, -1, -1, -1, -1, -1, -1};
        pawl__child *child = calloc(1, sizeof *child);

        if (!child)
                return pawl__nomem(err);
        pawl_status status = open_ends(&ends, command, err);
        if (!status) {
                child->written = feed_first(&ends, command->input);
                status = start(&child->watcher, command, &ends, err);
        }
        if (status) {
                close_ends(&ends);
                free(child);
                return status;
        }
        child->command = *command;
        child->in_fd = ends.in_write;
        child->out_fd = ends.out_read;
        child->err_fd = ends.err_read;
        ends.in_write = ends.out_read = ends.err_read = -1;
        close_ends(&ends);
        pawl__child_begin(child);
        *out = child;
        return PAWL_OK;
}

pawl_status pawl__command_end(pawl__command_result *result, pawl__child *child, pawl_error *err)
{
        pawl_status status = pawl__child_came_to(child);

        *result = (pawl__command_result){.exit_code = -1, .interrupted_by = child->interrupted_by};
        pawl__watcher_close(&child->watcher, status != PAWL_OK, child->command.watchers);
        result->killed_by = child->watcher.killed_by;
        result->exit_code = result->killed_by ? 128 + result->killed_by : child->watcher.exit_code;
        if (status)
                status = explain(&child->command, result, child->watcher.lost, status, err);
        if (status)
                pawl__buf_free(&child->output);
        result->output = child->output;
        free(child);
        return status;
}

pawl_status pawl__command_run(
        pawl__command_result *result, const pawl__command *command, pawl_error *err)
{
        int signal_fd = command->signal_fd;
        pawl__child *child;
        pawl_status status = pawl__command_start(&child, command, err);

        *result = (pawl__command_result){.exit_code = -1};
        if (status)
                return status;
        while (!pawl__child_done(child))
                pawl__children_wait(&child, 1, &signal_fd, -1);
        return pawl__command_end(result, child, err);
}
