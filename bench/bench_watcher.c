/* What the watcher of a step's command costs: a command that does nothing, with its input and
 * output, beside the same by posix_spawn() and nobody between: the first command of a watcher, and
 * later ones. Then both in a program of 1 GiB.
 *
 *   build/bench/bench_watcher [ROUNDS]     (default 400) */
#include "bench/measure.h"
#include "mission/command.h"
#include "mission/watcher.h"
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static char *const argv_true[] = {(char *)"/bin/true", NULL};

static double watched_ns(pawl__watchers *watchers)
{
        const pawl__command command = {.argv = argv_true,
                .directory = ".",
                .output_max = 100,
                .signal_fd = -1,
                .watchers = watchers};
        pawl__command_result result;
        pawl_error err = PAWL_ERROR_INIT;
        double start = bench_now_ns();

        if (pawl__command_run(&result, &command, &err))
                bench_die(err.message);
        pawl__buf_free(&result.output);
        return bench_now_ns() - start;
}

static double alone_ns(void)
{
        posix_spawn_file_actions_t actions;
        char byte;
        int in[2], out[2];
        pid_t pid;
        double start = bench_now_ns();

        if (pipe(in) || pipe(out) || posix_spawn_file_actions_init(&actions) ||
                posix_spawn_file_actions_adddup2(&actions, in[0], 0) ||
                posix_spawn_file_actions_adddup2(&actions, out[1], 1) ||
                posix_spawn(&pid, argv_true[0], &actions, NULL, argv_true, environ))
                bench_die("cannot start /bin/true");
        close(in[0]);
        close(in[1]);
        close(out[1]);
        while (read(out[0], &byte, 1) > 0)
                ;
        close(out[0]);
        waitpid(pid, NULL, 0);
        posix_spawn_file_actions_destroy(&actions);
        return bench_now_ns() - start;
}

static void measure(const char *what, size_t rounds, double target, pawl__watchers *watchers)
{
        bench_series watched = {NULL, 0, 0}, alone = {NULL, 0, 0};
        const bench_question question = {what, "posix_spawn alone", NULL, target, 0};

        for (size_t i = 0; i < rounds; i++) {
                bench_add(&alone, alone_ns());
                bench_add(&watched, watched_ns(watchers));
        }
        bench_answer(&question, &watched, &alone);
        bench_clear(&watched);
        bench_clear(&alone);
}

int main(int argc, char **argv)
{
        enum { LARGE = 1 << 30 };
        size_t rounds = bench_count(argc, argv, 400);

        pawl__watchers watchers = {.n = 0};

        measure("a command that does nothing, watched", rounds, 2, NULL);
        measure("a later one of the same watcher", rounds, 1.5, &watchers);
        char *large = malloc(LARGE);
        if (!large)
                bench_die("out of memory");
        memset(large, 1, LARGE);
        measure("the first out of a program of 1 GiB", rounds, 3, NULL);
        measure("a later one there", rounds, 1.5, &watchers);
        pawl__watchers_end(&watchers);
        free(large);
        return 0;
}
