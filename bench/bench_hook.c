/* What an agent waits for before each of its tools where nothing was changed: `pawl hook` on a tree
 * of 20,000 files, beside `git status` there with an untracked cache. Whole processes, in turn,
 * medians.
 *
 *   build/bench/bench_hook [FILES]     (default 20000, about 400 MB; needs git) */
#include "bench/source_tree.h"
#include "bench/spawn.h"
#include <unistd.h>

enum { ROUNDS = 25 };

#define GIT "git -C tree -c user.name=bench -c user.email=bench@example.org -c gc.auto=0 "

static double shell_ns(const char *command)
{
        return bench_spawn_ns((char *[]){"sh", "-c", (char *)(uintptr_t)command, NULL});
}

int main(int argc, char **argv)
{
        const size_t files = bench_count(argc, argv, SOURCE_TREE_FILES);
        bench_series ours = {NULL, 0, 0}, git = {NULL, 0, 0}, bound = {NULL, 0, 0};
        char hook[8192], what[80], here[4096];

        bench_folder();
        bench_note("%zu files, %.0f MB", files, (double)source_tree_make("tree", files) / 1e6);
        shell_ns("git init -q tree; echo .pawl/ >>tree/.git/info/exclude; " GIT
                 "config core.untrackedCache true");
        bench_spawn_ns((char *[]){(char *)(uintptr_t)bench_tool("pawl"), "init", "tree", NULL});
        shell_ns(GIT "add -A && " GIT "commit -q -m first && " GIT "gc -q");
        if (!getcwd(here, sizeof here))
                bench_die("there is no working directory");
        snprintf(hook, sizeof hook,
                "cd tree && exec %s hook >/dev/null <<'END'\n"
                "{\"session_id\":\"s\",\"transcript_path\":\"/t\",\"cwd\":\"%s/tree\",\"prompt_id\":\"p\","
                "\"permission_mode\":\"default\",\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Bash\","
                "\"tool_input\":{\"command\":\"true\"},\"tool_use_id\":\"u\"}\nEND\n",
                bench_tool("pawl"), here);
        shell_ns(hook);
        sleep(1); /* beyond the tick in which the files were written */
        for (int i = 0; i < ROUNDS; i++) {
                const double status = shell_ns(GIT "status --porcelain"), took = shell_ns(hook);
                if (i < 3) /* caches fill */
                        continue;
                bench_add(&git, status);
                bench_add(&ours, took);
                bench_add(&bound, 100e6);
        }
        snprintf(what, sizeof what, "a hook, none of %zu files changed", files);
        bench_answer(&(bench_question){.what = what,
                             .beside = "git status, untracked cache, the processes",
                             .target = 1.5},
                &ours, &git);
        bench_answer(
                &(bench_question){.what = what, .beside = "100 ms", .target = 1.0}, &ours, &bound);
        bench_clear(&ours);
        bench_clear(&git);
        bench_clear(&bound);
        return 0;
}
