/* What `pawl run` adds to a step: a mission of one step and a glossary of 100 senses, start to
 * exit, beside the sum of what can't be avoided: the step's command alone, sqlite3 opening the same
 * log, and two durable commits. Whole processes.
 *
 *   build/bench/bench_run [ROUNDS]     (default 40; needs build/bin/pawl beside it, and sqlite3) */
#include "bench/raw_twin.h"
#include "bench/spawn.h"

static void write_mission(void)
{
        FILE *mission = fopen("mission.yaml", "w"), *seed = fopen("team.yaml", "w");

        if (!mission || !seed)
                bench_die("cannot write the mission");
        fputs("mission: bench\nworkspace: { checkpoint: manual }\nglossary: { team_domain: team.yaml }\nsteps:\n  - id: only\n"
              "    inputs: { description: A step of one command. }\n    run: [/bin/true]\n",
                mission);
        fputs("terms:\n", seed);
        for (int i = 0; i < 100; i++)
                fprintf(seed, "  - { surface: term %d, definition: The sense number %d. }\n", i, i);
        if (fclose(mission) || fclose(seed))
                bench_die("cannot write the mission");
}

static double two_commits_ns(sqlite3 *db)
{
        double start = bench_now_ns();

        for (int i = 0; i < 2; i++)
                if (sqlite3_exec(db, "INSERT INTO t VALUES(randomblob(600))", NULL, NULL, NULL))
                        bench_die(sqlite3_errmsg(db));
        return bench_now_ns() - start;
}

int main(int argc, char **argv)
{
        size_t rounds = bench_count(argc, argv, 40);
        char *pawl = (char *)(uintptr_t)bench_tool("pawl");

        bench_folder();
        write_mission();

        sqlite3 *db;
        if (sqlite3_open("raw.db", &db) ||
                sqlite3_exec(db,
                        "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE t(x)", NULL,
                        NULL, NULL))
                bench_die(sqlite3_errmsg(db));

        char *run[] = {pawl, "run", "--no-input", "mission.yaml", NULL};
        char *command[] = {"/bin/true", NULL};
        char *open_log[] = {"sqlite3", ".pawl/events.db", "SELECT count(*) FROM runs", NULL};
        bench_series whole = {NULL, 0, 0}, parts = {NULL, 0, 0};

        bench_spawn_ns(run); /* the log and its seeds are there from now on */
        bench_spawn_ns(open_log);
        for (size_t i = 0; i < rounds; i++) {
                bench_add(&parts,
                        bench_spawn_ns(command) + bench_spawn_ns(open_log) + two_commits_ns(db));
                bench_add(&whole, bench_spawn_ns(run));
        }
        bench_answer(&(bench_question){.what = "pawl run, one step, 100 senses, a process",
                             .beside = "its command + sqlite3 opening the log + two commits"},
                &whole, &parts);
        sqlite3_close(db);
        return 0;
}
