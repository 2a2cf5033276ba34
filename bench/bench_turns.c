/* What an agent's session leaves on the disk and takes of its time: turns that change a line in
 * each of ten files, of 2,000, and a checkpoint after each, beside git, which commits each. Whole
 * processes, in turn; at the end `git gc`, as nothing is to be collected by Pawl. git has its
 * default settings, but for gc.auto = 0: it would pack in the background while the next one is
 * measured.
 *
 *   build/bench/bench_turns [TURNS]     (default 1000; needs git) */
#include "bench/source_tree.h"
#include "bench/spawn.h"
#include <unistd.h>

enum { FILES = 2000, TURNS = 1000, CHANGED = 10 };

#define GIT "git -C tree -c user.name=bench -c user.email=bench@example.org -c gc.auto=0 "

static double shell_ns(const char *command)
{
        return bench_spawn_ns((char *[]){"sh", "-c", (char *)(uintptr_t)command, NULL});
}

static double checkpoint_ns(void)
{
        char command[4096];

        snprintf(command, sizeof command, "exec %s checkpoint --db tree/.pawl/events.db >/dev/null",
                bench_tool("pawl"));
        return shell_ns(command);
}

static double disk_bytes(const char *command)
{
        FILE *out = popen(command, "r");
        double kib = 0;

        if (!out || fscanf(out, "%lf", &kib) != 1 || pclose(out) != 0)
                bench_die("cannot ask for a size");
        return kib * 1024;
}

int main(int argc, char **argv)
{
        const size_t turns = bench_count(argc, argv, TURNS);
        bench_series ours = {NULL, 0, 0}, git = {NULL, 0, 0};
        char what[80];

        bench_folder();
        bench_note("%d files, %.0f MB", FILES, (double)source_tree_make("tree", FILES) / 1e6);
        shell_ns("git init -q tree; echo .pawl/ >>tree/.git/info/exclude");
        bench_spawn_ns((char *[]){(char *)(uintptr_t)bench_tool("pawl"), "init", "tree", NULL});
        shell_ns(GIT "add -A && " GIT "commit -q -m first");
        checkpoint_ns();
        for (size_t i = 0; i < turns; i++) {
                source_tree_change("tree", FILES, CHANGED, i);
                usleep(12000); /* beyond the tick in which the files were changed */
                bench_add(&git, shell_ns(GIT "add -A && " GIT "commit -q -m turn"));
                bench_add(&ours, checkpoint_ns());
        }
        bench_answer(&(bench_question){.what = "a turn: ten files of 2,000 changed",
                             .beside = "git add -A && git commit, the processes",
                             .target = 0.5},
                &ours, &git);
        bench_clear(&ours);
        bench_clear(&git);
        shell_ns(GIT "gc -q");
        bench_add(&git, disk_bytes("du -sk tree/.git"));
        bench_add(&ours, disk_bytes("du -sk tree/.pawl"));
        snprintf(what, sizeof what, "disk after %zu such turns", turns);
        bench_answer(
                &(bench_question){
                        .what = what, .beside = "git's, after gc", .unit = "bytes", .target = 1.2},
                &ours, &git);
        bench_clear(&ours);
        bench_clear(&git);
        return 0;
}
