/* One command after the other by the same watcher, and what must not come of that. */
#include "mission/watcher.h"
#include "support/command.h"
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Tells the watcher's pid. */
static const char whose[] = "echo $PPID";

static pawl_status keep_nothing(pawl_text *shown, const char *data, size_t len, void *user)
{
        *shown = pawl__text_n(data, len);
        (void)data, (void)len, (void)user;
        return PAWL_OK;
}

static void use(struct command_fixture *f, pawl__watchers *watchers)
{
        f->command.watchers = watchers;
        f->command.log = keep_nothing;
}

static long shell_number(struct command_fixture *f, const char *script)
{
        assert_ok(command_shell(f, script));
        assert_int_equal(f->result.exit_code, 0);
        return strtol(f->result.output.data, NULL, 10);
}

static bool alive(long pid)
{
        return kill((pid_t)pid, 0) == 0;
}

COMMAND_TEST(a_watcher_takes_one_command_after_the_other)
{
        pawl__watchers watchers = {.n = 0};
        const int before = open_files();

        use(f, &watchers);
        const long first = shell_number(f, whose);
        for (int i = 0; i < 50; i++) {
                assert_int_equal(watchers.n, 1);
                assert_int_equal(shell_number(f, whose), first);
        }
        pawl__watchers_end(&watchers);
        assert_int_equal(watchers.n, 0);
        assert_int_equal(open_files(), before);
        assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

COMMAND_TEST(each_command_gets_its_own_input_words_variables_and_exit_code)
{
        pawl__watchers watchers = {.n = 0};
        char word[16], variable[24], expected[64];

        use(f, &watchers);
        for (int i = 0; i < 20; i++) {
                snprintf(word, sizeof word, "word %d", i);
                snprintf(variable, sizeof variable, "MINE=%d", i);
                snprintf(expected, sizeof expected, "%s %d %s", word, i, word);
                const char *env[] = {variable, NULL};
                char *argv[] = {(char *)"sh", (char *)"-c",
                        (char *)"printf '%s %s ' \"$0\" $MINE; cat; exit $((MINE % 3))", word,
                        NULL};
                f->command.env = env;
                f->command.input = pawl__text(word);
                assert_ok(command_run(f, argv));
                assert_int_equal(f->result.exit_code, i % 3);
                assert_text(pawl__buf_text(&f->result.output), expected);
        }
        assert_int_equal(watchers.n, 1);
        pawl__watchers_end(&watchers);
}

COMMAND_TEST(it_passes_on_no_descriptor_and_keeps_none)
{
        pawl__watchers watchers = {.n = 0};
        char *argv[] = {(char *)"ls", (char *)"/proc/self/fd", NULL};

        use(f, &watchers);
        close_range(3, ~0u, CLOSE_RANGE_CLOEXEC);
        const long watcher = shell_number(f, whose);
        for (int i = 0; i < 3; i++) {
                assert_ok(command_run(f, argv));
                assert_text(pawl__buf_text(&f->result.output), "0\n1\n2\n3\n");
        }
        /* Those of the current command go as soon as it was started. */
        const char *wait = "until [ $(ls /proc/$PPID/fd | wc -l) -eq 3 ]; do :; done; echo $PPID";
        assert_int_equal(shell_number(f, wait), watcher);
        pawl__watchers_end(&watchers);
}

/* What a command left behind is none of the next one's. */
COMMAND_TEST(a_watcher_with_something_left_behind_takes_no_other_command)
{
        pawl__watchers watchers = {.n = 0};

        use(f, &watchers);
        const long first = shell_number(f, whose);
        const long left = shell_number(f, "sleep 1000 >/dev/null 2>&1 & echo $!");
        assert_true(shell_number(f, whose) != first);
        f->command.output_max = 4;
        assert_int_equal(command_shell(f, "echo more than that; sleep 1000"), PAWL_ETOOBIG);
        assert_true(alive(left));
        pawl__watchers_end(&watchers);
        assert_true(alive(left));
        assert_int_equal(kill((pid_t)left, SIGKILL), 0);
}

/* Nor does it go with a process that ends when the command has. */
COMMAND_TEST(what_is_left_behind_outlives_the_process)
{
        const pid_t pid = process_fork();

        if (pid == 0) {
                pawl__watchers watchers = {.n = 0};
                use(f, &watchers);
                command_shell(f, "sleep 1000 >/dev/null 2>&1 & echo $! >left");
                kill(getpid(), SIGKILL);
        }
        assert_int_equal(waitpid(pid, NULL, 0), pid);
        char *text = file_read(path_in(f->directory, "left"), NULL);
        const long left = strtol(text, NULL, 10);
        assert_true(alive(left));
        nanosleep(&(struct timespec){0, 300000000}, NULL);
        assert_true(alive(left));
        assert_int_equal(kill((pid_t)left, SIGKILL), 0);
}

COMMAND_TEST(a_command_that_was_ended_takes_its_watcher_with_it)
{
        pawl__watchers watchers = {.n = 0};

        use(f, &watchers);
        const long first = shell_number(f, whose);
        f->command.output_max = 8;
        assert_int_equal(
                command_shell(f, "echo $$ >pid; echo more than 8 bytes; sleep 1000"), PAWL_ETOOBIG);
        command_gone(f, "pid");
        assert_int_equal(watchers.n, 0);
        assert_true(shell_number(f, whose) != first);
        pawl__watchers_end(&watchers);
}

COMMAND_TEST(an_idle_watcher_that_is_killed_is_replaced)
{
        pawl__watchers watchers = {.n = 0};
        const int before = open_files();

        use(f, &watchers);
        const long first = shell_number(f, whose);
        assert_int_equal(kill((pid_t)first, SIGKILL), 0);
        const long second = shell_number(f, whose);
        assert_true(second != first);
        pawl__watchers_end(&watchers);
        assert_int_equal(open_files(), before);
        assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

/* The second command of a watcher goes with its process as the first does. */
COMMAND_TEST(nothing_of_a_later_command_outlives_a_process_that_is_killed)
{
        char *ready = path_in(f->directory, "ready");
        const pid_t pid = process_fork();

        if (pid == 0) {
                pawl__watchers watchers = {.n = 0};
                use(f, &watchers);
                command_shell(f, whose);
                command_shell(f, "setsid sh -c 'trap \"\" TERM HUP; echo $$ >pid; : >ready; while "
                                 ":; do sleep 1; done' & sleep 1000");
                _exit(0);
        }
        for (int i = 0; access(ready, F_OK) != 0; i++) {
                nanosleep(&(struct timespec){0, 10000000}, NULL);
                assert_true(i < 6000);
        }
        assert_int_equal(kill(pid, SIGKILL), 0);
        assert_int_equal(waitpid(pid, NULL, 0), pid);
        command_gone(f, "pid");
}

/* It is killed while nothing runs. */
COMMAND_TEST(an_idle_watcher_ends_with_its_process)
{
        const pid_t pid = process_fork();

        if (pid == 0) {
                pawl__watchers watchers = {.n = 0};
                use(f, &watchers);
                command_shell(f, "echo $PPID >pid");
                kill(getpid(), SIGKILL);
        }
        assert_int_equal(waitpid(pid, NULL, 0), pid);
        command_gone(f, "pid");
}

COMMAND_TEST(words_that_do_not_fit_take_another_watcher)
{
        enum { LONG = 100 * 1024 };
        pawl__watchers watchers = {.n = 0};
        char *word = test_alloc(LONG + 1);
        char *argv[] = {(char *)"sh", (char *)"-c", (char *)"echo ${#0} ${#1}", word, word, NULL};

        use(f, &watchers);
        memset(word, 'x', LONG);
        shell_number(f, whose);
        for (int i = 0; i < 2; i++) {
                assert_ok(command_run(f, argv));
                assert_text(pawl__buf_text(&f->result.output), "102400 102400\n");
                assert_int_equal(watchers.n, 1);
        }
        pawl__watchers_end(&watchers);
}

COMMAND_TEST(a_later_command_that_is_not_there_is_told_as_the_first)
{
        pawl__watchers watchers = {.n = 0};
        char *argv[] = {(char *)"./no-such-command", NULL};

        use(f, &watchers);
        shell_number(f, whose);
        assert_int_equal(command_run(f, argv), PAWL_ENOTFOUND);
        assert_string_equal(f->err.message,
                "./no-such-command: no such command; check run and the mission's directory");
        shell_number(f, whose);
        pawl__watchers_end(&watchers);
}
