/* Running one step's command: what ends it from outside, by a limit, a lost lease or a signal. */
#include "support/command.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- The limit on the output ---------------------------------------------------------------- */

COMMAND_TEST(an_output_of_the_limit_is_taken_and_one_byte_more_is_not)
{
        f->command.output_max = 1000;
        assert_ok(command_shell(f, "head -c 1000 /dev/zero"));
        assert_int_equal(f->result.output.len, 1000);
        assert_int_equal(
                command_shell(f, "head -c 1001 /dev/zero; echo $$ >pid; sleep 30"), PAWL_ETOOBIG);
        assert_string_equal(f->err.message, "/bin/sh: its output passes 1000 bytes; raise "
                                            "max_output_bytes or write to a file");
        assert_int_equal(f->result.output.len, 0);
        assert_null(f->result.output.data);
        assert_int_equal(f->result.killed_by, SIGTERM);
}

COMMAND_TEST(an_endless_output_ends_even_if_term_is_ignored)
{
        static const pawl__command_waits waits = {300, 600000, 1000, 10000};
        double start = seconds();

        f->command.waits = &waits;
        f->command.output_max = 100000;
        assert_int_equal(
                command_shell(f, "trap '' TERM; echo $$ >pid; yes & yes; sleep 30"), PAWL_ETOOBIG);
        assert_true(seconds() - start >= 0.3);
        assert_int_equal(f->result.killed_by, SIGKILL);
        command_gone(f, "pid");
}

/* ---- Standard error -------------------------------------------------------------------------- */

static pawl_status keep_log(pawl_text *shown, const char *data, size_t len, void *user)
{
        *shown = pawl__text_n(data, len);
        return pawl__buf_add(user, data, len);
}

/* What the command wrote is read whole, however long a process that it left behind goes on. */
COMMAND_TEST(standard_error_held_open_by_others_ends)
{
        static const pawl__command_waits waits = {300, 300, 200, 600};
        pawl__buf log = PAWL__BUF_INIT;
        double start = seconds();

        f->command.waits = &waits;
        f->command.log = keep_log;
        f->command.log_user = &log;
        assert_ok(command_shell(f, "head -c 50000 /dev/zero >&2; (trap '' PIPE; "
                                   "while sleep 0.05; do echo x >&2 || exit; done "
                                   ">/dev/null) & echo said"));
        assert_true(seconds() - start < 5);
        assert_int_equal(f->result.exit_code, 0);
        assert_true(log.len >= 50000);
        assert_text(pawl__buf_text(&f->result.output), "said\n");
        pawl__buf_free(&log);
}

static pawl_status keep_none(pawl_text *shown, const char *data, size_t len, void *user)
{
        *shown = pawl__text_n(data, len);
        (void)data;
        (void)len;
        (void)user;
        return PAWL_ENOMEM;
}

COMMAND_TEST(a_log_that_cannot_be_kept_ends_the_command)
{
        f->command.log = keep_none;
        assert_int_equal(command_shell(f, "echo $$ >pid; echo x >&2; sleep 30"), PAWL_ENOMEM);
        assert_int_equal(f->result.killed_by, SIGTERM);
        assert_null(f->result.output.data);
}

/* ---- Ticks and signals ---------------------------------------------------------------------- */

struct ticking {
        int calls, fail_at, go_at; /* go_at: the file "go" is made then */
        char *ready, *go;
};

static void tick_in(struct command_fixture *f, struct ticking *t)
{
        t->ready = path_in(f->directory, "ready");
        t->go = path_in(f->directory, "go");
        f->command.tick_user = t;
        f->command.tick_ms = 50;
}

/* Counted once the command is ready. */
static pawl_status tick(void *user)
{
        struct ticking *t = user;

        if (access(t->ready, F_OK) != 0)
                return PAWL_OK;
        if (++t->calls == t->go_at)
                file_write(t->go, "", 0);
        return t->calls == t->fail_at ? PAWL_EFENCED : PAWL_OK;
}

COMMAND_TEST(ticks_come_while_it_runs)
{
        struct ticking t = {.go_at = 3};
        double start = seconds();

        f->command.tick = tick;
        tick_in(f, &t);
        assert_ok(command_shell(f, ": >ready; until test -e go; do sleep 0.01; done"));
        assert_true(t.calls >= 3 && t.calls <= (seconds() - start) / 0.05);
}

COMMAND_TEST(a_tick_that_fails_ends_the_command)
{
        struct ticking t = {.fail_at = 2};

        f->command.tick = tick;
        tick_in(f, &t);
        assert_int_equal(
                command_shell(f, "echo $$ >pid; echo x; : >ready; sleep 600"), PAWL_EFENCED);
        assert_int_equal(t.calls, 2);
        assert_int_equal(f->result.killed_by, SIGTERM);
        assert_string_equal(
                f->err.message, "/bin/sh: was ended, since the run cannot go on (PAWL_EFENCED)");
        assert_null(f->result.output.data);
        command_gone(f, "pid");
}

/* Sends a signal as a program's handler would, a byte into a pipe, once the command has made the
 * file "ready". */
struct sender {
        int fds[2];
        char *ready;
        unsigned char signal;
        pthread_t thread;
};

static void *send_later(void *user)
{
        struct sender *s = user;

        for (int i = 0; i < 60000 && access(s->ready, F_OK) != 0; i++)
                nanosleep(&(struct timespec){0, 1000000}, NULL);
        assert_int_equal(write(s->fds[1], &s->signal, 1), 1);
        return NULL;
}

static void sender_start(struct command_fixture *f, struct sender *s, int signal)
{
        assert_int_equal(pipe2(s->fds, O_CLOEXEC | O_NONBLOCK), 0);
        s->ready = path_in(f->directory, "ready");
        s->signal = (unsigned char)signal;
        f->command.signal_fd = s->fds[0];
        assert_int_equal(pthread_create(&s->thread, NULL, send_later, s), 0);
}

static void sender_end(struct sender *s)
{
        assert_int_equal(pthread_join(s->thread, NULL), 0);
        close(s->fds[0]);
        close(s->fds[1]);
}

COMMAND_TEST(a_signal_is_forwarded_to_the_whole_group)
{
        struct sender s;

        sender_start(f, &s, SIGINT);
        assert_int_equal(
                command_shell(f, "echo $$ >pid; sh -c 'echo $$ >below; : >ready; exec sleep 600'; "
                                 "echo no"),
                PAWL_EINTERRUPTED);
        sender_end(&s);
        assert_int_equal(f->result.interrupted_by, SIGINT);
        assert_int_equal(f->result.killed_by, SIGINT);
        assert_int_equal(f->result.exit_code, 128 + SIGINT);
        assert_string_equal(f->err.message, "/bin/sh: ended by signal 2 (INT), which was passed on "
                                            "to it; resume the run to start it again");
        assert_null(f->result.output.data);
        command_gone(f, "pid");
        command_gone(f, "below");
}

/* A command may tidy up: its own exit code is kept, and yet it was interrupted. */
COMMAND_TEST(a_command_that_catches_the_signal_is_still_interrupted)
{
        struct sender s;

        sender_start(f, &s, SIGTERM);
        assert_int_equal(
                command_shell(f,
                        "trap 'sleep 0.2; echo tidy >done; exit 0' TERM; : >ready; while :; do "
                        "sleep 0.05; done"),
                PAWL_EINTERRUPTED);
        sender_end(&s);
        assert_int_equal(f->result.interrupted_by, SIGTERM);
        assert_int_equal(f->result.exit_code, 0);
        assert_ok(command_shell(f, "cat done"));
        assert_text(pawl__buf_text(&f->result.output), "tidy\n");
}

COMMAND_TEST(a_stopped_command_gets_the_signal_too)
{
        struct sender s;

        sender_start(f, &s, SIGTERM);
        assert_int_equal(
                command_shell(f, "(until read -r pid name state rest </proc/$$/stat && "
                                 "[ $state = T ]; do sleep 0.01; done; : >ready) & kill -STOP $$; "
                                 "sleep 600"),
                PAWL_EINTERRUPTED);
        sender_end(&s);
        assert_int_equal(f->result.killed_by, SIGTERM);
}

COMMAND_TEST(a_command_that_ignores_the_signal_is_killed_in_the_end)
{
        static const pawl__command_waits waits = {600000, 300, 1000, 10000};
        struct sender s;
        double start = seconds();

        f->command.waits = &waits;
        sender_start(f, &s, SIGTERM);
        assert_int_equal(command_shell(f, "trap '' TERM; echo $$ >pid; sleep 600 & echo $! >below; "
                                          ": >ready; wait; while :; do sleep 1; done"),
                PAWL_EINTERRUPTED);
        sender_end(&s);
        assert_true(seconds() - start >= 0.3);
        assert_int_equal(f->result.killed_by, SIGKILL);
        assert_int_equal(f->result.interrupted_by, SIGTERM);
        command_gone(f, "pid");
        command_gone(f, "below");
}

COMMAND_TEST(a_closed_signal_descriptor_does_not_matter)
{
        int fds[2];

        assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
        close(fds[1]);
        f->command.signal_fd = fds[0];
        assert_ok(command_shell(f, "sleep 0.1; echo x"));
        assert_text(pawl__buf_text(&f->result.output), "x\n");
        close(fds[0]);
}

/* A program may ignore SIGCHLD, or wait for every child it has. */
COMMAND_TEST(the_exit_status_is_known_even_if_the_program_takes_no_note_of_its_children)
{
        signal(SIGCHLD, SIG_IGN);
        pawl_status status = command_shell(f, "echo x; exit 5");
        signal(SIGCHLD, SIG_DFL);
        assert_ok(status);
        assert_int_equal(f->result.exit_code, 5);
        assert_text(pawl__buf_text(&f->result.output), "x\n");
}

/* An older kernel, or a sandbox: pidfd_open() fails in this process from here on. */
static void take_pidfds_away(void)
{
        struct sock_filter code[] = {
                BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
                BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pidfd_open, 0, 1),
                BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
                BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        };
        struct sock_fprog program = {sizeof code / sizeof code[0], code};

        assert_int_equal(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
        assert_int_equal(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
}

COMMAND_TEST(without_pidfds_the_end_is_seen_all_the_same)
{
        pid_t pid = fork();

        if (pid == 0) {
                struct ticking t = {.fail_at = 3};
                take_pidfds_away();
                assert_int_equal(syscall(SYS_pidfd_open, getpid(), 0), -1);
                assert_ok(command_shell(f, "echo x; exec >&-; sleep 0.2; exit 6"));
                assert_int_equal(f->result.exit_code, 6);
                assert_text(pawl__buf_text(&f->result.output), "x\n");
                f->command.tick = tick;
                tick_in(f, &t);
                assert_int_equal(command_shell(f, ": >ready; sleep 600"), PAWL_EFENCED);
                _exit(42);
        }
        child_exits(pid, 42);
}
