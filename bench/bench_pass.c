/* A whole pass of the pipeline that blocks, from extraction to the committed checkpoint, beside one
 * raw SQLite transaction that inserts the same rows and bytes at the same durability (WAL,
 * synchronous=FULL): the very rows of that pass, in turn with it; medians. And how often a pass
 * calls fdatasync, counted in this program in place of the C library's.
 *
 *   build/bench/bench_pass [PASSES [CASE]]     (default 400; one case alone, from 0) */
#include "base/text.h"
#include "bench/measure.h"
#include <pawl/pawl.h>
#include <sqlite3.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

PAWL_EXTERN int fdatasync(int fd);

static size_t syncs;

/* The one that SQLite finds when it is linked with this program. */
int fdatasync(int fd)
{
        syncs++;
        return (int)syscall(SYS_fdatasync, fd);
}

/* ---- The raw side --------------------------------------------------------------------------- */

/* The tables that a pass writes to, and which of their rows are its own: ?1 the last seq before it,
 * ?2 its step. Those of the last two it writes over. */
static const struct {
        const char *name, *rows;
        int columns;
} tables[] = {
        {"events", "SELECT * FROM events WHERE seq > ?1 AND ?2 IS NOT NULL", 12},
        {"blobs",
                "SELECT * FROM blobs WHERE rowid = (SELECT max(rowid) FROM blobs) AND ?1 >= 0 AND "
                "?2 IS NOT NULL",
                2},
        {"steps", "SELECT * FROM steps WHERE ?1 >= 0 AND step_id = ?2", 12},
        {"checkpoints",
                "SELECT * FROM checkpoints WHERE retry_token = (SELECT retry_token FROM steps "
                "WHERE ?1 >= 0 AND step_id = ?2)",
                3},
        {"conflicts", "SELECT * FROM conflicts WHERE ?1 >= 0 AND step_id = ?2", 15},
        {"runs", "SELECT * FROM runs WHERE ?1 >= 0 AND ?2 IS NOT NULL", 14},
        {"projection", "SELECT * FROM projection WHERE ?1 >= 0 AND ?2 IS NOT NULL", 2},
};

enum { TABLES = sizeof tables / sizeof tables[0], EVENT_TABLES = 2, COLUMNS = 15, ROWS = 1024 };

struct row {
        int table;
        sqlite3_value *values[COLUMNS];
};

struct raw {
        sqlite3 *from, *db;
        sqlite3_stmt *select[TABLES], *insert[TABLES], *begin, *commit;
        struct row rows[ROWS];
        size_t n;
};

static void check(int rc, sqlite3 *db)
{
        if (rc != SQLITE_OK && rc != SQLITE_ROW && rc != SQLITE_DONE)
                bench_die(sqlite3_errmsg(db));
}

static void prepare(sqlite3_stmt **out, sqlite3 *db, const char *sql)
{
        check(sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, out, NULL), db);
}

/* A database of the log's tables and indexes, without its triggers. */
static void raw_open(struct raw *raw, const char *log_path, const char *path)
{
        sqlite3_stmt *schema;

        check(sqlite3_open(log_path, &raw->from), raw->from);
        check(sqlite3_open(path, &raw->db), raw->db);
        check(sqlite3_exec(raw->db, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL", NULL,
                      NULL, NULL),
                raw->db);
        prepare(&schema, raw->from,
                "SELECT sql FROM sqlite_master WHERE type IN ('table', 'index') AND sql NOT NULL "
                "ORDER BY type DESC");
        while (sqlite3_step(schema) == SQLITE_ROW)
                check(sqlite3_exec(raw->db, (const char *)sqlite3_column_text(schema, 0), NULL,
                              NULL, NULL),
                        raw->db);
        sqlite3_finalize(schema);
        for (int t = 0; t < TABLES; t++) {
                char sql[128];
                int len = snprintf(
                        sql, sizeof sql, "INSERT OR REPLACE INTO %s VALUES(?", tables[t].name);
                for (int c = 1; c < tables[t].columns; c++)
                        len += snprintf(sql + len, sizeof sql - (size_t)len, ",?");
                snprintf(sql + len, sizeof sql - (size_t)len, ")");
                prepare(&raw->insert[t], raw->db, sql);
                prepare(&raw->select[t], raw->from, tables[t].rows);
        }
        prepare(&raw->begin, raw->db, "BEGIN IMMEDIATE");
        prepare(&raw->commit, raw->db, "COMMIT");
}

static void raw_forget(struct raw *raw)
{
        for (size_t i = 0; i < raw->n; i++)
                for (int c = 0; c < COLUMNS; c++) {
                        sqlite3_value_free(raw->rows[i].values[c]);
                        raw->rows[i].values[c] = NULL;
                }
        raw->n = 0;
}

/* Take up the rows that the pass over this step inserted. */
static void raw_take(struct raw *raw, uint64_t since, const char *step)
{
        raw_forget(raw);
        for (int t = 0; t < TABLES; t++) {
                sqlite3_stmt *select = raw->select[t];
                sqlite3_bind_int64(select, 1, (sqlite3_int64)since);
                sqlite3_bind_text(select, 2, step, -1, SQLITE_STATIC);
                while (sqlite3_step(select) == SQLITE_ROW) {
                        if (raw->n == ROWS)
                                bench_die("too many rows");
                        struct row *row = &raw->rows[raw->n++];
                        row->table = t;
                        for (int c = 0; c < tables[t].columns; c++)
                                row->values[c] = sqlite3_value_dup(sqlite3_column_value(select, c));
                }
                check(sqlite3_reset(select), raw->from);
        }
}

static void run(sqlite3_stmt *stmt, sqlite3 *db)
{
        check(sqlite3_step(stmt), db);
        check(sqlite3_reset(stmt), db);
}

/* Insert them, those of the first tables alone or all, in one durable transaction. */
static double raw_insert_ns(struct raw *raw, int only)
{
        double start = bench_now_ns();

        run(raw->begin, raw->db);
        for (size_t i = 0; i < raw->n; i++) {
                const struct row *row = &raw->rows[i];
                sqlite3_stmt *insert = raw->insert[row->table];
                if (row->table >= only)
                        continue;
                for (int c = 0; c < tables[row->table].columns; c++)
                        check(sqlite3_bind_value(insert, c + 1, row->values[c]), raw->db);
                run(insert, raw->db);
        }
        run(raw->commit, raw->db);
        return bench_now_ns() - start;
}

static void raw_close(struct raw *raw)
{
        raw_forget(raw);
        for (int t = 0; t < TABLES; t++) {
                sqlite3_finalize(raw->insert[t]);
                sqlite3_finalize(raw->select[t]);
        }
        sqlite3_finalize(raw->begin);
        sqlite3_finalize(raw->commit);
        sqlite3_close(raw->db);
        sqlite3_close(raw->from);
}

/* ---- The pipeline's side -------------------------------------------------------------------- */

static const char *const common[] = {"the", "refund", "lands", "in", "and", "payment", "is",
        "checked", "before", "it", "goes", "out", "to", "their", "account", "within", "days"};

/* So many words, some of which are quoted terms that no glossary knows, and one is ambiguous. */
static void inputs(pawl__buf *out, size_t pass, size_t words, size_t unknown)
{
        size_t each = unknown ? words / unknown : words;

        pawl__buf_clear(out);
        if (pawl__buf_addf(out, "{\"pass\":%zu,\"description\":\"the workspace", pass))
                bench_die("out of memory");
        for (size_t i = 0; i < words - 2; i++) {
                bool term = i % each == each / 2 && i / each < unknown;
                int failed = term ? pawl__buf_addf(out, " \\\"term%c%c\\\"", (int)('a' + i % 26),
                                            (int)('a' + i / 26 % 26))
                                  : pawl__buf_addf(out, " %s",
                                            common[i * 7 % (sizeof common / sizeof *common)]);
                if (failed)
                        bench_die("out of memory");
        }
        if (pawl__buf_adds(out, ".\"}"))
                bench_die("out of memory");
}

static void write_seed(const char *path)
{
        FILE *seed = fopen(path, "w");

        if (!seed)
                bench_die("cannot write the seed");
        fputs("terms:\n  - {surface: workspace, definition: The folder of one customer's files}\n"
              "  - {surface: workspace, definition: A virtual desktop}\n",
                seed);
        for (int i = 0; i < 100; i++)
                fprintf(seed, "  - {surface: sense %d, definition: The sense number %d}\n", i, i);
        if (fclose(seed))
                bench_die("cannot write the seed");
}

static uint64_t head_of(pawl_log *log)
{
        unsigned char hash[32];
        uint64_t seq;

        if (pawl_log_head(&seq, hash, log))
                bench_die(pawl_log_errmsg(log));
        return seq;
}

struct figures {
        bench_series pass, all_rows, event_rows;
        size_t once, rows; /* passes with one fdatasync; rows of the last pass */
};

static void measure(struct figures *f, pawl_log *log, pawl_pipeline *pipeline, struct raw raw[2],
        size_t passes, size_t words, size_t unknown)
{
        pawl__buf json = PAWL__BUF_INIT;
        pawl_error err;

        for (size_t i = 0; i < passes; i++) {
                pawl_context *ctx;
                char step[64];
                snprintf(step, sizeof step, "step-%zu-%zu-%zu", words, unknown, i);
                inputs(&json, i, words, unknown);
                if (pawl_context_new(&ctx, "bench", "run-1", step, &err))
                        bench_die(err.message);
                if (pawl_context_set_inputs(ctx, json.data, json.len))
                        bench_die(pawl_context_errmsg(ctx));
                pawl_context_set_critical(ctx, true);
                uint64_t head = head_of(log);
                size_t before = syncs;
                double start = bench_now_ns();
                pawl_status status = pawl_pipeline_run(pipeline, ctx);
                bench_add(&f->pass, bench_now_ns() - start);
                f->once += syncs - before == 1;
                if (status != PAWL_BLOCKED)
                        bench_die(pawl_pipeline_errmsg(pipeline));
                pawl_context_free(ctx);
                raw_take(&raw[0], head, step);
                bench_add(&f->all_rows, raw_insert_ns(&raw[0], TABLES));
                raw_take(&raw[1], head, step);
                bench_add(&f->event_rows, raw_insert_ns(&raw[1], EVENT_TABLES));
        }
        f->rows = raw[0].n;
        pawl__buf_free(&json);
}

static void report(const char *name, struct figures *f)
{
        char row[64];

        snprintf(row, sizeof row, "%s: raw, events and blob", name);
        bench_row(row, &f->event_rows, NULL);
        snprintf(row, sizeof row, "%s: raw, all %zu rows", name, f->rows);
        bench_row(row, &f->all_rows, NULL);
        snprintf(row, sizeof row, "%s: a pass that blocks", name);
        size_t n = f->pass.n;
        bench_row(row, &f->pass, &f->all_rows);
        printf("%zu of %zu passes called fdatasync once (the others also recycled the WAL)\n",
                f->once, n);
}

int main(int argc, char **argv)
{
        static const struct {
                const char *name;
                size_t words, unknown;
        } cases[] = {{"50 words", 50, 0}, {"500 words", 500, 0},
                {"500 words, 12 new terms", 500, 12}, {"500 words, 62 new terms", 500, 62}};
        size_t passes = bench_count(argc, argv, 400);
        const char *tmp = getenv("TMPDIR");
        char folder[4096];
        pawl_log_options options = PAWL_LOG_OPTIONS_INIT;
        static struct raw raw[2];
        pawl_pipeline *pipeline;
        pawl_log *log;
        pawl_error err;

        snprintf(folder, sizeof folder, "%s/pawl-bench-XXXXXX", tmp ? tmp : "/tmp");
        if (!mkdtemp(folder) || chdir(folder))
                bench_die("cannot make a folder");
        write_seed("team.yaml");
        options.flags = PAWL_LOG_CREATE;
        if (pawl_log_open(&log, "events.db", &options, &err) ||
                pawl_pipeline_new(&pipeline, log, NULL, &err))
                bench_die(err.message);
        if (pawl_pipeline_seed(pipeline, "team_domain", "team.yaml"))
                bench_die(pawl_pipeline_errmsg(pipeline));
        raw_open(&raw[0], "events.db", "raw-all.db");
        raw_open(&raw[1], "events.db", "raw-events.db");
        struct figures warm = {{0}, {0}, {0}, 0, 0};
        /* the claim and the seed are no part of a pass */
        measure(&warm, log, pipeline, raw, 20, 20, 1);
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
                struct figures f = {{0}, {0}, {0}, 0, 0};
                if (argc > 2 && strtoul(argv[2], NULL, 10) != i)
                        continue;
                measure(&f, log, pipeline, raw, passes, cases[i].words, cases[i].unknown);
                report(cases[i].name, &f);
        }
        raw_close(&raw[0]);
        raw_close(&raw[1]);
        pawl_pipeline_free(pipeline);
        pawl_log_close(log);
        return 0;
}
