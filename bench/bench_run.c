/* What `pawl run` adds to a step: a mission of one step and a glossary of 100 senses, start to
 * exit, beside the sum of what can't be avoided: the step's command alone, sqlite3 opening the same
 * log, and two durable commits. Whole processes.
 *
 *   build/bench/bench_run [ROUNDS]     (default 40; needs build/bin/pawl beside it, and sqlite3) */
#include "bench/measure.h"
#include <limits.h>
#include <spawn.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void write_mission(void)
{
        FILE *mission = fopen("mission.yaml", "w"), *seed = fopen("team.yaml", "w");

        if (!mission || !seed)
                bench_die("cannot write the mission");
        fputs("mission: bench\nglossary: { team_domain: team.yaml }\nsteps:\n  - id: only\n"
              "    inputs: { description: A step of one command. }\n    run: [/bin/true]\n",
                mission);
        fputs("terms:\n", seed);
        for (int i = 0; i < 100; i++)
                fprintf(seed, "  - { surface: term %d, definition: The sense number %d. }\n", i, i);
        if (fclose(mission) || fclose(seed))
                bench_die("cannot write the mission");
}

/* Nanoseconds from start to exit of a command whose output is thrown away. */
static double spawn_ns(char *const argv[])
{
        posix_spawn_file_actions_t actions;
        pid_t pid;
        int status;

        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", 0 /* O_RDONLY */, 0);
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", 1 /* O_WRONLY */, 0);
        double start = bench_now_ns();
        int rc = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
        if (rc || waitpid(pid, &status, 0) != pid || status != 0)
                bench_die("a command failed");
        double ns = bench_now_ns() - start;
        posix_spawn_file_actions_destroy(&actions);
        return ns;
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
        char self[PATH_MAX], pawl[PATH_MAX + 16];
        ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);

        if (n < 0)
                bench_die("cannot read /proc/self/exe");
        self[n] = '\0';
        for (int up = 0; up < 2; up++)
                *strrchr(self, '/') = '\0';
        snprintf(pawl, sizeof pawl, "%s/bin/pawl", self);
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

        spawn_ns(run); /* the log and its seeds are there from now on */
        spawn_ns(open_log);
        for (size_t i = 0; i < rounds; i++) {
                bench_add(&parts, spawn_ns(command) + spawn_ns(open_log) + two_commits_ns(db));
                bench_add(&whole, spawn_ns(run));
        }
        bench_answer(&(bench_question){.what = "pawl run, one step, 100 senses, a process",
                             .beside = "its command + sqlite3 opening the log + two commits"},
                &whole, &parts);
        sqlite3_close(db);
        return 0;
}
