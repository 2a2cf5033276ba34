/*
 * Parameters and columns of a query on a server, in PostgreSQL's binary forms.
 *
 * A text of PostgreSQL's holds no NUL. Where one does, it is stored as U+E000 and a 0, and a U+E000
 * as U+E000 and a 1.
 */
#include "events/postgres/server.h"
#include <endian.h>

enum {
        OID_BOOL = 16,
        OID_BYTEA = 17,
        OID_INT8 = 20,
        OID_INT2 = 21,
        OID_INT4 = 23,
        OID_TEXT = 25,
        OID_FLOAT8 = 701,
        OID_BPCHAR = 1042,
        OID_VARCHAR = 1043,
        OID_NAME = 19,
        OID_UNKNOWN = 705
};

static const char mark[] = "\xee\x80\x80";
enum { MARK = sizeof mark - 1 };

/* memmem() is slow where there is none: nearly always. */
static bool has_mark(pawl_text text)
{
        return memchr(text.data, mark[0], text.len) && memmem(text.data, text.len, mark, MARK);
}

/* ---- Parameters ------------------------------------------------------------------------------ */

static pawl_text escape(pawl__arena *arena, pawl_text text)
{
        pawl__buf buf = PAWL__BUF_INIT;

        if (!memchr(text.data, '\0', text.len) && !has_mark(text))
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

static uint64_t big_endian(const unsigned char *bytes, size_t len)
{
        uint64_t number = len > 1 && bytes[0] & 0x80 ? UINT64_MAX : 0;

        for (size_t i = 0; i < len; i++)
                number = number << 8 | bytes[i];
        return number;
}

/* A text as it was before escape(). */
static pawl_text plain_of(pawl__postgres_query *q, pawl_text text)
{
        if (!has_mark(text))
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

void pawl__postgres_value(pawl__sql_value *out, pawl__query *self, int column)
{
        pawl__postgres_query *q = (pawl__postgres_query *)self;
        const pawl__postgres_library *pq = q->log->server->pq;

        if (q->n_given) {
                if (column >= q->n_given)
                        return;
                out->type = PAWL__SQL_INTEGER;
                out->as.integer = q->given[column];
                return;
        }
        if (!is_there(q, column))
                return;
        const pawl_text bytes = {pq->PQgetvalue(q->result, q->row, column),
                (size_t)pq->PQgetlength(q->result, q->row, column)};
        uint64_t number;
        out->type = type_of(pq->PQftype(q->result, column), (int)bytes.len);
        switch (out->type) {
        case PAWL__SQL_NULL:
                break;
        case PAWL__SQL_INTEGER:
                out->as.integer = (int64_t)big_endian((const unsigned char *)bytes.data, bytes.len);
                break;
        case PAWL__SQL_REAL:
                number = big_endian((const unsigned char *)bytes.data, bytes.len);
                memcpy(&out->as.real, &number, sizeof number);
                break;
        case PAWL__SQL_TEXT:
                out->as.bytes = plain_of(q, bytes);
                break;
        case PAWL__SQL_BYTES:
                out->as.bytes = bytes;
                break;
        }
}

bool pawl__postgres_nomem(pawl__query *self)
{
        return ((pawl__postgres_query *)self)->nomem;
}
