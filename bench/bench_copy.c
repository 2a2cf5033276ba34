/* A log in a file, whole, to a server by `pawl copy`, beside pg_restore that puts the same rows
 * into another database of the same server.
 *
 *   build/bench/bench_copy [EVENTS]     (default 1000000; needs PostgreSQL's programs) */
#include "bench/filled_log.h"
#include "bench/postgres.h"
#include "bench/spawn.h"
#include <string.h>

static void must(const char *command)
{
        if (system(command) != 0)
                bench_die(command);
}

int main(int argc, char **argv)
{
        char *pawl = (char *)(uintptr_t)bench_tool("pawl");
        const size_t events = bench_count(argc, argv, 1000000);
        bench_series ours = {NULL, 0, 0}, theirs = {NULL, 0, 0};
        static filled_log filled;
        char to[400], restore[800], what[100];

        bench_folder();
        filled_open(&filled, "events.db", events, FILLED_TERMS);
        pawl_log_close(filled.log);
        const char *server = bench_postgres_start();
        snprintf(to, sizeof to, "%s#copy", server);
        bench_add(&ours, bench_spawn_ns((char *[]){pawl, "copy", "events.db", to, NULL}));
        snprintf(restore, sizeof restore,
                "pg_dump -Fc -n pawl -f dump '%s' && psql -q -c 'CREATE DATABASE restored' '%s'",
                server, server);
        must(restore);
        snprintf(restore, sizeof restore,
                "pg_restore -d \"$(echo '%s' | sed s,/postgres,/restored,)\" dump", server);
        bench_add(&theirs, bench_spawn_ns((char *[]){"sh", "-c", restore, NULL}));
        snprintf(what, sizeof what, "pawl copy of a log of %zu events to PostgreSQL", events);
        bench_answer(
                &(bench_question){
                        .what = what, .beside = "pg_restore of the same rows", .target = 3},
                &ours, &theirs);
        bench_clear(&ours);
        bench_clear(&theirs);
        bench_postgres_stop();
        return 0;
}
