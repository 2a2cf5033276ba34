/* What a mission of many steps costs: 1,000 of /bin/true one after the other, beside a shell's loop
 * over the same commands and two durable commits each; 100 of `sleep 0.05` four at once, beside the
 * ideal and beside make -j4, which keeps nothing; both beside DBOS, a step of a workflow each, in a
 * process that is there already; and the memory of 10,000 steps beside that of 10. Whole processes.
 *
 *   build/bench/bench_steps [ROUNDS]   (default 3; needs build/bin/pawl beside it, sh and make;
 *                                       with DBOS: scripts/exam fleet figures) */
#include "bench/peer.h"
#include "bench/raw_twin.h"
#include "bench/spawn.h"
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STEPS = 1000, SLEEPERS = 100, AT_ONCE = 4, FEW = 10, MANY = 10000 };
#define SLEEP_NS 50e6

static void write_file(const char *name, const char *head, const char *line, int n)
{
        FILE *file = fopen(name, "w");

        if (!file)
                bench_die("cannot write a mission");
        fputs(head, file);
        for (int i = 0; i < n; i++)
                fprintf(file, "  - {id: s%d, %s}\n", i, line);
        if (fclose(file))
                bench_die("cannot write a mission");
}

static void write_makefile(void)
{
        FILE *file = fopen("Makefile", "w");

        if (!file)
                bench_die("cannot write the makefile");
        fputs("all:", file);
        for (int i = 0; i < SLEEPERS; i++)
                fprintf(file, " s%d", i);
        fputs("\ns%:\n\t@sleep 0.05\n", file);
        if (fclose(file))
                bench_die("cannot write the makefile");
}

static sqlite3 *open_raw(void)
{
        sqlite3 *db;

        if (sqlite3_open("raw.db", &db) ||
                sqlite3_exec(db,
                        "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE t(x)", NULL,
                        NULL, NULL))
                bench_die(sqlite3_errmsg(db));
        return db;
}

static double commits_ns(sqlite3 *db, int n)
{
        const double start = bench_now_ns();

        for (int i = 0; i < n; i++)
                if (sqlite3_exec(db, "INSERT INTO t VALUES(randomblob(600))", NULL, NULL, NULL))
                        bench_die(sqlite3_errmsg(db));
        return bench_now_ns() - start;
}

/* The most memory that it had, in bytes. */
static double memory_of(char *const argv[])
{
        struct rusage usage;
        int status;
        const pid_t pid = fork();

        if (pid == 0) {
                if (!freopen("/dev/null", "w", stdout))
                        _exit(127);
                execvp(argv[0], argv);
                _exit(127);
        }
        if (pid < 0 || wait4(pid, &status, 0, &usage) != pid || status != 0)
                bench_die("a run did not end with 0");
        return (double)usage.ru_maxrss * 1024;
}

/* A worker of DBOS, on a server. False: it is not here. */
static bool start_dbos(bench_peer *p)
{
        const char *at = getenv("FLEET_PEERS"), *server = getenv("PAWL_BENCH_POSTGRES");
        char path[4096];

        snprintf(path, sizeof path, "%s/dbos.mjs", at ? at : "");
        if (!at || !server || access(path, R_OK)) {
                bench_note("DBOS is left out; see scripts/exam fleet");
                return false;
        }
        if (!bench_peer_start(p,
                    (char *[]){"node", path, (char *)(uintptr_t)server, "steps", "commands", NULL}))
                bench_die("a peer does not start");
        return true;
}

static void compare_with_dbos(char *const steps[], char *const sleepers[], size_t rounds)
{
        bench_series figure = {NULL, 0, 0}, beside = {NULL, 0, 0};
        const struct {
                const char *what, *line;
                char *const *words;
        } works[] = {{"1,000 steps of /bin/true", "commands 1000", steps},
                {"100 steps of sleep 0.05, four at once", "sleepers 100", sleepers}};
        bench_peer dbos;

        if (!start_dbos(&dbos))
                return;
        for (size_t w = 0; w < sizeof works / sizeof works[0]; w++) {
                for (size_t i = 0; i < rounds; i++) {
                        bench_add(&beside, bench_peer_ns(&dbos, works[w].line));
                        bench_add(&figure, bench_spawn_ns(works[w].words));
                }
                bench_answer(&(bench_question){.what = works[w].what,
                                     .beside = "DBOS on PostgreSQL, a step each"},
                        &figure, &beside);
                bench_clear(&figure);
                bench_clear(&beside);
        }
        bench_peer_stop(&dbos);
}

int main(int argc, char **argv)
{
        const size_t rounds = bench_count(argc, argv, 3);
        char *pawl = (char *)(uintptr_t)bench_tool("pawl");
        char loop[] = "i=0; while [ $i -lt 1000 ]; do /bin/true; i=$((i+1)); done";
        char *steps[] = {pawl, "run", "--no-input", "--fresh", "steps.yaml", NULL};
        char *sleepers[] = {pawl, "run", "--no-input", "--fresh", "sleepers.yaml", NULL};
        char *few[] = {pawl, "run", "--no-input", "--fresh", "few.yaml", NULL};
        char *many[] = {pawl, "run", "--no-input", "--fresh", "many.yaml", NULL};
        char *shell[] = {"sh", "-c", loop, NULL};
        char *make[] = {"make", "-s", "-j4", NULL};
        bench_series figure = {NULL, 0, 0}, yardstick = {NULL, 0, 0}, beside = {NULL, 0, 0};
        const char *const one = "mission: bench\nworkspace: {checkpoint: off}\nsteps:\n";

        bench_folder();
        write_file("steps.yaml", one, "run: [/bin/true]", STEPS);
        write_file("few.yaml", one, "run: [/bin/true]", FEW);
        write_file("many.yaml", one, "run: [/bin/true]", MANY);
        write_file("sleepers.yaml",
                "mission: bench\nparallel: 4\nworkspace: {checkpoint: off}\nsteps:\n",
                "needs: [], run: [sleep, 0.05]", SLEEPERS);
        write_makefile();
        sqlite3 *db = open_raw();

        bench_spawn_ns(few); /* the log is there from now on */
        for (size_t i = 0; i < rounds; i++) {
                bench_add(&yardstick, bench_spawn_ns(shell) + commits_ns(db, 2 * STEPS));
                bench_add(&figure, bench_spawn_ns(steps));
        }
        bench_answer(&(bench_question){.what = "1,000 steps of /bin/true",
                             .beside = "sh, the same commands + two commits each",
                             .target = 1.5},
                &figure, &yardstick);
        bench_clear(&figure);
        bench_clear(&yardstick);

        for (size_t i = 0; i < rounds; i++) {
                bench_add(&yardstick, SLEEPERS / AT_ONCE * SLEEP_NS);
                bench_add(&beside, bench_spawn_ns(make));
                bench_add(&figure, bench_spawn_ns(sleepers));
        }
        bench_answer(&(bench_question){.what = "100 steps of sleep 0.05, four at once",
                             .beside = "a quarter of their sleep",
                             .target = 1.1},
                &figure, &yardstick);
        bench_answer(&(bench_question){.what = "100 steps of sleep 0.05, four at once",
                             .beside = "make -j4, which keeps nothing"},
                &figure, &beside);
        bench_clear(&figure);
        bench_clear(&yardstick);

        compare_with_dbos(steps, sleepers, rounds);

        bench_add(&yardstick, memory_of(few));
        bench_add(&figure, memory_of(many));
        bench_answer(&(bench_question){.what = "memory of a run of 10,000 steps",
                             .beside = "of 10",
                             .unit = "bytes"},
                &figure, &yardstick);
        bench_clear(&figure);
        bench_clear(&yardstick);
        bench_clear(&beside);
        sqlite3_close(db);
        return 0;
}
