/* A glossary of 100,000 senses out of the log's tables, ready to be looked up, beside a SELECT of
 * the same rows in no order.
 *
 *   build/bench/bench_senses [SENSES]     (default 100000) */
#include "bench/measure.h"
#include "bench/raw_twin.h"
#include "glossary/glossary.h"
#include "glossary/seed.h"

enum { ROUNDS = 15 };

static const char version[] = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
static pawl_error err;

/* A version of a seed, as a run's claim activates it. */
static void fill(pawl_log *log, pawl__state *state, size_t n)
{
        pawl__seed seed = {.scope = PAWL__TEAM_DOMAIN, .n = n};
        pawl__batch batch = PAWL__BATCH_INIT;
        pawl_event like = {.time_us = 1795178100000000, .actor = pawl__text("user:ana")};

        memcpy(seed.version_id, version, sizeof version);
        seed.senses = calloc(n, sizeof *seed.senses);
        if (!seed.senses)
                bench_die("out of memory");
        for (size_t i = 0; i < n; i++) {
                char surface[48], definition[64];
                bool ok = true;
                snprintf(surface, sizeof surface, "Ledger entry %zu", i);
                snprintf(definition, sizeof definition, "what the ledger says of account %zu", i);
                seed.senses[i] = (pawl__sense){.confidence = 0.9,
                        .scope = PAWL__TEAM_DOMAIN,
                        .surface = pawl__arena_text(&seed.arena, pawl__text(surface), &ok),
                        .definition = pawl__arena_text(&seed.arena, pawl__text(definition), &ok)};
                if (!ok)
                        bench_die("out of memory");
        }
        if (pawl__seed_activate(&batch, &seed, state, &like, &err) ||
                pawl__log_commit(log, &batch, 0, NULL))
                bench_die(err.message[0] ? err.message : pawl_log_errmsg(log));
        pawl__batch_free(&batch);
        pawl__arena_free(&seed.arena);
        free(seed.senses);
}

static double load_ns(pawl__state *state, size_t n)
{
        const pawl__scope_ref refs[] = {{pawl__text("team_domain"), pawl__text(version)}};
        pawl__glossary *glossary;
        double start = bench_now_ns();

        if (pawl__glossary_new(&glossary, &err) ||
                pawl__glossary_load(glossary, state, pawl__text("bench"), refs, 1, &err))
                bench_die(err.message);
        double ns = bench_now_ns() - start;
        if (pawl__glossary_count(glossary) != n)
                bench_die("senses are missing");
        pawl__glossary_free(glossary);
        return ns;
}

/* Every column of every row is looked at. */
static double select_ns(sqlite3_stmt *stmt, size_t n)
{
        double start = bench_now_ns();
        size_t rows = 0, seen = 0;

        while (sqlite3_step(stmt) == SQLITE_ROW) {
                for (int c = 0; c < sqlite3_column_count(stmt); c++)
                        seen += sqlite3_column_blob(stmt, c) != NULL;
                rows++;
        }
        sqlite3_reset(stmt);
        if (rows != n || seen < n)
                bench_die("rows are missing");
        return bench_now_ns() - start;
}

int main(int argc, char **argv)
{
        size_t n = bench_count(argc, argv, 100000);
        pawl_log_options options = PAWL_LOG_OPTIONS_INIT;
        bench_series load = {NULL, 0, 0}, select = {NULL, 0, 0};
        sqlite3_stmt *stmt;
        pawl__state *state;
        pawl_log *log;

        bench_folder();
        options.flags = PAWL_LOG_CREATE;
        if (pawl_log_open(&log, "events.db", &options, &err) || pawl__state_of(&state, log, &err))
                bench_die(err.message);
        fill(log, state, n);
        sqlite3 *raw = raw_open("events.db");
        if (sqlite3_prepare_v2(raw,
                    "SELECT * FROM senses WHERE mission_id = '' AND scope = 'team_domain' AND "
                    "version_id = ?1",
                    -1, &stmt, NULL) != SQLITE_OK)
                bench_die(sqlite3_errmsg(raw));
        sqlite3_bind_text(stmt, 1, version, -1, SQLITE_STATIC);
        for (int i = 0; i < ROUNDS; i++) {
                bench_add(&select, select_ns(stmt, n));
                bench_add(&load, load_ns(state, n));
        }
        bench_answer(&(bench_question){.what = "loading 100,000 senses from the log, a sense",
                             .beside = "SELECT * of the same rows",
                             .target = 3,
                             .per = (double)n},
                &load, &select);
        sqlite3_finalize(stmt);
        sqlite3_close(raw);
        pawl_log_close(log);
        return 0;
}
