#include "support/hostile_rows.h"
#include "support/event_samples.h"
#include <stdio.h>

enum { CHANGES_MAX = 16 };

/* ---- Values ---------------------------------------------------------------------------------- */

/* What the rows of a sound log hold. */
static const char *const words[] = {"run-1", "run-2", "mission-1", "mission-2", "one", "two",
        "session-1", "conflict-1", "workspace", "team_domain", "mission_local", "core", "",
        SAMPLE_TOKEN, SAMPLE_VERSION, "running", "blocked", "completed", "open", "resolved",
        "post_gate", "medium", "[]", "[{}]", "{}", "host-a", "boot-1", "a\nb"};
enum { WORDS = sizeof words / sizeof words[0] };

int hostile_bind_text(sqlite3_stmt *stmt, int index, pawl_text text)
{
        if (!text.data)
                return sqlite3_bind_null(stmt, index);
        return sqlite3_bind_text64(stmt, index, text.data, text.len, SQLITE_STATIC, SQLITE_UTF8);
}

static int bind_value(sqlite3_stmt *stmt, int index, bytes *input)
{
        uint64_t number;
        double real;
        pawl_text text;

        switch (take_choice(input, 8)) {
        case 0:
                return sqlite3_bind_int64(stmt, index, (int8_t)take_byte(input));
        case 1:
                return hostile_bind_text(stmt, index, pawl__text(words[take_choice(input, WORDS)]));
        case 2:
                return sqlite3_bind_null(stmt, index);
        case 3:
                return sqlite3_bind_int64(stmt, index, (int64_t)take_number(input, 8));
        case 4:
                number = take_number(input, 8);
                memcpy(&real, &number, sizeof real);
                return sqlite3_bind_double(stmt, index, real);
        case 5:
                text = take_bytes(input, take_byte(input));
                return sqlite3_bind_blob64(stmt, index, text.data, text.len, SQLITE_STATIC);
        case 6:
                text = take_bytes(input, 32);
                return sqlite3_bind_blob64(stmt, index, text.data, text.len, SQLITE_STATIC);
        default:
                text = take_bytes(input, take_byte(input));
                break;
        }
        if (!text.data)
                return sqlite3_bind_null(stmt, index);
        return sqlite3_bind_text64(stmt, index, text.data, text.len, SQLITE_STATIC, SQLITE_UTF8);
}

/* Prepare, bind every parameter and run; what fails has no effect. */
static void run_with_values(sqlite3 *db, const char *sql, bytes *input)
{
        sqlite3_stmt *stmt = NULL;

        if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) == SQLITE_OK && stmt) {
                for (int i = 1; i <= sqlite3_bind_parameter_count(stmt); i++)
                        (void)bind_value(stmt, i, input);
                (void)sqlite3_step(stmt);
        }
        sqlite3_finalize(stmt);
}

/* ---- Events that follow the last one --------------------------------------------------------- */

pawl_text hostile_text(pawl__buf *out, pawl_text sample, bytes *input)
{
        size_t edits = take_choice(input, 4);

        pawl__buf_clear(out);
        require(pawl__buf_add(out, sample.data, sample.len) == PAWL_OK);
        while (edits-- > 0) {
                const size_t at = (size_t)take_number(input, 2) % (out->len + 1);
                size_t gone = take_byte(input);
                const pawl_text come = take_bytes(input, take_byte(input));
                if (gone > out->len - at)
                        gone = out->len - at;
                require(pawl__buf_reserve(out, come.len) == PAWL_OK);
                memmove(out->data + at + come.len, out->data + at + gone, out->len - at - gone);
                if (come.len)
                        memcpy(out->data + at, come.data, come.len);
                out->len += come.len - gone;
        }
        return pawl__buf_text(out);
}

static void take_id(pawl_text *id, bytes *input)
{
        switch (take_choice(input, 8)) {
        case 0:
                *id = (pawl_text){NULL, 0};
                break;
        case 1:
                *id = pawl__text(words[take_choice(input, WORDS)]);
                break;
        case 2:
                *id = take_bytes(input, take_byte(input));
                break;
        default: /* as it is */
                break;
        }
}

static void follow(sqlite3 *db, pawl_event *event)
{
        sqlite3_stmt *stmt = NULL;

        event->seq = 1;
        memset(event->prev, 0, 32);
        if (sqlite3_prepare_v2(db, "SELECT seq, hash FROM events ORDER BY seq DESC LIMIT 1", -1,
                    &stmt, NULL) == SQLITE_OK &&
                sqlite3_step(stmt) == SQLITE_ROW) {
                event->seq = (uint64_t)sqlite3_column_int64(stmt, 0) + 1;
                if (sqlite3_column_bytes(stmt, 1) == 32)
                        memcpy(event->prev, sqlite3_column_blob(stmt, 1), 32);
        }
        sqlite3_finalize(stmt);
}

static void insert_event(sqlite3 *db, const pawl_event *e)
{
        const pawl_text texts[] = {
                e->mission_id, e->run_id, e->step_id, e->session_id, e->actor, e->payload};
        sqlite3_stmt *stmt = NULL;

        if (sqlite3_prepare_v2(db,
                    "INSERT INTO events (seq, type, v, time, mission_id, run_id, step_id, "
                    "session_id, actor, payload, prev, hash) VALUES (?,?,?,?,?,?,?,?,?,?,?,?)",
                    -1, &stmt, NULL) != SQLITE_OK)
                return;
        (void)sqlite3_bind_int64(stmt, 1, (int64_t)e->seq);
        (void)hostile_bind_text(stmt, 2, e->type);
        (void)sqlite3_bind_int(stmt, 3, e->v);
        (void)sqlite3_bind_int64(stmt, 4, e->time_us);
        for (int i = 0; i < 6; i++)
                (void)hostile_bind_text(stmt, 5 + i, texts[i]);
        (void)sqlite3_bind_blob(stmt, 11, e->prev, 32, SQLITE_STATIC);
        (void)sqlite3_bind_blob(stmt, 12, e->hash, 32, SQLITE_STATIC);
        (void)sqlite3_step(stmt);
        sqlite3_finalize(stmt);
}

/* Well chained, whatever it says. */
static void append_event(sqlite3 *db, pawl__hasher *hasher, bytes *input)
{
        pawl_event event = event_samples[take_choice(input, EVENT_SAMPLES)];
        pawl__buf payload = PAWL__BUF_INIT, scratch = PAWL__BUF_INIT;
        unsigned char payload_hash[32];
        const unsigned odd = take_byte(input);

        if (odd & 1)
                take_id(&event.mission_id, input);
        if (odd & 2)
                take_id(&event.run_id, input);
        if (odd & 4)
                take_id(&event.step_id, input);
        if (odd & 8)
                take_id(&event.session_id, input);
        if (odd & 16)
                event.v = (int8_t)take_byte(input);
        if (odd & 32)
                take_id(&event.type, input);
        event.payload = hostile_text(&payload, event.payload, input);
        follow(db, &event);
        require(pawl__sha256(hasher, payload_hash, event.payload.data, event.payload.len, NULL) ==
                PAWL_OK);
        require(pawl__chain_hash(event.hash, hasher, &scratch, &event, payload_hash) == PAWL_OK);
        insert_event(db, &event);
        pawl__buf_free(&payload);
        pawl__buf_free(&scratch);
}

/* ---- Rows of any table ----------------------------------------------------------------------- */

static const struct {
        const char *name;
        int columns;
} tables[] = {{"events", 12}, {"pruned", 2}, {"blobs", 2}, {"leases", 10}, {"projection", 2},
        {"runs", 16}, {"steps", 12}, {"checkpoints", 3}, {"conflicts", 15}, {"senses", 12},
        {"scopes", 4}, {"sessions", 21}, {"macs", 2}, {"chain_key", 2}, {"contents", 4},
        {"workspace_checkpoints", 26}, {"rollbacks", 13}};
enum { TABLES = sizeof tables / sizeof tables[0] };

/* The name of the n-th column, counted round. */
static bool column_name(char out[64], sqlite3 *db, size_t table, size_t n)
{
        sqlite3_stmt *stmt = NULL;
        char sql[128];
        bool there = false;

        snprintf(sql, sizeof sql,
                "SELECT name FROM pragma_table_info('%s') ORDER BY cid LIMIT 1 OFFSET %zu",
                tables[table].name, n % (size_t)tables[table].columns);
        if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) == SQLITE_OK &&
                sqlite3_step(stmt) == SQLITE_ROW) {
                snprintf(out, 64, "%s", (const char *)sqlite3_column_text(stmt, 0));
                there = true;
        }
        sqlite3_finalize(stmt);
        return there;
}

static void put_row(sqlite3 *db, bytes *input)
{
        const size_t table = take_choice(input, TABLES);
        char sql[192];
        int len =
                snprintf(sql, sizeof sql, "INSERT OR REPLACE INTO %s VALUES (", tables[table].name);

        for (int i = 0; i < tables[table].columns; i++)
                len += snprintf(sql + len, sizeof sql - (size_t)len, "%s?", i ? "," : "");
        snprintf(sql + len, sizeof sql - (size_t)len, ")");
        run_with_values(db, sql, input);
}

/* In one row of the table, by its place; or in all. */
static void change_column(sqlite3 *db, bytes *input)
{
        const size_t table = take_choice(input, TABLES);
        char sql[320], name[64];

        if (!column_name(name, db, table, take_byte(input)))
                return;
        const unsigned place = take_byte(input);
        if (place & 0x80)
                snprintf(sql, sizeof sql, "UPDATE OR REPLACE %s SET %s = ?", tables[table].name,
                        name);
        else
                snprintf(sql, sizeof sql,
                        "UPDATE OR REPLACE %s SET %s = ? WHERE %s IS (SELECT %s FROM %s LIMIT 1 "
                        "OFFSET %u)",
                        tables[table].name, name, name, name, tables[table].name, place);
        run_with_values(db, sql, input);
}

static void delete_rows(sqlite3 *db, bytes *input)
{
        const size_t table = take_choice(input, TABLES);
        char sql[320], name[64];

        if (!column_name(name, db, table, take_byte(input)))
                return;
        const unsigned place = take_byte(input);
        if (place & 0x80)
                snprintf(sql, sizeof sql, "DELETE FROM %s", tables[table].name);
        else
                snprintf(sql, sizeof sql,
                        "DELETE FROM %s WHERE %s IS (SELECT %s FROM %s LIMIT 1 OFFSET %u)",
                        tables[table].name, name, name, tables[table].name, place);
        run_with_values(db, sql, input);
}

/* ---- The schema ------------------------------------------------------------------------------ */

static void change_schema(sqlite3 *db, bytes *input)
{
        static const char *const changes[] = {
                "DROP TABLE projection",
                "DROP TABLE leases",
                "DROP TABLE pruned",
                "DROP TABLE blobs",
                "DROP TABLE steps",
                "DROP TABLE events",
                "DROP INDEX runs_unfinished",
                "DROP INDEX conflicts_step",
                "DROP TABLE macs",
                "DROP TABLE chain_key",
                "PRAGMA user_version = 0",
                "PRAGMA user_version = 1",
                "PRAGMA user_version = 3",
                "PRAGMA application_id = 1",
                "ALTER TABLE runs RENAME COLUMN fence TO fence_2",
                "ALTER TABLE events RENAME TO events_2",
                "CREATE VIEW events AS SELECT * FROM events_2",
                "CREATE TABLE runs_2 AS SELECT * FROM runs; DROP TABLE runs;"
                "ALTER TABLE runs_2 RENAME TO runs",
                "CREATE TABLE events_3 AS SELECT * FROM events; DROP TABLE events;"
                "ALTER TABLE events_3 RENAME TO events",
                "CREATE TABLE events (seq, type, v, time, mission_id, run_id, step_id, session_id,"
                " actor, payload, prev, hash, PRIMARY KEY (seq DESC)) WITHOUT ROWID;"
                "INSERT INTO events SELECT * FROM events_2",
                "CREATE TABLE events (seq INTEGER PRIMARY KEY, type TEXT COLLATE NOCASE, v, time,"
                " mission_id, run_id, step_id, session_id, actor, payload AS (upper(type)), prev,"
                " hash AS (zeroblob(32)))",
                "CREATE TRIGGER one_more AFTER INSERT ON events BEGIN DELETE FROM events; END",
                "CREATE UNIQUE INDEX one_run ON events (run_id)",
                "DROP TABLE workspace_checkpoints",
                "DROP TABLE contents",
                "ALTER TABLE rollbacks RENAME COLUMN steps_before TO steps_after",
        };
        enum { CHANGES = sizeof changes / sizeof changes[0] };

        (void)sqlite3_exec(db, changes[take_choice(input, CHANGES)], NULL, NULL, NULL);
}

static void write_schema(sqlite3 *db, bytes *input)
{
        (void)sqlite3_exec(db, "PRAGMA writable_schema = ON", NULL, NULL, NULL);
        run_with_values(
                db, "UPDATE sqlite_schema SET sql = replace(sql, ?, ?) WHERE name = ?", input);
        (void)sqlite3_exec(db, "PRAGMA writable_schema = RESET", NULL, NULL, NULL);
}

void hostile_rows(sqlite3 *db, pawl__hasher *hasher, bytes *input)
{
        for (int i = 0; i < CHANGES_MAX && input->left > 0; i++)
                switch (take_choice(input, 16)) {
                default:
                        append_event(db, hasher, input);
                        break;
                case 8:
                case 9:
                        put_row(db, input);
                        break;
                case 10:
                case 11:
                case 12:
                        change_column(db, input);
                        break;
                case 13:
                        delete_rows(db, input);
                        break;
                case 14:
                        change_schema(db, input);
                        break;
                case 15:
                        write_schema(db, input);
                        break;
                }
}

/* ---- Damage ---------------------------------------------------------------------------------- */

void hostile_damage(log_image *image, bytes *input)
{
        while (input->left > 0) {
                const bool wal = image->wal && take_choice(input, 2);
                unsigned char *data = wal ? image->wal : image->db;
                size_t *len = wal ? &image->wal_len : &image->len;
                const size_t at = (size_t)take_number(input, 3) % (*len + 1);
                const unsigned n = take_byte(input);

                if (n == 0xff) {
                        *len = at;
                        continue;
                }
                const pawl_text over = take_bytes(input, n % 64);
                if (over.len <= *len - at && over.len)
                        memcpy(data + at, over.data, over.len);
        }
}
