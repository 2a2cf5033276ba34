/* The checkpoints of a batch of tool calls, two of ten edits, beside what git needs to keep the
 * same tree twice, in the same tree: `pawl tool checkpoint`, or git's four processes, from start to
 * exit, in turn, medians. Two files change between the rounds, as by the edits of the batch before.
 *
 *   build/bench/bench_toolcalls [FILES]     (default 2000, about 40 MB; needs git) */
#include "bench/source_tree.h"
#include "bench/spawn.h"
#include <unistd.h>

enum { ROUNDS = 25, CALLS = 10, EDITS = 2, FILES = 2000 };

#define GIT "git -C tree -c gc.auto=0 "

static size_t files;

static double shell_ns(const char *command)
{
        return bench_spawn_ns((char *[]){"sh", "-c", (char *)(uintptr_t)command, NULL});
}

static void write_calls(void)
{
        FILE *out = fopen("calls.json", "w");

        if (!out)
                bench_die("cannot write calls.json");
        fputs("{\"history\":[", out);
        for (int i = 0; i < 50; i++)
                fprintf(out, "%s{\"type\":\"user\",\"text\":\"turn %d of a talk about files\"}",
                        i ? "," : "", i);
        fputs("],\"calls\":[", out);
        for (int i = 0; i < CALLS; i++)
                fprintf(out, "%s{\"callId\":\"call-%d\",\"name\":\"%s\",\"args\":{\"n\":%d}}",
                        i ? "," : "", i, i % (CALLS / EDITS) ? "read_file" : "replace", i);
        fputs("]}", out);
        if (fclose(out) != 0)
                bench_die("cannot write calls.json");
}

static void batches(const char *what, const char *more, double target)
{
        bench_series ours = {NULL, 0, 0}, git = {NULL, 0, 0};
        char take[4096];

        snprintf(take, sizeof take,
                "exec %s tool checkpoint --calls calls.json --db tree/.pawl/events.db %s >/dev/null",
                bench_tool("pawl"), more);
        for (size_t i = 0; i < ROUNDS; i++) {
                source_tree_change("tree", files, EDITS, i);
                usleep(20000); /* beyond the tick in which the files were changed */
                bench_add(&git, shell_ns(GIT "add -A && " GIT "write-tree >/dev/null && " GIT
                                             "add -A && " GIT "write-tree >/dev/null"));
                bench_add(&ours, shell_ns(take));
        }
        bench_answer(&(bench_question){.what = what,
                             .beside = "git add -A && git write-tree, twice, the processes",
                             .target = target},
                &ours, &git);
        bench_clear(&ours);
        bench_clear(&git);
}

int main(int argc, char **argv)
{
        files = bench_count(argc, argv, FILES);
        bench_folder();
        source_tree_make("tree", files);
        write_calls();
        shell_ns("git init -q tree; echo .pawl/ >>tree/.git/info/exclude");
        bench_spawn_ns((char *[]){(char *)(uintptr_t)bench_tool("pawl"), "init", "tree", NULL});
        bench_note("%zu files, %d calls a batch, %d of them edits", files, CALLS, EDITS);
        shell_ns(GIT "add -A && " GIT "write-tree >/dev/null");
        char first[4096];
        snprintf(first, sizeof first, "exec %s checkpoint --db tree/.pawl/events.db >/dev/null",
                bench_tool("pawl"));
        shell_ns(first);
        batches("the checkpoints of a batch of tool calls", "", 1.0);
        batches("the same, with documents in a folder", "--files tree/.pawl/calls", 1.5);
        return 0;
}
