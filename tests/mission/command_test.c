/* Running one step's command: every way it can start, talk and end. */
#include "mission/command.h"
#include "support/test.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct fixture {
        char *folder;
        pawl__command command;
        pawl__command_result result;
        pawl_error err;
};

static int setup(void **state)
{
        struct fixture *f = calloc(1, sizeof *f);

        f->folder = folder_make();
        f->command = (pawl__command){
                .folder = f->folder, .input = {"", 0}, .output_max = 1 << 20, .signal_fd = -1};
        *state = f;
        return 0;
}

static int teardown(void **state)
{
        struct fixture *f = *state;

        free(f->result.output.data);
        folder_remove(f->folder);
        free(f);
        return 0;
}

static pawl_status run(struct fixture *f, char *const *argv)
{
        pawl__buf_free(&f->result.output);
        f->err = (pawl_error)PAWL_ERROR_INIT;
        f->command.argv = argv;
        return pawl__command_run(&f->result, &f->command, &f->err);
}

static pawl_status shell(struct fixture *f, const char *script)
{
        char *argv[] = {(char *)"/bin/sh", (char *)"-c", (char *)script, NULL};

        return run(f, argv);
}

static double seconds(void)
{
        struct timespec now;

        clock_gettime(CLOCK_MONOTONIC, &now);
        return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void script_write(struct fixture *f, const char *name, const char *text, mode_t mode)
{
        char *path = path_in(f->folder, name);

        file_write(path, text, strlen(text));
        assert_int_equal(chmod(path, mode), 0);
        free(path);
}

static int open_files(void)
{
        DIR *folder = opendir("/proc/self/fd");
        int n = 0;

        assert_non_null(folder);
        while (readdir(folder))
                n++;
        closedir(folder);
        return n;
}

/* The process that wrote its id into a file of the folder is gone within a second. */
static void assert_gone(struct fixture *f, const char *name)
{
        char *path = path_in(f->folder, name), *text;
        size_t len;

        text = file_read(path, &len);
        pid_t pid = (pid_t)atol(text);
        assert_true(pid > 1);
        for (int i = 0; i < 100 && kill(pid, 0) == 0; i++) {
                char stat_path[64];
                snprintf(stat_path, sizeof stat_path, "/proc/%ld/stat", (long)pid);
                FILE *file = fopen(stat_path, "r");
                char proc_state = 'X';
                if (file && fscanf(file, "%*d %*s %c", &proc_state) != 1)
                        proc_state = 'X';
                if (file)
                        fclose(file);
                if (proc_state == 'Z' || proc_state == 'X')
                        break;
                nanosleep(&(struct timespec){0, 10000000}, NULL);
                assert_true(i < 99);
        }
        free(text);
        free(path);
}

/* ---- Ending --------------------------------------------------------------------------------- */

static void output_and_exit_code_are_given_back(void **state)
{
        struct fixture *f = *state;

        assert_int_equal(shell(f, "printf 'a\\0b'; exit 7"), PAWL_OK);
        assert_int_equal(f->result.exit_code, 7);
        assert_int_equal(f->result.killed_by, 0);
        assert_int_equal(f->result.output.len, 3);
        assert_memory_equal(f->result.output.data, "a\0b", 4);
        assert_string_equal(f->err.message, "");
}

static void a_command_that_says_nothing_gives_an_empty_output(void **state)
{
        struct fixture *f = *state;

        assert_int_equal(shell(f, ":"), PAWL_OK);
        assert_int_equal(f->result.exit_code, 0);
        assert_int_equal(f->result.output.len, 0);
}

static void a_command_killed_by_a_signal_is_128_and_the_signal(void **state)
{
        struct fixture *f = *state;

        assert_int_equal(shell(f, "echo before; kill -KILL $$"), PAWL_OK);
        assert_int_equal(f->result.exit_code, 128 + SIGKILL);
        assert_int_equal(f->result.killed_by, SIGKILL);
        assert_text(pawl__buf_text(&f->result.output), "before\n");
}

static void invalid_utf8_is_passed_on_as_it_is(void **state)
{
        struct fixture *f = *state;

        assert_int_equal(shell(f, "printf '\\377\\300\\200'"), PAWL_OK);
        assert_text(pawl__buf_text(&f->result.output), "\xff\xc0\x80");
}

/* ---- Input and output ----------------------------------------------------------------------- */

static void input_and_output_of_many_megabytes_stream_at_once(void **state)
{
        struct fixture *f = *state;
        size_t len = 10 << 20;
        char *input = malloc(len);
        char *argv[] = {(char *)"cat", NULL};

        for (size_t i = 0; i < len; i++)
                input[i] = (char)(i * 2654435761u >> 24);
        f->command.input = (pawl_text){input, len};
        f->command.output_max = len;
        assert_int_equal(run(f, argv), PAWL_OK);
        assert_int_equal(f->result.output.len, len);
        assert_memory_equal(f->result.output.data, input, len);
        free(input);
}

static void an_output_of_64_mib_is_read_whole(void **state)
{
        struct fixture *f = *state;
        size_t len = 64 << 20;

        f->command.output_max = len;
        assert_int_equal(shell(f, "head -c 67108864 /dev/zero"), PAWL_OK);
        assert_int_equal(f->result.exit_code, 0);
        assert_int_equal(f->result.output.len, len);
        assert_int_equal(f->result.output.data[len - 1], 0);
}

/* SIGPIPE must reach neither the program nor stay pending in it. */
static void a_reader_that_closes_early_is_no_error(void **state)
{
        struct fixture *f = *state;
        size_t len = 10 << 20;
        char *input = calloc(1, len);
        sigset_t pending;

        f->command.input = (pawl_text){input, len};
        assert_int_equal(shell(f, "exec <&-; sleep 0.1; echo done"), PAWL_OK);
        assert_int_equal(f->result.exit_code, 0);
        assert_text(pawl__buf_text(&f->result.output), "done\n");
        assert_int_equal(shell(f, "head -c 5 >/dev/null; echo done"), PAWL_OK);
        assert_text(pawl__buf_text(&f->result.output), "done\n");
        assert_int_equal(shell(f, "exit 3"), PAWL_OK);
        assert_int_equal(f->result.exit_code, 3);
        sigpending(&pending);
        assert_int_equal(sigismember(&pending, SIGPIPE), 0);
        free(input);
}

static volatile sig_atomic_t pipe_signals;

static void on_pipe(int signal)
{
        (void)signal;
        pipe_signals++;
}

static void a_handler_of_sigpipe_is_not_called(void **state)
{
        struct fixture *f = *state;
        struct sigaction before, ours = {.sa_handler = on_pipe};
        char *input = calloc(1, 1 << 20);

        f->command.input = (pawl_text){input, 1 << 20};
        pipe_signals = 0;
        assert_int_equal(sigaction(SIGPIPE, &ours, &before), 0);
        assert_int_equal(shell(f, "exec <&-; sleep 0.1"), PAWL_OK);
        assert_int_equal(sigaction(SIGPIPE, &before, NULL), 0);
        assert_int_equal(pipe_signals, 0);
        free(input);
}

static void a_command_that_closes_its_output_is_still_waited_for(void **state)
{
        struct fixture *f = *state;
        double start = seconds();

        assert_int_equal(shell(f, "echo x; exec >&-; sleep 0.3; exit 4"), PAWL_OK);
        assert_true(seconds() - start >= 0.3);
        assert_int_equal(f->result.exit_code, 4);
        assert_text(pawl__buf_text(&f->result.output), "x\n");
}

static void errors_go_where_the_programs_do(void **state)
{
        struct fixture *f = *state;
        char *path = path_in(f->folder, "stderr");
        int kept = dup(STDERR_FILENO), file = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
        size_t len;

        assert_true(kept >= 0 && file >= 0);
        dup2(file, STDERR_FILENO);
        pawl_status status = shell(f, "echo out; echo trouble >&2");
        dup2(kept, STDERR_FILENO);
        close(kept);
        close(file);
        assert_int_equal(status, PAWL_OK);
        assert_text(pawl__buf_text(&f->result.output), "out\n");
        char *text = file_read(path, &len);
        assert_string_equal(text, "trouble\n");
        free(text);
        free(path);
}

static void a_process_left_behind_does_not_hold_the_step(void **state)
{
        struct fixture *f = *state;
        double start = seconds();

        assert_int_equal(
                shell(f, "echo early; (sleep 0.2; echo late; sleep 30) & echo $! >pid"), PAWL_OK);
        double took = seconds() - start;
        assert_true(took >= 1.0 && took < 5.0);
        assert_int_equal(f->result.exit_code, 0);
        assert_text(pawl__buf_text(&f->result.output), "early\nlate\n");
        assert_int_equal(shell(f, "kill $(cat pid)"), PAWL_OK); /* it was left alone */
        assert_int_equal(f->result.exit_code, 0);
}

/* ---- The limit on the output ---------------------------------------------------------------- */

static void an_output_of_the_limit_is_taken_and_one_byte_more_is_not(void **state)
{
        struct fixture *f = *state;

        f->command.output_max = 1000;
        assert_int_equal(shell(f, "head -c 1000 /dev/zero"), PAWL_OK);
        assert_int_equal(f->result.output.len, 1000);
        assert_int_equal(shell(f, "head -c 1001 /dev/zero; echo $$ >pid; sleep 30"), PAWL_ETOOBIG);
        assert_string_equal(f->err.message, "/bin/sh: its output passes 1000 bytes; raise "
                                            "max_output_bytes or write to a file");
        assert_int_equal(f->result.output.len, 0);
        assert_null(f->result.output.data);
        assert_int_equal(f->result.killed_by, SIGTERM);
}

static void an_endless_output_ends_even_if_term_is_ignored(void **state)
{
        struct fixture *f = *state;
        double start = seconds();

        f->command.output_max = 100000;
        assert_int_equal(shell(f, "trap '' TERM; echo $$ >pid; yes & yes; sleep 30"), PAWL_ETOOBIG);
        double took = seconds() - start;
        assert_true(took >= 1.9 && took < 8.0);
        assert_int_equal(f->result.killed_by, SIGKILL);
        assert_gone(f, "pid");
}

/* ---- Starting ------------------------------------------------------------------------------- */

static void check_refusal(
        struct fixture *f, const char *command, pawl_status status, const char *message)
{
        char *argv[] = {(char *)command, NULL};
        int before = open_files();

        assert_int_equal(run(f, argv), status);
        assert_string_equal(f->err.message, message);
        assert_int_equal(f->err.status, status);
        assert_int_equal(f->result.exit_code, -1);
        assert_null(f->result.output.data);
        assert_int_equal(open_files(), before);
}

static void a_command_that_cannot_be_started_says_how_to_mend_it(void **state)
{
        struct fixture *f = *state;
        char *sub = path_in(f->folder, "sub");

        assert_int_equal(mkdir(sub, 0700), 0);
        script_write(f, "plain", "#!/bin/sh\n", 0600);
        script_write(f, "bare", "echo no first line\n", 0700);
        script_write(f, "lost", "#!/no/such/interpreter\n", 0700);
        check_refusal(f, "no-such-command-of-pawl", PAWL_ENOTFOUND,
                "no-such-command-of-pawl: no such command; check run and PATH");
        check_refusal(f, "./missing", PAWL_ENOTFOUND,
                "./missing: no such command; check run and the mission's folder");
        check_refusal(f, "plain/below", PAWL_ENOTFOUND,
                "plain/below: no such command; check run and the mission's folder");
        check_refusal(f, "./plain", PAWL_EACCESS, "./plain: is not executable; chmod +x it");
        check_refusal(f, "./sub", PAWL_EACCESS, "./sub: is a folder; name a command in it");
        check_refusal(f, "./bare", PAWL_EACCESS,
                "./bare: is neither a program nor a script; start it with a #! line");
        check_refusal(f, "./lost", PAWL_ENOTFOUND,
                "./lost: its interpreter is not there; mend the file's #! line");
        free(sub);
}

static void a_folder_that_is_not_there_is_named(void **state)
{
        struct fixture *f = *state;

        f->command.folder = "/no/such/folder";
        check_refusal(f, "true", PAWL_ENOTFOUND,
                "true: cannot run in folder /no/such/folder: No such file or directory; check the "
                "folder");
}

static void arguments_that_are_too_long_are_refused(void **state)
{
        struct fixture *f = *state;
        char *argument = malloc(4 << 20);

        memset(argument, 'x', 4 << 20);
        argument[(4 << 20) - 1] = '\0';
        char *argv[] = {(char *)"true", argument, NULL};
        assert_int_equal(run(f, argv), PAWL_ETOOBIG);
        assert_string_equal(
                f->err.message, "true: its arguments are too long; pass them as inputs");
        free(argument);
}

static void a_name_with_a_slash_is_taken_from_the_folder(void **state)
{
        struct fixture *f = *state;
        char *argv[] = {(char *)"./here", (char *)"a b", (char *)"*", NULL};

        script_write(f, "here", "#!/bin/sh\npwd\nprintf '<%s>' \"$@\"\n", 0700);
        assert_int_equal(run(f, argv), PAWL_OK);
        char *real = realpath(f->folder, NULL);
        assert_non_null(real);
        assert_int_equal(f->result.output.len, strlen(real) + strlen("\n<a b><*>"));
        assert_memory_equal(f->result.output.data, real, strlen(real));
        assert_says(f->result.output.data, "\n<a b><*>");
        free(real);
}

static void the_environment_is_passed_and_added_to(void **state)
{
        struct fixture *f = *state;
        static const char *const env[] = {"PAWL_STEP_ID=specify", "PAWL_KEPT=new", NULL};

        f->command.env = env;
        setenv("PAWL_KEPT", "old", 1);
        setenv("PAWL_KEPT_TOO", "as it was", 1);
        assert_int_equal(shell(f, "echo $PAWL_STEP_ID,$PAWL_KEPT,$PAWL_KEPT_TOO; env | grep -c "
                                  "'^PAWL_KEPT='"),
                PAWL_OK);
        unsetenv("PAWL_KEPT");
        unsetenv("PAWL_KEPT_TOO");
        assert_text(pawl__buf_text(&f->result.output), "specify,new,as it was\n1\n");
}

/* Signals that the program ignores or blocks would be so for the command too. */
static void the_command_starts_with_default_signals_in_its_own_group(void **state)
{
        struct fixture *f = *state;
        sigset_t mask, before;

        signal(SIGHUP, SIG_IGN);
        sigemptyset(&mask);
        sigaddset(&mask, SIGUSR1);
        pthread_sigmask(SIG_BLOCK, &mask, &before);
        assert_int_equal(shell(f, "set -- $(cat /proc/$$/stat); [ $5 = $$ ] && echo leads; "
                                  "exec sed -n 's/^Sig[BI][lg][kn]://p' /proc/self/status"),
                PAWL_OK);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        signal(SIGHUP, SIG_DFL);
        unsigned long long blocked, ignored, internal = 3ull << 31; /* 32 and 33 are glibc's own */
        assert_int_equal(sscanf(f->result.output.data, "leads %llx %llx", &blocked, &ignored), 2);
        assert_int_equal(blocked, 0);
        assert_int_equal(ignored & ~internal, 0);
}

static void the_command_inherits_no_descriptor_of_ours(void **state)
{
        struct fixture *f = *state;
        int before = open_files();
        char *argv[] = {(char *)"ls", (char *)"/proc/self/fd", NULL};

        close_range(3, ~0u, CLOSE_RANGE_CLOEXEC); /* what this test inherited itself */
        assert_int_equal(run(f, argv), PAWL_OK);
        assert_text(pawl__buf_text(&f->result.output), "0\n1\n2\n3\n"); /* 3: the folder listed */
        assert_int_equal(open_files(), before);
}

static void a_program_without_standard_input_and_output_can_run_commands(void **state)
{
        struct fixture *f = *state;
        int in = dup(STDIN_FILENO), out = dup(STDOUT_FILENO);

        f->command.input = pawl__text("given");
        close(STDIN_FILENO);
        close(STDOUT_FILENO);
        pawl_status status = shell(f, "cat; echo .");
        if (in >= 0)
                dup2(in, STDIN_FILENO);
        dup2(out, STDOUT_FILENO);
        close(in);
        close(out);
        assert_int_equal(status, PAWL_OK);
        assert_text(pawl__buf_text(&f->result.output), "given.\n");
}

/* A descriptor limit is reached at each of the calls that need one. */
static void running_out_of_descriptors_is_a_failure_that_leaks_none(void **state)
{
        struct fixture *f = *state;
        struct rlimit before, less;
        int open_before = open_files(), failures = 0;

        assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
        for (int spare = 0; spare < 12; spare++) {
                int first_free = dup(STDERR_FILENO);
                close(first_free);
                less = before;
                less.rlim_cur = (rlim_t)first_free + (rlim_t)spare;
                assert_int_equal(setrlimit(RLIMIT_NOFILE, &less), 0);
                pawl_status status = shell(f, "exit 5");
                assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
                assert_int_equal(f->result.exit_code, status ? -1 : 5);
                assert_int_equal(open_files(), open_before);
                failures += status != PAWL_OK;
        }
        assert_true(failures >= 4 && failures < 12);
}

/* ---- Ticks and signals ---------------------------------------------------------------------- */

struct ticking {
        int calls, fail_at;
};

static pawl_status tick(void *user)
{
        struct ticking *t = user;

        return ++t->calls == t->fail_at ? PAWL_EFENCED : PAWL_OK;
}

static void ticks_come_while_it_runs(void **state)
{
        struct fixture *f = *state;
        struct ticking t = {0, 0};

        f->command.tick = tick;
        f->command.tick_user = &t;
        f->command.tick_ms = 50;
        assert_int_equal(shell(f, "sleep 0.5"), PAWL_OK);
        assert_in_range(t.calls, 4, 10);
}

static void a_tick_that_fails_ends_the_command(void **state)
{
        struct fixture *f = *state;
        struct ticking t = {0, 2};
        double start = seconds();

        f->command.tick = tick;
        f->command.tick_user = &t;
        f->command.tick_ms = 50;
        assert_int_equal(shell(f, "echo $$ >pid; echo x; sleep 30"), PAWL_EFENCED);
        assert_true(seconds() - start < 5);
        assert_int_equal(t.calls, 2);
        assert_string_equal(
                f->err.message, "/bin/sh: was ended, since the run cannot go on (PAWL_EFENCED)");
        assert_null(f->result.output.data);
        assert_gone(f, "pid");
}

/* Sends signals as a program's handler would: each a byte into a pipe. */
struct sender {
        int fds[2];
        unsigned after_ms;
        unsigned char signal;
        pthread_t thread;
};

static void *send_later(void *user)
{
        struct sender *s = user;

        nanosleep(&(struct timespec){0, (long)s->after_ms * 1000000}, NULL);
        assert_int_equal(write(s->fds[1], &s->signal, 1), 1);
        return NULL;
}

static void sender_start(struct fixture *f, struct sender *s, int signal)
{
        assert_int_equal(pipe2(s->fds, O_CLOEXEC | O_NONBLOCK), 0);
        s->after_ms = 200;
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

static void a_signal_is_forwarded_to_the_whole_group(void **state)
{
        struct fixture *f = *state;
        struct sender s;

        sender_start(f, &s, SIGINT);
        assert_int_equal(shell(f, "echo $$ >pid; sh -c 'echo $$ >below; exec sleep 30'; echo no"),
                PAWL_EINTERRUPTED);
        sender_end(&s);
        assert_int_equal(f->result.interrupted_by, SIGINT);
        assert_int_equal(f->result.killed_by, SIGINT);
        assert_int_equal(f->result.exit_code, 128 + SIGINT);
        assert_string_equal(f->err.message, "/bin/sh: ended by signal 2 (INT), which was passed on "
                                            "to it; resume the run to start it again");
        assert_null(f->result.output.data);
        assert_gone(f, "pid");
        assert_gone(f, "below");
}

/* A command may tidy up: its own exit code is kept, and yet it was interrupted. */
static void a_command_that_catches_the_signal_is_still_interrupted(void **state)
{
        struct fixture *f = *state;
        struct sender s;

        sender_start(f, &s, SIGTERM);
        assert_int_equal(
                shell(f, "trap 'sleep 0.2; echo tidy >done; exit 0' TERM; while :; do sleep 0.05; "
                         "done"),
                PAWL_EINTERRUPTED);
        sender_end(&s);
        assert_int_equal(f->result.interrupted_by, SIGTERM);
        assert_int_equal(f->result.exit_code, 0);
        assert_int_equal(shell(f, "cat done"), PAWL_OK);
        assert_text(pawl__buf_text(&f->result.output), "tidy\n");
}

static void a_stopped_command_gets_the_signal_too(void **state)
{
        struct fixture *f = *state;
        struct sender s;
        double start = seconds();

        sender_start(f, &s, SIGTERM);
        assert_int_equal(shell(f, "kill -STOP $$; sleep 30"), PAWL_EINTERRUPTED);
        sender_end(&s);
        assert_true(seconds() - start < 5);
        assert_int_equal(f->result.killed_by, SIGTERM);
}

static void a_command_that_ignores_the_signal_is_killed_after_ten_seconds(void **state)
{
        struct fixture *f = *state;
        struct sender s;
        double start = seconds();

        sender_start(f, &s, SIGTERM);
        assert_int_equal(shell(f, "trap '' TERM; echo $$ >pid; sleep 60 & echo $! >below; wait; "
                                  "while :; do sleep 1; done"),
                PAWL_EINTERRUPTED);
        sender_end(&s);
        double took = seconds() - start;
        assert_true(took >= 10.0 && took < 15.0);
        assert_int_equal(f->result.killed_by, SIGKILL);
        assert_int_equal(f->result.interrupted_by, SIGTERM);
        assert_gone(f, "pid");
        assert_gone(f, "below");
}

static void a_closed_signal_descriptor_does_not_matter(void **state)
{
        struct fixture *f = *state;
        int fds[2];

        assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
        close(fds[1]);
        f->command.signal_fd = fds[0];
        assert_int_equal(shell(f, "sleep 0.1; echo x"), PAWL_OK);
        assert_text(pawl__buf_text(&f->result.output), "x\n");
        close(fds[0]);
}

static void a_lost_exit_status_is_a_failure_and_not_a_success(void **state)
{
        struct fixture *f = *state;

        signal(SIGCHLD, SIG_IGN);
        pawl_status status = shell(f, "echo x");
        signal(SIGCHLD, SIG_DFL);
        assert_int_equal(status, PAWL_EIO);
        assert_says(f->err.message, "its exit status was lost");
        assert_int_equal(f->result.exit_code, -1);
        assert_null(f->result.output.data);
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

static void without_pidfds_the_end_is_seen_all_the_same(void **state)
{
        struct fixture *f = *state;
        int status;
        pid_t pid = fork();

        if (pid == 0) {
                struct ticking t = {0, 3};
                take_pidfds_away();
                assert_int_equal(syscall(SYS_pidfd_open, getpid(), 0), -1);
                assert_int_equal(shell(f, "echo x; exec >&-; sleep 0.2; exit 6"), PAWL_OK);
                assert_int_equal(f->result.exit_code, 6);
                assert_text(pawl__buf_text(&f->result.output), "x\n");
                f->command.tick = tick;
                f->command.tick_user = &t;
                f->command.tick_ms = 50;
                assert_int_equal(shell(f, "sleep 30"), PAWL_EFENCED);
                _exit(42);
        }
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 42);
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
        const struct CMUnitTest tests[] = {
                T(output_and_exit_code_are_given_back),
                T(a_command_that_says_nothing_gives_an_empty_output),
                T(a_command_killed_by_a_signal_is_128_and_the_signal),
                T(invalid_utf8_is_passed_on_as_it_is),
                T(input_and_output_of_many_megabytes_stream_at_once),
                T(an_output_of_64_mib_is_read_whole),
                T(a_reader_that_closes_early_is_no_error),
                T(a_handler_of_sigpipe_is_not_called),
                T(a_command_that_closes_its_output_is_still_waited_for),
                T(errors_go_where_the_programs_do),
                T(a_process_left_behind_does_not_hold_the_step),
                T(an_output_of_the_limit_is_taken_and_one_byte_more_is_not),
                T(an_endless_output_ends_even_if_term_is_ignored),
                T(a_command_that_cannot_be_started_says_how_to_mend_it),
                T(a_folder_that_is_not_there_is_named),
                T(arguments_that_are_too_long_are_refused),
                T(a_name_with_a_slash_is_taken_from_the_folder),
                T(the_environment_is_passed_and_added_to),
                T(the_command_starts_with_default_signals_in_its_own_group),
                T(the_command_inherits_no_descriptor_of_ours),
                T(a_program_without_standard_input_and_output_can_run_commands),
                T(running_out_of_descriptors_is_a_failure_that_leaks_none),
                T(ticks_come_while_it_runs),
                T(a_tick_that_fails_ends_the_command),
                T(a_signal_is_forwarded_to_the_whole_group),
                T(a_command_that_catches_the_signal_is_still_interrupted),
                T(a_stopped_command_gets_the_signal_too),
                T(a_command_that_ignores_the_signal_is_killed_after_ten_seconds),
                T(a_closed_signal_descriptor_does_not_matter),
                T(without_pidfds_the_end_is_seen_all_the_same),
                T(a_lost_exit_status_is_a_failure_and_not_a_success),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
