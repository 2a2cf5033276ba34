/* The tools that look into a log of 1,000,000 events, each a process from start to exit, beside
 * sqlite3 that runs the bare query over the same file.
 *
 *   build/bench/bench_commands [EVENTS]     (default 1000000; needs sqlite3) */
#include "bench/filled_log.h"
#include "bench/spawn.h"

enum { ROUNDS = 60 };

static void compare(const char *what, char *const tool[], const char *query)
{
        bench_series ours = {NULL, 0, 0}, theirs = {NULL, 0, 0};
        char *bare[] = {"sqlite3", "-readonly", "events.db", (char *)(uintptr_t)query, NULL};

        bench_spawn_ns(tool);
        bench_spawn_ns(bare);
        for (int i = 0; i < ROUNDS; i++) {
                bench_add(&theirs, bench_spawn_ns(bare));
                bench_add(&ours, bench_spawn_ns(tool));
        }
        bench_answer(&(bench_question){.what = what,
                             .beside = "sqlite3 with the bare query, a process",
                             .target = 1.5},
                &ours, &theirs);
        bench_clear(&ours);
        bench_clear(&theirs);
}

int main(int argc, char **argv)
{
        char *pawl = (char *)(uintptr_t)bench_tool("pawl");
        char *eventlog = (char *)(uintptr_t)bench_tool("eventlog");
        static filled_log filled;
        char seq[24], query[64];

        bench_folder();
        filled_open(&filled, "events.db", bench_count(argc, argv, 1000000), FILLED_TERMS);
        pawl_log_close(filled.log);
        compare("pawl conflicts, 10^6 events",
                (char *[]){pawl, "conflicts", "--db", "events.db", NULL},
                "SELECT * FROM conflicts WHERE status = 'open' ORDER BY seq");
        compare("eventlog list -n 50, 10^6 events",
                (char *[]){eventlog, "list", "-n", "50", "--db", "events.db", NULL},
                "SELECT * FROM events ORDER BY seq DESC LIMIT 50");
        snprintf(seq, sizeof seq, "%llu", (unsigned long long)filled.events / 2);
        snprintf(query, sizeof query, "SELECT * FROM events WHERE seq = %s", seq);
        compare("eventlog show, 10^6 events",
                (char *[]){eventlog, "show", seq, "--db", "events.db", NULL}, query);
        return 0;
}
