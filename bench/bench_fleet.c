/* A thousand submitted runs until all of them are done, by eight slots of one worker, beside their
 * commands alone, eight at once.
 *
 *   build/bench/bench_fleet [RUNS]     (default 1000; needs seq and xargs) */
#include "bench/spawn.h"

#define COMMAND "0.5" /* seconds that each sleeps */

enum { SLOTS = 8, ROUNDS = 2 };

static void write_mission(void)
{
        FILE *file = fopen("mission.yaml", "we");

        if (!file)
                bench_die("mission.yaml");
        fputs("mission: naps\nsteps: [{ id: nap, run: [sleep, \"" COMMAND "\"] }]\n", file);
        if (fclose(file))
                bench_die("mission.yaml");
}

int main(int argc, char **argv)
{
        char *pawl = (char *)(uintptr_t)bench_tool("pawl");
        const size_t runs = bench_count(argc, argv, 1000);
        bench_series ours = {NULL, 0, 0}, theirs = {NULL, 0, 0};
        char bare[200], what[100];

        bench_folder();
        write_mission();
        snprintf(bare, sizeof bare, "seq %zu | xargs -P %d -I _ sleep " COMMAND, runs, SLOTS);
        snprintf(what, sizeof what, "%zu runs of one step of " COMMAND " s, 8 slots", runs);
        for (int i = 0; i < ROUNDS; i++) {
                for (size_t run = 0; run < runs; run++)
                        bench_spawn_ns((char *[]){pawl, "submit", "mission.yaml", NULL});
                bench_add(&theirs, bench_spawn_ns((char *[]){"sh", "-c", bare, NULL}));
                bench_add(&ours,
                        bench_spawn_ns((char *[]){pawl, "work", "--once", "--slots", "8", NULL}));
        }
        bench_answer(
                &(bench_question){
                        .what = what, .beside = "their commands alone, 8 at once", .target = 1.25},
                &ours, &theirs);
        bench_clear(&ours);
        bench_clear(&theirs);
        return 0;
}
