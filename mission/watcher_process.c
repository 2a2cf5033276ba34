/* What runs in the watcher. See mission/watcher_process.h. */
#include "mission/watcher_process.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STACK = 32 * 1024, PAUSE_MS = 10, PAUSES_IN_VAIN = 100 };

/* The number at *at, which is moved behind it and the blank that follows. */
static uint64_t number(const char **at)
{
        uint64_t n = 0;

        for (; **at >= '0' && **at <= '9'; ++*at)
                n = n * 10 + (uint64_t)(**at - '0');
        if (**at == ' ')
                ++*at;
        return n;
}

/* /proc/PID/stat from its third field on (proc(5)), for "self" too; NULL: no such process. The
 * name before it may hold anything, so its end is looked for from behind. */
static const char *read_stat(char *line, size_t size, const char *pid)
{
        char path[32] = "/proc/";
        size_t len = strlen(path);

        while (*pid && len < sizeof path - sizeof "/stat")
                path[len++] = *pid++;
        memcpy(path + len, "/stat", sizeof "/stat");
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd < 0)
                return NULL;
        ssize_t n = read(fd, line, size - 1);
        close(fd);
        line[n > 0 ? n : 0] = '\0';
        const char *rest = strrchr(line, ')');
        return rest && rest[1] == ' ' ? rest + 2 : NULL;
}

static bool parents_of(pid_t *parent, pid_t *group, const char *pid)
{
        char line[1024];
        const char *at = read_stat(line, sizeof line, pid);

        if (!at || !at[0] || at[1] != ' ')
                return false;
        at += 2;
        *parent = (pid_t)number(&at);
        *group = (pid_t)number(&at);
        return true;
}

static void print_pid(char out[16], pid_t pid)
{
        size_t len = 0;

        for (pid_t rest = pid; rest > 0 || len == 0; rest /= 10)
                len++;
        out[len] = '\0';
        for (; len > 0; pid /= 10)
                out[--len] = (char)('0' + pid % 10);
}

/* Does it descend from this process? *group is its process group. */
static bool descends(const char *pid, pid_t self, pid_t *group)
{
        char name[16];
        pid_t parent, other;

        if (!parents_of(&parent, group, pid))
                return false;
        while (parent > 1 && parent != self) {
                print_pid(name, parent);
                if (!parents_of(&parent, &other, name))
                        return false;
        }
        return parent == self;
}

static bool send_signal(pid_t to, int signal)
{
        bool sent = kill(to, signal) == 0;

        if (sent && signal != SIGKILL)
                kill(to, SIGCONT);
        return sent;
}

/* Send it to all processes of the command. Did any get it? */
static bool signal_all(const pawl__watched *w, int signal)
{
        const pid_t self = getpid();
        char entries[4096];
        ssize_t n;
        int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        bool sent = w->command && send_signal(-w->command, signal);

        while (proc >= 0 && (n = getdents64(proc, entries, sizeof entries)) > 0)
                for (ssize_t at = 0; at < n;) {
                        const struct dirent64 *entry = (const struct dirent64 *)(entries + at);
                        const char *name = entry->d_name;
                        pid_t group;
                        at += entry->d_reclen;
                        if (*name < '1' || *name > '9' || !descends(name, self, &group))
                                continue;
                        if (group != w->command)
                                sent = send_signal((pid_t)number(&name), signal) || sent;
                }
        if (proc >= 0)
                close(proc);
        return sent;
}

/* Until no process is left; what the kernel does not let us kill is given up after a while. */
static void kill_all(pawl__watched *w)
{
        const struct timespec pause = {0, PAUSE_MS * 1000000};
        sigset_t child;
        int in_vain = 0;

        sigemptyset(&child);
        sigaddset(&child, SIGCHLD);
        for (;;) {
                in_vain = signal_all(w, SIGKILL) ? 0 : in_vain + 1;
                pid_t reaped = 1;
                while (reaped > 0) {
                        reaped = waitpid(-1, NULL, WNOHANG);
                        if (reaped == w->command)
                                w->command = 0; /* its group's id may be another's from here on */
                }
                if (reaped < 0 || in_vain >= PAUSES_IN_VAIN)
                        return;
                sigtimedwait(&child, NULL, &pause);
        }
}

static void close_between(unsigned first, unsigned last)
{
        struct rlimit limit;

        if (first > last || close_range(first, last, 0) == 0)
                return;
        if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
                return;
        for (unsigned fd = first; fd <= last && fd < limit.rlim_cur; fd++)
                close((int)fd);
}

/* All descriptors but these, which are sorted for it. */
static void close_all_but(int *keep, size_t n)
{
        unsigned next = 0;

        for (size_t i = 1; i < n; i++)
                for (size_t k = i; k > 0 && keep[k - 1] > keep[k]; k--) {
                        int fd = keep[k];
                        keep[k] = keep[k - 1];
                        keep[k - 1] = fd;
                }
        for (size_t i = 0; i < n; i++) {
                if (keep[i] < 0)
                        continue;
                if (keep[i] > 0)
                        close_between(next, (unsigned)keep[i] - 1);
                next = (unsigned)keep[i] + 1;
        }
        close_between(next, ~0u);
}

/* So that what is said to end every process of this program's name, or with its arguments, does not
 * end the watcher with it. The arguments lie where fields 48 and 49 of /proc/self/stat say. */
static void take_name(void)
{
        static const char name[] = "step-watcher";
        char line[1024];
        const char *at = read_stat(line, sizeof line, "self");

        prctl(PR_SET_NAME, name);
        for (int field = 3; at && field < 48; field++) {
                at = strchr(at, ' ');
                at = at ? at + 1 : NULL;
        }
        if (!at)
                return;
        uintptr_t from = (uintptr_t)number(&at), to = (uintptr_t)number(&at);
        if (from == 0 || to <= from)
                return;
        memset((void *)from, 0, to - from);
        memcpy((void *)from, name, to - from < sizeof name ? to - from - 1 : sizeof name - 1);
}

static void report(const pawl__watched *w, int value, int how)
{
        const pawl__watcher_report said = {value, how};

        (void)send(w->socket, &said, sizeof said, MSG_NOSIGNAL);
}

/* Take what the command's processes left as zombies, up to the command itself: that one stays, so
 * that its pid and its group's id do. Has it ended? */
static bool reap(const pawl__watched *w)
{
        for (;;) {
                siginfo_t info = {0};
                if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0)
                        return false;
                if (info.si_pid == w->command) {
                        report(w, info.si_status, info.si_code);
                        return true;
                }
                waitpid(info.si_pid, NULL, 0);
        }
}

/* ---- One command after the other ------------------------------------------------------------- */

static bool start(pawl__watched *w, char *const *argv, char *const *env)
{
        pid_t command;
        const int error =
                posix_spawnp(&command, argv[0], w->start->actions, w->start->attributes, argv, env);

        w->command = error ? 0 : command;
        w->ended = false;
        w->done = error != 0; /* there is nothing to be killed */
        report(w, w->command, error);
        return !error;
}

/* The descriptors that came take the numbers that those of the first command had: the actions name
 * them. */
static void place(const pawl__watched *w, const int *came)
{
        const int *numbers = w->start->fds;
        int above = 0, moved[PAWL__WATCHED_FDS];

        for (size_t i = 0; i < w->start->n_fds; i++)
                above = numbers[i] >= above ? numbers[i] + 1 : above;
        for (size_t i = 0; i < w->start->n_fds; i++) {
                moved[i] = fcntl(came[i], F_DUPFD_CLOEXEC, above);
                close(came[i]);
        }
        for (size_t i = 0; i < w->start->n_fds; i++) {
                dup3(moved[i], numbers[i], O_CLOEXEC);
                close(moved[i]);
        }
}

static bool start_next(pawl__watched *w, const struct msghdr *message)
{
        const struct cmsghdr *control = CMSG_FIRSTHDR(message);
        const size_t size = w->start->n_fds * sizeof(int);
        int came[PAWL__WATCHED_FDS];

        if (w->command || !control || control->cmsg_type != SCM_RIGHTS ||
                control->cmsg_len != CMSG_LEN(size))
                return false;
        memcpy(came, CMSG_DATA(control), size);
        place(w, came);
        const bool started = start(w, w->shared->argv, w->shared->env);
        for (size_t i = 0; i < w->start->n_fds; i++)
                close(w->start->fds[i]);
        return started;
}

/* May another command be started here? Not where the last one left something behind, which is let
 * alone: it must not be taken for one of the next command's. */
static bool is_free(pawl__watched *w)
{
        pid_t reaped;

        do
                reaped = waitpid(-1, NULL, WNOHANG);
        while (reaped > 0);
        w->command = 0;
        w->done = reaped == 0;
        if (!w->done)
                report(w, 0, 0);
        return !w->done;
}

/* What is asked over the socket. False: the end, and it may not be a release. */
static bool obey(pawl__watched *w, bool orphaned)
{
        unsigned char asked;
        char control[CMSG_SPACE(PAWL__WATCHED_FDS * sizeof(int))];
        struct iovec one = {&asked, 1};
        struct msghdr message = {.msg_iov = &one,
                .msg_iovlen = 1,
                .msg_control = control,
                .msg_controllen = sizeof control};
        const ssize_t n = recvmsg(w->socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

        if (n != 1)
                return n < 0 && (errno == EAGAIN || errno == EINTR);
        switch (asked) {
        case PAWL__WATCHER_RELEASE:
                w->done = true;
                return false;
        case PAWL__WATCHER_FREE:
                return is_free(w);
        case PAWL__WATCHER_START:
                return !orphaned && start_next(w, &message);
        default:
                if (asked < NSIG)
                        signal_all(w, asked);
                return true;
        }
}

static void watch(pawl__watched *w, int signals)
{
        enum { SOCKET, PARENT, SIGNALS, WATCHED };
        struct pollfd fds[WATCHED] = {
                [SOCKET] = {w->socket, POLLIN, 0},
                [PARENT] = {w->parent_fd, POLLIN, 0},
                [SIGNALS] = {signals, POLLIN, 0},
        };

        while (getppid() == w->outer) {
                struct signalfd_siginfo got;
                if (poll(fds, WATCHED, -1) < 0)
                        continue;
                if (fds[SOCKET].revents && !obey(w, fds[PARENT].revents != 0))
                        return;
                if (fds[PARENT].revents)
                        return;
                while (fds[SIGNALS].revents &&
                        read(signals, &got, sizeof got) == (ssize_t)sizeof got)
                        ;
                if (!w->ended)
                        w->ended = reap(w);
        }
}

/* The inner process. SIGHUP says that the outer one has ended. */
static int inner(void *user)
{
        pawl__watched *w = user;
        const pawl__watched_start *first = w->start;
        sigset_t awaited;

        sigemptyset(&awaited);
        sigaddset(&awaited, SIGCHLD);
        sigaddset(&awaited, SIGHUP);
        int signals = signalfd(-1, &awaited, SFD_CLOEXEC | SFD_NONBLOCK);
        int error = signals < 0 ? errno : 0;
        if (!error &&
                (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0 || prctl(PR_SET_PDEATHSIG, SIGHUP) != 0))
                error = errno;
        if (error) {
                w->done = true;
                report(w, 0, error);
        } else if (start(w, first->argv, first->env)) {
                int keep[] = {
                        w->socket, w->parent_fd, signals, first->lock_fd ? first->lock_fd : -1};
                close_all_but(keep, sizeof keep / sizeof keep[0]);
                take_name();
                watch(w, signals);
        }
        if (!w->done)
                kill_all(w);
        w->done = true;
        _exit(0);
}

/* The outer process. It goes on when the inner one has ended, for whose memory, descriptors and
 * stack it is the keeper. */
/* ThreadSanitizer takes clone() for a fork with a memory of its own; its other name it leaves
 * alone. */
#ifdef PAWL_TSAN
int __clone(int (*fn)(void *), void *stack, int flags, void *user, ...);
#define clone __clone
#endif

void pawl__watcher_process(pawl__watched *w)
{
        const int flags = CLONE_VM | CLONE_FILES | SIGCHLD;
        _Alignas(16) char stack[STACK];
        int error = 0;

        w->outer = getpid();
        signal(SIGCHLD, SIG_DFL);
        setpgid(0, 0);
        w->parent_fd = (int)syscall(SYS_pidfd_open, w->parent, 0);
        if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0)
                error = errno;
        pid_t pid = error ? 0 : clone(inner, stack + STACK, flags, w);
        if (pid < 0)
                error = errno;
        if (pid > 0) /* bare: they also share what libc keeps for a thread, errno for one */
                (void)syscall(SYS_wait4, pid, NULL, 0, NULL);
        if (error)
                report(w, 0, error);
        else if (!w->done)
                kill_all(w);
        _exit(0);
}
