/* The watcher of a step's command, as this process has it. See mission/watcher.h. */
#include "mission/watcher_process.h"
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* What the arguments and the environment of a command that another's watcher takes on may have. */
enum { SHARED = 256 * 1024 };

static ssize_t receive(int fd, pawl__watcher_report *said, int flags)
{
        ssize_t n;

        do
                n = recv(fd, said, sizeof *said, flags);
        while (n < 0 && errno == EINTR);
        return n;
}

static bool hear(const pawl__watcher *watcher, pawl__watcher_report *said)
{
        return receive(watcher->fd, said, 0) == (ssize_t)sizeof *said;
}

static void ask(const pawl__watcher *watcher, unsigned char what)
{
        (void)send(watcher->fd, &what, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void end(pawl__watcher *watcher, bool kill)
{
        pawl__watcher_report said;

        if (!kill)
                ask(watcher, PAWL__WATCHER_RELEASE);
        shutdown(watcher->fd, SHUT_WR);
        while (receive(watcher->fd, &said, 0) > 0) /* until nobody holds the other end */
                ;
        close(watcher->fd);
        watcher->fd = -1;
        while (waitpid(watcher->outer, NULL, 0) < 0 && errno == EINTR)
                ;
        if (watcher->shared)
                munmap(watcher->shared, SHARED);
}

/* ---- One that is there already --------------------------------------------------------------- */

/* Write the words there, from *room on up to end. NULL: they are too long. */
static char **put_words(char **buf, char *const *words, const char *end)
{
        size_t n = 0;
        char **out = buf;

        while (words[n])
                n++;
        if (n + 1 > (size_t)(end - (char *)buf) / sizeof *buf)
                return NULL;
        char *at = (char *)(buf + n + 1);
        for (size_t i = 0; i < n; i++) {
                const size_t size = strlen(words[i]) + 1;
                if (size > (size_t)(end - at))
                        return NULL;
                out[i] = memcpy(at, words[i], size);
                at += size;
        }
        out[n] = NULL;
        return out;
}

static bool put_command(struct pawl__watcher_shared *shared, const pawl__watched_start *start)
{
        char *const half = (char *)shared + SHARED / 2;

        shared->argv = put_words(shared->buf, start->argv, half);
        shared->env = put_words((char **)(void *)half, start->env, half + SHARED / 2);
        return shared->argv && shared->env;
}

static bool send_start(const pawl__watcher *watcher, const pawl__watched_start *start)
{
        unsigned char what = PAWL__WATCHER_START;
        const size_t size = start->n_fds * sizeof(int);
        _Alignas(struct cmsghdr) char control[CMSG_SPACE(PAWL__WATCHED_FDS * sizeof(int))] = {0};
        struct iovec one = {&what, 1};
        struct msghdr message = {.msg_iov = &one,
                .msg_iovlen = 1,
                .msg_control = control,
                .msg_controllen = CMSG_SPACE(size)};
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);

        *header = (struct cmsghdr){
                .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(size)};
        memcpy(CMSG_DATA(header), start->fds, size);
        return sendmsg(watcher->fd, &message, MSG_NOSIGNAL) == 1;
}

/* By one of the idle ones, which ends if it is not free. False: there is none. */
static bool start_again(
        int *error, pawl__watcher *out, const pawl__watched_start *start, pawl__watchers *idle)
{
        pawl__watcher_report said = {0, 0};

        while (idle->n) {
                pawl__watcher *last = &idle->list[--idle->n];
                if (last->n_fds != start->n_fds || !put_command(last->shared, start) ||
                        !hear(last, &said) || !send_start(last, start)) {
                        end(last, false);
                        continue;
                }
                const ssize_t n = receive(last->fd, &said, 0);
                if (n < 0 && errno == ECONNRESET) { /* it was killed and has not read of it */
                        end(last, true);
                        continue;
                }
                if (n != (ssize_t)sizeof said)
                        said = (pawl__watcher_report){0, EIO}; /* it was killed */
                *out = *last;
                out->exit_code = -1;
                out->killed_by = 0;
                out->command = said.value;
                if (said.how)
                        end(out, true);
                *error = said.how;
                return true;
        }
        return false;
}

/* ---- Another --------------------------------------------------------------------------------- */

static int start_anew(pawl__watcher *out, const pawl__watched_start *start, bool shares)
{
        pawl__watched w = {.start = start, .parent = getpid()};
        pawl__watcher_report said = {0, 0};
        struct pawl__watcher_shared *shared = MAP_FAILED;
        sigset_t all, before;
        int ends[2];

        if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
                return errno;
        if (shares)
                shared = mmap(
                        NULL, SHARED, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (shared == MAP_FAILED)
                shared = NULL;
        w.socket = ends[1];
        w.shared = shared;
        /* No handler of this program's may run in the watcher. */
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        pid_t pid = fork();
        int error = pid < 0 ? errno : 0;
        if (pid == 0)
                pawl__watcher_process(&w);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        close(ends[1]);
        if (error) {
                close(ends[0]);
                if (shared)
                        munmap(shared, SHARED);
                return error;
        }
        *out = (pawl__watcher){.outer = pid,
                .fd = ends[0],
                .exit_code = -1,
                .n_fds = start->n_fds,
                .shared = shared};
        if (!hear(out, &said))
                said = (pawl__watcher_report){0, EIO}; /* it was killed */
        out->command = said.value;
        if (said.how)
                end(out, true);
        return said.how;
}

int pawl__watcher_start(
        pawl__watcher *out, const pawl__watched_start *start, pawl__watchers *watchers)
{
        int error = 0;

        if (watchers && start_again(&error, out, start, watchers))
                return error;
        return start_anew(out, start, watchers != NULL);
}

bool pawl__watcher_ended(pawl__watcher *watcher)
{
        pawl__watcher_report said;
        ssize_t n = receive(watcher->fd, &said, MSG_DONTWAIT);

        if (n < 0 && errno == EAGAIN)
                return false;
        watcher->lost = n != (ssize_t)sizeof said;
        if (!watcher->lost && said.how == CLD_EXITED)
                watcher->exit_code = said.value;
        else if (!watcher->lost)
                watcher->killed_by = said.value;
        return true;
}

void pawl__watcher_signal(const pawl__watcher *watcher, int signal)
{
        ask(watcher, (unsigned char)signal);
}

void pawl__watcher_close(pawl__watcher *watcher, bool kill, pawl__watchers *watchers)
{
        if (kill || !watchers || !watcher->shared || watchers->n == PAWL__WATCHERS_IDLE) {
                end(watcher, kill);
                return;
        }
        ask(watcher, PAWL__WATCHER_FREE);
        watchers->list[watchers->n++] = *watcher;
}

void pawl__watchers_end(pawl__watchers *watchers)
{
        while (watchers->n)
                end(&watchers->list[--watchers->n], false);
}
