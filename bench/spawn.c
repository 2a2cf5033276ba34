#include "bench/spawn.h"
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

const char *bench_tool(const char *name)
{
        char self[PATH_MAX], *path = NULL;
        ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);

        if (n < 0)
                bench_die("cannot read /proc/self/exe");
        self[n] = '\0';
        for (int up = 0; up < 2; up++)
                *strrchr(self, '/') = '\0';
        if (asprintf(&path, "%s/bin/%s", self, name) < 0)
                bench_die("out of memory");
        return path;
}

static double spawn(struct rusage *used, char *const argv[], int code)
{
        posix_spawn_file_actions_t actions;
        pid_t pid;
        int status;

        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
        double start = bench_now_ns();
        int rc = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
        if (rc || wait4(pid, &status, 0, used) != pid || !WIFEXITED(status) ||
                WEXITSTATUS(status) != code) {
                for (char *const *word = argv; *word; word++)
                        bench_note("%s", *word);
                bench_die("a command failed");
        }
        double ns = bench_now_ns() - start;
        posix_spawn_file_actions_destroy(&actions);
        return ns;
}

double bench_spawn_ns(char *const argv[])
{
        return bench_spawn_code(argv, 0);
}

double bench_spawn_code(char *const argv[], int code)
{
        struct rusage used;

        return spawn(&used, argv, code);
}

double bench_spawn_cpu(char *const argv[], int code)
{
        struct rusage used;

        spawn(&used, argv, code);
        return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1e9 +
               (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e3;
}

double bench_spawn_bytes(char *const argv[])
{
        struct rusage used;

        spawn(&used, argv, 0);
        return (double)used.ru_maxrss * 1024;
}
