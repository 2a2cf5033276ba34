/* Nothing of a command outlives the process that runs it, nor the watcher between the two. */
#include "support/command.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A command whose processes are hard to get hold of: one in a session of its own, a daemon, one
 * that is stopped, one that is another process all the time. All ignore what can be ignored, write
 * to the file ticks and, but for the last, their pid to the file pids; "watcher" is whose child the
 * command is. */
static const char tree[] =
        "import os, signal, time\n"
        "def live(stop=False, last=False):\n"
        "    for s in range(1, 32):\n"
        "        if s not in (signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD):\n"
        "            signal.signal(s, signal.SIG_IGN)\n"
        "    with open('pids', 'a') as f:\n"
        "        f.write(f'{os.getpid()}\\n')\n"
        "    if last:\n"
        "        open('ticks', 'a').close()\n"
        "        open('ready', 'w')\n"
        "    if stop:\n"
        "        os.kill(os.getpid(), signal.SIGSTOP)\n"
        "    while True:\n"
        "        with open('ticks', 'a') as f:\n"
        "            f.write('.')\n"
        "        time.sleep(0.01)\n"
        "def child():\n"
        "    if os.fork():\n"
        "        return False\n"
        "    os.setsid()\n"
        "    return True\n"
        "with open('watcher', 'w') as f:\n"
        "    f.write(f'{os.getppid()}')\n"
        "if child():\n"
        "    live()\n"
        "if child():\n"
        "    live(stop=True)\n"
        "if child():\n"
        "    if os.fork():\n"
        "        os._exit(0)\n"
        "    live()\n"
        "if child():\n"
        "    while True:\n"
        "        with open('ticks', 'a') as f:\n"
        "            f.write('.')\n"
        "        if os.fork():\n"
        "            os._exit(0)\n"
        "while open('pids', 'a+').seek(0) or len(open('pids').readlines()) < 3:\n"
        "    time.sleep(0.01)\n"
        "live(last=True)\n";

/* In a process of its own: run it, and tell what came of it in the file "said". */
static pid_t run_tree(struct command_fixture *f)
{
        char *argv[] = {(char *)"python3", (char *)"-c", (char *)tree, NULL};
        pid_t pid = process_fork();

        assert_true(pid >= 0);
        if (pid)
                return pid;
        signal(SIGINT, SIG_DFL); /* who began the tests in the background ignores it */
        pawl_status status = command_run(f, argv);
        char said[1024];
        snprintf(said, sizeof said, "%s %d %s", pawl_status_name(status), f->result.exit_code,
                f->err.message);
        file_write(path_in(f->directory, "said"), said, strlen(said));
        _exit(0);
}

static void await(struct command_fixture *f, const char *name)
{
        char *path = path_in(f->directory, name);

        for (int i = 0; access(path, F_OK) != 0; i++) {
                nanosleep(&(struct timespec){0, 10000000}, NULL);
                assert_true(i < 6000);
        }
}

static off_t ticks(const struct command_fixture *f)
{
        struct stat st;

        assert_int_equal(stat(path_in(f->directory, "ticks"), &st), 0);
        return st.st_size;
}

static long number_in(struct command_fixture *f, const char *name)
{
        char *path = path_in(f->directory, name);
        char *text = file_read(path, NULL);
        long number = strtol(text, NULL, 10);

        return number;
}

/* A field of /proc/PID/stat after the name, from 3 on; 0: no such process. */
static long stat_field(long pid, int field)
{
        char path[64], line[1024];

        snprintf(path, sizeof path, "/proc/%ld/stat", pid);
        FILE *file = fopen(path, "r");
        if (!file)
                return 0;
        char *at = fgets(line, sizeof line, file) ? strrchr(line, ')') : NULL;
        fclose(file);
        if (!at) /* it ended after it was found */
                return 0;
        for (int i = 2; at && i < field; i++)
                at = strchr(at + 1, ' ');
        assert_non_null(at);
        return field == 3 ? at[1] : strtol(at, NULL, 10);
}

static bool alive(long pid)
{
        long state = stat_field(pid, 3);

        return state != 0 && state != 'Z' && state != 'X';
}

/* Soon after start, and not after the time that one has which heeds no TERM, no process of the
 * command is alive, and nothing writes. */
static void check_gone(struct command_fixture *f, double start)
{
        char *text = file_read(path_in(f->directory, "pids"), NULL), *at = text;
        int n = 0;

        for (long pid = strtol(at, &at, 10); pid > 0; pid = strtol(at, &at, 10), n++)
                while (alive(pid)) {
                        nanosleep(&(struct timespec){0, 1000000}, NULL);
                        if (seconds() - start > 8)
                                fail_msg("pid %ld is still alive", pid);
                }
        assert_int_equal(n, 4);
        off_t before = -1;
        for (off_t now = ticks(f); now != before; now = ticks(f)) {
                if (seconds() - start > 8)
                        fail_msg("something still writes");
                before = now;
                nanosleep(&(struct timespec){0, 100000000}, NULL);
        }
}

UNIT_TEST(nothing_outlives_a_process_that_a_signal_ends)
{
        static const int signals[] = {SIGKILL, SIGQUIT, SIGABRT, SIGXCPU, SIGTERM};
        int how;

        for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
                void *fresh;
                assert_int_equal(command_setup(&fresh), 0);
                struct command_fixture *f = fresh;
                pid_t pid = run_tree(f);
                await(f, "ready");
                assert_int_equal(kill(pid, signals[i]), 0);
                double start = seconds();
                assert_int_equal(waitpid(pid, &how, 0), pid);
                assert_true(WIFSIGNALED(how));
                check_gone(f, start);
                command_teardown(&fresh);
        }
}

/* All that bears the name, or has it in its arguments, is killed at once. */
COMMAND_TEST(the_watcher_does_not_go_by_the_name_of_the_program)
{
        char path[64], ours[32], theirs[32];

        pid_t pid = run_tree(f);
        await(f, "ready");
        long inner = number_in(f, "watcher"), outer = stat_field(inner, 4);
        assert_int_equal(stat_field(outer, 4), pid);
        for (int i = 0; i < 2; i++) {
                snprintf(path, sizeof path, "/proc/%ld/comm", i ? outer : inner);
                char *text = file_read(path, NULL);
                snprintf(theirs, sizeof theirs, "%s", text);
                snprintf(path, sizeof path, "/proc/%d/comm", (int)pid);
                text = file_read(path, NULL);
                snprintf(ours, sizeof ours, "%s", text);
                if (!i)
                        assert_string_equal(theirs, "step-watcher\n");
                snprintf(path, sizeof path, "/proc/%ld/cmdline", i ? outer : inner);
                text = file_read(path, NULL);
                assert_string_equal(text, "step-watcher");
        }
        assert_string_not_equal(ours, "step-watcher\n");
        kill(pid, SIGKILL);
        assert_int_equal(waitpid(pid, NULL, 0), pid);
        check_gone(f, seconds());
}

static void check_watcher_killed(struct command_fixture *f, bool outer)
{
        pid_t pid = run_tree(f);

        await(f, "ready");
        long watcher = number_in(f, "watcher");
        if (outer)
                watcher = stat_field(watcher, 4);
        assert_int_equal(kill((pid_t)watcher, SIGKILL), 0);
        double start = seconds();
        assert_int_equal(waitpid(pid, NULL, 0), pid);
        check_gone(f, start);
        char *said = file_read(path_in(f->directory, "said"), NULL);
        assert_string_equal(said,
                "PAWL_EIO -1 python3: was killed, since the process that watches it "
                "was; resume the run to start it again");
}

COMMAND_TEST(a_watcher_that_is_killed_takes_the_command_with_it)
{
        check_watcher_killed(f, false);
}

COMMAND_TEST(so_does_the_one_that_watches_the_watcher)
{
        check_watcher_killed(f, true);
}

COMMAND_TEST(a_stopped_process_keeps_its_command)
{
        pid_t pid = run_tree(f);
        await(f, "ready");
        assert_int_equal(kill(pid, SIGSTOP), 0);
        off_t before = ticks(f);
        for (int i = 0; ticks(f) == before; i++) {
                nanosleep(&(struct timespec){0, 10000000}, NULL);
                assert_true(i < 6000);
        }
        kill(pid, SIGKILL);
        assert_int_equal(waitpid(pid, NULL, 0), pid);
        check_gone(f, seconds());
}

static pawl_status lose_the_run(void *user)
{
        return access(user, F_OK) == 0 ? PAWL_EFENCED : PAWL_OK;
}

/* What ends a command for a reason of this process's ends all of it. */
COMMAND_TEST(a_command_that_is_ended_leaves_nothing)
{
        static const pawl__command_waits waits = {100, 100, 1000, 10000};
        char *argv[] = {(char *)"python3", (char *)"-c", (char *)tree, NULL};
        int before = open_files();

        f->command.waits = &waits;
        f->command.tick = lose_the_run;
        f->command.tick_user = path_in(f->directory, "ready");
        f->command.tick_ms = 10;
        assert_int_equal(command_run(f, argv), PAWL_EFENCED);
        assert_int_equal(f->result.killed_by, SIGKILL);
        check_gone(f, seconds());
        assert_int_equal(open_files(), before);
        assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* nor is a child left to be waited for */
        assert_int_equal(errno, ECHILD);
}

/* Who gets the lock knows that nothing of the command is alive. */
COMMAND_TEST(a_lock_is_kept_until_nothing_of_the_command_lives)
{
        struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
        char *path = path_in(f->directory, "lock");

        file_write(path, "", 0);
        int ours = open(path, O_RDWR | O_CLOEXEC), theirs = open(path, O_RDWR | O_CLOEXEC);
        assert_true(ours > 2 && theirs > 2);
        assert_int_equal(fcntl(theirs, F_OFD_SETLK, &whole), 0);
        f->command.lock_fd = theirs;
        pid_t pid = run_tree(f);
        close(theirs);
        await(f, "ready");
        assert_int_equal(fcntl(ours, F_OFD_SETLK, &whole), -1);
        assert_int_equal(kill(pid, SIGKILL), 0);
        assert_int_equal(fcntl(ours, F_OFD_SETLKW, &whole), 0);
        char *text = file_read(path_in(f->directory, "pids"), NULL), *at = text;
        for (long one = strtol(at, &at, 10); one > 0; one = strtol(at, &at, 10))
                assert_false(alive(one));
        assert_int_equal(waitpid(pid, NULL, 0), pid);
        check_gone(f, seconds());
        close(ours);
}

/* Neither those of the program nor the command's own: its output has ended when nobody has it. */
COMMAND_TEST(the_watcher_keeps_no_descriptor)
{
        int ends[2];

        assert_int_equal(pipe(ends), 0); /* inherited by what the program starts */
        assert_ok(
                command_shell(f, "until grep -q ^step-watcher /proc/$PPID/cmdline; do sleep 0.01; "
                                 "done; ls -l /proc/$PPID/fd | sed -n 's/.*-> //p'"));
        close(ends[0]);
        close(ends[1]);
        assert_null(strstr(f->result.output.data, "pipe:"));
        assert_null(strstr(f->result.output.data, "/dev/"));
        assert_non_null(strstr(f->result.output.data, "socket:"));
}
