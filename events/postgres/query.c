/*
 * Queries on a server. Parameters and columns go in PostgreSQL's binary forms. A query's rows are
 * there whole after its step.
 *
 * A text of PostgreSQL's holds no NUL. Where one does, it is stored as U+E000 and a 0, and a U+E000
 * as U+E000 and a 1.
 */
#include "events/postgres/server.h"
#include <endian.h>
#include <stdio.h>
#include <stdlib.h>

enum {
        OID_BOOL = 16,
        OID_BYTEA = 17,
        OID_INT8 = 20,
        OID_INT2 = 21,
        OID_INT4 = 23,
        OID_TEXT = 25,
        OID_FLOAT4 = 700,
        OID_FLOAT8 = 701,
        OID_BPCHAR = 1042,
        OID_VARCHAR = 1043,
        OID_NAME = 19,
        OID_UNKNOWN = 705
};

static const char mark[] = "\xee\x80\x80";
enum { MARK = sizeof mark - 1 };

/* How many parameters the text has: the greatest N of $N. */
static int count_parameters(const char *sql)
{
        int most = 0;

        for (const char *at = strchr(sql, '$'); at; at = strchr(at + 1, '$')) {
                const int n = atoi(at + 1);
                most = n > most ? n : most;
        }
        return most;
}

enum { NO_NUMBER = -1 };

static int which_of(const char *sql)
{
        for (int i = 0; i < PAWL__STMTS; i++)
                if (pawl__postgres_sql[i] == sql)
                        return i;
        return NO_NUMBER;
}

pawl_status pawl__postgres_prepare(
        pawl__query **out, pawl_log *log, const char *sql, pawl_error *err)
{
        pawl__postgres_query *q = calloc(1, sizeof *q);
        pawl__buf text = PAWL__BUF_INIT;
        pawl_status status =
                q ? pawl__sql_expand(&text, sql, log->server->id_literal, err) : pawl__nomem(err);

        if (!status && count_parameters(text.data) > PAWL__PARAMS_MAX)
                status = pawl__fail(err, PAWL_ETOOBIG,
                        "%s: a statement has more than %d parameters; use fewer scopes", log->path,
                        PAWL__PARAMS_MAX);
        if (!status && !(q->sql = pawl__buf_take(&text, NULL)))
                status = pawl__nomem(err);
        pawl__buf_free(&text);
        if (status) {
                free(q);
                return status;
        }
        q->base.engine = &pawl__postgres_engine;
        q->log = log;
        q->which = which_of(sql);
        q->n = count_parameters(q->sql);
        q->of_state = q->which < 0 && q->n == 0 && !strstr(q->sql, "pawl.leases");
        *out = &q->base;
        return PAWL_OK;
}

/* In a transaction nothing goes on after a failure, which is what every later call says, even where
 * this one's caller does not want to know. */
static pawl_status keep_failure(pawl_log *log, pawl_status status, const pawl_error *err)
{
        struct pawl__server *server = log->server;

        if (status && server->in_transaction && !server->failed) {
                server->failed = true;
                server->why = *err;
        }
        return status;
}

void pawl__postgres_finalize(pawl__query *self)
{
        pawl__postgres_query *q = (pawl__postgres_query *)self;

        struct pawl__server *server = q->log->server;
        pawl_error why = PAWL_ERROR_INIT;

        if (server->deferring && server->n_deferred && pawl__deferred_begin(q->log, &why))
                (void)keep_failure(q->log, why.status, &why);
        for (size_t i = server->at; i < server->n_pending; i++)
                if (server->pending[i].prepares == q)
                        server->pending[i].prepares = NULL;
        pawl__postgres_reset(self);
        pawl__prefetch_drop(q->log, q);
        if (q->kept)
                q->log->server->pq->PQclear(q->kept);
        pawl__arena_free(&q->escaped);
        free(q->sql);
        free(q);
}

/*
 * The state tables change with the log alone. So what a query without parameters gave is what it
 * gives in a transaction which finds the log at the same seq: where it was asked in one that found
 * it there, too, or since the event of that seq was acknowledged to us. That holds until something
 * is written.
 */
static bool is_kept(const pawl__postgres_query *q)
{
        const struct pawl__server *server = q->log->server;

        return q->kept && server->in_transaction && server->whole &&
               q->kept_seq == server->begun_seq;
}

/* At which seq is what is asked now known to be read? 0: at none. */
static uint64_t seq_of(const pawl__postgres_query *q)
{
        const struct pawl__server *server = q->log->server;

        if (!q->of_state || server->viewing)
                return 0;
        if (!server->in_transaction)
                return server->acked_seq;
        return server->whole ? server->begun_seq : 0;
}

static void put_away(pawl__postgres_query *q)
{
        const pawl__postgres_library *pq = q->log->server->pq;

        if (q->kept)
                pq->PQclear(q->kept);
        q->kept = NULL;
        q->kept_seq = q->seq;
        if (q->seq && pq->PQntuples(q->result) <= 1)
                q->kept = q->result;
        else
                pq->PQclear(q->result);
}

void pawl__postgres_reset(pawl__query *self)
{
        pawl__postgres_query *q = (pawl__postgres_query *)self;

        if (q->result)
                put_away(q);
        q->result = NULL;
        q->row = 0;
        q->n_given = 0;
        q->nomem = false;
        pawl__arena_clear(&q->escaped);
        memset(q->values, 0, sizeof q->values);
        memset(q->lengths, 0, sizeof q->lengths);
}

/* ---- Parameters ------------------------------------------------------------------------------ */

static pawl_text escape(pawl__arena *arena, pawl_text text)
{
        pawl__buf buf = PAWL__BUF_INIT;

        if (!memchr(text.data, '\0', text.len) && !memmem(text.data, text.len, mark, MARK))
                return text;
        for (size_t i = 0; i < text.len; i++) {
                if (!text.data[i]) {
                        pawl__buf_adds(&buf, mark);
                        pawl__buf_addc(&buf, '0');
                } else if (text.len - i >= MARK && memcmp(text.data + i, mark, MARK) == 0) {
                        pawl__buf_adds(&buf, mark);
                        pawl__buf_addc(&buf, '1');
                        i += MARK - 1;
                } else {
                        pawl__buf_addc(&buf, text.data[i]);
                }
        }
        pawl_text copy =
                buf.failed ? (pawl_text){NULL, 0} : pawl__arena_copy(arena, pawl__buf_text(&buf));
        pawl__buf_free(&buf);
        return copy;
}

void pawl__postgres_bind(pawl__query *self, int index, const pawl__sql_value *value)
{
        static const Oid oids[] = {[PAWL__SQL_INTEGER] = OID_INT8,
                [PAWL__SQL_REAL] = OID_FLOAT8,
                [PAWL__SQL_TEXT] = OID_TEXT,
                [PAWL__SQL_BYTES] = OID_BYTEA};
        pawl__postgres_query *q = (pawl__postgres_query *)self;
        const int i = index - 1;
        pawl_text bytes = value->as.bytes;

        if (i >= q->n) /* the text has no such parameter: what it says does not matter */
                return;
        q->values[i] = NULL;
        q->lengths[i] = 0;
        if (value->type == PAWL__SQL_NULL)
                return;
        q->types[i] = oids[value->type];
        if (value->type == PAWL__SQL_INTEGER || value->type == PAWL__SQL_REAL) {
                uint64_t number;
                memcpy(&number,
                        value->type == PAWL__SQL_REAL ? (const void *)&value->as.real
                                                      : (const void *)&value->as.integer,
                        sizeof number);
                q->numbers[i] = (int64_t)htobe64(number);
                bytes = (pawl_text){(const char *)&q->numbers[i], sizeof number};
        } else if (value->type == PAWL__SQL_TEXT) {
                bytes = escape(&q->escaped, bytes);
                q->nomem |= !bytes.data;
        }
        if (bytes.len > INT32_MAX / 2)
                q->nomem = true;
        q->values[i] = bytes.data;
        q->lengths[i] = (int)bytes.len;
}

/* ---- Running --------------------------------------------------------------------------------- */

static pawl_status failed_before(const struct pawl__server *server, pawl_error *err)
{
        return pawl__fail(err, server->why.status, "%s", server->why.message);
}

/* Send it and wait for its answer. A read, or a statement that does the same when it is done twice,
 * is sent again where the connection was lost. */
static pawl_status ask(pawl__postgres_query *q, const char *doing, pawl_error *err)
{
        pawl_log *log = q->log;
        struct pawl__server *server = log->server;
        pawl_status status;

        for (;;) {
                status = server->in_transaction || server->viewing ? PAWL_OK
                                                                   : pawl__server_ready(log, err);
                if (!status)
                        status = pawl__send(q, &q->result, doing, err);
                if (!status)
                        status = pawl__exchange(log, doing, err);
                if (!status && q->result) {
                        if (!server->in_transaction)
                                server->tries = 0;
                        return PAWL_OK;
                }
                if (!status)
                        status = pawl__server_unexpected(log, "a statement has none", err);
                if (q->result)
                        server->pq->PQclear(q->result);
                q->result = NULL;
                if (server->in_transaction || server->viewing || !pawl__server_again(log))
                        return keep_failure(log, status, err);
        }
}

/* The row of a lease that is assumed: its fence, and that it is held. */
static pawl_status assume(pawl__postgres_query *q, pawl_error *err)
{
        const pawl_text run_id = {q->values[0], (size_t)q->lengths[0]};
        pawl_status status = pawl__lease_assume(&q->given[0], q->log, run_id, err);

        if (status == PAWL_OK) {
                q->given[1] = 1;
                q->n_given = 2;
        }
        return status == PAWL_DONE ? PAWL_OK : keep_failure(q->log, status, err);
}

/* Rows that begin() has asked for already, or that it knows. */
static bool known(pawl__postgres_query *q)
{
        struct pawl__server *server = q->log->server;

        if (!server->in_transaction)
                return false;
        if (is_kept(q)) {
                q->result = q->kept;
                q->seq = q->kept_seq;
                q->kept = NULL;
                return true;
        }
        if (q->which == PAWL__STMT_PLACE) {
                q->given[0] = server->applied;
                q->given[1] = (int64_t)q->log->head_seq;
                q->n_given = 2;
                return true;
        }
        q->result = pawl__prefetch_take(q);
        return q->result != NULL;
}

/* A head that was read outside of a transaction. */
static void note_head(pawl__postgres_query *q)
{
        const pawl_text hash = pawl__postgres_bytes(&q->base, 1);

        if (!q->log->server->in_transaction && hash.len == 32)
                pawl__head_note(q->log, (uint64_t)pawl__postgres_integer(&q->base, 0),
                        (const unsigned char *)hash.data);
}

pawl_status pawl__postgres_step(pawl__query *self, const char *doing, pawl_error *err)
{
        pawl__postgres_query *q = (pawl__postgres_query *)self;
        pawl_log *log = q->log;
        pawl_error unwanted;

        err = err ? err : &unwanted;
        if (q->n_given) /* of one row */
                return PAWL_DONE;
        if (q->result) {
                q->row++;
        } else {
                if (log->server->failed)
                        return failed_before(log->server, err);
                if (pawl__interrupt_waits(log))
                        return keep_failure(log, pawl__interrupt_fail(log, err), err);
                pawl_status status = PAWL_OK;
                if (q->which == PAWL__STMT_LEASE_GET && q->values[0])
                        status = assume(q, err);
                if (!status && !q->n_given && !known(q)) {
                        q->seq = seq_of(q);
                        status = ask(q, doing, err);
                }
                if (status)
                        return status;
                if (q->which == PAWL__STMT_HEAD)
                        note_head(q);
                q->row = 0;
                if (q->n_given)
                        return PAWL_OK;
        }
        return q->row < log->server->pq->PQntuples(q->result) ? PAWL_OK : PAWL_DONE;
}

/* What is read again must be what it is now: a lease, and all but the log's own tables. */
static void note_write(pawl__postgres_query *q)
{
        switch (q->which) {
        case PAWL__STMT_LEASE_PUT:
        case PAWL__STMT_LEASE_RENEW:
        case PAWL__STMT_LEASE_RELEASE:
                q->log->server->leases_change = true;
                /* fall through */
        case NO_NUMBER:
                pawl__prefetch_drop(q->log, NULL);
                break;
        case PAWL__STMT_INSERT:
                if (q->log->queries[PAWL__STMT_TYPES])
                        pawl__prefetch_drop(
                                q->log, (pawl__postgres_query *)q->log->queries[PAWL__STMT_TYPES]);
                break;
        default:
                break;
        }
}

pawl_status pawl__postgres_run(
        pawl__query *self, int64_t *changes, const char *doing, pawl_error *err)
{
        pawl__postgres_query *q = (pawl__postgres_query *)self;
        pawl_log *log = q->log;
        struct pawl__server *server = log->server;
        pawl_error unwanted;
        pawl_status status;

        err = err ? err : &unwanted;
        server->whole = false;
        if (server->failed) {
                status = failed_before(server, err);
        } else if (q->which == PAWL__STMT_PLACE_PUT && server->in_transaction) {
                int64_t applied = 0; /* with the head, in commit() */
                memcpy(&applied, q->values[0], sizeof applied);
                server->applied = (int64_t)be64toh((uint64_t)applied);
                status = PAWL_OK;
        } else if (!changes && server->in_transaction) {
                note_write(q);
                status = pawl__defer(q, doing, err);
                if (!status)
                        status = pawl__send_some(log, doing, err);
                status = keep_failure(log, status, err);
        } else {
                note_write(q);
                status = ask(q, doing, err);
                if (!status && changes)
                        *changes = strtoll(server->pq->PQcmdTuples(q->result), NULL, 10);
        }
        pawl__postgres_reset(self);
        return status;
}

/* ---- Columns --------------------------------------------------------------------------------- */

static bool is_there(const pawl__postgres_query *q, int column)
{
        const pawl__postgres_library *pq = q->log->server->pq;

        return q->result && q->row < pq->PQntuples(q->result) &&
               column < pq->PQnfields(q->result) && pq->PQfformat(q->result, column) == 1 &&
               !pq->PQgetisnull(q->result, q->row, column);
}

/* What is not of the length that its type has is taken for absent. */
static pawl__sql_type type_of(Oid oid, int len)
{
        switch (oid) {
        case OID_INT8:
                return len == 8 ? PAWL__SQL_INTEGER : PAWL__SQL_NULL;
        case OID_INT4:
                return len == 4 ? PAWL__SQL_INTEGER : PAWL__SQL_NULL;
        case OID_INT2:
                return len == 2 ? PAWL__SQL_INTEGER : PAWL__SQL_NULL;
        case OID_BOOL:
                return len == 1 ? PAWL__SQL_INTEGER : PAWL__SQL_NULL;
        case OID_FLOAT8:
                return len == 8 ? PAWL__SQL_REAL : PAWL__SQL_NULL;
        case OID_TEXT:
        case OID_VARCHAR:
        case OID_BPCHAR:
        case OID_NAME:
        case OID_UNKNOWN:
                return PAWL__SQL_TEXT;
        case OID_BYTEA:
                return PAWL__SQL_BYTES;
        default:
                return PAWL__SQL_NULL;
        }
}

pawl__sql_type pawl__postgres_type(pawl__query *self, int column)
{
        const pawl__postgres_query *q = (const pawl__postgres_query *)self;
        const pawl__postgres_library *pq = q->log->server->pq;

        if (q->n_given)
                return column < q->n_given ? PAWL__SQL_INTEGER : PAWL__SQL_NULL;
        return is_there(q, column) ? type_of(pq->PQftype(q->result, column),
                                             pq->PQgetlength(q->result, q->row, column))
                                   : PAWL__SQL_NULL;
}

static uint64_t big_endian(const unsigned char *bytes, int len)
{
        uint64_t number = len && bytes[0] & 0x80 && len > 1 ? UINT64_MAX : 0;

        for (int i = 0; i < len; i++)
                number = number << 8 | bytes[i];
        return number;
}

int64_t pawl__postgres_integer(pawl__query *self, int column)
{
        const pawl__postgres_query *q = (const pawl__postgres_query *)self;
        const pawl__postgres_library *pq = q->log->server->pq;

        switch (pawl__postgres_type(self, column)) {
        case PAWL__SQL_INTEGER:
                break;
        case PAWL__SQL_REAL:
                return (int64_t)pawl__postgres_real(self, column);
        default:
                return 0;
        }
        if (q->n_given)
                return q->given[column];
        return (int64_t)big_endian((const unsigned char *)pq->PQgetvalue(q->result, q->row, column),
                pq->PQgetlength(q->result, q->row, column));
}

double pawl__postgres_real(pawl__query *self, int column)
{
        const pawl__postgres_query *q = (const pawl__postgres_query *)self;
        const pawl__sql_type type = pawl__postgres_type(self, column);
        double real = 0;

        if (type == PAWL__SQL_INTEGER)
                return (double)pawl__postgres_integer(self, column);
        if (type == PAWL__SQL_REAL) {
                const uint64_t bits =
                        big_endian((const unsigned char *)q->log->server->pq->PQgetvalue(
                                           q->result, q->row, column),
                                8);
                memcpy(&real, &bits, sizeof real);
        }
        return real;
}

pawl_text pawl__postgres_bytes(pawl__query *self, int column)
{
        const pawl__postgres_query *q = (const pawl__postgres_query *)self;
        const pawl__postgres_library *pq = q->log->server->pq;
        const pawl__sql_type type = pawl__postgres_type(self, column);

        if (type != PAWL__SQL_TEXT && type != PAWL__SQL_BYTES)
                return (pawl_text){NULL, 0};
        return (pawl_text){pq->PQgetvalue(q->result, q->row, column),
                (size_t)pq->PQgetlength(q->result, q->row, column)};
}

pawl_text pawl__postgres_text(pawl__query *self, int column)
{
        pawl__postgres_query *q = (pawl__postgres_query *)self;
        pawl_text text = pawl__postgres_bytes(self, column);
        const char *at = text.data ? memmem(text.data, text.len, mark, MARK) : NULL;

        if (!at)
                return text;
        char *plain = pawl__arena_alloc(&q->escaped, text.len + 1);
        if (!plain) {
                q->nomem = true;
                return (pawl_text){NULL, 0};
        }
        size_t n = 0;
        for (size_t i = 0; i < text.len; i++) {
                const bool escaped = text.len - i > MARK && memcmp(text.data + i, mark, MARK) == 0;
                if (escaped && text.data[i + MARK] == '0') {
                        plain[n++] = '\0';
                        i += MARK;
                } else if (escaped && text.data[i + MARK] == '1') {
                        memcpy(plain + n, mark, MARK);
                        n += MARK;
                        i += MARK;
                } else {
                        plain[n++] = text.data[i];
                }
        }
        return (pawl_text){plain, n};
}

bool pawl__postgres_nomem(pawl__query *self)
{
        return ((pawl__postgres_query *)self)->nomem;
}
