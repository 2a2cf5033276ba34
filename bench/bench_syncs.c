/* How often a step that passes waits for the disk: before its command, which is a gap between
 * pawl_pipeline_run() and pawl_pipeline_complete(), and after it; and each further step of a
 * mission, whose last event waits for the commit of the next.
 *
 *   build/bench/bench_syncs [STEPS]     (default 500) */
#include "base/text.h"
#include "bench/measure.h"
#include "bench/syncs.h"
#include <pawl/pawl.h>
#include <string.h>

enum { MISSIONS = 11, MISSION_STEPS = 20 };

static pawl_error err;

/* Checkpoints of the workspace are a question of their own; here they would be of the files of this
 * program. */
static const char settings[] = "workspace: { checkpoint: manual }\nsteps:\n";

static void write_files(void)
{
        FILE *seed = fopen("team.yaml", "w"), *one = fopen("one.yaml", "w"),
             *many = fopen("many.yaml", "w");

        if (!seed || !one || !many)
                bench_die("cannot write the missions");
        fputs("terms:\n  - {surface: workspace, definition: The folder of a customer}\n", seed);
        fprintf(one, "mission: one\n%s", settings);
        fprintf(many, "mission: many\n%s", settings);
        for (int i = 0; i <= MISSION_STEPS; i++)
                fprintf(i ? many : one,
                        "  - id: step-%d\n    inputs: the refund lands in the workspace\n"
                        "    run: [/bin/true]\n",
                        i);
        if (fclose(seed) || fclose(one) || fclose(many))
                bench_die("cannot write the missions");
}

static void measure_step(pawl_pipeline *pipeline, size_t i, bench_series *before,
        bench_series *after, bench_series *one)
{
        static const char output[] = "\"the refund landed in the workspace\"";
        char step[32], inputs[96];
        pawl_context *ctx;

        snprintf(step, sizeof step, "step-%zu", i);
        int len = snprintf(inputs, sizeof inputs,
                "{\"description\":\"the refund lands in the workspace\",\"step\":%zu}", i);
        if (pawl_context_new(&ctx, "bench", "run-1", step, &err) ||
                pawl_context_set_inputs(ctx, inputs, (size_t)len))
                bench_die("cannot make a context");
        size_t start = bench_syncs();
        if (pawl_pipeline_run(pipeline, ctx))
                bench_die(pawl_pipeline_errmsg(pipeline));
        size_t command = bench_syncs();
        if (pawl_pipeline_complete(pipeline, ctx, output, sizeof output - 1))
                bench_die(pawl_pipeline_errmsg(pipeline));
        if (i > 0) { /* the first claims the run and activates the seed */
                bench_add(before, (double)(command - start));
                bench_add(after, (double)(bench_syncs() - command));
                bench_add(one, 1);
        }
        pawl_context_free(ctx);
}

static size_t syncs_of(pawl_log *log, const char *path)
{
        pawl_run_options options = PAWL_RUN_OPTIONS_INIT;
        pawl_run_result *result;
        pawl_mission *mission;
        size_t before = bench_syncs();

        if (pawl_mission_load(&mission, path, &err) ||
                pawl_mission_run(&result, mission, log, &options, &err))
                bench_die(err.message);
        pawl_run_result_free(result);
        pawl_mission_free(mission);
        return bench_syncs() - before;
}

static void answer(const char *what, const char *beside, double target, bench_series *figure,
        bench_series *yardstick)
{
        bench_answer(
                &(bench_question){
                        .what = what, .beside = beside, .unit = "syncs", .target = target},
                figure, yardstick);
        bench_clear(figure);
}

int main(int argc, char **argv)
{
        bench_series before = {NULL, 0, 0}, after = {NULL, 0, 0}, one = {NULL, 0, 0};
        size_t steps = bench_count(argc, argv, 500);
        pawl_log_options options = PAWL_LOG_OPTIONS_INIT;
        pawl_pipeline *pipeline;
        pawl_log *log;

        bench_folder();
        write_files();
        options.flags = PAWL_LOG_CREATE;
        if (pawl_log_open(&log, "events.db", &options, &err) ||
                pawl_pipeline_new(&pipeline, log, NULL, &err))
                bench_die(err.message);
        if (pawl_pipeline_seed(pipeline, "team_domain", "team.yaml"))
                bench_die(pawl_pipeline_errmsg(pipeline));
        for (size_t i = 0; i <= steps; i++)
                measure_step(pipeline, i, &before, &after, &one);
        answer("a step that passes, before its command", "one", 1, &before, &one);
        answer("a step that passes, after its command", "one", 1, &after, &one);
        pawl_pipeline_free(pipeline);

        bench_clear(&one);
        for (int i = 0; i < MISSIONS; i++) {
                size_t alone = syncs_of(log, "one.yaml");
                bench_add(&before,
                        ((double)syncs_of(log, "many.yaml") - (double)alone) / (MISSION_STEPS - 1));
                bench_add(&one, 2);
        }
        answer("a further step of a mission", "two", 1, &before, &one);
        bench_clear(&one);
        pawl_log_close(log);
        return 0;
}
