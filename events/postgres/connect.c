/* The connection to a server: made within a time of our own, and made anew when it was lost. */
#include "events/postgres/server.h"
#include <ctype.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SLICE_MS = 100, OPTIONS_MAX = 64 };

/* What the URL leaves open. A network that is dead is seen within the time for a silent server. */
static const struct {
        const char *key, *value;
} defaults[] = {
        {"fallback_application_name", "pawl"},
        {"keepalives_idle", "10"},
        {"keepalives_interval", "5"},
        {"keepalives_count", "3"},
        {"tcp_user_timeout", "30000"},
};

typedef struct parameters {
        PQconninfoOption *options;
        const char *keys[OPTIONS_MAX], *values[OPTIONS_MAX];
        int64_t timeout_ms;
} parameters;

static void count_notice(void *user, const PGresult *result)
{
        (void)result;
        ((struct pawl__server *)user)->notices++;
}

static bool is_given(const parameters *p, size_t n, const char *key)
{
        for (size_t i = 0; i < n; i++)
                if (strcmp(p->keys[i], key) == 0)
                        return true;
        return false;
}

static pawl_status read_parameters(parameters *p, pawl_log *log, pawl_error *err)
{
        const pawl__postgres_library *pq = log->server->pq;
        char *why = NULL;
        size_t n = 0;

        memset(p, 0, sizeof *p);
        p->options = pq->PQconninfoParse(log->server->address.server, &why);
        p->timeout_ms = PAWL__SILENT_MS;
        if (!p->options) {
                char what[PAWL_ERROR_MAX];
                snprintf(what, sizeof what, "%s", why ? why : "out of memory");
                what[strcspn(what, "\n")] = '\0';
                pq->PQfreemem(why);
                pawl__address_strike(&log->server->address, what);
                return pawl__fail(err, PAWL_EINVAL,
                        "the log's URL: %s; write postgresql://USER@HOST/DATABASE#LOG", what);
        }
        for (PQconninfoOption *o = p->options; o->keyword && n < OPTIONS_MAX - 8; o++) {
                if (!o->val || strcmp(o->keyword, "client_encoding") == 0)
                        continue;
                if (strcmp(o->keyword, "connect_timeout") == 0 && atoi(o->val) > 0)
                        p->timeout_ms = (int64_t)atoi(o->val) * 1000;
                p->keys[n] = o->keyword;
                p->values[n++] = o->val;
        }
        for (size_t i = 0; i < sizeof defaults / sizeof defaults[0]; i++)
                if (!is_given(p, n, defaults[i].key)) {
                        p->keys[n] = defaults[i].key;
                        p->values[n++] = defaults[i].value;
                }
        p->keys[n] = "client_encoding";
        p->values[n] = "UTF8";
        return PAWL_OK;
}

/* "FATAL:  28P01: ...": libpq has no other place for the code of a refused login. */
static void find_code(char code[6], char *message)
{
        code[0] = '\0';
        for (char *at = message; (at = strchr(at, ':')) != NULL; at++) {
                char *from = at + 1;
                int n = 0;
                while (*from == ' ')
                        from++;
                while (n < 5 &&
                        (isdigit((unsigned char)from[n]) || isupper((unsigned char)from[n])))
                        n++;
                if (n != 5 || from[5] != ':' || !isdigit((unsigned char)from[0]))
                        continue;
                memcpy(code, from, 5);
                code[5] = '\0';
                memmove(from, from + 7, strlen(from + 6));
                return;
        }
}

/* Why it was refused; *again: a server that starts, or is not there, may be soon. */
static pawl_status refused(pawl_log *log, bool *again, pawl_error *err)
{
        struct pawl__server *server = log->server;
        char message[PAWL_ERROR_MAX], code[6];

        snprintf(message, sizeof message, "%s", server->pq->PQerrorMessage(server->conn));
        find_code(code, message);
        *again = !*code || memcmp(code, "57P", 3) == 0;
        server->retry = false;
        if (*code)
                return pawl__server_fail(log, code, message, "connect", err);
        message[strcspn(message, "\n")] = '\0';
        pawl__address_strike(&server->address, message);
        return pawl__fail(err, PAWL_EIO,
                "%s: cannot connect: %s; check that the server runs and that the URL names it",
                log->path, message);
}

/* One try, until @p deadline. */
static pawl_status try_once(
        pawl_log *log, const parameters *p, bool *again, int64_t deadline, pawl_error *err)
{
        struct pawl__server *server = log->server;
        const pawl__postgres_library *pq = server->pq;
        PostgresPollingStatusType next = PGRES_POLLING_WRITING;

        *again = false;
        server->conn = pq->PQconnectStartParams(p->keys, p->values, 0);
        if (!server->conn)
                return pawl__nomem(err);
        pq->PQsetNoticeReceiver(server->conn, count_notice, server);
        pq->PQsetErrorVerbosity(server->conn, PQERRORS_VERBOSE);
        while (next != PGRES_POLLING_OK) {
                if (next == PGRES_POLLING_FAILED || pq->PQstatus(server->conn) == CONNECTION_BAD)
                        return refused(log, again, err);
                if (pawl__interrupt_waits(log))
                        return pawl__interrupt_fail(log, err);
                if (pawl__now_ms() >= deadline)
                        return pawl__fail(err, PAWL_EIO,
                                "%s: cannot connect: the server has not answered for %lld s; "
                                "check the network, and that the URL names it",
                                log->path, (long long)(p->timeout_ms / 1000));
                struct pollfd wait = {.fd = pq->PQsocket(server->conn),
                        .events = next == PGRES_POLLING_READING ? POLLIN : POLLOUT};
                if (poll(&wait, 1, SLICE_MS) > 0)
                        next = pq->PQconnectPoll(server->conn);
        }
        pq->PQsetErrorVerbosity(server->conn, PQERRORS_DEFAULT);
        return PAWL_OK;
}

/* What a session must be like for us. */
static pawl_status check_session(pawl_log *log, pawl_error *err)
{
        struct pawl__server *server = log->server;
        const pawl__postgres_library *pq = server->pq;
        const char *encoding = pq->PQparameterStatus(server->conn, "server_encoding");
        PGresult *result = NULL;

        if (pq->PQsetnonblocking(server->conn, 1) != 0 || !pq->PQenterPipelineMode(server->conn))
                return pawl__server_lost(log, pq->PQerrorMessage(server->conn), "connect", err);
        if (encoding && strcmp(encoding, "UTF8") != 0)
                return pawl__fail(err, PAWL_EFORMAT,
                        "%s: the database's encoding is %.40s; make one with `createdb -T template0 "
                        "-E UTF8`",
                        log->path, encoding);
        pawl_status status = pawl__server_execute(
                &result, log, "SELECT pg_backend_pid()", NULL, 0, "connect", err);
        if (status)
                return status;
        pawl__postgres_query row = {.log = log, .result = result};
        server->pooled = pawl__postgres_integer(&row.base, 0) != pq->PQbackendPID(server->conn);
        pq->PQclear(result);
        return PAWL_OK;
}

static void pause_ms(int64_t ms)
{
        const struct timespec time = {ms / 1000, ms % 1000 * 1000000};

        nanosleep(&time, NULL);
}

pawl_status pawl__server_connect(pawl_log *log, bool patient, pawl_error *err)
{
        const int64_t began = pawl__now_ms();
        struct pawl__server *server = log->server;
        parameters p;
        pawl_status status = read_parameters(&p, log, err);

        for (int64_t wait = 50; !status; wait = wait < 500 ? wait * 2 : wait) {
                bool again;
                server->lost = server->failed = false;
                server->in_transaction = server->viewing = false;
                server->notices = 0;
                status = try_once(log, &p, &again, pawl__now_ms() + p.timeout_ms, err);
                if (!status) {
                        server->connection++;
                        status = check_session(log, err);
                        again = server->lost;
                }
                if (!status)
                        break;
                pawl__server_disconnect(log);
                again = again && (patient || server->retry);
                if (!again || pawl__now_ms() + wait - began > PAWL__RECONNECT_MS)
                        break;
                pause_ms(wait);
                status = PAWL_OK;
        }
        server->retry = false;
        server->pq->PQconninfoFree(p.options);
        return status;
}

void pawl__server_disconnect(pawl_log *log)
{
        struct pawl__server *server = log->server;

        pawl__prefetch_drop(log);
        if (server->conn)
                server->pq->PQfinish(server->conn);
        server->conn = NULL;
        server->n_pending = server->at = 0;
        server->queued_bytes = 0;
        server->answered_bytes = 0;
}

/* Is what was acknowledged to us there still? */
static pawl_status check_acknowledged(pawl_log *log, pawl_error *err)
{
        struct pawl__server *server = log->server;
        pawl__postgres_query *q;
        char ours[65], theirs[65];
        unsigned char head[32] = {0};

        if (!server->acked_seq)
                return PAWL_OK;
        pawl_status status = pawl__own_query(&q, log, PAWL__OWN_ACKED, err);
        if (status)
                return status;
        pawl__query_bind_integer(&q->base, 1, (int64_t)server->acked_seq);
        status = pawl__send(q, &q->result, "connect", err);
        if (!status)
                status = pawl__exchange(log, "connect", err);
        if (status)
                return status;
        const bool there = server->pq->PQntuples(q->result) == 1;
        const pawl_text hash = pawl__postgres_bytes(&q->base, 0);
        if (there && hash.len == 32 && memcmp(hash.data, server->acked_hash, 32) == 0)
                return PAWL_OK;
        const int64_t head_seq = there ? pawl__postgres_integer(&q->base, 1) : 0;
        if (there)
                (void)pawl__query_hash(head, &q->base, 2);
        pawl__hex(ours, server->acked_hash, 32);
        pawl__hex(theirs, head, 32);
        status = pawl__fail(err, PAWL_EDAMAGED,
                "%s: the server has lost what it acknowledged: seq %llu (%.16s) was committed, and "
                "now the log ends at seq %lld (%.16s), without it; was a standby promoted that did "
                "not have it? Bring the former primary back, or go on from what is there with a "
                "new command",
                log->path, (unsigned long long)server->acked_seq, ours, (long long)head_seq,
                theirs);
        log->lost = *err;
        return status;
}

pawl_status pawl__server_ready(pawl_log *log, pawl_error *err)
{
        struct pawl__server *server = log->server;

        if (log->lost.status)
                return pawl__fail(err, log->lost.status, "%s", log->lost.message);
        if (server->conn && !server->lost && server->pq->PQstatus(server->conn) == CONNECTION_OK)
                return PAWL_OK;
        pawl__server_disconnect(log);
        pawl_status status = pawl__server_connect(log, !server->unreachable, err);
        server->unreachable = status != PAWL_OK;
        if (!status) {
                log->sound_seq = 0; /* whose server is it now? */
                status = check_acknowledged(log, err);
        }
        if (status)
                server->lost = true;
        return status;
}
