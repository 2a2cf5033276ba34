/* Running one step's command: every way it can start, and how it is talked to. */
#include "support/command.h"
#include <fcntl.h>
#include <linux/close_range.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Ending --------------------------------------------------------------------------------- */

COMMAND_TEST(output_and_exit_code_are_given_back)
{
        assert_ok(command_shell(f, "printf 'a\\0b'; exit 7"));
        assert_int_equal(f->result.exit_code, 7);
        assert_int_equal(f->result.killed_by, 0);
        assert_int_equal(f->result.output.len, 3);
        assert_memory_equal(f->result.output.data, "a\0b", 4);
        assert_string_equal(f->err.message, "");
}

COMMAND_TEST(a_command_that_says_nothing_gives_an_empty_output)
{
        assert_ok(command_shell(f, ":"));
        assert_int_equal(f->result.exit_code, 0);
        assert_int_equal(f->result.output.len, 0);
}

COMMAND_TEST(a_command_killed_by_a_signal_is_128_and_the_signal)
{
        assert_ok(command_shell(f, "echo before; kill -KILL $$"));
        assert_int_equal(f->result.exit_code, 128 + SIGKILL);
        assert_int_equal(f->result.killed_by, SIGKILL);
        assert_text(pawl__buf_text(&f->result.output), "before\n");
}

COMMAND_TEST(invalid_utf8_is_passed_on_as_it_is)
{
        assert_ok(command_shell(f, "printf '\\377\\300\\200'"));
        assert_text(pawl__buf_text(&f->result.output), "\xff\xc0\x80");
}

/* ---- Input and output ----------------------------------------------------------------------- */

COMMAND_TEST(input_and_output_of_many_megabytes_stream_at_once)
{
        size_t len = 10 << 20;
        char *input = test_alloc(len);
        char *argv[] = {(char *)"cat", NULL};

        for (size_t i = 0; i < len; i++)
                input[i] = (char)(i * 2654435761u >> 24);
        f->command.input = (pawl_text){input, len};
        f->command.output_max = len;
        assert_ok(command_run(f, argv));
        assert_int_equal(f->result.output.len, len);
        assert_memory_equal(f->result.output.data, input, len);
}

COMMAND_TEST(an_output_of_64_mib_is_read_whole)
{
        size_t len = 64 << 20;

        f->command.output_max = len;
        assert_ok(command_shell(f, "head -c 67108864 /dev/zero"));
        assert_int_equal(f->result.exit_code, 0);
        assert_int_equal(f->result.output.len, len);
        assert_int_equal(f->result.output.data[len - 1], 0);
}

/* SIGPIPE must reach neither the program nor stay pending in it. */
COMMAND_TEST(a_reader_that_closes_early_is_no_error)
{
        size_t len = 10 << 20;
        char *input = test_alloc(len);
        sigset_t pending;

        f->command.input = (pawl_text){input, len};
        assert_ok(command_shell(f, "exec <&-; sleep 0.1; echo done"));
        assert_int_equal(f->result.exit_code, 0);
        assert_text(pawl__buf_text(&f->result.output), "done\n");
        assert_ok(command_shell(f, "head -c 5 >/dev/null; echo done"));
        assert_text(pawl__buf_text(&f->result.output), "done\n");
        assert_ok(command_shell(f, "exit 3"));
        assert_int_equal(f->result.exit_code, 3);
        sigpending(&pending);
        assert_int_equal(sigismember(&pending, SIGPIPE), 0);
}

static volatile sig_atomic_t pipe_signals;

static void on_pipe(int signal)
{
        (void)signal;
        pipe_signals++;
}

COMMAND_TEST(a_handler_of_sigpipe_is_not_called)
{
        struct sigaction before, ours = {.sa_handler = on_pipe};
        char *input = test_alloc(1 << 20);

        f->command.input = (pawl_text){input, 1 << 20};
        pipe_signals = 0;
        assert_int_equal(sigaction(SIGPIPE, &ours, &before), 0);
        assert_ok(command_shell(f, "exec <&-; sleep 0.1"));
        assert_int_equal(sigaction(SIGPIPE, &before, NULL), 0);
        assert_int_equal(pipe_signals, 0);
}

COMMAND_TEST(a_command_that_closes_its_output_is_still_waited_for)
{
        double start = seconds();

        assert_ok(command_shell(f, "echo x; exec >&-; sleep 0.3; exit 4"));
        assert_true(seconds() - start >= 0.3);
        assert_int_equal(f->result.exit_code, 4);
        assert_text(pawl__buf_text(&f->result.output), "x\n");
}

COMMAND_TEST(errors_go_where_the_programs_do)
{
        char *path = path_in(f->directory, "stderr");
        int kept = dup(STDERR_FILENO), file = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
        size_t len;

        assert_true(kept >= 0 && file >= 0);
        dup2(file, STDERR_FILENO);
        pawl_status status = command_shell(f, "echo out; echo trouble >&2");
        dup2(kept, STDERR_FILENO);
        close(kept);
        close(file);
        assert_ok(status);
        assert_text(pawl__buf_text(&f->result.output), "out\n");
        char *text = file_read(path, &len);
        assert_string_equal(text, "trouble\n");
}

/* Says something once the command has ended, and ends. */
COMMAND_TEST(what_a_process_left_behind_says_is_read)
{
        static const pawl__command_waits patient = {0, 0, 600000, 600000};

        f->command.waits = &patient;
        assert_ok(command_shell(f, "echo early; (until read -r pid name state rest "
                                   "</proc/$$/stat && [ $state = Z ]; do sleep 0.01; done; "
                                   "echo late) &"));
        assert_int_equal(f->result.exit_code, 0);
        assert_text(pawl__buf_text(&f->result.output), "early\nlate\n");
}

/* It has the output open for longer than the test may take, and was left alone. */
static void check_not_held(
        struct command_fixture *f, const pawl__command_waits *waits, const char *script)
{
        f->command.waits = waits;
        assert_ok(command_shell(f, script));
        assert_int_equal(f->result.exit_code, 0);
        f->command.waits = NULL;
}

COMMAND_TEST(a_process_left_behind_does_not_hold_the_step)
{
        static const pawl__command_waits silence = {0, 0, 200, 600000},
                                         in_all = {0, 0, 600000, 200};
        double start = seconds();

        check_not_held(f, &silence, "echo early; sleep 600 & echo $! >pid");
        assert_true(seconds() - start >= 0.2);
        assert_text(pawl__buf_text(&f->result.output), "early\n");
        assert_ok(command_shell(f, "kill $(cat pid)"));
        assert_int_equal(f->result.exit_code, 0);
        start = seconds();
        check_not_held(f, &in_all, "while echo on and on; do sleep 0.01; done & echo $! >pid");
        assert_true(seconds() - start >= 0.2);
        assert_says(f->result.output.data, "on and on\non and on\n");
}

/* However long this process is kept from looking: it stands still until the command has ended, and
 * the pipe holds more than is read at once. */
COMMAND_TEST(all_that_the_command_wrote_is_read_before_silence_counts)
{
        static const pawl__command_waits at_once = {0, 0, 0, 600000};
        static const char script[] =
                "import fcntl, os, signal, time\n"
                "fcntl.fcntl(1, 1031, 1 << 20)\n" /* F_SETPIPE_SZ */
                "me, waits = os.getpid(), int(os.environ['WAITS'])\n"
                "if os.fork() == 0:\n"
                "    os.close(1)\n"
                "    while open(f'/proc/{me}/stat').read().split()[2] != 'Z':\n"
                "        time.sleep(0.01)\n"
                "    os.kill(waits, signal.SIGCONT)\n"
                "    os._exit(0)\n"
                "os.kill(waits, signal.SIGSTOP)\n"
                "os.write(1, b'x' * (1 << 20))\n"
                "os._exit(0)\n";
        char *argv[] = {(char *)"python3", (char *)"-c", (char *)script, NULL};
        char waits[32];
        const char *env[] = {waits, NULL};

        snprintf(waits, sizeof waits, "WAITS=%d", (int)getpid());
        f->command.env = env;
        f->command.waits = &at_once;
        assert_ok(command_run(f, argv));
        assert_int_equal(f->result.exit_code, 0);
        assert_int_equal(f->result.output.len, 1 << 20);
}

COMMAND_TEST(the_usual_waits_are_those_that_the_reference_names)
{
        assert_int_equal(pawl__command_waits_usual.term, 2000);
        assert_int_equal(pawl__command_waits_usual.interrupt, 10000);
        assert_int_equal(pawl__command_waits_usual.silence, 1000);
        assert_int_equal(pawl__command_waits_usual.left_open, 10000);
}

/* ---- Starting ------------------------------------------------------------------------------- */

static void script_write(struct command_fixture *f, const char *name, const char *text, mode_t mode)
{
        char *path = path_in(f->directory, name);

        file_write(path, text, strlen(text));
        assert_int_equal(chmod(path, mode), 0);
}

static void check_refusal(
        struct command_fixture *f, const char *command, pawl_status status, const char *message)
{
        char *argv[] = {(char *)command, NULL};
        int before = open_files();

        assert_int_equal(command_run(f, argv), status);
        assert_string_equal(f->err.message, message);
        assert_int_equal(f->err.status, status);
        assert_int_equal(f->result.exit_code, -1);
        assert_null(f->result.output.data);
        assert_int_equal(open_files(), before);
}

COMMAND_TEST(a_command_that_cannot_be_started_says_how_to_mend_it)
{
        char *sub = path_in(f->directory, "sub");

        assert_int_equal(mkdir(sub, 0700), 0);
        script_write(f, "plain", "#!/bin/sh\n", 0600);
        script_write(f, "bare", "echo no first line\n", 0700);
        script_write(f, "lost", "#!/no/such/interpreter\n", 0700);
        check_refusal(f, "no-such-command-of-pawl", PAWL_ENOTFOUND,
                "no-such-command-of-pawl: no such command; check run and PATH");
        check_refusal(f, "./missing", PAWL_ENOTFOUND,
                "./missing: no such command; check run and the mission's directory");
        check_refusal(f, "plain/below", PAWL_ENOTFOUND,
                "plain/below: no such command; check run and the mission's directory");
        check_refusal(f, "./plain", PAWL_EACCESS, "./plain: is not executable; chmod +x it");
        check_refusal(f, "./sub", PAWL_EACCESS, "./sub: is a directory; name a command in it");
        check_refusal(f, "./bare", PAWL_EACCESS,
                "./bare: is neither a program nor a script; start it with a #! line");
        check_refusal(f, "./lost", PAWL_ENOTFOUND,
                "./lost: its interpreter is not there; fix the file's #! line");
}

COMMAND_TEST(a_directory_that_is_not_there_is_named)
{
        f->command.directory = "/no/such/folder";
        check_refusal(f, "true", PAWL_ENOTFOUND,
                "true: cannot run in directory /no/such/folder: No such file or directory; check the "
                "directory");
}

COMMAND_TEST(arguments_that_are_too_long_are_refused)
{
        char *argument = test_alloc(4 << 20);

        memset(argument, 'x', 4 << 20);
        argument[(4 << 20) - 1] = '\0';
        char *argv[] = {(char *)"true", argument, NULL};
        assert_int_equal(command_run(f, argv), PAWL_ETOOBIG);
        assert_string_equal(
                f->err.message, "true: its arguments are too long; pass them as inputs");
}

COMMAND_TEST(a_name_with_a_slash_is_taken_from_the_directory)
{
        char *argv[] = {(char *)"./here", (char *)"a b", (char *)"*", NULL};

        script_write(f, "here", "#!/bin/sh\npwd\nprintf '<%s>' \"$@\"\n", 0700);
        assert_ok(command_run(f, argv));
        char *real = realpath(f->directory, NULL);
        assert_non_null(real);
        assert_int_equal(f->result.output.len, strlen(real) + strlen("\n<a b><*>"));
        assert_memory_equal(f->result.output.data, real, strlen(real));
        assert_says(f->result.output.data, "\n<a b><*>");
        free(real);
}

COMMAND_TEST(the_environment_is_passed_and_added_to)
{
        static const char *const env[] = {"PAWL_STEP_ID=specify", "PAWL_KEPT=new", NULL};

        f->command.env = env;
        setenv("PAWL_KEPT", "old", 1);
        setenv("PAWL_KEPT_TOO", "as it was", 1);
        assert_ok(command_shell(f, "echo $PAWL_STEP_ID,$PAWL_KEPT,$PAWL_KEPT_TOO; env | grep -c "
                                   "'^PAWL_KEPT='"));
        unsetenv("PAWL_KEPT");
        unsetenv("PAWL_KEPT_TOO");
        assert_text(pawl__buf_text(&f->result.output), "specify,new,as it was\n1\n");
}

/* Signals that the program ignores or blocks would be so for the command too. */
COMMAND_TEST(the_command_starts_with_default_signals_in_its_own_group)
{
        sigset_t mask, before;

        signal(SIGHUP, SIG_IGN);
        sigemptyset(&mask);
        sigaddset(&mask, SIGUSR1);
        pthread_sigmask(SIG_BLOCK, &mask, &before);
        assert_ok(command_shell(f, "set -- $(cat /proc/$$/stat); [ $5 = $$ ] && echo leads; "
                                   "exec sed -n 's/^Sig[BI][lg][kn]://p' /proc/self/status"));
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        signal(SIGHUP, SIG_DFL);
        unsigned long long blocked, ignored, internal = 3ull << 31; /* 32 and 33 are glibc's own */
        assert_int_equal(sscanf(f->result.output.data, "leads %llx %llx", &blocked, &ignored), 2);
        assert_int_equal(blocked, 0);
        assert_int_equal(ignored & ~internal, 0);
}

COMMAND_TEST(the_command_inherits_no_descriptor_of_ours)
{
        int before = open_files();
        char *argv[] = {(char *)"ls", (char *)"/proc/self/fd", NULL};

        close_range(3, ~0u, CLOSE_RANGE_CLOEXEC); /* what this test inherited itself */
        assert_ok(command_run(f, argv));
        assert_text(
                pawl__buf_text(&f->result.output), "0\n1\n2\n3\n"); /* 3: the directory listed */
        assert_int_equal(open_files(), before);
}

COMMAND_TEST(a_program_without_standard_input_and_output_can_run_commands)
{
        int in = dup(STDIN_FILENO), out = dup(STDOUT_FILENO);

        f->command.input = pawl__text("given");
        close(STDIN_FILENO);
        close(STDOUT_FILENO);
        pawl_status status = command_shell(f, "cat; echo .");
        if (in >= 0)
                dup2(in, STDIN_FILENO);
        dup2(out, STDOUT_FILENO);
        close(in);
        close(out);
        assert_ok(status);
        assert_text(pawl__buf_text(&f->result.output), "given.\n");
}

/* A descriptor limit is reached at each of the calls that need one. */
COMMAND_TEST(running_out_of_descriptors_is_a_failure_that_leaks_none)
{
        struct rlimit before, less;
        int open_before = open_files(), failures = 0;

        assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
        for (int spare = 0; spare < 12; spare++) {
                int first_free = dup(STDERR_FILENO);
                close(first_free);
                less = before;
                less.rlim_cur = (rlim_t)first_free + (rlim_t)spare;
                assert_int_equal(setrlimit(RLIMIT_NOFILE, &less), 0);
                pawl_status status = command_shell(f, "exit 5");
                assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
                assert_int_equal(f->result.exit_code, status ? -1 : 5);
                assert_int_equal(open_files(), open_before);
                failures += status != PAWL_OK;
        }
        assert_true(failures >= 4 && failures < 12);
}
