#include "mission/ssh_keygen.h"
#include "base/error.h"
#include "base/file.h"
#include "base/ids.h"
#include "mission/runner.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
        SIGN_MS = 120000,
        VERIFY_MS = 10000,
        SIGNATURE_MAX = 1 << 16 /* bytes */
};

/* What it is given and what it says: files in memory, so that nothing waits for a pipe. */
struct talk {
        int in, out, told; /* its standard input, output and error */
        int exit_code;     /* -1: it was killed, or took too long */
};

/* A file that is in memory alone. -1 with errno. */
static int memory_file(pawl_text text)
{
        const int made = memfd_create("pawl", MFD_CLOEXEC);
        const int fd = made < 0 ? -1 : fcntl(made, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);

        if (made >= 0)
                close(made);
        if (fd < 0)
                return -1;
        errno = pawl__write_all(fd, text.data, text.len);
        if (!errno && lseek(fd, 0, SEEK_SET) == 0)
                return fd;
        const int error = errno;
        close(fd);
        errno = error;
        return -1;
}

static void close_fd(int fd)
{
        if (fd >= 0)
                close(fd);
}

static int64_t now_ms(void)
{
        struct timespec now;

        clock_gettime(CLOCK_BOOTTIME, &now);
        return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Wait for its end; what takes too long is killed. */
static int wait_for(pid_t pid, int64_t until_ms)
{
        int state = 0;

        for (;;) {
                const pid_t ended = waitpid(pid, &state, WNOHANG);
                if (ended == pid)
                        return WIFEXITED(state) ? WEXITSTATUS(state) : -1;
                if (ended < 0 && errno != EINTR)
                        return -1;
                if (now_ms() >= until_ms)
                        break;
                poll(NULL, 0, 2);
        }
        kill(pid, SIGKILL);
        while (waitpid(pid, &state, 0) < 0 && errno == EINTR)
                ;
        return -1;
}

/* @p files: descriptors that it opens by their names in /dev/fd, ended by -1. Who is asked for a
 * passphrase is in this process's group, which the terminal reads for; else a ^C is not for it. */
static pawl_status talk_to(struct talk *talk, char *const *argv, const int *files, bool asks,
        int limit_ms, pawl_error *err)
{
        posix_spawn_file_actions_t actions;
        posix_spawnattr_t attributes;
        sigset_t none;
        pid_t pid = -1;
        int error = posix_spawn_file_actions_init(&actions);

        if (error)
                return pawl__nomem(err);
        if (posix_spawnattr_init(&attributes)) {
                posix_spawn_file_actions_destroy(&actions);
                return pawl__nomem(err);
        }
        sigemptyset(&none);
        posix_spawnattr_setsigmask(&attributes, &none);
        posix_spawnattr_setpgroup(&attributes, 0);
        posix_spawnattr_setflags(
                &attributes, (short)(POSIX_SPAWN_SETSIGMASK | (asks ? 0 : POSIX_SPAWN_SETPGROUP)));
        error = posix_spawn_file_actions_adddup2(&actions, talk->in, STDIN_FILENO);
        if (!error)
                error = posix_spawn_file_actions_adddup2(&actions, talk->out, STDOUT_FILENO);
        if (!error)
                error = posix_spawn_file_actions_adddup2(&actions, talk->told, STDERR_FILENO);
        for (; !error && *files >= 0; files++) /* onto itself: it stays open there */
                error = posix_spawn_file_actions_adddup2(&actions, *files, *files);
        if (!error)
                error = posix_spawnp(&pid, argv[0], &actions, &attributes, argv, environ);
        posix_spawnattr_destroy(&attributes);
        posix_spawn_file_actions_destroy(&actions);
        if (error == ENOENT)
                return pawl__fail(err, PAWL_EIO,
                        "ssh-keygen: there is no such program, which signs and verifies answers; "
                        "install OpenSSH's client (openssh-client)");
        if (error)
                return pawl__fail(err, PAWL_EIO, "ssh-keygen: could not be started: %s; try again",
                        strerrordesc_np(error));
        talk->exit_code = wait_for(pid, now_ms() + limit_ms);
        return PAWL_OK;
}

static pawl_status read_back(pawl__buf *out, int fd, pawl_error *err)
{
        const int error =
                lseek(fd, 0, SEEK_SET) == 0 ? pawl__read_all(out, fd, SIGNATURE_MAX) : errno;

        return error ? pawl__fail(err, PAWL_EIO,
                               "ssh-keygen: what it says could not be read: %s; "
                               "try again",
                               strerrordesc_np(error))
                     : PAWL_OK;
}

static pawl_status no_memory_file(pawl_error *err)
{
        return pawl__fail(err, PAWL_EIO,
                "ssh-keygen: no file in memory could be made for it: %s; try again",
                strerrordesc_np(errno));
}

/* The last line that it said, without control characters. */
static void last_line(char out[200], const struct talk *talk)
{
        pawl__buf said = PAWL__BUF_INIT;
        pawl_error none;
        size_t len, from;

        snprintf(out, 200, "%s",
                talk->exit_code < 0 ? "ssh-keygen took too long" : "ssh-keygen refused it");
        if (read_back(&said, talk->told, &none)) {
                pawl__buf_free(&said);
                return;
        }
        for (len = said.len; len && strchr("\r\n", said.data[len - 1]);)
                len--;
        for (from = len; from && said.data[from - 1] != '\n';)
                from--;
        if (talk->exit_code >= 0 && len > from)
                snprintf(out, 200, "%.*s", (int)pawl__utf8_cut(said.data + from, len - from, 199),
                        said.data + from);
        pawl__buf_free(&said);
        pawl__message_fix(out);
        for (char *at = out; *at; at++) /* the message's own end */
                if (*at == ';')
                        *at = ',';
}

pawl_status pawl__ssh_sign(
        pawl__buf *signature, pawl_text text, pawl_text actor, void *user, pawl_error *err)
{
        const char *key = user;
        struct talk talk = {
                memory_file(text), memory_file(pawl__text("")), memory_file(pawl__text("")), -1};
        pawl__buf path = PAWL__BUF_INIT;
        char why[200];

        (void)actor;
        /* a name that begins with a dash is one all the same */
        pawl__buf_adds(&path, *key == '-' ? "./" : "");
        pawl__buf_adds(&path, key);
        pawl__buf_add(&path, "", 1);
        pawl_status status = pawl__buf_check(&path, err);
        char *argv[] = {"ssh-keygen", "-Y", "sign", "-q", "-n", "pawl", "-f", path.data, NULL};
        if (!status && access(path.data, R_OK) != 0)
                status = pawl__fail(err, PAWL_EINVAL,
                        "key %.200s: cannot be read: %s; name the file of a private key, or of a "
                        "public one whose private half is in ssh-agent",
                        key, strerrordesc_np(errno));
        if (!status && (talk.in < 0 || talk.out < 0 || talk.told < 0))
                status = no_memory_file(err);
        if (!status)
                status = talk_to(&talk, argv, &(int){-1}, true, SIGN_MS, err);
        if (!status)
                status = read_back(signature, talk.out, err);
        if (!status && (talk.exit_code || !pawl__text_starts(pawl__buf_text(signature),
                                                  "-----BEGIN SSH SIGNATURE-----"))) {
                last_line(why, &talk);
                status = pawl__fail(err, PAWL_EINVAL,
                        "key %.200s: does not sign (%s); name a private key, or a public one whose "
                        "private half is in ssh-agent",
                        key, why);
        }
        close_fd(talk.in);
        close_fd(talk.out);
        close_fd(talk.told);
        pawl__buf_free(&path);
        return status;
}

/* "verify-time=20261120123500Z" */
static void write_time(char out[40], int64_t at_us)
{
        const time_t seconds = (time_t)(at_us / 1000000);
        struct tm at = {0};

        gmtime_r(&seconds, &at);
        strftime(out, 40, "verify-time=%Y%m%d%H%M%SZ", &at);
}

pawl_status pawl__ssh_verify(pawl_text text, pawl_text signature, pawl_text actor,
        pawl_text signers, int64_t at_us, pawl_error *err)
{
        struct talk talk = {
                memory_file(text), memory_file(pawl__text("")), memory_file(pawl__text("")), -1};
        const int files[] = {memory_file(signers), memory_file(signature), -1};
        char allowed[32], seal[32], who[PAWL__ID_MAX + 1], why[200], at[40];
        pawl_status status = PAWL_OK;

        write_time(at, at_us);
        snprintf(allowed, sizeof allowed, "/dev/fd/%d", files[0]);
        snprintf(seal, sizeof seal, "/dev/fd/%d", files[1]);
        snprintf(who, sizeof who, "%.*s", (int)actor.len, actor.data ? actor.data : "");
        char *argv[] = {"ssh-keygen", "-Y", "verify", "-f", allowed, "-I", who, "-n", "pawl", "-s",
                seal, at_us ? "-O" : NULL, at, NULL};
        if (talk.in < 0 || talk.out < 0 || talk.told < 0 || files[0] < 0 || files[1] < 0)
                status = no_memory_file(err);
        if (!status)
                status = talk_to(&talk, argv, files, false, VERIFY_MS, err);
        if (!status && talk.exit_code < 0)
                status = pawl__fail(
                        err, PAWL_EIO, "ssh-keygen: did not end, or was killed; try again");
        if (!status && talk.exit_code) {
                last_line(why, &talk);
                status = pawl__fail(
                        err, PAWL_EACCESS, "%.100s's signature is not good (%s)", who, why);
        }
        for (size_t i = 0; i < 2; i++)
                close_fd(files[i]);
        close_fd(talk.in);
        close_fd(talk.out);
        close_fd(talk.told);
        return status;
}
