/* The connection to a server: made within a time of our own, and made anew when it was lost. */
#include "events/postgres/server.h"
#include <ctype.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

enum {
        SLICE_MS = 100,
        OPTIONS_MAX = 64,
        CONTENDED_MAX = 12 /* tries against other writers */
};

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
        size_t hosts;
        pawl__arena arena;
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

/* Of a list. */
static size_t entries(const char *list)
{
        size_t n = 1;

        for (; *list; list++)
                n += *list == ',';
        return n;
}

/* The next of several hosts comes first, and the first one last. */
static pawl_status rotate(parameters *p, pawl_error *err)
{
        for (size_t i = 0; p->keys[i]; i++) {
                const char *const list = p->values[i], *const comma = strchr(list, ',');
                if (!comma ||
                        (strcmp(p->keys[i], "host") != 0 && strcmp(p->keys[i], "hostaddr") != 0 &&
                                strcmp(p->keys[i], "port") != 0))
                        continue;
                const size_t size = strlen(list) + 1;
                char *rotated = pawl__arena_alloc(&p->arena, size);
                if (!rotated)
                        return pawl__nomem(err);
                snprintf(rotated, size, "%s,%.*s", comma + 1, (int)(comma - list), list);
                p->values[i] = rotated;
        }
        return PAWL_OK;
}

static pawl_status read_parameters(parameters *p, pawl_log *log, pawl_error *err)
{
        const pawl__postgres_library *pq = log->server->pq;
        char *why = NULL;
        size_t n = 0;

        memset(p, 0, sizeof *p);
        p->hosts = 1;
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
                if (strcmp(o->keyword, "host") == 0 || strcmp(o->keyword, "hostaddr") == 0)
                        p->hosts = entries(o->val) > p->hosts ? entries(o->val) : p->hosts;
                p->keys[n] = o->keyword;
                p->values[n++] = o->val;
        }
        if (log->impatient && p->timeout_ms > PAWL__IMPATIENT_MS)
                p->timeout_ms = PAWL__IMPATIENT_MS;
        else if (p->timeout_ms != PAWL__SILENT_MS) /* what the URL says is for each host */
                p->timeout_ms *= (int64_t)p->hosts;
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

/* Until @p deadline; PAWL_DONE: the server says nothing. *again: one that was there and went away
 * may be back soon, too: then *cut. */
static pawl_status try_hosts(pawl_log *log, const parameters *p, int64_t deadline, bool *again,
        bool *cut, pawl_error *err)
{
        struct pawl__server *server = log->server;
        const pawl__postgres_library *pq = server->pq;
        PostgresPollingStatusType next = PGRES_POLLING_WRITING;
        int64_t hurried = 0;
        bool there = false;

        *again = *cut = false;
        server->conn = pq->PQconnectStartParams(p->keys, p->values, 0);
        if (!server->conn)
                return pawl__nomem(err);
        pq->PQsetNoticeReceiver(server->conn, count_notice, server);
        pq->PQsetErrorVerbosity(server->conn, PQERRORS_VERBOSE);
        while (next != PGRES_POLLING_OK) {
                if (next == PGRES_POLLING_FAILED || pq->PQstatus(server->conn) == CONNECTION_BAD) {
                        const pawl_status status = refused(log, again, err);
                        *cut = *again && there;
                        return status;
                }
                there = there || pq->PQstatus(server->conn) == CONNECTION_AWAITING_RESPONSE ||
                        pq->PQstatus(server->conn) == CONNECTION_AUTH_OK;
                if (pawl__interrupt_waits(log))
                        return pawl__interrupt_fail(log, err);
                if (pawl__log_hurries(log) && !hurried)
                        hurried = pawl__now_ms();
                if (hurried && pawl__now_ms() >= hurried + PAWL__HURRIED_MS)
                        return pawl__server_give_up(log, "connect", err);
                if (pawl__now_ms() >= deadline)
                        return PAWL_DONE;
                struct pollfd wait = {.fd = pq->PQsocket(server->conn),
                        .events = next == PGRES_POLLING_READING ? POLLIN : POLLOUT};
                if (poll(&wait, 1, SLICE_MS) > 0)
                        next = pq->PQconnectPoll(server->conn);
        }
        pq->PQsetErrorVerbosity(server->conn, PQERRORS_DEFAULT);
        return PAWL_OK;
}

/* One try. libpq asks one host after the other; each that says nothing has had its share of the
 * time, and then the next one is first. */
static pawl_status try_once(pawl_log *log, parameters *p, bool *again, bool *cut, pawl_error *err)
{
        const int64_t began = pawl__now_ms(), all = p->timeout_ms / (int64_t)p->hosts;
        const int64_t share = all < PAWL__HOST_MS ? all : PAWL__HOST_MS;
        pawl_status status = PAWL_DONE;

        for (size_t i = 1; i <= p->hosts && status == PAWL_DONE; i++) {
                const bool last = i == p->hosts;
                pawl__server_disconnect(log);
                status = try_hosts(log, p, last ? began + p->timeout_ms : pawl__now_ms() + share,
                        again, cut, err);
                if (status == PAWL_DONE && !last && rotate(p, err))
                        return PAWL_ENOMEM;
        }
        if (status != PAWL_DONE)
                return status;
        return pawl__fail(err, PAWL_EIO,
                "%s: cannot connect: the server has not answered for %lld s; check the network, "
                "and that the URL names it",
                log->path, (long long)(p->timeout_ms / 1000));
}

/* The session gets its search path before anything else is asked; where a pooler is in between (the
 * process id is another), only this transaction. Two statements of one exchange say when their
 * transactions began: where that is the same moment, they are one. It must be of the kind that
 * BEGIN would ask for, too. */
static pawl_status ask_session(pawl_log *log, pawl_error *err)
{
#define POOLED "pg_catalog.pg_backend_pid() OPERATOR(pg_catalog.<>) $1"
        static const char *const sql[] = {
                "SELECT " POOLED ", pg_catalog.now(), "
                "pg_catalog.set_config('search_path', " PAWL__SEARCH_PATH ", " POOLED "), "
                "pg_catalog.set_config('row_security', 'off', " POOLED ")",
                "SELECT current_setting('transaction_isolation') = 'read committed' AND "
                "current_setting('transaction_read_only') = 'off', now()",
                pawl__trust_sql,
        };
#undef POOLED
        enum { N = sizeof sql / sizeof sql[0] };
        struct pawl__server *server = log->server;
        const pawl__postgres_library *pq = server->pq;
        pawl__postgres_query *q[N] = {NULL};
        pawl_status status = PAWL_OK;

        for (int i = 0; i < N && !status; i++) {
                pawl__query *query;
                status = pawl__postgres_prepare(&query, log, sql[i], err);
                if (status)
                        break;
                q[i] = (pawl__postgres_query *)query;
                if (i == 0)
                        pawl__query_bind_integer(query, 1, pq->PQbackendPID(server->conn));
                status = pawl__send(q[i], &q[i]->result, "connect", err);
        }
        if (!status)
                status = pawl__exchange(log, "connect", err);
        for (int i = 0; i < N && !status; i++)
                if (!q[i]->result)
                        status = pawl__server_unexpected(log, "a statement has none", err);
        if (!status) {
                const int len = pq->PQgetlength(q[0]->result, 0, 1);
                server->pooled = pawl__query_integer(&q[0]->base, 0) != 0;
                server->implicit = pawl__query_integer(&q[1]->base, 0) == 1 && len &&
                                   len == pq->PQgetlength(q[1]->result, 0, 1) &&
                                   memcmp(pq->PQgetvalue(q[0]->result, 0, 1),
                                           pq->PQgetvalue(q[1]->result, 0, 1), (size_t)len) == 0;
                status = pawl__trust_check(log, q[2], err);
        }
        for (int i = 0; i < N; i++)
                if (q[i])
                        pawl__postgres_finalize(&q[i]->base);
        return status;
}

/* What a session must be like for us. */
static pawl_status check_session(pawl_log *log, pawl_error *err)
{
        struct pawl__server *server = log->server;
        const pawl__postgres_library *pq = server->pq;
        const char *encoding = pq->PQparameterStatus(server->conn, "server_encoding");

        server->implicit = server->pooled = false;
        if (pq->PQsetnonblocking(server->conn, 1) != 0 || !pq->PQenterPipelineMode(server->conn))
                return pawl__server_lost(log, pq->PQerrorMessage(server->conn), "connect", err);
        if (encoding && strcmp(encoding, "UTF8") != 0)
                return pawl__fail(err, PAWL_EFORMAT,
                        "%s: the database's encoding is %.40s; make one with `createdb -T template0 "
                        "-E UTF8`",
                        log->path, encoding);
        return ask_session(log, err);
}

bool pawl__server_pause(pawl_log *log, int64_t ms)
{
        for (const int64_t end = pawl__now_ms() + ms; !pawl__log_hurries(log);) {
                const int64_t left = end - pawl__now_ms();
                if (left <= 0)
                        return true;
                (void)poll(NULL, 0, (int)(left < SLICE_MS ? left : SLICE_MS));
        }
        return false;
}

/* A server that refuses is asked again where @p patient; one that took us and cut us off, always.
 */
static pawl_status connect_within(pawl_log *log, parameters *p, bool patient, pawl_error *err)
{
        struct pawl__server *server = log->server;
        const int64_t most =
                p->timeout_ms < PAWL__RECONNECT_MS ? p->timeout_ms : PAWL__RECONNECT_MS;
        const int64_t end = pawl__now_ms() + most;

        for (int64_t wait = 10;; wait = wait < 500 ? wait * 2 : 500) {
                bool again = false, cut = false;
                server->lost = server->failed = false;
                server->in_transaction = server->viewing = false;
                server->notices = 0;
                pawl_status status = try_once(log, p, &again, &cut, err);
                if (!status) {
                        server->connection++;
                        status = check_session(log, err);
                        cut = server->lost && server->retry;
                }
                if (!status)
                        return PAWL_OK;
                pawl__server_disconnect(log);
                if (!(cut || (again && patient)) || pawl__now_ms() + wait > end)
                        return status;
                if (!pawl__server_pause(log, wait))
                        return pawl__server_give_up(log, "connect", err);
        }
}

pawl_status pawl__server_connect(pawl_log *log, bool patient, pawl_error *err)
{
        struct pawl__server *server = log->server;
        parameters p;
        pawl_status status = read_parameters(&p, log, err);

        if (!status)
                status = connect_within(log, &p, patient, err);
        server->retry = false;
        server->pq->PQconninfoFree(p.options);
        pawl__arena_free(&p.arena);
        return status;
}

void pawl__server_disconnect(pawl_log *log)
{
        struct pawl__server *server = log->server;

        pawl__prefetch_drop(log, NULL);
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
        const pawl_text hash = pawl__query_bytes(&q->base, 0);
        if (there && hash.len == 32 && memcmp(hash.data, server->acked_hash, 32) == 0)
                return PAWL_OK;
        const int64_t head_seq = there ? pawl__query_integer(&q->base, 1) : 0;
        if (there)
                (void)pawl__query_hash(head, &q->base, 2);
        pawl__hex(ours, server->acked_hash, 32);
        pawl__hex(theirs, head, 32);
        pawl__fail(&log->lost, PAWL_EDAMAGED,
                "%s: the server has lost what it acknowledged: seq %llu (%.16s) was committed, and "
                "now the log ends at seq %lld (%.16s), without it; was a standby promoted that did "
                "not have it? Bring the former primary back, or go on from what is there with a "
                "new command",
                log->path, (unsigned long long)server->acked_seq, ours, (long long)head_seq,
                theirs);
        return pawl__fail(err, log->lost.status, "%s", log->lost.message);
}

pawl_status pawl__server_ready(pawl_log *log, pawl_error *err)
{
        struct pawl__server *server = log->server;

        if (log->lost.status)
                return pawl__fail(err, log->lost.status, "%s", log->lost.message);
        if (server->conn && !server->lost && server->pq->PQstatus(server->conn) == CONNECTION_OK)
                return PAWL_OK;
        /* What began with the connection ended with it: nothing more may go by another. */
        if (server->in_transaction && server->failed)
                return pawl__fail(err, server->why.status, "%s", server->why.message);
        if (server->in_transaction || server->viewing)
                return pawl__server_lost(log, "the connection was lost", "go on", err);
        if (server->given_up_ms && pawl__now_ms() - server->given_up_ms < PAWL__GIVEN_UP_MS)
                return pawl__server_give_up(log, "connect", err);
        pawl_status status;
        do {
                pawl__server_disconnect(log);
                status = pawl__server_connect(log, !server->unreachable && !log->impatient, err);
                server->unreachable = status != PAWL_OK;
                if (status)
                        break;
                log->sound_seq = 0; /* whose server is it now? */
                status = check_acknowledged(log, err);
        } while (status && server->lost && pawl__server_again(log));
        if (status)
                server->lost = true;
        return status;
}

bool pawl__server_again(pawl_log *log)
{
        struct pawl__server *server = log->server;
        const int64_t now = pawl__now_ms();
        const bool assumed = server->assumed;

        server->assumed = false;
        if (assumed && !server->lost && !pawl__interrupt_waits(log) && !log->lost.status) {
                server->calm = 0; /* the head is waited for from now on */
                return true;
        }
        if (server->tries == 0)
                server->tried_from = now;
        const bool last = server->contended ? server->tries >= CONTENDED_MAX
                                            : now - server->tried_from >= PAWL__AGAIN_MS;
        if (!server->retry || last || pawl__interrupt_waits(log) || log->lost.status) {
                server->tries = 0;
                server->retry = false;
                return false;
        }
        server->retry = false;
        /* A server that is away is waited for by who connects. */
        const unsigned most_doubled = server->lost ? 3 : 7;
        const int64_t most = INT64_C(4)
                             << (server->tries < most_doubled ? server->tries : most_doubled);
        server->tries++;
        (void)pawl__server_pause(log, most / 2 + random() % (most / 2 + 1)); /* not all at once */
        return true;
}
