/*
 * The tables, from schema.sql, which says what they are for SQLite: so there is one text of them.
 * Each is in the schema pawl, and its key begins with the log's. The row of the log itself, in
 * pawl.logs, has what SQLite has in projection and chain_key, and the head.
 *
 * Of schema.sql this relies on: one column a line, CREATE INDEX on one line, END; at the end of a
 * trigger.
 */
#include "events/postgres/server.h"
#include "schema_sql.h"
#include <stdlib.h>

static const char logs_table[] =
        "CREATE TABLE IF NOT EXISTS pawl.logs (log_id bigint NOT NULL PRIMARY KEY, "
        "name text COLLATE \"C\" NOT NULL UNIQUE, version bigint NOT NULL, "
        "head_seq bigint NOT NULL, head_hash bytea NOT NULL, applied_seq bigint NOT NULL, "
        "key_check bytea)";

static const struct {
        const char *sqlite, *postgres;
} types[] = {
        {"INTEGER", "bigint"},
        {"TEXT", "text COLLATE \"C\""},
        {"BLOB", "bytea"},
        {"REAL", "double precision"},
};

static bool is_one_of(pawl_text name, const char *const *names)
{
        for (; *names; names++)
                if (pawl__text_is(name, *names))
                        return true;
        return false;
}

static bool is_in_logs(pawl_text table)
{
        static const char *const names[] = {"projection", "chain_key", NULL};

        return is_one_of(table, names);
}

/* All others can be made anew from the events. */
static bool is_fact(pawl_text table)
{
        static const char *const names[] = {
                "events", "pruned", "macs", "blobs", "contents", "packs", "packed", "leases", NULL};

        return is_one_of(table, names);
}

static bool starts_with(pawl_text line, const char *word)
{
        return line.len >= strlen(word) && memcmp(line.data, word, strlen(word)) == 0;
}

static pawl_text word_of(pawl_text *line)
{
        while (line->len && *line->data == ' ')
                line->data++, line->len--;
        pawl_text word = {line->data, 0};
        while (word.len < line->len && !strchr(" ,(;)", word.data[word.len]))
                word.len++;
        line->data += word.len;
        line->len -= word.len;
        return word;
}

/* "name TYPE NOT NULL PRIMARY KEY," */
static void put_column(pawl__buf *out, pawl_text *key, pawl_text line)
{
        pawl_text name = word_of(&line), type = word_of(&line);

        pawl__buf_addf(out, ", %.*s ", PAWL__FMT(name));
        for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
                if (pawl__text_is(type, types[i].sqlite))
                        pawl__buf_adds(out, types[i].postgres);
        const bool is_key = memmem(line.data, line.len, "PRIMARY KEY", 11);
        if (is_key)
                *key = name;
        if (is_key || memmem(line.data, line.len, "NOT NULL", 8))
                pawl__buf_adds(out, " NOT NULL");
}

typedef struct reading {
        pawl__buf *out;
        const char
                *derived; /* the id of the log whose derived tables are emptied; NULL: make all */
        bool in_table, in_trigger, left_out;
        pawl_text key;
} reading;

static void begin_table(reading *r, pawl_text line)
{
        line.data += strlen("CREATE TABLE IF NOT EXISTS ");
        line.len -= strlen("CREATE TABLE IF NOT EXISTS ");
        const pawl_text table = word_of(&line);

        r->in_table = true;
        r->left_out = is_in_logs(table) || r->derived;
        r->key = (pawl_text){NULL, 0};
        if (r->derived && !is_in_logs(table) && !is_fact(table)) {
                pawl__buf_addf(r->out, "DELETE FROM pawl.%.*s WHERE log_id = %s", PAWL__FMT(table),
                        r->derived);
                pawl__buf_addc(r->out, '\0');
        }
        if (!r->left_out)
                pawl__buf_addf(r->out,
                        "CREATE TABLE IF NOT EXISTS pawl.%.*s (log_id bigint NOT NULL",
                        PAWL__FMT(table));
}

static void in_table(reading *r, pawl_text line)
{
        const bool ends = starts_with(line, ")");

        r->in_table = !ends;
        if (r->left_out)
                return;
        if (ends) {
                if (r->key.data)
                        pawl__buf_addf(r->out, ", PRIMARY KEY (log_id, %.*s)", PAWL__FMT(r->key));
                pawl__buf_addc(r->out, ')');
                pawl__buf_addc(r->out, '\0');
        } else if (starts_with(line, "PRIMARY KEY (")) {
                line.data += strlen("PRIMARY KEY (");
                line.len -= strlen("PRIMARY KEY (");
                pawl__buf_addf(r->out, ", PRIMARY KEY (log_id, %.*s", PAWL__FMT(line));
        } else {
                put_column(r->out, &r->key, line);
        }
}

/* "CREATE INDEX IF NOT EXISTS name ON table (columns) WHERE condition;" */
static void put_index(reading *r, pawl_text line)
{
        const char *on = memmem(line.data, line.len, " ON ", 4);
        const char *paren = on ? memchr(on, '(', (size_t)(line.data + line.len - on)) : NULL;
        const char *end = line.data + line.len - (line.data[line.len - 1] == ';');

        if (!paren || r->derived)
                return;
        pawl__buf_add(r->out, line.data, (size_t)(on + 4 - line.data));
        pawl__buf_adds(r->out, "pawl.");
        pawl__buf_add(r->out, on + 4, (size_t)(paren + 1 - on - 4));
        pawl__buf_adds(r->out, "log_id, ");
        pawl__buf_add(r->out, paren + 1, (size_t)(end - paren - 1));
        pawl__buf_addc(r->out, '\0');
}

static void put_line(reading *r, pawl_text line)
{
        while (line.len && *line.data == ' ')
                line.data++, line.len--;
        if (!line.len || starts_with(line, "--"))
                return;
        if (r->in_trigger)
                r->in_trigger = !memmem(line.data, line.len, "END;", 4);
        else if (r->in_table)
                in_table(r, line);
        else if (starts_with(line, "CREATE TABLE IF NOT EXISTS "))
                begin_table(r, line);
        else if (starts_with(line, "CREATE INDEX IF NOT EXISTS "))
                put_index(r, line);
        else if (starts_with(line, "CREATE TRIGGER"))
                r->in_trigger = true;
}

static pawl_status convert(reading *r, pawl_error *err)
{
        for (const char *at = schema_sql; *at;) {
                const size_t len = strcspn(at, "\n");
                put_line(r, (pawl_text){at, len});
                at += len + (at[len] == '\n');
        }
        pawl__buf_addc(r->out, '\0');
        return pawl__buf_check(r->out, err);
}

pawl_status pawl__postgres_schema(pawl__buf *out, pawl_error *err)
{
        reading r = {.out = out};

        pawl__buf_add(
                out, "CREATE SCHEMA IF NOT EXISTS pawl", sizeof "CREATE SCHEMA IF NOT EXISTS pawl");
        pawl__buf_add(out, logs_table, sizeof logs_table);
        return convert(&r, err);
}

pawl_status pawl__postgres_derived(pawl__buf *out, const char *id_literal, pawl_error *err)
{
        reading r = {.out = out, .derived = id_literal};

        return convert(&r, err);
}

int pawl__postgres_version(void)
{
        const char *at = strstr(schema_sql, "PRAGMA user_version = ");

        return at ? atoi(at + strlen("PRAGMA user_version = ")) : 0;
}
