/*
 * What a file must be to be a log, and how an empty or old one becomes a log of today (a new one is
 * made by create.c).
 *
 * A step is run inside BEGIN IMMEDIATE after the version was read again there, so that of two
 * processes that open an old log one migrates it and the other finds it done. All steps that a file
 * needs are one transaction: it has the old version, or the new one. A step never touches events:
 * what an older payload means is for apply (state/) to know, by its v.
 */
#include "base/error.h"
#include "events/sqlite/sqlite.h"
#include "schema_objects.h"
#include "schema_sql.h"
#include <stdio.h>

/* 2: room for the MACs of a keyed log. An older one stays without a key. */
static const char chain_of_macs[] =
        "CREATE TABLE chain_key (id INTEGER PRIMARY KEY CHECK (id = 1), "
        "key_check BLOB NOT NULL) STRICT; "
        "CREATE TABLE macs (seq INTEGER PRIMARY KEY, mac BLOB NOT NULL) STRICT";

/* 4: what workspace checkpoints hold. */
static const char contents_table[] =
        "CREATE TABLE contents (hash BLOB NOT NULL, part INTEGER NOT NULL, size INTEGER NOT NULL, "
        "data BLOB NOT NULL, PRIMARY KEY (hash, part)) STRICT";

/* 3: what sessions tell of their work, and how far a run is; derived, so made anew, as are the
 * tables of workspace checkpoints of 4. */
static const pawl__migration steps[] = {
        {1, chain_of_macs, NULL, false}, {2, NULL, NULL, true}, {3, contents_table, NULL, true},
        {4, NULL, NULL,
                true}, /* what runs are told of; packs and packed, which are empty at first */
        {5, NULL, NULL, true}, /* what the rules of the order of events need to know */
};

const pawl__schema pawl__schema_current = {6, schema_sql, steps, sizeof steps / sizeof steps[0]};

/* schema_derived: tables derived from the events, dropped and made again where one is missing or a
 * step changes them. schema_others: the rest of what schema.sql makes. Both are read from it. */
enum {
        DERIVED = sizeof schema_derived / sizeof schema_derived[0],
        OTHERS = sizeof schema_others / sizeof schema_others[0]
};

typedef struct header {
        int64_t application, version;
        size_t objects, derived, others; /* all; those of the two lists */
        bool events;
} header;

static bool is_listed(const char *name, const char *const *list, size_t n)
{
        size_t i = 0;

        while (i < n && strcmp(name, list[i]) != 0)
                i++;
        return i < n;
}

static void count_object(header *h, const char *type, const char *name)
{
        const bool table = strcmp(type, "table") == 0;

        h->objects++;
        h->events |= table && strcmp(name, "events") == 0;
        h->derived += table && is_listed(name, schema_derived, DERIVED);
        h->others += is_listed(name, schema_others, OTHERS);
}

static pawl_status count_objects(header *h, pawl_log *log, pawl_error *err)
{
        sqlite3_stmt *stmt = NULL;
        int rc = sqlite3_prepare_v2(
                log->file->db, "SELECT type, name FROM main.sqlite_schema", -1, &stmt, NULL);

        while (rc == SQLITE_OK || rc == SQLITE_ROW) {
                rc = sqlite3_step(stmt);
                const char *type = (const char *)sqlite3_column_text(stmt, 0);
                const char *name = (const char *)sqlite3_column_text(stmt, 1);
                if (rc == SQLITE_ROW && type && name)
                        count_object(h, type, name);
        }
        sqlite3_finalize(stmt);
        return pawl__db_fail(log, rc, "read it", err);
}

static pawl_status read_header(header *out, pawl_log *log, pawl_error *err)
{
        header h = {.application = 0};
        pawl_status status =
                pawl__db_integer(&h.application, log, "PRAGMA main.application_id", err);

        if (!status)
                status = pawl__db_integer(&h.version, log, "PRAGMA main.user_version", err);
        if (!status)
                status = count_objects(&h, log, err);
        if (!status)
                *out = h;
        if (!status)
                log->version = (int)h.version;
        return status;
}

static pawl_status identify(
        bool *empty, const header *h, pawl_log *log, const pawl__schema *schema, pawl_error *err)
{
        *empty = h->application == 0 && h->version == 0 && h->objects == 0;
        if (*empty)
                return PAWL_OK;
        if (h->application != PAWL__APPLICATION_ID)
                return pawl__fail(err, PAWL_EFORMAT,
                        "%s: is not a Pawl log: it is another application's SQLite database "
                        "(application id %lld); name another file",
                        log->path, (long long)h->application);
        if (h->version > schema->version)
                return pawl__fail(err, PAWL_ENEWER,
                        "%s: the log has schema version %lld, and this program knows versions up "
                        "to %d; use a newer pawl",
                        log->path, (long long)h->version, schema->version);
        if (h->version < 1)
                return pawl__fail(err, PAWL_EDAMAGED,
                        "%s: the log has schema version %lld, which never was; put back a copy",
                        log->path, (long long)h->version);
        return PAWL_OK;
}

/* In a database of UTF-16, which even an empty file can be, SQLite writes U+FFFD for U+FFFE and
 * U+FFFF: what is read back is not what was hashed. */
static pawl_status check_encoding(pawl_log *log, pawl_error *err)
{
        sqlite3_stmt *stmt = NULL;
        int rc = sqlite3_prepare_v2(log->file->db, "PRAGMA main.encoding", -1, &stmt, NULL);

        if (rc == SQLITE_OK)
                rc = sqlite3_step(stmt);
        const char *encoding = (const char *)sqlite3_column_text(stmt, 0);
        const bool utf_16 = encoding && strcmp(encoding, "UTF-8") != 0;
        sqlite3_finalize(stmt);
        TRY(pawl__db_fail(log, rc, "read it", err));
        return utf_16 ? pawl__fail(err, PAWL_EFORMAT,
                                "%s: is not a Pawl log: its texts are UTF-16; name another file",
                                log->path)
                      : PAWL_OK;
}

pawl_status pawl__schema_identify(
        bool *empty, pawl_log *log, const pawl__schema *schema, pawl_error *err)
{
        header h;
        pawl_status status = read_header(&h, log, err);

        if (!status)
                status = identify(empty, &h, log, schema, err);
        if (!status)
                status = check_encoding(log, err);
        log->file->current = !status && !*empty && h.version == schema->version &&
                             h.derived == DERIVED && h.others == OTHERS;
        if (!status && !*empty && !h.events)
                return pawl__fail(err, PAWL_EDAMAGED,
                        "%s: the log has lost its table of events; put back a copy", log->path);
        return status;
}

static pawl_status drop_derived(pawl_log *log, pawl_error *err)
{
        pawl_status status = PAWL_OK;
        char sql[64];

        for (size_t i = 0; i < DERIVED && !status; i++) {
                snprintf(sql, sizeof sql, "DROP TABLE IF EXISTS main.%s", schema_derived[i]);
                status = pawl__db_exec(log, sql, "make its tables anew", err);
        }
        return status;
}

static pawl_status set_version(pawl_log *log, int version, pawl_error *err)
{
        char sql[64];

        snprintf(sql, sizeof sql, "PRAGMA main.user_version = %d", version);
        return pawl__db_exec(log, sql, "set its version", err);
}

static pawl_status make_schema(pawl_log *log, const pawl__schema *schema, pawl_error *err)
{
        pawl_status status = pawl__db_exec(log, schema->sql, "make its tables", err);

        return status ? status : set_version(log, schema->version, err);
}

pawl_status pawl__schema_derive_anew(pawl_log *log, pawl_error *err)
{
        pawl_status status = drop_derived(log, err);

        return status ? status : make_schema(log, log->file->schema, err);
}

static pawl_status step(
        pawl_log *log, const pawl__schema *schema, int from, bool *rebuild, pawl_error *err)
{
        for (size_t i = 0; i < schema->n_steps; i++) {
                const pawl__migration *m = &schema->steps[i];
                pawl_status status = PAWL_OK;

                if (m->from != from)
                        continue;
                *rebuild = *rebuild || m->rebuild;
                if (m->sql)
                        status = pawl__db_exec(log, m->sql, "migrate it", err);
                if (!status && m->fn)
                        status = m->fn(log, err);
                return status;
        }
        return pawl__fail(err, PAWL_EFORMAT,
                "%s: no step leads from schema version %d to %d; use the pawl that wrote the log",
                log->path, from, schema->version);
}

/* The file's change to today's schema, inside a transaction. */
static pawl_status bring_up(pawl_log *log, const pawl__schema *schema, pawl_error *err)
{
        header h;
        bool empty, rebuild = false;
        pawl_status status = read_header(&h, log, err);

        if (!status)
                status = identify(&empty, &h, log, schema, err);
        if (status)
                return status;
        if (empty) { /* keyed from its first moment, or never */
                status = make_schema(log, schema, err);
                return status ? status : pawl__key_set(log, err);
        }
        int version = (int)h.version;
        for (; version < schema->version && !status; version++)
                status = step(log, schema, version, &rebuild, err);
        if (!status && (rebuild || h.derived != DERIVED))
                status = drop_derived(log, err);
        return status ? status : make_schema(log, schema, err);
}

pawl_status pawl__schema_ensure(pawl_log *log, const pawl__schema *schema, pawl_error *err)
{
        if (log->file->current)
                return PAWL_OK;
        TRY(pawl__db_exec(log, "BEGIN IMMEDIATE", "make its tables", err));
        pawl_status status = bring_up(log, schema, err);
        if (!status)
                status = pawl__db_exec(log, "COMMIT", "make its tables", err);
        if (!status)
                log->version = schema->version;
        if (status && !sqlite3_get_autocommit(log->file->db))
                (void)sqlite3_exec(log->file->db, "ROLLBACK", NULL, NULL, NULL);
        return status;
}
