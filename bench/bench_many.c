/* Many processes on one log: PROCESSES that each start 5 small runs, beside one process that starts
 * all of these; and 500 hooks at once, the slowest of a hundred, beside as many `git status`, in
 * trees of 100 and of 20,000 files of which none changed.
 *
 *   build/bench/bench_many [PROCESSES]     (default 200; 2.5 hooks, and 0.5 and 100 files, for
 * each; needs git) */
#include "bench/source_tree.h"
#include "bench/spawn.h"
#include <sys/wait.h>
#include <unistd.h>

enum { RUNS = 5, ROUNDS = 3 };

static void write_mission(void)
{
        FILE *mission = fopen("mission.yaml", "w");

        if (!mission)
                bench_die("cannot write the mission");
        fputs("mission: small\nsteps:\n  - id: one\n    run: [\"true\"]\n", mission);
        if (fclose(mission))
                bench_die("cannot write the mission");
}

/* So many processes at once that each run a command so many times, one after the other: how long
 * all of it takes; and each command, in @p took unless that is NULL. */
static double at_once_ns(bench_series *took, char *const argv[], size_t processes, size_t times)
{
        const double start = bench_now_ns();
        int ends[2], status;
        double ns;

        if (pipe(ends))
                bench_die("cannot make a pipe");
        for (size_t p = 0; p < processes; p++) {
                const pid_t child = fork();
                if (child < 0)
                        bench_die("cannot fork");
                if (child > 0)
                        continue;
                for (size_t i = 0; i < times; i++) {
                        ns = bench_spawn_ns(argv);
                        if (write(ends[1], &ns, sizeof ns) != sizeof ns)
                                _exit(1);
                }
                _exit(0);
        }
        close(ends[1]);
        while (read(ends[0], &ns, sizeof ns) == sizeof ns)
                if (took)
                        bench_add(took, ns);
        close(ends[0]);
        for (size_t p = 0; p < processes; p++)
                if (wait(&status) < 0 || status != 0)
                        bench_die("a process failed");
        return bench_now_ns() - start;
}

/* The time below which 99 of 100 stay, of so many at once. */
static double slowest_ns(char *const argv[], size_t processes)
{
        bench_series took = {NULL, 0, 0};

        at_once_ns(&took, argv, processes, 1);
        const double ns = bench_quantile(&took, 0.99);
        bench_clear(&took);
        return ns;
}

static void compare_runs(char *pawl, size_t processes)
{
        char *run[] = {pawl, "run", "--fresh", "--no-input", "mission.yaml", NULL};
        bench_series many = {NULL, 0, 0}, one = {NULL, 0, 0};
        char what[80], beside[80];

        write_mission();
        bench_spawn_ns(run);
        for (int i = 0; i < ROUNDS; i++) {
                bench_add(&one, at_once_ns(NULL, run, 1, processes * RUNS));
                bench_add(&many, at_once_ns(NULL, run, processes, RUNS));
        }
        snprintf(what, sizeof what, "%d runs on one log, started by %zu processes",
                (int)processes * RUNS, processes);
        snprintf(beside, sizeof beside, "by one process, one after the other");
        bench_answer(&(bench_question){.what = what, .beside = beside, .target = 1.5}, &many, &one);
        bench_clear(&many);
        bench_clear(&one);
}

static void compare_hooks(const char *pawl, size_t processes, const char *tree, size_t files)
{
        bench_series ours = {NULL, 0, 0}, git = {NULL, 0, 0};
        char hook[8192], what[80], here[4096];
        char *status[] = {"sh", "-c", "exec git status --porcelain", NULL};
        char *init[] = {"sh", "-c",
                "git init -q . && echo .pawl/ >>.git/info/exclude && "
                "git config core.untrackedCache true && git add -A && "
                "git -c user.name=b -c user.email=b@example.org commit -q -m first",
                NULL};

        source_tree_make(tree, files);
        if (chdir(tree) || !getcwd(here, sizeof here))
                bench_die("cannot change to the tree");
        snprintf(hook, sizeof hook,
                "exec %s hook >/dev/null <<'END'\n"
                "{\"session_id\":\"s\",\"transcript_path\":\"/t\",\"cwd\":\"%s\",\"prompt_id\":\"p\","
                "\"permission_mode\":\"default\",\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Bash\","
                "\"tool_input\":{\"command\":\"true\"},\"tool_use_id\":\"u\"}\nEND\n",
                pawl, here);
        char *sh[] = {"sh", "-c", hook, NULL};
        bench_spawn_ns(init);
        bench_spawn_ns((char *[]){(char *)(uintptr_t)pawl, "init", ".", NULL});
        bench_spawn_ns((char *[]){(char *)(uintptr_t)pawl, "checkpoint", NULL}); /* all of it */
        bench_spawn_ns(sh);
        sleep(1); /* beyond the tick in which the files were written */
        for (int i = 0; i < ROUNDS; i++) {
                bench_add(&git, slowest_ns(status, processes));
                bench_add(&ours, slowest_ns(sh, processes));
        }
        snprintf(what, sizeof what, "p99 of %zu hooks at once, %zu files", processes, files);
        bench_answer(
                &(bench_question){.what = what, .beside = "p99 of as many git status", .target = 2},
                &ours, &git);
        bench_clear(&ours);
        bench_clear(&git);
        if (chdir(".."))
                bench_die("cannot leave the tree");
}

int main(int argc, char **argv)
{
        const size_t processes = bench_count(argc, argv, 200);
        char *pawl = (char *)(uintptr_t)bench_tool("pawl");

        bench_folder();
        compare_runs(pawl, processes);
        compare_hooks(pawl, processes * 5 / 2, "small", processes / 2);
        compare_hooks(pawl, processes * 5 / 2, "tree", processes * 100);
        return 0;
}
