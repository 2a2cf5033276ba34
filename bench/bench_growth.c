/* Costs that must not grow faster than what is asked for, each at two sizes: bytes of the log of a
 * run of many steps, an event's worth a step, with checkpoints of the workspace and without them;
 * the time of the two; what one edited sense of a seed appends, however large the seed; and the
 * time that it takes to say what each step of a run was told, once the glossary has changed; the
 * time to answer all conflicts of a run, and to read an old run of a large log; and the memory of a
 * check of the state tables. Whole processes.
 *
 *   build/bench/bench_growth [STEPS]     (default 1000; and four times as many; needs
 * build/bin/pawl beside it) */
#include "bench/filled_log.h"
#include "bench/spawn.h"
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { GROWTH = 4 };

static double log_bytes(void)
{
        struct stat st;

        if (stat(".pawl/events.db", &st))
                bench_die("the run left no log");
        return (double)st.st_size;
}

static void start_anew(void)
{
        char *rm[] = {"rm", "-rf", ".pawl", NULL};

        bench_spawn_ns(rm);
}

static FILE *create(const char *name)
{
        FILE *file = fopen(name, "w");

        if (!file)
                bench_die("cannot write the mission");
        return file;
}

static void finish(FILE *file)
{
        if (fclose(file))
                bench_die("cannot write the mission");
}

/* A run of that many steps: nanoseconds, and bytes of its log. */
static double run_steps(double *bytes, char *pawl, size_t steps, const char *checkpoints)
{
        char *run[] = {pawl, "run", "--no-input", "mission.yaml", NULL};
        FILE *mission = create("mission.yaml");

        fprintf(mission, "mission: bench\nworkspace: { checkpoint: %s }\nsteps:\n", checkpoints);
        for (size_t i = 0; i < steps; i++)
                fprintf(mission, "  - { id: step-%zu, run: [/bin/true] }\n", i);
        finish(mission);
        start_anew();
        const double ns = bench_spawn_ns(run);
        *bytes = log_bytes();
        return ns;
}

static void answer(const char *what, const char *beside, const char *unit, double figure,
        double yardstick, double target)
{
        bench_series a = {NULL, 0, 0}, b = {NULL, 0, 0};

        bench_add(&a, figure);
        bench_add(&b, yardstick);
        bench_answer(
                &(bench_question){.what = what, .beside = beside, .unit = unit, .target = target},
                &a, &b);
        bench_clear(&a);
        bench_clear(&b);
}

static void write_seed(size_t senses, size_t edited)
{
        FILE *seed = create("team.yaml");

        fputs("terms:\n", seed);
        for (size_t i = 0; i < senses; i++)
                fprintf(seed, "  - { surface: term number %zu, definition: \"Sense %zu%s.\" }\n", i,
                        i, i == edited ? ", edited" : "");
        finish(seed);
}

/* Bytes that a run appends whose seed has one edited sense. */
static double edit_seed(char *pawl, size_t senses)
{
        char *run[] = {pawl, "run", "--no-input", "mission.yaml", "--fresh", NULL};
        FILE *mission = create("mission.yaml");

        fputs("mission: bench\nworkspace: { checkpoint: manual }\nglossary: { team_domain: team.yaml }\n"
              "steps:\n  - { id: only, run: [/bin/true] }\n",
                mission);
        finish(mission);
        start_anew();
        write_seed(senses, senses);
        bench_spawn_ns(run);
        const double before = log_bytes();
        for (size_t i = 0; i < 8; i++) { /* pages are taken by fours of kB */
                write_seed(senses, i);
                bench_spawn_ns(run);
        }
        return (log_bytes() - before) / 8;
}

/* Nanoseconds to show a run of that many steps, each with a term of its own, and as many senses,
 * one of which was edited after the run. */
static double show_steps(char *pawl, size_t steps)
{
        char *run[] = {pawl, "run", "--no-input", "mission.yaml", "--run", "shown", NULL};
        char *edit[] = {pawl, "glossary", "edit", "term number 0", "--define", "Edited.", NULL};
        char *show[] = {pawl, "runs", "--id", "shown", "--json", NULL};
        FILE *mission = create("mission.yaml");

        fputs("mission: bench\nworkspace: { checkpoint: manual }\nglossary: { team_domain: team.yaml }\n"
              "steps:\n",
                mission);
        for (size_t i = 0; i < steps; i++)
                fprintf(mission,
                        "  - { id: step-%zu, inputs: { description: Term number %zu. }, run: "
                        "[/bin/true] }\n",
                        i, i);
        finish(mission);
        start_anew();
        write_seed(steps, steps);
        bench_spawn_ns(run);
        bench_spawn_ns(edit);
        return bench_spawn_ns(show);
}

/* Nanoseconds to answer all conflicts of a run whose one step has so many. */
static double answer_all(char *pawl, size_t conflicts)
{
        char *run[] = {pawl, "run", "--no-input", "mission.yaml", "--run", "asked", NULL};
        char *resolve[] = {pawl, "resolve", "--run", "asked", "--all", "--dismiss", NULL};
        FILE *mission = create("mission.yaml");

        fputs("mission: bench\nstrictness: max\nworkspace: { checkpoint: manual }\nsteps:\n"
              "  - { id: only, run: [/bin/true], inputs: { description: '",
                mission);
        for (size_t i = 0; i < conflicts; i++)
                fprintf(mission, "\"word%zuof\" ", i);
        fputs("' } }\n", mission);
        finish(mission);
        start_anew();
        bench_spawn_code(run, 3);
        return bench_spawn_ns(resolve);
}

/* A log of so many events, with a run before them. */
static void begin_large(char *pawl, size_t events)
{
        char *run[] = {pawl, "run", "--no-input", "mission.yaml", "--run", "old", NULL};
        FILE *mission = create("mission.yaml");
        static filled_log filled;

        fputs("mission: bench\nworkspace: { checkpoint: manual }\nsteps:\n"
              "  - { id: only, run: [/bin/true] }\n",
                mission);
        finish(mission);
        start_anew();
        bench_spawn_ns(run);
        filled_open(&filled, ".pawl/events.db", events, FILLED_TERMS);
        pawl_log_close(filled.log);
}

/* What reads an old run, in nanoseconds together; and the most memory that a check of the state
 * tables takes, and a replay of everything. */
static double read_old(double bytes[2], char *pawl, char *eventlog, size_t events)
{
        char *const commands[][7] = {{pawl, "runs", "--id", "old", "--json", NULL},
                {pawl, "compare", "old", "old", NULL}, {eventlog, "list", "--run", "old", NULL},
                {eventlog, "export", "--run", "old", NULL}, {eventlog, "trace", "old", NULL},
                {eventlog, "replay", "--run", "old", "--json", NULL}};
        char *check[] = {eventlog, "replay", "--check", "--run", "old", NULL};
        char *replay[] = {eventlog, "replay", "--json", NULL};
        double ns = 0;

        begin_large(pawl, events);
        for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
                ns += bench_spawn_ns((char **)(uintptr_t)commands[i]);
        bytes[0] = bench_spawn_bytes(check);
        bytes[1] = bench_spawn_bytes(replay);
        return ns;
}

int main(int argc, char **argv)
{
        const size_t few = bench_count(argc, argv, 1000), many = few * GROWTH;
        char *pawl = (char *)(uintptr_t)bench_tool("pawl");
        char *eventlog = (char *)(uintptr_t)bench_tool("eventlog");
        double bytes[2][2], ns[2][2];

        bench_folder();
        for (int i = 0; i < 2; i++) {
                ns[i][0] = run_steps(&bytes[i][0], pawl, i ? many : few, "manual");
                ns[i][1] = run_steps(&bytes[i][1], pawl, i ? many : few, "each_step");
        }
        answer("a run of 4,000 steps, with checkpoints", "four runs of 1,000", NULL, ns[1][1],
                (double)GROWTH * ns[0][1], 1.3);
        answer("a run of 4,000 steps, with checkpoints", "without them", NULL, ns[1][1], ns[1][0],
                1.3);
        answer("log of a run of 4,000 steps", "four of 1,000 steps", "bytes", bytes[1][1],
                (double)GROWTH * bytes[0][1], 1.1);
        answer("log of a run of 4,000 steps", "without its checkpoints", "bytes", bytes[1][1],
                bytes[1][0], 1.3);
        const double small = edit_seed(pawl, 5000), large = edit_seed(pawl, 50000);
        answer("one edited sense of 50,000, on disk", "of 5,000", "bytes", large, small, 2);
        answer("a run of 4,000 steps shown, with 4,000 senses", "four of 1,000", NULL,
                show_steps(pawl, many), (double)GROWTH * show_steps(pawl, few), 1.5);
        answer("20,000 conflicts of a run answered", "four of 5,000", NULL,
                answer_all(pawl, 5 * many), (double)GROWTH * answer_all(pawl, 5 * few), 1.3);
        double memory[2][2];
        const double old_few = read_old(memory[0], pawl, eventlog, 200 * few);
        const double old_many = read_old(memory[1], pawl, eventlog, 200 * many);
        answer("an old run read, in a log of 800,000 events", "of 200,000", NULL, old_many, old_few,
                1.3);
        answer("memory of a check of 800,000 events", "of 200,000", "bytes", memory[1][0],
                memory[0][0], 2);
        answer("memory of a replay of 800,000 events", "of 200,000", "bytes", memory[1][1],
                memory[0][1], 1.5);
        return 0;
}
