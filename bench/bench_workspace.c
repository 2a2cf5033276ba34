/* Checkpoints of a workspace beside git, which keeps files by content too, in the same tree: `pawl
 * checkpoint`, or git's two processes, from start to exit, in turn, medians. git has its default
 * settings, but for gc.auto = 0: it would pack in the background while the next one is measured.
 *
 *   build/bench/bench_workspace [FILES]     (default 20000, about 400 MB; needs git) */
#include "bench/source_tree.h"
#include "bench/spawn.h"
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FIRST_ROUNDS = 3, ROUNDS = 15, CHECKPOINTS = 100, CHANGED = 10 };

#define GIT "git -C tree -c user.name=bench -c user.email=bench@example.org -c gc.auto=0 "

static size_t files;

static double shell_ns(const char *command)
{
        return bench_spawn_ns((char *[]){"sh", "-c", (char *)(uintptr_t)command, NULL});
}

static double git_commit_ns(void)
{
        return shell_ns(GIT "add -A && " GIT "commit -q --allow-empty -m checkpoint");
}

static double ours_ns(double *memory)
{
        struct rusage usage;
        int status;
        const char *pawl = bench_tool("pawl");
        const double start = bench_now_ns();
        const pid_t pid = fork();

        if (pid == 0) {
                const int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
                if (nothing >= 0 && dup2(nothing, STDOUT_FILENO) >= 0)
                        execl(pawl, "pawl", "checkpoint", "--db", "tree/.pawl/events.db",
                                (char *)NULL);
                _exit(127);
        }
        if (pid < 0 || wait4(pid, &status, 0, &usage) != pid || status != 0)
                bench_die("a checkpoint failed");
        const double ns = bench_now_ns() - start;
        if (memory)
                *memory = (double)usage.ru_maxrss * 1024;
        return ns;
}

/* ---- Questions ------------------------------------------------------------------------------- */

static void answer(const char *what, double target, bench_series *ours, bench_series *git)
{
        bench_answer(&(bench_question){.what = what,
                             .beside = "git add -A && git commit, the processes",
                             .target = target},
                ours, git);
        bench_clear(ours);
        bench_clear(git);
}

static void first(void)
{
        bench_series ours = {NULL, 0, 0}, git = {NULL, 0, 0}, memory = {NULL, 0, 0},
                     bound = {NULL, 0, 0};

        for (int i = 0; i < FIRST_ROUNDS; i++) {
                double bytes;
                shell_ns("rm -rf tree/.git tree/.pawl; git init -q tree; "
                         "echo .pawl/ >>tree/.git/info/exclude");
                bench_spawn_ns(
                        (char *[]){(char *)(uintptr_t)bench_tool("pawl"), "init", "tree", NULL});
                bench_add(&git, git_commit_ns());
                bench_add(&ours, ours_ns(&bytes));
                bench_add(&memory, bytes);
                bench_add(&bound, (double)((size_t)64 << 20) + 200 * (double)files);
        }
        answer("the first checkpoint", 1.0, &ours, &git);
        bench_answer(&(bench_question){.what = "memory of the first checkpoint",
                             .beside = "64 MiB and 200 bytes a file",
                             .unit = "bytes",
                             .target = 1.0},
                &memory, &bound);
        bench_clear(&memory);
        bench_clear(&bound);
}

static void again(const char *what, size_t changed)
{
        bench_series ours = {NULL, 0, 0}, git = {NULL, 0, 0};

        for (size_t i = 0; i < ROUNDS; i++) {
                if (changed)
                        source_tree_change("tree", files, changed, i);
                usleep(20000); /* beyond the tick in which the files were changed */
                bench_add(&git, git_commit_ns());
                bench_add(&ours, ours_ns(NULL));
        }
        answer(what, 0.5, &ours, &git);
}

#define EMPTY "find tree -mindepth 1 -maxdepth 1 ! -name .git ! -name .pawl -exec rm -rf {} +"

/* Every file is gone, and comes back; ours on disk, which git does not wait for. */
static void restore(void)
{
        bench_series ours = {NULL, 0, 0}, git = {NULL, 0, 0};
        char back[4096];

        snprintf(back, sizeof back,
                "%s rollback 1 --yes --db tree/.pawl/events.db >/dev/null && sync",
                bench_tool("pawl"));
        for (int i = 0; i < FIRST_ROUNDS; i++) {
                shell_ns(EMPTY "; sync");
                bench_add(&git, shell_ns(GIT "checkout -q -- . && sync"));
                shell_ns(EMPTY "; sync");
                bench_add(&ours, shell_ns(back));
        }
        bench_answer(&(bench_question){.what = "restore of all files",
                             .beside = "git checkout and sync, the processes",
                             .target = 1.0},
                &ours, &git);
        bench_clear(&ours);
        bench_clear(&git);
}

static double disk_bytes(const char *command)
{
        FILE *out = popen(command, "r");
        double kib = 0;

        if (!out || fscanf(out, "%lf", &kib) != 1 || pclose(out) != 0)
                bench_die("cannot ask for a size");
        return kib * 1024;
}

static void size_after_many(void)
{
        bench_series ours = {NULL, 0, 0}, git = {NULL, 0, 0};

        for (size_t i = 0; i < CHECKPOINTS; i++) {
                source_tree_change("tree", files, CHANGED, 1000 + i);
                git_commit_ns();
                ours_ns(NULL);
        }
        shell_ns(GIT "gc -q");
        bench_add(&git, disk_bytes("du -sk tree/.git"));
        bench_add(&ours, disk_bytes("du -sk tree/.pawl"));
        bench_answer(&(bench_question){.what = "size after 100 checkpoints of ten changed files",
                             .beside = "git's, after gc",
                             .unit = "bytes"},
                &ours, &git);
        bench_clear(&ours);
        bench_clear(&git);
}

int main(int argc, char **argv)
{
        files = bench_count(argc, argv, SOURCE_TREE_FILES);
        bench_folder();
        bench_note("%zu files, %.0f MB", files, (double)source_tree_make("tree", files) / 1e6);
        first();
        restore();
        again("a checkpoint, nothing changed", 0);
        again("a checkpoint, ten files changed", CHANGED);
        size_after_many();
        return 0;
}
