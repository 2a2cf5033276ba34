/**
 * @file events/postgres/server.h
 * @brief The inside of a log on a server: its connection, its queries, its transaction.
 *
 * Every statement goes through libpq's pipeline mode. Statements that give no rows wait in the
 * client until an answer is needed. So a commit of a handle that knows the log's head takes one
 * round trip: it assumes that head, and the server proves it (transaction.c). Where others write,
 * too, it takes two: one that begins and reads the head, one that writes everything and commits.
 *
 * Nothing is kept in the server's session but prepared statements and settings; where a pooler is
 * in between (it is seen by the process id that it makes up), not even those: each transaction then
 * sets its own.
 *
 * Names are looked for in pg_catalog alone (PAWL__SEARCH_PATH), and tables by pawl.NAME, so that
 * nothing in another schema is executed, however well it fits. What is in pawl is looked at by
 * trust.c.
 */
#pragma once

#include "events/address.h"
#include "events/handle.h"
#include "events/postgres/library.h"

enum {
        PAWL__PARAMS_MAX = 96,
        PAWL__ROWS_MAX = 512, /* of one statement */
        PAWL__ROWS_FEW = 8,
        PAWL__ROWS_KEYED_MAX = 64, /* the same, where each key must be another */
        PAWL__SILENT_MS = 28000,   /* a server that says nothing for so long is given up */
        PAWL__IMPATIENT_MS = 5000, /* the same, where somebody asks it again later */
        PAWL__HURRIED_MS = 1000,   /* the same, once a signal came */
        PAWL__GIVEN_UP_MS = 5000,  /* and then it is not asked at all for so long */
        PAWL__HOST_MS = 5000, /* of several hosts, one that says nothing for so long is passed */
        PAWL__RECONNECT_MS = 15000, /* a server that refuses is asked again for so long */
        PAWL__AGAIN_MS = 30000,     /* what a lost connection undid is tried again for so long */
        PAWL__TRUST_MS = 30000,     /* what others control is looked for again after so long */
        PAWL__CALM = 3, /* a head that was as expected so many times is assumed the next time */
        PAWL__PREFETCHED = 12,
        PAWL__PREFETCH_KEY = 2 * PAWL__ID_MAX + 2
};

/** Where names are looked for, as an SQL literal. Temporary tables would be first if left out. */
#define PAWL__SEARCH_PATH "'pg_catalog, pg_temp'"

/** What bounds a server that sends without end. */
#define PAWL__ANSWER_MAX (INT64_C(1) << 30)

typedef struct pawl__postgres_query {
        pawl__query base;
        pawl_log *log;
        int which; /* a pawl__stmt, or -1 */
        char *sql; /* expanded; malloc'd */
        char name[32];
        bool used;
        bool of_state;     /* it reads the state tables, and has no parameters */
        unsigned prepared; /* in the connection of this number; 0: nowhere */
        int keys; /* it inserts a row of its parameters, and the first so many must differ from
                     another's in one statement; -1: it does not */
        struct pawl__postgres_query *twins[PAWL__ROWS_FEW + 1]; /* of arrays, and of so many rows;
                                                                   NULL: not prepared yet */
        int n;                                                  /* parameters that were bound */
        Oid types[PAWL__PARAMS_MAX], prepared_types[PAWL__PARAMS_MAX];
        const char *values[PAWL__PARAMS_MAX];
        int lengths[PAWL__PARAMS_MAX];
        int64_t numbers[PAWL__PARAMS_MAX]; /* in the order of the network */
        pawl__arena escaped;               /* parameters, and texts of the row */
        bool nomem;
        PGresult *result; /* NULL: it is to be sent */
        int row;
        int64_t given[2]; /* a row that is known without asking: its first columns */
        int n_given;
        PGresult *kept;         /* what it gave last, where the log ended at kept_seq */
        uint64_t seq, kept_seq; /* of the present rows; 0: not known */
} pawl__postgres_query;

/** A read that went with the lock. */
typedef struct pawl__prefetched {
        const pawl__postgres_query *query; /**< NULL: none */
        char key[PAWL__PREFETCH_KEY];      /**< its parameters */
        size_t len;
        PGresult *result; /**< NULL: not answered yet */
} pawl__prefetched;

typedef enum pawl__pending_kind {
        PAWL__PENDING_RUN,
        PAWL__PENDING_ROWS,
        PAWL__PENDING_SYNC
} pawl__pending_kind;

/** What was sent and is not yet answered. */
typedef struct pawl__pending {
        pawl__pending_kind kind;
        PGresult **result; /* of ROWS: where it goes */
        const char *doing;
        pawl__postgres_query *prepares; /* it has that one prepared; NULL: none */
        size_t events;                  /* it stores so many; 0: other rows */
} pawl__pending;

/** A statement with its parameters. */
typedef struct pawl__deferred {
        pawl__postgres_query *query;
        const char *doing;
        int n;
        const Oid *types;
        const char *const *values;
        const int *lengths;
} pawl__deferred;

struct pawl__server {
        const pawl__postgres_library *pq;
        pawl__address address;
        PGconn *conn;
        unsigned connection; /* its number, from 1 */
        unsigned limited;    /* the connection that has our time limits for its session */
        bool unreachable; /* it was asked for long, and without success: it is asked once from then
                             on */
        bool lost;        /* the connection is of no use any more */
        bool pooled;      /* nothing may be kept in the session */
        bool implicit;    /* an exchange without BEGIN is a transaction as we begin one */
        int64_t trusted_ms; /* when nothing was found last */
        unsigned names;     /* given to prepared statements */
        int64_t log_id;
        char id_literal[24];

        pawl__pending *pending;
        size_t n_pending, cap_pending, at; /* the next to be answered */
        size_t queued_bytes;
        int64_t answered_bytes, answer_max; /* PAWL__ANSWER_MAX, but for tests */
        unsigned notices;

        bool in_transaction, viewing;
        bool undoing; /* nothing is interrupted now */
        unsigned view_connection;
        bool failed; /* a statement of the transaction failed; why: */
        pawl_error why;
        bool retry;     /* what failed last may be tried again */
        bool contended; /* since others were quicker, not since the connection was lost */
        unsigned tries;
        int64_t tried_from;  /* when the first of them failed */
        int64_t given_up_ms; /* when a signal made us give it up last; 0: never */

        /* The transaction's place, as begin() read or assumed it. */
        uint64_t begun_seq;
        int64_t applied;
        bool assumed;       /* the head was: what fails may be due to that */
        bool proven;        /* an exchange since then has proven it: the row is locked */
        bool refused;       /* what was assumed was refused */
        bool answered;      /* the last exchange was, to its end */
        bool undone;        /* one that had no BEGIN failed */
        bool leases_change; /* the transaction has written one */

        /* What waits to be sent (defer.c). */
        bool deferring;
        bool queues; /* the transaction has begun: they go before all that is sent next */
        pawl__deferred *deferred;
        size_t n_deferred, cap_deferred, deferred_bytes;
        pawl__arena deferred_memory;
        const pawl__lease *owned; /* the claim that is assumed; or NULL */
        bool whole; /* the state tables had seen all events, and nothing was written since */
        pawl__prefetched prefetched[PAWL__PREFETCHED];
        int n_prefetched;
        pawl__postgres_query *own[14]; /* pawl__own_statement */

        uint64_t acked_seq; /* the last event that was acknowledged to this handle; 0: none */
        unsigned char acked_hash[32];

        /* The log's row as this handle saw it last. */
        unsigned known_connection; /* over which; 0: it is not known */
        uint64_t known_seq;
        unsigned char known_hash[32];
        int64_t known_applied;
        unsigned calm; /* so many transactions found it there; at most PAWL__CALM */
};

/* ---- Errors (fail.c) ------------------------------------------------------------------------- */

/** Say in the library's terms what the server, or libpq without @p sqlstate, reports. Passwords are
 *  struck out. Sets server->retry. */
pawl_status pawl__server_fail(pawl_log *log, const char *sqlstate, const char *message,
        const char *doing, pawl_error *err);
/** The same of a result. */
pawl_status pawl__server_fail_result(
        pawl_log *log, const PGresult *result, const char *doing, pawl_error *err);
/** The connection is of no use any more. PAWL_EIO. */
pawl_status pawl__server_lost(pawl_log *log, const char *why, const char *doing, pawl_error *err);
/** After a signal, of a server that says nothing: PAWL_EINTERRUPTED. */
pawl_status pawl__server_give_up(pawl_log *log, const char *doing, pawl_error *err);
/** The server sent what no server of ours sends: PAWL_EDAMAGED. */
pawl_status pawl__server_unexpected(pawl_log *log, const char *what, pawl_error *err);
/** SQLSTATE of a result; "" if there is none. */
const char *pawl__sqlstate(const pawl_log *log, const PGresult *result);

/* ---- The connection (connect.c) -------------------------------------------------------------- */

/** Connect, if it is not. @p patient: ask a server that refuses again, for PAWL__RECONNECT_MS. */
PAWL_MUST_CHECK pawl_status pawl__server_connect(pawl_log *log, bool patient, pawl_error *err);
void pawl__server_disconnect(pawl_log *log);
/** Connect where the connection was lost; then the last event that was acknowledged must be
 *  there: PAWL_EDAMAGED naming both, and the log takes no more. */
PAWL_MUST_CHECK pawl_status pawl__server_ready(pawl_log *log, pawl_error *err);
/** Does another role own anything in the database (trust.c)? One row. */
extern const char pawl__trust_sql[];
/** After that query: if so, look. */
PAWL_MUST_CHECK pawl_status pawl__trust_check(
        pawl_log *log, pawl__postgres_query *answer, pawl_error *err);
/** PAWL_EACCESS naming what could act with the rights of this connection's role without being
 * trusted with them, and the role that controls it. */
PAWL_MUST_CHECK pawl_status pawl__trust_look(pawl_log *log, pawl_error *err);
int64_t pawl__now_ms(void);
/** Wait, but for a signal: false. */
bool pawl__server_pause(pawl_log *log, int64_t ms);
/** May what failed be tried again? It waits before, longer each time. */
bool pawl__server_again(pawl_log *log);

/* ---- Sending and waiting (exchange.c) -------------------------------------------------------- */

/** Send a query; its answer, if @p result is not NULL, is there after the next exchange. */
PAWL_MUST_CHECK pawl_status pawl__send(
        pawl__postgres_query *query, PGresult **result, const char *doing, pawl_error *err);
/** Send what waits and take all answers. The first failure is returned; the results of the others
 *  are NULL then. */
PAWL_MUST_CHECK pawl_status pawl__exchange(pawl_log *log, const char *doing, pawl_error *err);
/** Take the answers that are there, if many wait. */
PAWL_MUST_CHECK pawl_status pawl__send_some(pawl_log *log, const char *doing, pawl_error *err);

/* ---- Queries (query.c, transaction.c, open.c: the engine's functions) ------------------------ */

PAWL_MUST_CHECK pawl_status pawl__postgres_prepare(
        pawl__query **out, pawl_log *log, const char *sql, pawl_error *err);
void pawl__postgres_finalize(pawl__query *query);
void pawl__postgres_bind(pawl__query *query, int index, const pawl__sql_value *value);
PAWL_MUST_CHECK pawl_status pawl__postgres_step(
        pawl__query *query, const char *doing, pawl_error *err);
PAWL_MUST_CHECK pawl_status pawl__postgres_run(
        pawl__query *query, int64_t *changes, const char *doing, pawl_error *err);
void pawl__postgres_reset(pawl__query *query);
void pawl__postgres_value(pawl__sql_value *out, pawl__query *query, int column);
bool pawl__postgres_nomem(pawl__query *query);

/** Statements of the engine's own, prepared when first used. */
typedef enum pawl__own_statement {
        PAWL__OWN_BEGIN,
        PAWL__OWN_LIMITS,
        PAWL__OWN_PATH, /* of this transaction */
        PAWL__OWN_LOCK,
        PAWL__OWN_PROVE,       /* lock it, too: fails unless the row is (?1, ?2, ?3) */
        PAWL__OWN_PROVE_LEASE, /* fails unless run ?1 is claimed with fence ?2 */
        PAWL__OWN_TAKE,        /* make it (?1, ?2, ?3); fails unless it is (?4, ?5, ?6) */
        PAWL__OWN_TAKE_OWNED,  /* the same; fails unless run ?7 is claimed with fence ?8 */
        PAWL__OWN_END,
        PAWL__OWN_COMMIT,
        PAWL__OWN_ROLLBACK,
        PAWL__OWN_VIEW,
        PAWL__OWN_ACKED,
        PAWL__OWN_TRUST /* pawl__trust_sql */
} pawl__own_statement;
PAWL_MUST_CHECK pawl_status pawl__own_query(
        pawl__postgres_query **out, pawl_log *log, pawl__own_statement which, pawl_error *err);
/** Run a statement that is not kept. *result may be NULL: none is wanted; else the caller's. */
PAWL_MUST_CHECK pawl_status pawl__server_execute(PGresult **result, pawl_log *log, const char *sql,
        const pawl_text *texts, int n, const char *doing, pawl_error *err);

PAWL_MUST_CHECK pawl_status pawl__postgres_begin(pawl_log *log, bool again);
PAWL_MUST_CHECK pawl_status pawl__postgres_commit(pawl_log *log);
void pawl__postgres_rollback(pawl_log *log, bool large);
PAWL_MUST_CHECK pawl_status pawl__postgres_view_begin(pawl_log *log, pawl_error *err);
bool pawl__postgres_view_end(pawl_log *log);
PAWL_MUST_CHECK pawl_status pawl__send_own(pawl__postgres_query **out, pawl_log *log,
        pawl__own_statement which, bool rows, pawl_error *err);
/** @p whole: all of the transaction goes by one exchange. */
PAWL_MUST_CHECK pawl_status pawl__send_begin(pawl_log *log, bool whole, pawl_error *err);
/** Begin, and wait for the log's row. */
PAWL_MUST_CHECK pawl_status pawl__log_lock(pawl_log *log, pawl_error *err);
/** The log's row is what log and server say now. */
void pawl__place_note(pawl_log *log);
/** Note the head, as it was just seen. */
void pawl__head_note(pawl_log *log, uint64_t seq, const unsigned char hash[32]);
uint64_t pawl__postgres_assumed(pawl_log *log);
/** In a transaction that assumed its head: may the lease of that run be assumed as well, as this
 *  handle holds it? Then *fence is its fence, and the server will prove it. */
PAWL_MUST_CHECK pawl_status pawl__lease_assume(
        int64_t *fence, pawl_log *log, pawl_text run_id, pawl_error *err);

/* ---- Reads that go with the lock (prefetch.c) --------------------------------------------------
 */

/** Send them; those before are dropped. */
PAWL_MUST_CHECK pawl_status pawl__prefetch(pawl_log *log, pawl_error *err);
PAWL_MUST_CHECK pawl_status pawl__postgres_prefetch(pawl__query *query, pawl_error *err);
/** The answer to that query with its present parameters, once; NULL: there is none. */
PGresult *pawl__prefetch_take(const pawl__postgres_query *query);
/** Drop those of a query; NULL: all. */
void pawl__prefetch_drop(pawl_log *log, const pawl__postgres_query *of);

/* ---- Writes that wait (defer.c) -------------------------------------------------------------- */

/** Send a query that gives no rows: later, if the transaction defers what it writes. */
PAWL_MUST_CHECK pawl_status pawl__defer(
        pawl__postgres_query *query, const char *doing, pawl_error *err);
/** Send all that waits; it stays, to be sent again, until it is dropped. */
PAWL_MUST_CHECK pawl_status pawl__deferred_send(pawl_log *log, pawl_error *err);
/** Defer no more: begin, prove what is assumed, and send what waits. */
PAWL_MUST_CHECK pawl_status pawl__deferred_begin(pawl_log *log, pawl_error *err);
/** Send the rows that wait in a transaction that has begun. */
PAWL_MUST_CHECK pawl_status pawl__queue_send(pawl_log *log, pawl_error *err);
void pawl__deferred_drop(pawl_log *log);
void pawl__deferred_free(pawl_log *log);

/* ---- Many rows by one statement (rows.c) ----------------------------------------------------- */

/** pawl__postgres_query.keys of a statement. */
int pawl__rows_keys(const char *sql);
/** Send them in their order, neighbours of the same statement together. */
PAWL_MUST_CHECK pawl_status pawl__rows_send(const pawl__deferred *rows, size_t n, pawl_error *err);

/* ---- The tables (schema.c) ------------------------------------------------------------------- */

/** The statements that make the schema pawl, from schema.sql, each ended by a NUL; the last by
 *  two. */
PAWL_MUST_CHECK pawl_status pawl__postgres_schema(pawl__buf *out, pawl_error *err);
/** Those that empty one log's derived tables. */
PAWL_MUST_CHECK pawl_status pawl__postgres_derived(
        pawl__buf *out, const char *id_literal, pawl_error *err);

/** The version of that schema. */
int pawl__postgres_version(void);

extern const char *const pawl__postgres_sql[PAWL__STMTS];
