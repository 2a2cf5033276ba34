#include "mission/command_io.h"
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum {
        READ_CHUNK = 1 << 16, /* what a pipe holds */
        WRITE_CHUNK = 1 << 20
};

#define NEVER INT64_MAX

const pawl__command_waits pawl__command_waits_usual = {2000, 10000, 1000, 10000};

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
static void signal_group(const pawl__child *s, int signal)
{
        const pawl__watcher *watcher = &s->watcher;

        if (watcher->lost)
                return;
        kill(-watcher->command, signal);
        kill(-watcher->command, SIGCONT);
}

/* End the command for a reason of ours. The first reason stands. */
static void end(pawl__child *s, pawl_status why)
{
        if (!s->why)
                s->why = why;
        if (s->discard)
                return;
        s->discard = true;
        s->tick_at = NEVER;
        pawl__buf_free(&s->output);
        pawl__watcher_signal(&s->watcher, SIGTERM);
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
static void feed(pawl__child *s)
{
        pawl_text input = s->command.input;
        size_t left = input.len - s->written;
        ssize_t n = 0;

        if (left > 0)
                n = write_quietly(
                        s->in_fd, input.data + s->written, left < WRITE_CHUNK ? left : WRITE_CHUNK);
        if (n < 0 && (errno == EAGAIN || errno == EINTR))
                return;
        if (n > 0)
                s->written += (size_t)n;
        if (n < 0 || s->written == input.len)
                close_fd(&s->in_fd);
}

static void gather(pawl__child *s)
{
        pawl__buf *output = &s->output;
        char nowhere[4096];
        ssize_t n;

        if (!s->discard && pawl__buf_reserve(output, READ_CHUNK))
                end(s, PAWL_ENOMEM);
        if (s->discard)
                n = read(s->out_fd, nowhere, sizeof nowhere);
        else
                n = read(s->out_fd, output->data + output->len, READ_CHUNK);
        if (n < 0 && (errno == EAGAIN || errno == EINTR))
                return;
        if (n <= 0) {
                close_fd(&s->out_fd);
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
        if (output->len > s->command.output_max)
                end(s, PAWL_ETOOBIG);
}

/* What was read of its standard error; 0 bytes: its end, at which what was held back is shown. */
static void take_err(pawl__child *s, size_t len)
{
        const pawl_status status = s->command.log(&s->shown, s->err, len, s->command.log_user);

        s->err_since = s->now;
        if (s->deaf || status)
                s->shown.len = 0;
        if (status)
                end(s, status);
}

/* The next of it is read only when this is written: a reader that pauses makes the command wait. */
static void gather_err(pawl__child *s)
{
        ssize_t n = read(s->err_fd, s->err, sizeof s->err);

        if (n < 0 && (errno == EAGAIN || errno == EINTR))
                return;
        if (n <= 0) {
                close_fd(&s->err_fd);
                take_err(s, 0);
                return;
        }
        if (s->ended)
                s->silent_at = s->now + s->waits->silence;
        s->err_owed -= s->err_owed < (size_t)n ? s->err_owed : (size_t)n;
        take_err(s, (size_t)n);
}

static void pass_err_on(pawl__child *s)
{
        const size_t len = s->shown.len < PAWL__ERR_CHUNK ? s->shown.len : PAWL__ERR_CHUNK;
        const ssize_t n = write_quietly(STDERR_FILENO, s->shown.data, len);

        if (n < 0 && (errno == EAGAIN || errno == EINTR))
                return;
        if (n > 0)
                s->shown = pawl__text_n(s->shown.data + n, s->shown.len - (size_t)n);
        else
                s->deaf = true;
        if (s->deaf)
                s->shown.len = 0;
}

void pawl__child_forward(pawl__child *s, int signal)
{
        if (!s->interrupted_by)
                s->interrupted_by = signal;
        if (!s->why)
                s->why = PAWL_EINTERRUPTED;
        if (s->ended)
                s->deaf = true;
        if (s->command.signalled)
                s->command.signalled(s->command.tick_user);
        signal_group(s, signal);
        if (s->kill_at > s->now + s->waits->interrupt)
                s->kill_at = s->now + s->waits->interrupt;
}

/* The signal that waits there; 0: none. */
static int take_signal(int *fd)
{
        unsigned char signal;
        const ssize_t n = read(*fd, &signal, 1);

        if (n < 0 && (errno == EAGAIN || errno == EINTR))
                return 0;
        if (n <= 0) /* nobody will ask any more */
                *fd = -1;
        return n > 0 && signal < NSIG ? signal : 0;
}

static void note_end(pawl__child *s)
{
        s->ended = true;
        s->silent_at = s->now + s->waits->silence;
        s->close_at = s->now + s->waits->left_open;
        close_fd(&s->in_fd);
        int owed = 0;
        if (s->err_fd >= 0 && ioctl(s->err_fd, FIONREAD, &owed) == 0 && owed > 0)
                s->err_owed = (size_t)owed;
}

/* While its last words wait to be written, the command counts as running. */
static bool ticks(const pawl__child *s)
{
        return !s->ended || s->shown.len;
}

/* Is what is still open only held open by others? */
static bool may_close_err(const pawl__child *s)
{
        return (!s->shown.len && !s->err_owed) || (s->why && s->now >= s->close_at);
}

static void keep_time(pawl__child *s)
{
        const pawl__command *command = &s->command;

        s->now = now_ms();
        if (s->now >= s->kill_at) {
                pawl__watcher_signal(&s->watcher, SIGKILL);
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

static int timeout_ms(const pawl__child *s)
{
        int64_t at = s->kill_at;

        const bool closes = s->ended && (s->out_fd >= 0 || may_close_err(s));

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

enum { INPUT, OUTPUT, ERR, SHOWN, END, WATCHED };

/* What a child waits for. poll() passes over descriptors that are -1. */
static void watch(struct pollfd fds[WATCHED], const pawl__child *s, bool shows)
{
        fds[INPUT] = (struct pollfd){s->in_fd, POLLOUT, 0};
        fds[OUTPUT] = (struct pollfd){s->out_fd, POLLIN, 0};
        fds[ERR] = (struct pollfd){s->shown.len ? -1 : s->err_fd, POLLIN, 0};
        fds[SHOWN] = (struct pollfd){shows ? STDERR_FILENO : -1, POLLOUT, 0};
        fds[END] = (struct pollfd){s->ended ? -1 : s->watcher.fd, POLLIN, 0};
}

/* Out of kernel memory: without eyes, end it now. */
static void give_up(pawl__child *s)
{
        end(s, PAWL_EIO);
        close_fd(&s->out_fd);
        close_fd(&s->err_fd);
        note_end(s);
        s->shown.len = 0;
}

/* What came of the wait: @p n as poll() gave it. */
static void look(pawl__child *s, const struct pollfd fds[WATCHED], int n)
{
        const bool ended = s->ended; /* before this look */

        if (n > 0 && fds[INPUT].revents)
                feed(s);
        if (n > 0 && fds[OUTPUT].revents)
                gather(s);
        if (n > 0 && fds[ERR].revents)
                gather_err(s);
        if (n > 0 && fds[SHOWN].revents)
                pass_err_on(s);
        if (s->deaf)
                s->shown.len = 0;
        if (n > 0 && fds[END].revents && pawl__watcher_ended(&s->watcher))
                note_end(s);
        /* Silence is what a look after the end has seen, and not that this process was kept from
         * looking: what the command itself wrote is read whole. */
        const bool silent =
                n >= 0 && !fds[OUTPUT].revents && !fds[ERR].revents && s->now >= s->silent_at;
        if (ended && (silent || s->now >= s->close_at)) {
                close_fd(&s->out_fd);
                if (may_close_err(s)) {
                        if (s->err_fd >= 0) {
                                close_fd(&s->err_fd);
                                take_err(s, 0);
                        }
                        if (s->why && s->now >= s->close_at)
                                s->shown.len = 0;
                }
        }
        keep_time(s);
}

/* One of them writes to this process's standard error at a time, which takes no more than one
 * chunk without blocking: the one whose chunk was read first. */
static const pawl__child *who_shows(pawl__child *const *list, size_t n)
{
        const pawl__child *first = NULL;

        for (size_t i = 0; i < n; i++)
                if (list[i]->shown.len && (!first || list[i]->err_since < first->err_since))
                        first = list[i];
        return first;
}

int pawl__children_wait(pawl__child *const *list, size_t n, int *signal_fd, int64_t most_ms)
{
        struct pollfd fds[PAWL__COMMANDS_MOST * WATCHED + 1];
        const pawl__child *shows = who_shows(list, n);
        const int64_t now = now_ms();
        int64_t wait_ms = most_ms, signal = 0;

        for (size_t i = 0; i < n; i++) {
                list[i]->now = now;
                const int64_t ms = timeout_ms(list[i]);
                watch(&fds[i * WATCHED], list[i], list[i] == shows);
                if (ms >= 0 && (wait_ms < 0 || ms < wait_ms))
                        wait_ms = ms;
        }
        fds[n * WATCHED] = (struct pollfd){*signal_fd, POLLIN, 0};
        const int got = poll(fds, n * WATCHED + 1, wait_ms > INT_MAX ? INT_MAX : (int)wait_ms);
        const bool blind = got < 0 && errno != EINTR;
        if (got > 0 && fds[n * WATCHED].revents)
                signal = take_signal(signal_fd);
        for (size_t i = 0; i < n; i++) {
                list[i]->now = now_ms();
                if (signal)
                        pawl__child_forward(list[i], (int)signal);
                if (blind)
                        give_up(list[i]);
                else
                        look(list[i], &fds[i * WATCHED], got);
        }
        return (int)signal;
}

void pawl__child_begin(pawl__child *s)
{
        s->waits = s->command.waits ? s->command.waits : &pawl__command_waits_usual;
        s->now = now_ms();
        s->tick_at = s->kill_at = NEVER;
        if (s->command.tick && s->command.tick_ms)
                s->tick_at = s->now + s->command.tick_ms;
}

bool pawl__child_done(const pawl__child *s)
{
        return s->ended && s->out_fd < 0 && s->err_fd < 0 && !s->shown.len;
}

void pawl__child_stop(pawl__child *s, pawl_status why)
{
        end(s, why);
}

pawl_status pawl__child_came_to(const pawl__child *s)
{
        return s->why ? s->why : s->watcher.lost ? PAWL_EIO : PAWL_OK;
}
