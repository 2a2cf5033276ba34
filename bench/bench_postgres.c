/* A durable append of one event to a log on PostgreSQL, by one client, and by 16 at once, each with
 * a log of its own. Beside libpq that writes the same rows (the event, what follows from it in the
 * state, the log's head) by one prepared statement a commit, on the same server, in turn.
 *
 *   build/bench/bench_postgres [APPENDS]     (default 1000; a server of its own is started by
 *                                             tests/support/postgres; $PAWL_BENCH_POSTGRES: a URL)
 */
#include "bench/measure.h"
#include "bench/postgres.h"
#include "events/log.h"
#include "state/state.h"
#include <libpq-fe.h>
#include <pthread.h>
#include <string.h>

enum { WORKERS = 16, ROUNDS = 7 };

#define PAYLOAD "{\"glossary_version_id\":\"v1\",\"scope_id\":\"core\"}"

static const char twin_sql[] =
        "WITH e AS (INSERT INTO pawl.events (log_id, seq, type, v, time, actor, payload, prev, hash)"
        " VALUES ($1::bigint, $2::bigint, 'GlossaryScopeActivated', 1, 1795178100000000, 'user:ana',"
        " '" PAYLOAD "', sha256($3::bytea), sha256($2::text::bytea))),"
        " s AS (INSERT INTO pawl.scopes (log_id, scope_id, version_id, seq, used_seq)"
        " VALUES ($1::bigint, 'core', 'v1', 1, $2::bigint)"
        " ON CONFLICT (log_id, scope_id, version_id) DO UPDATE SET used_seq = excluded.used_seq)"
        " UPDATE pawl.logs SET head_seq = $2::bigint, applied_seq = $2::bigint,"
        " head_hash = sha256($2::text::bytea) WHERE log_id = $1::bigint";

typedef struct client {
        pawl_log *log;
        PGconn *conn;
        char id[16];
        uint64_t seq;
        size_t each;
        pthread_t thread;
} client;

static const char *server;

static void open_client(client *c, int number)
{
        pawl_log_options options = PAWL_LOG_OPTIONS_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        char name[700], sql[300];
        pawl__state *state;

        options.flags = PAWL_LOG_CREATE;
        snprintf(name, sizeof name, "%s#bench-%d-%.0f", server, number, bench_now_ns());
        if (pawl_log_open(&c->log, name, &options, &err) || pawl__state_of(&state, c->log, &err))
                bench_die(err.message);
        c->conn = PQconnectdb(server);
        snprintf(c->id, sizeof c->id, "%d%06lld", number + 1,
                (long long)bench_now_ns() / 1000 % 1000000);
        snprintf(sql, sizeof sql, "INSERT INTO pawl.logs VALUES (%s, 'twin-%s', 0, 0, '', 0)",
                c->id, c->id);
        PQclear(PQexec(c->conn, sql));
        PGresult *result = PQprepare(c->conn, "append", twin_sql, 3, NULL);
        if (PQresultStatus(result) != PGRES_COMMAND_OK)
                bench_die(PQerrorMessage(c->conn));
        PQclear(result);
}

static void close_client(client *c)
{
        pawl_log_close(c->log);
        PQfinish(c->conn);
}

static void append_ours(client *c)
{
        const pawl_event event = {.type = {"GlossaryScopeActivated", 22},
                .actor = {"user:ana", 8},
                .payload = {PAYLOAD, sizeof PAYLOAD - 1}};

        if (pawl_log_append(NULL, c->log, &event, 1, 0))
                bench_die(pawl_log_errmsg(c->log));
}

static void append_theirs(client *c)
{
        char seq[24], prev[24];
        const char *values[] = {c->id, seq, prev};

        snprintf(prev, sizeof prev, "%llu", (unsigned long long)c->seq);
        snprintf(seq, sizeof seq, "%llu", (unsigned long long)++c->seq);
        PGresult *result = PQexecPrepared(c->conn, "append", 3, values, NULL, NULL, 0);
        if (PQresultStatus(result) != PGRES_COMMAND_OK)
                bench_die(PQerrorMessage(c->conn));
        PQclear(result);
}

static void *ours_each(void *user)
{
        client *c = user;

        for (size_t i = 0; i < c->each; i++)
                append_ours(c);
        return NULL;
}

static void *theirs_each(void *user)
{
        client *c = user;

        for (size_t i = 0; i < c->each; i++)
                append_theirs(c);
        return NULL;
}

static double all_ns(client *clients, void *(*each)(void *))
{
        const double began = bench_now_ns();

        for (int i = 0; i < WORKERS; i++)
                if (pthread_create(&clients[i].thread, NULL, each, &clients[i]))
                        bench_die("pthread_create");
        for (int i = 0; i < WORKERS; i++)
                pthread_join(clients[i].thread, NULL);
        return bench_now_ns() - began;
}

int main(int argc, char **argv)
{
        static client clients[WORKERS];
        const size_t appends = bench_count(argc, argv, 1000);
        bench_series ours = {NULL, 0, 0}, theirs = {NULL, 0, 0};
        double began;

        bench_folder();
        server = bench_postgres_start();
        for (int i = 0; i < WORKERS; i++) {
                open_client(&clients[i], i);
                clients[i].each = appends / 5 + 1;
        }
        for (size_t i = 0; i < appends; i++) {
                began = bench_now_ns();
                append_theirs(clients);
                bench_add(&theirs, bench_now_ns() - began);
                began = bench_now_ns();
                append_ours(clients);
                bench_add(&ours, bench_now_ns() - began);
        }
        bench_answer(&(bench_question){.what = "durable append of one event on PostgreSQL",
                             .beside = "libpq, the same rows by one prepared statement",
                             .target = 1.3},
                &ours, &theirs);
        bench_clear(&ours);
        bench_clear(&theirs);
        for (int i = 0; i < ROUNDS; i++) {
                bench_add(&theirs, all_ns(clients, theirs_each));
                bench_add(&ours, all_ns(clients, ours_each));
        }
        bench_answer(&(bench_question){.what = "append on PostgreSQL, 16 workers on 16 logs",
                             .beside = "16 libpq clients with the same rows",
                             .per = (double)(WORKERS * clients[0].each),
                             .target = 1.3},
                &ours, &theirs);
        bench_clear(&ours);
        bench_clear(&theirs);
        for (int i = 0; i < WORKERS; i++)
                close_client(&clients[i]);
        bench_postgres_stop();
        return 0;
}
