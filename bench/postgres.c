#include "bench/postgres.h"
#include "bench/measure.h"
#include <string.h>

#define SUPPORT BENCH_SOURCE "/../tests/support/postgres "

const char *bench_postgres_start(void)
{
        static char server[600];
        const char *given = getenv("PAWL_BENCH_POSTGRES");
        FILE *file = NULL;

        if (given)
                return given;
        if (system(SUPPORT "start postgres.url") != 0 || !(file = fopen("postgres.url", "re")) ||
                !fgets(server, sizeof server, file))
                bench_die("there is no PostgreSQL server: scripts/deps test");
        fclose(file);
        server[strcspn(server, "\n")] = '\0';
        return server;
}

void bench_postgres_stop(void)
{
        if (!getenv("PAWL_BENCH_POSTGRES") && system(SUPPORT "stop postgres.url") != 0)
                bench_note("the server was not stopped");
}
