#include "mission/command_io.h"
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum {
        READ_CHUNK = 1 << 16, /* what a pipe holds */
        WRITE_CHUNK = 1 << 20,
        ERR_CHUNK = 4096 /* PIPE_BUF: what a pipe that is ready takes without blocking */
};

#define NEVER INT64_MAX

const pawl__command_waits pawl__command_waits_usual = {2000, 10000, 1000, 10000};

/* What the loop keeps beside the child. Times are milliseconds of CLOCK_MONOTONIC: they bound waits
 * and decide nothing that is recorded. */
struct supervision {
        pawl__child *child;
        const pawl__command_waits *waits;
        int signal_fd;
        bool ended, discard;
        bool deaf;              /* this process's standard error takes nothing any more */
        char err[ERR_CHUNK];    /* read of the command's, on its way to this process's */
        size_t err_len, err_at; /* it is written from err_at on */
        size_t err_owed;        /* bytes that stood in the pipe when the command ended */
        pawl_status why;        /* PAWL_OK until something other than the command itself ends it */
        int64_t now, tick_at, kill_at, silent_at, close_at;
};

static int64_t now_ms(void)
{
        struct timespec now;

        clock_gettime(CLOCK_MONOTONIC, &now);
        return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void close_fd(int *fd)
{
        if (*fd >= 0)
                close(*fd);
        *fd = -1;
}

/* SIGCONT after it, since a stopped process would not get it (one that wanted the terminal, say).
 */
static void signal_group(const struct supervision *s, int signal)
{
        const pawl__watcher *watcher = &s->child->watcher;

        if (watcher->lost)
                return;
        kill(-watcher->command, signal);
        kill(-watcher->command, SIGCONT);
}

/* End the command for a reason of ours. The first reason stands. */
static void end(struct supervision *s, pawl_status why)
{
        if (!s->why)
                s->why = why;
        if (s->discard)
                return;
        s->discard = true;
        s->tick_at = NEVER;
        pawl__buf_free(&s->child->output);
        pawl__watcher_signal(&s->child->watcher, SIGTERM);
        if (s->kill_at > s->now + s->waits->term)
                s->kill_at = s->now + s->waits->term;
}

/*
 * write() to a pipe that nobody reads any more raises SIGPIPE in this thread. The program's
 * handling of it is not ours to change, so it is blocked here and, if this write raised it, taken
 * back.
 */
static ssize_t write_quietly(int fd, const char *data, size_t len)
{
        const struct timespec at_once = {0, 0};
        sigset_t pipe_only, before, pending;

        sigemptyset(&pipe_only);
        sigaddset(&pipe_only, SIGPIPE);
        sigpending(&pending);
        bool was_pending = sigismember(&pending, SIGPIPE) == 1;
        pthread_sigmask(SIG_BLOCK, &pipe_only, &before);
        ssize_t n = write(fd, data, len);
        int error = errno;
        if (n < 0 && error == EPIPE && !was_pending)
                while (sigtimedwait(&pipe_only, NULL, &at_once) < 0 && errno == EINTR)
                        ;
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        errno = error;
        return n;
}

/* A reader that closes early has read what it wants. */
static void feed(struct supervision *s)
{
        pawl__child *child = s->child;
        pawl_text input = child->command->input;
        size_t left = input.len - child->written;
        ssize_t n = 0;

        if (left > 0)
                n = write_quietly(child->in_fd, input.data + child->written,
                        left < WRITE_CHUNK ? left : WRITE_CHUNK);
        if (n < 0 && (errno == EAGAIN || errno == EINTR))
                return;
        if (n > 0)
                child->written += (size_t)n;
        if (n < 0 || child->written == input.len)
                close_fd(&child->in_fd);
}

static void gather(struct supervision *s)
{
        pawl__child *child = s->child;
        pawl__buf *output = &child->output;
        char nowhere[4096];
        ssize_t n;

        if (!s->discard && pawl__buf_reserve(output, READ_CHUNK))
                end(s, PAWL_ENOMEM);
        if (s->discard)
                n = read(child->out_fd, nowhere, sizeof nowhere);
        else
                n = read(child->out_fd, output->data + output->len, READ_CHUNK);
        if (n < 0 && (errno == EAGAIN || errno == EINTR))
                return;
        if (n <= 0) {
                close_fd(&child->out_fd);
                if (n < 0)
                        end(s, PAWL_EIO);
                return;
        }
        if (s->ended)
                s->silent_at = s->now + s->waits->silence;
        if (s->discard)
                return;
        output->len += (size_t)n;
        output->data[output->len] = '\0';
        if (output->len > child->command->output_max)
                end(s, PAWL_ETOOBIG);
}

/* The next of it is read only when this is written: a reader that pauses makes the command wait. */
static void gather_err(struct supervision *s)
{
        const pawl__command *command = s->child->command;
        ssize_t n = read(s->child->err_fd, s->err, sizeof s->err);

        if (n < 0 && (errno == EAGAIN || errno == EINTR))
                return;
        if (n <= 0) {
                close_fd(&s->child->err_fd);
                return;
        }
        if (s->ended)
                s->silent_at = s->now + s->waits->silence;
        s->err_owed -= s->err_owed < (size_t)n ? s->err_owed : (size_t)n;
        s->err_at = 0;
        s->err_len = s->deaf ? 0 : (size_t)n;
        pawl_status status = command->log(s->err, (size_t)n, command->log_user);
        if (status)
                end(s, status);
}

static void pass_err_on(struct supervision *s)
{
        ssize_t n = write_quietly(STDERR_FILENO, s->err + s->err_at, s->err_len - s->err_at);

        if (n < 0 && (errno == EAGAIN || errno == EINTR))
                return;
        if (n > 0)
                s->err_at += (size_t)n;
        else
                s->deaf = true;
        if (s->deaf || s->err_at == s->err_len)
                s->err_len = 0;
}

static void forward(struct supervision *s)
{
        unsigned char signal;
        ssize_t n = read(s->signal_fd, &signal, 1);

        if (n < 0 && (errno == EAGAIN || errno == EINTR))
                return;
        if (n <= 0) { /* nobody will ask any more */
                s->signal_fd = -1;
                return;
        }
        if (signal == 0 || signal >= NSIG)
                return;
        if (!s->child->interrupted_by)
                s->child->interrupted_by = signal;
        if (!s->why)
                s->why = PAWL_EINTERRUPTED;
        if (s->ended)
                s->deaf = true;
        if (s->child->command->signalled)
                s->child->command->signalled(s->child->command->tick_user);
        signal_group(s, signal);
        if (s->kill_at > s->now + s->waits->interrupt)
                s->kill_at = s->now + s->waits->interrupt;
}

static void note_end(struct supervision *s)
{
        s->ended = true;
        s->silent_at = s->now + s->waits->silence;
        s->close_at = s->now + s->waits->left_open;
        close_fd(&s->child->in_fd);
        int owed = 0;
        if (s->child->err_fd >= 0 && ioctl(s->child->err_fd, FIONREAD, &owed) == 0 && owed > 0)
                s->err_owed = (size_t)owed;
}

/* While its last words wait to be written, the command counts as running. */
static bool ticks(const struct supervision *s)
{
        return !s->ended || s->err_len;
}

/* Is what is still open only held open by others? */
static bool may_close_err(const struct supervision *s)
{
        return (!s->err_len && !s->err_owed) || (s->why && s->now >= s->close_at);
}

static void keep_time(struct supervision *s)
{
        const pawl__command *command = s->child->command;

        s->now = now_ms();
        if (s->now >= s->kill_at) {
                pawl__watcher_signal(&s->child->watcher, SIGKILL);
                s->kill_at = NEVER;
        }
        if (command->tick && s->now >= s->tick_at && ticks(s)) {
                pawl_status status = command->tick(command->tick_user);
                s->now = now_ms();
                s->tick_at = s->now + command->tick_ms;
                if (status && (!s->ended || status == PAWL_EFENCED))
                        end(s, status);
        }
}

static int timeout_ms(const struct supervision *s)
{
        int64_t at = s->kill_at;

        const bool closes = s->ended && (s->child->out_fd >= 0 || may_close_err(s));

        if (ticks(s) && s->tick_at < at)
                at = s->tick_at;
        if (closes && s->silent_at < at)
                at = s->silent_at;
        if ((closes || (s->ended && s->why && s->now < s->close_at)) && s->close_at < at)
                at = s->close_at;
        if (at == NEVER)
                return -1;
        return at <= s->now ? 0 : (int)(at - s->now);
}

/* One wait, and what came of it. poll() passes over descriptors that are -1. */
static void step(struct supervision *s)
{
        enum { INPUT, OUTPUT, ERR, SHOWN, END, SIGNAL, WATCHED };
        struct pollfd fds[WATCHED] = {
                [INPUT] = {s->child->in_fd, POLLOUT, 0},
                [OUTPUT] = {s->child->out_fd, POLLIN, 0},
                [ERR] = {s->err_len ? -1 : s->child->err_fd, POLLIN, 0},
                [SHOWN] = {s->err_len ? STDERR_FILENO : -1, POLLOUT, 0},
                [END] = {s->ended ? -1 : s->child->watcher.fd, POLLIN, 0},
                [SIGNAL] = {s->signal_fd, POLLIN, 0},
        };
        const bool ended = s->ended; /* before this look */
        int n = poll(fds, WATCHED, timeout_ms(s));

        s->now = now_ms();
        if (n < 0 && errno != EINTR) { /* out of kernel memory: without eyes, end it now */
                end(s, PAWL_EIO);
                close_fd(&s->child->out_fd);
                close_fd(&s->child->err_fd);
                note_end(s);
                s->err_len = 0;
                return;
        }
        if (n > 0 && fds[SIGNAL].revents)
                forward(s);
        if (n > 0 && fds[INPUT].revents)
                feed(s);
        if (n > 0 && fds[OUTPUT].revents)
                gather(s);
        if (n > 0 && fds[ERR].revents)
                gather_err(s);
        if (n > 0 && fds[SHOWN].revents)
                pass_err_on(s);
        if (s->deaf)
                s->err_len = 0;
        if (n > 0 && fds[END].revents && pawl__watcher_ended(&s->child->watcher))
                note_end(s);
        /* Silence is what a look after the end has seen, and not that this process was kept from
         * looking: what the command itself wrote is read whole. */
        const bool silent =
                n >= 0 && !fds[OUTPUT].revents && !fds[ERR].revents && s->now >= s->silent_at;
        if (ended && (silent || s->now >= s->close_at)) {
                close_fd(&s->child->out_fd);
                if (may_close_err(s)) {
                        close_fd(&s->child->err_fd);
                        s->err_len = 0;
                }
        }
        keep_time(s);
}

pawl_status pawl__child_supervise(pawl__child *child)
{
        const pawl__command *command = child->command;
        struct supervision s = {.child = child,
                .waits = command->waits ? command->waits : &pawl__command_waits_usual,
                .signal_fd = command->signal_fd,
                .now = now_ms(),
                .tick_at = NEVER,
                .kill_at = NEVER};

        if (command->tick && command->tick_ms)
                s.tick_at = s.now + command->tick_ms;
        while (!s.ended || child->out_fd >= 0 || child->err_fd >= 0 || s.err_len)
                step(&s);
        return s.why ? s.why : child->watcher.lost ? PAWL_EIO : PAWL_OK;
}
