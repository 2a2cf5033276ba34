/* A whole pass of the pipeline that blocks, from extraction to the committed checkpoint, beside one
 * raw SQLite transaction that writes the very rows of that pass; and how often it waits for the
 * disk.
 *
 *   build/bench/bench_pass [PASSES [CASE]]     (default 400; one case alone, from 0) */
#include "base/text.h"
#include "bench/raw_twin.h"
#include "bench/syncs.h"
#include "bench/write.h"
#include <pawl/pawl.h>

/* Of the last three there is a row before the pass, which it writes over. */
static const twin_table tables[] = {
        {"events", "seq > ?1"},
        {"blobs", "rowid = (SELECT max(rowid) FROM blobs)"},
        {"checkpoints", "retry_token = (SELECT retry_token FROM steps WHERE run_id = 'run-1' AND "
                        "step_id = ?2)"},
        {"conflicts", "run_id = 'run-1' AND step_id = ?2"},
        {"steps", "run_id = 'run-1' AND step_id = ?2"},
        {"runs", "run_id = 'run-1'"},
        {"projection", "id = 1"},
};

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
        bench_series pass, raw, syncs, one;
};

static void measure(struct figures *f, pawl_log *log, pawl_pipeline *pipeline, raw_twin *twin,
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
                bench_write_ns(); /* both come to memory that a wait has left cold */
                size_t before = bench_syncs();
                double start = bench_now_ns();
                pawl_status status = pawl_pipeline_run(pipeline, ctx);
                bench_add(&f->pass, bench_now_ns() - start);
                bench_add(&f->syncs, (double)(bench_syncs() - before));
                bench_add(&f->one, 1);
                if (status != PAWL_BLOCKED)
                        bench_die(pawl_pipeline_errmsg(pipeline));
                pawl_context_free(ctx);
                raw_twin_take(twin, head, step);
                bench_write_ns();
                bench_add(&f->raw, raw_twin_write_ns(twin));
        }
        pawl__buf_free(&json);
}

static void clear(struct figures *f)
{
        bench_clear(&f->pass);
        bench_clear(&f->raw);
        bench_clear(&f->syncs);
        bench_clear(&f->one);
}

static void report(const char *name, struct figures *f, size_t rows)
{
        char what[64], beside[64];

        snprintf(what, sizeof what, "a pass that blocks, %s", name);
        snprintf(beside, sizeof beside, "raw SQLite, its %zu rows", rows);
        bench_answer(&(bench_question){.what = what, .beside = beside, .target = 1.3}, &f->pass,
                &f->raw);
        bench_answer(&(bench_question){.what = what,
                             .beside = "one wait for the disk",
                             .unit = "syncs",
                             .target = 1},
                &f->syncs, &f->one);
}

int main(int argc, char **argv)
{
        static const struct {
                const char *name;
                size_t words, unknown;
        } cases[] = {{"50 words", 50, 0}, {"500 words", 500, 0},
                {"500 words, 12 new terms", 500, 12}, {"500 words, 62 new terms", 500, 62}};
        size_t passes = bench_count(argc, argv, 400);
        pawl_log_options options = PAWL_LOG_OPTIONS_INIT;
        static struct figures f;
        static raw_twin twin;
        pawl_pipeline *pipeline;
        pawl_log *log;
        pawl_error err;

        bench_folder();
        write_seed("team.yaml");
        options.flags = PAWL_LOG_CREATE;
        if (pawl_log_open(&log, "events.db", &options, &err) ||
                pawl_pipeline_new(&pipeline, log, NULL, &err))
                bench_die(err.message);
        if (pawl_pipeline_seed(pipeline, "team_domain", "team.yaml"))
                bench_die(pawl_pipeline_errmsg(pipeline));
        raw_twin_open(&twin, "events.db", "raw.db", tables, sizeof tables / sizeof tables[0]);
        /* the claim and the seed are no part of a pass */
        measure(&f, log, pipeline, &twin, 20, 20, 1);
        clear(&f);
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
                if (argc > 2 && strtoul(argv[2], NULL, 10) != i)
                        continue;
                measure(&f, log, pipeline, &twin, passes, cases[i].words, cases[i].unknown);
                report(cases[i].name, &f, twin.n);
                clear(&f);
        }
        raw_twin_close(&twin);
        pawl_pipeline_free(pipeline);
        pawl_log_close(log);
        return 0;
}
