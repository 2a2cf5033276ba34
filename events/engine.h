/**
 * @file events/engine.h
 * @brief What events/ and state/ ask of a database: statements, transactions, and what an engine
 *        does in its own way. Only an engine's own directory includes its library.
 *
 * Engines: events/sqlite (a log in a file), events/postgres (a log on a server). Which one a log
 * has is decided once, by its name (pawl__engine_of()).
 *
 * SQL. Statements of events/ are numbered and each engine has its own text of them. state/ makes
 * its statements from the tables' columns, in one text for all engines: parameters are ?1, ?2, ...,
 * and what differs is in braces (pawl__sql_expand()).
 *
 * Failures are a pawl_status and the message in @p err; a query that failed is reset by its user.
 * A query belongs to its log, and to the connection that it has: an engine that connects anew
 * prepares it again by itself.
 */
#pragma once

#include "events/log.h"
#include <stdarg.h>

typedef struct pawl__engine pawl__engine;
struct pawl__lease; /* events/handle.h */

/** A prepared statement: the first member of an engine's own struct. */
typedef struct pawl__query {
        const pawl__engine *engine;
} pawl__query;

typedef enum pawl__sql_type {
        PAWL__SQL_NULL,
        PAWL__SQL_INTEGER, /**< 64 bits */
        PAWL__SQL_REAL,
        PAWL__SQL_TEXT, /**< UTF-8 as far as the database guarantees that */
        PAWL__SQL_BYTES
} pawl__sql_type;

/** A parameter's value, whose @p bytes (of TEXT and BYTES) are borrowed until the query is reset or
 *  ran; or a column's, valid until the next step or reset. */
typedef struct pawl__sql_value {
        pawl__sql_type type;
        union {
                int64_t integer;
                double real;
                pawl_text bytes;
        } as;
} pawl__sql_value;

/* ---- Statements that are prepared once a log, when first used -------------------------------- */

typedef enum pawl__stmt {
        PAWL__STMT_HEAD,  /**< seq, hash of the last event; no row: there is none */
        PAWL__STMT_FIRST, /**< seq of the first event */
        PAWL__STMT_RANGE, /**< ?1 exclusive, ?2 inclusive; the columns that events/row.c reads */
        PAWL__STMT_ENDS,  /**< the same, of ?1, of the last event and of the one before it; only
                             where  the engine keeps rows */
        PAWL__STMT_TYPES, /**< each type between ?1, exclusive, and ?2, inclusive; and whether that
                             event is of run ?3 */
        PAWL__STMT_FIND,  /**< the same between ?1 and ?2, both exclusive, of type ?3, run ?4 and
                             step  ?5 (NULL: of any), at most ?6 */
        PAWL__STMT_FIND_BACK, /**< the same, the last one first */
        PAWL__STMT_INSERT,
        PAWL__STMT_BLOB_PUT,
        PAWL__STMT_BLOB_GET,
        PAWL__STMT_CONTENT_PUT,
        PAWL__STMT_CONTENT_GET,
        PAWL__STMT_CONTENT_HAS,
        PAWL__STMT_CONTENT_DROP,
        PAWL__STMT_CONTENT_EACH, /**< hash, size, bytes that are stored, parts; in the order of
                                    hashes */
        PAWL__STMT_PACK_LAST,    /**< the greatest number of a pack, or 0 */
        PAWL__STMT_PACK_PUT,
        PAWL__STMT_PACK_GET,   /**< heads, data */
        PAWL__STMT_PACK_HEADS, /**< heads */
        PAWL__STMT_PACK_DROP,
        PAWL__STMT_PACKED_PUT,  /**< in place of another one with that hash */
        PAWL__STMT_PACKED_GET,  /**< pack, at */
        PAWL__STMT_PACKED_FIND, /**< pack, at, hash; from hash ?1 to ?2 */
        PAWL__STMT_PARTS_FIND,  /**< hash; the same, of contents in parts */
        PAWL__STMT_PACKED_DROP,
        PAWL__STMT_PACKED_EACH, /**< hash, pack, at; in the order of packs, and in each of places */
        PAWL__STMT_PRUNED,
        PAWL__STMT_PRUNED_PUT,
        PAWL__STMT_PAYLOAD_DROP,
        PAWL__STMT_LEASE_GET, /**< the columns that events/lease.c reads, of the run ?1 */
        PAWL__STMT_LEASE_PUT,
        PAWL__STMT_LEASE_RENEW,
        PAWL__STMT_LEASE_RELEASE,
        PAWL__STMT_FENCE_STATE,  /**< applied_seq, the fence in the row of the run ?1 */
        PAWL__STMT_FENCE_EVENTS, /**< the greatest fence in RunClaimed of run ?1 after seq ?2 */
        PAWL__STMT_MAC_PUT,
        PAWL__STMT_MAC_GET,
        PAWL__STMT_MAC_RANGE, /**< ?1 exclusive, ?2 inclusive; seq, mac */
        PAWL__STMT_MAC_END,   /**< the last seq of events, of macs */
        PAWL__STMT_KEY_TABLE, /**< 1 if the log can have a key, 0 if it is too old */
        PAWL__STMT_KEY_GET,   /**< key_check; no row: the log has no key */
        PAWL__STMT_KEY_PUT,
        PAWL__STMT_PLACE, /**< the last seq that the state tables have seen, the last of events */
        PAWL__STMT_PLACE_PUT, /**< ?1: the last seq that they have seen */
        PAWL__STMTS
} pawl__stmt;

/** What the kernel says of the process that claimed a run. */
typedef enum pawl__life {
        PAWL__LIFE_UNKNOWN, /**< the kernel cannot say */
        PAWL__LIFE_LIVES, /**< somebody has the lock: the holder, or what is left of its command */
        PAWL__LIFE_OVER   /**< the holder had it, and nobody has it now */
} pawl__life;

/* ---- An engine ------------------------------------------------------------------------------- */

/** "NULL: ..." says what an engine without that function means. */
struct pawl__engine {
        /** A row is dear to read: of what a transaction read or wrote, much is kept for the next
         * one, if no event came in between; of other engines' little. */
        bool keeps_rows;
        /** Many reads are cheaper in a view, which costs something on its own. */
        bool view_saves;
        const char *const *sql; /**< PAWL__STMTS texts, in the form of pawl__sql_expand() */

        /** Find the log that log->name names, or with PAWL_LOG_CREATE make it; connect, and bring
         *  its schema to today's (of a log that is only read: check it). Sets log->path, what
         *  people are shown, and log->version. */
        pawl_status (*open)(pawl_log *log, pawl_error *err);
        /** Free everything of the engine's own; of a log that failed to open as well. The numbered
         *  queries are finalized here. */
        void (*close)(pawl_log *log);
        /** In a child of the process that opened the log: give up what it shares with that process,
         *  so that nothing changes there. NULL: there is nothing to do. */
        void (*abandon)(pawl_log *log);
        /** Before a read begins, outside of a transaction: make the connection see what is there
         *  now. */
        pawl_status (*refresh)(pawl_log *log, pawl_error *err);

        /* Queries. */
        pawl_status (*prepare)(pawl__query **out, pawl_log *log, const char *sql, pawl_error *err);
        void (*finalize)(pawl__query *query);
        /** The parameter @p index, from 1 on. A failure is kept until the next step or run. */
        void (*bind)(pawl__query *query, int index, const pawl__sql_value *value);
        /** PAWL_OK: it stands on the next row. PAWL_DONE: there is none. @p doing: "cannot DOING".
         */
        pawl_status (*step)(pawl__query *query, const char *doing, pawl_error *err);
        /** Send it with what begin() sends, and reset it: who steps it in the transaction, with the
         * same parameters, finds the answer there. Only where begin() calls pawl__tx_prefetch(). */
        pawl_status (*prefetch)(pawl__query *query, pawl_error *err);
        /** Run a statement that gives no rows, and reset it. @p changes: how many rows it changed;
         * if NULL, the engine may send the statement later, in its order, and report its failure by
         *  a later call of the same transaction, at the latest by commit(). */
        pawl_status (*run)(
                pawl__query *query, int64_t *changes, const char *doing, pawl_error *err);
        void (*reset)(pawl__query *query);
        /** A column of the present row, from 0 on; @p out is NULL until it says otherwise. */
        void (*value)(pawl__sql_value *out, pawl__query *query, int column);
        /** Did a column's value fail for want of memory? */
        bool (*nomem)(pawl__query *query);

        /* Transactions. A log has one at a time. The message of begin(), commit(), durable() and
         * keep() is the log's own error. */
        /** Begin to write, alone: sets log->head_seq and log->head_hash. Nothing is open if it
         * fails. With @p again, who asks tries again what failed, as again() says: the engine may
         * then assume the head, and whatever is refused of that transaction is not said. */
        pawl_status (*begin)(pawl_log *log, bool again);
        /** Durable when it returns PAWL_OK. If it fails, the caller calls rollback(). */
        pawl_status (*commit)(pawl_log *log);
        /** Undo what is open, if anything is. @p large: remove what was written for it, too. */
        void (*rollback)(pawl_log *log, bool large);
        /** After a transaction failed and was undone: may the same be tried again (a conflict with
         *  another writer; a connection that was lost with nothing committed; whatever failed on
         * a head that was assumed)? It has waited as long as is right before, and counts its tries.
         * NULL: never. */
        bool (*again)(pawl_log *log);
        /** Is the transaction that is open one that assumes, so that whatever fails in it is tried
         * again by one that does not? Then what is likely may be relied on. NULL: never. */
        bool (*assumes)(const pawl_log *log);
        /** In the transaction that is open: did nobody write anything since this handle's last
         * commit, not even the state tables alone? NULL: as far as events show. */
        bool (*alone)(pawl_log *log);
        /** Do statements outside of a transaction wait for the disk? NULL: they always do. */
        pawl_status (*durable)(pawl_log *log, bool on, const char *doing);
        /** Keep few pages in memory, or as many as at first. NULL: it keeps none. */
        void (*keep_few)(pawl_log *log, bool few);
        /** All reads see one state from here on. */
        pawl_status (*view_begin)(pawl_log *log, pawl_error *err);
        /** Did they until now? False: the connection was made anew meanwhile. */
        bool (*view_end)(pawl_log *log);
        /** In the transaction that is open: make the derived tables anew, empty. */
        pawl_status (*derive_anew)(pawl_log *log, pawl_error *err);

        /* Its place. */
        /** Is the log still where it was opened, and whole? Asked before a command reports success;
         *  begin() asks it, too. NULL: nothing is asked. */
        pawl_status (*keep)(pawl_log *log);
        /** Is it out of reach? NULL: never. */
        bool (*is_away)(const pawl_log *log);
        /** The last event's seq as far as the handle knows; 0: it is to be asked. NULL: 0. */
        uint64_t (*assumed)(pawl_log *log);
        /** After another handle of the group wrote: go on with what it has. NULL: nothing. */
        void (*follow)(pawl_log *log);
        /** Has the view that is read become another's, so that damage is no damage? NULL: never. */
        bool (*stale)(const pawl_log *log);
        /** Before a verification: forget what is cached. NULL: nothing is. */
        void (*forget)(pawl_log *log);
        /** The kernel's lock on a run: take it on a claim that is about to be committed, or set
         *  lock_fd to -1; take it again where it was lost; drop it; who lives by it. NULL: there is
         * none, and the lease alone says who lives. */
        void (*lock_take)(pawl_log *log, struct pawl__lease *lease);
        void (*lock_keep)(pawl_log *log, struct pawl__lease *lease);
        void (*lock_drop)(struct pawl__lease *lease);
        pawl__life (*life)(pawl_log *log, pawl_text run_id, uint64_t fence);
        /** PAWL_EBUSY, naming who keeps it locked. */
        pawl_status (*busy)(pawl_log *log, const char *doing, pawl_error *err);
        pawl_status (*backup)(pawl_backup *result, pawl_log *log, const char *path,
                pawl_backup_fn go_on, void *user);             /**< NULL: by a copy */
        pawl_status (*shrink)(uint64_t *freed, pawl_log *log); /**< NULL: nothing is free */
        /** The SHA-256 of a blob, read piece by piece. PAWL_ENOTFOUND, without a message. NULL: it
         * is read whole. */
        pawl_status (*blob_hash)(
                unsigned char out[32], pawl_log *log, const unsigned char hash[32]);
        pawl_status (*space)(uint64_t *files, uint64_t *free, pawl_log *log);
};

extern const pawl__engine pawl__sqlite_engine, pawl__postgres_engine;

/** By its name: a URL is on a server, all else is a path. */
const pawl__engine *pawl__engine_of(const char *name);

/**
 * SQL for a log, its braces expanded. Those of a file, @p log_id NULL: "{WHAT}" is WHAT, and
 * "{log...}" nothing. On a server, where @p log_id is the literal of the log's id:
 *
 *     {runs}             (SELECT * FROM pawl.runs WHERE log_id = ID) AS runs
 *     {=runs}            pawl.runs; in a file: runs
 *     {log_id,}          log_id,
 *     {log,}             ID,
 *     {log AND}          log_id = ID AND
 *     {log C}            COLLATE "C", which columns have, and parameters do not
 *     {CROSS JOIN}       JOIN
 *     ?1                 $1
 */
PAWL_MUST_CHECK pawl_status pawl__sql_expand(
        pawl__buf *out, const char *sql, const char *log_id, pawl_error *err);

/* ---- Queries --------------------------------------------------------------------------------- */

/** Prepare a query that is kept; free it with pawl__query_finalize(). */
PAWL_MUST_CHECK pawl_status pawl__query_prepare(
        pawl__query **out, pawl_log *log, const char *sql, pawl_error *err);
/** Bind the parameters from the first on, one a letter of @p types: 'i' int64_t; 't'
 *  pawl_text, or NULL; 'h' a hash's 32 bytes; 'b' const void * and size_t, empty rather than NULL.
 *  They must outlive the step. */
void pawl__query_bind(pawl__query *query, const char *types, ...);
void pawl__query_bind_list(pawl__query *query, const char *types, va_list list);

static inline void pawl__query_bind_text(pawl__query *query, int index, pawl_text text)
{
        const pawl__sql_value value = {
                text.data ? PAWL__SQL_TEXT : PAWL__SQL_NULL, {.bytes = text}};

        query->engine->bind(query, index, &value);
}

static inline void pawl__query_bind_bytes(
        pawl__query *query, int index, const void *data, size_t len)
{
        const pawl__sql_value value = {PAWL__SQL_BYTES, {.bytes = {data ? data : "", len}}};

        query->engine->bind(query, index, &value);
}

static inline void pawl__query_bind_integer(pawl__query *query, int index, int64_t integer)
{
        const pawl__sql_value value = {PAWL__SQL_INTEGER, {.integer = integer}};

        query->engine->bind(query, index, &value);
}

static inline void pawl__query_bind_real(pawl__query *query, int index, double real)
{
        const pawl__sql_value value = {PAWL__SQL_REAL, {.real = real}};

        query->engine->bind(query, index, &value);
}

static inline PAWL_MUST_CHECK pawl_status pawl__query_step(
        pawl__query *query, const char *doing, pawl_error *err)
{
        return query->engine->step(query, doing, err);
}

static inline PAWL_MUST_CHECK pawl_status pawl__query_run(
        pawl__query *query, int64_t *changes, const char *doing, pawl_error *err)
{
        return query->engine->run(query, changes, doing, err);
}

PAWL_MUST_CHECK static inline pawl_status pawl__query_prefetch(pawl__query *query, pawl_error *err)
{
        return query->engine->prefetch(query, err);
}

/** NULL does nothing, here and below. */
static inline void pawl__query_reset(pawl__query *query)
{
        if (query)
                query->engine->reset(query);
}

static inline void pawl__query_finalize(pawl__query *query)
{
        if (query)
                query->engine->finalize(query);
}

static inline pawl__sql_value pawl__query_value(pawl__query *query, int column)
{
        pawl__sql_value value = {PAWL__SQL_NULL, {.bytes = {NULL, 0}}};

        query->engine->value(&value, query, column);
        return value;
}

/* Of a value of another type: 0, absent. */
static inline int64_t pawl__query_integer(pawl__query *query, int column)
{
        const pawl__sql_value value = pawl__query_value(query, column);

        return value.type == PAWL__SQL_INTEGER ? value.as.integer : 0;
}

static inline double pawl__query_real(pawl__query *query, int column)
{
        const pawl__sql_value value = pawl__query_value(query, column);

        return value.type == PAWL__SQL_REAL ? value.as.real : 0;
}

static inline pawl_text pawl__query_text(pawl__query *query, int column)
{
        const pawl__sql_value value = pawl__query_value(query, column);

        return value.type == PAWL__SQL_TEXT ? value.as.bytes : (pawl_text){NULL, 0};
}

static inline pawl_text pawl__query_bytes(pawl__query *query, int column)
{
        const pawl__sql_value value = pawl__query_value(query, column);

        return value.type == PAWL__SQL_BYTES ? value.as.bytes : (pawl_text){NULL, 0};
}

static inline bool pawl__query_nomem(pawl__query *query)
{
        return query->engine->nomem(query);
}

/** A column of 32 bytes into @p out. False: it is something else. */
bool pawl__query_hash(unsigned char out[32], pawl__query *query, int column);

/* ---- A log's own queries --------------------------------------------------------------------- */

/** The numbered query, ready to be bound; its texts may have been bound before: bind all. */
PAWL_MUST_CHECK pawl_status pawl__log_query(
        pawl__query **out, pawl_log *log, pawl__stmt which, pawl_error *err);
/** Run one that gives no rows, its parameters bound as by pawl__query_bind(). The message is the
 *  log's error. */
PAWL_MUST_CHECK pawl_status pawl__log_run(
        pawl_log *log, pawl__stmt which, const char *doing, const char *types, ...);
/** Its first row, its parameters bound as by pawl__query_bind(): *row stands on it and is reset by
 *  the caller; NULL: there is none. */
PAWL_MUST_CHECK pawl_status pawl__log_row(pawl__query **row, pawl_log *log, pawl__stmt which,
        const char *doing, pawl_error *err, const char *types, ...);

/* ---- For state/: transactions without events ------------------------------------------------- */

/** Begin a write transaction of the state's own; the projector is not called. */
PAWL_MUST_CHECK pawl_status pawl__log_write_begin(pawl_log *log, pawl_error *err);
/** Commit it, or undo it if @p status is a failure, which is returned then. */
PAWL_MUST_CHECK pawl_status pawl__log_write_end(pawl_log *log, pawl_status status, pawl_error *err);
/** In such a one: drop every table that is derived from the events, whatever it has become, and
 *  make it anew, empty. */
PAWL_MUST_CHECK pawl_status pawl__log_derive_anew(pawl_log *log, pawl_error *err);

/** The engine's keeps_rows. */
bool pawl__log_keeps_rows(const pawl_log *log);
/** The engine's assumes. */
bool pawl__log_assumes(const pawl_log *log);
/** The engine's alone. */
bool pawl__log_alone(pawl_log *log);

/** All reads see one state, also of a log that is only read. */
PAWL_MUST_CHECK pawl_status pawl__log_snapshot_begin(pawl_log *log, pawl_error *err);
/** Did they until now? A log that is only read may connect anew as it begins to read, when a writer
 *  has come since it was opened. */
bool pawl__log_snapshot_end(pawl_log *log);
