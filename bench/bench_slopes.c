/* How each command grows: its CPU time, as a process, in three directories. Each has ten times as
 * much as the one before of everything: runs, steps, checkpoints of the workspace, senses,
 * conflicts, sessions, files and events, of which there are a hundred for each of the others.
 *
 *   build/bench/bench_slopes [N]     (default 10: of 10, 100 and 1,000) */
#include "bench/filled_log.h"
#include "bench/spawn.h"
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SIZES = 3, ROUNDS = 3, WORDS_MAX = 8, EVENTS = 100 };

/* What a command may cost at ten times the size, which is asked at the larger ones: little more
 * where it reads one thing, ten times as much where it reads all of them. */
enum { ONE = 2, ALL = 13 };

/* A command line, words separated by spaces. One that changes something runs once. */
typedef struct line {
        const char *program, *words;
        double most;
        bool changes;
        int code;
} line;

#define PAWL(words, most)                                                                          \
        {                                                                                          \
                "pawl", words, most, false, 0                                                      \
        }
#define EVENTLOG(words, most)                                                                      \
        {                                                                                          \
                "eventlog", words, most, false, 0                                                  \
        }
#define CHANGES(words, most)                                                                       \
        {                                                                                          \
                "pawl", words, most, true, 0                                                       \
        }
#define EXITS(words, most, code)                                                                   \
        {                                                                                          \
                "pawl", words, most, true, code                                                    \
        }

static const line lines[] = {
        /* what looks */
        PAWL("status", ONE),
        PAWL("plan resume ask", ONE),
        PAWL("check big.yaml", ALL),
        PAWL("compare big big", ALL),
        PAWL("conflicts", ALL),
        PAWL("glossary list", ALL),
        PAWL("glossary propose words.md", ALL),
        PAWL("glossary log Term1x", ONE),
        PAWL("runs", ONE),
        PAWL("runs --id big", ALL),
        PAWL("output big step-1", ONE),
        PAWL("logs big step-1", ONE),
        PAWL("sessions", ALL),
        PAWL("handoff", ALL),
        PAWL("hooks status", ONE),
        PAWL("workers", ONE),
        PAWL("checkpoints", ALL),
        PAWL("show 1", ONE),
        PAWL("diff 1 2", ONE),
        PAWL("diff", ALL),
        PAWL("rollback 1 --plan", ALL),
        PAWL("rollbacks", ONE),
        PAWL("restore list", ONE),
        PAWL("du", ALL),
        PAWL("validate 2", ALL),
        PAWL("terms words.md", ALL),
        PAWL("hash inputs.json", ALL),
        PAWL("help", ONE),
        EVENTLOG("replay", ALL),
        EVENTLOG("replay --json", ALL),
        EVENTLOG("replay --check", ALL),
        EVENTLOG("replay --run first", ONE),
        EVENTLOG("list", ALL),
        EVENTLOG("list -n 20", ONE),
        EVENTLOG("tail", ONE),
        EVENTLOG("show 1", ONE),
        EVENTLOG("verify --chain", ALL),
        EVENTLOG("head", ONE),
        EVENTLOG("stats", ALL),
        EVENTLOG("export", ALL),
        EVENTLOG("export --run first", ONE),
        EVENTLOG("trace big", ALL),
        EVENTLOG("prove 1", ALL),
        EVENTLOG("tiles tiles", ALL),
        EXITS("glossary lint", ALL, 1),
        EXITS("glossary lint team.yaml", ALL, 1),
        /* what changes something, in this order */
        CHANGES("glossary edit Term1x --define Edited.", ONE),
        CHANGES("glossary deprecate Term2x", ONE),
        CHANGES("glossary ignore Term3x", ONE),
        CHANGES("glossary import more.yaml --scope core", ALL),
        CHANGES("session start --mission new", ONE),
        CHANGES("session update --mission new --step a", ONE),
        CHANGES("session checkpoint --mission new", ONE),
        CHANGES("session end --mission new --status interrupted", ONE),
        CHANGES("task done one --mission new", ONE),
        CHANGES("checkpoint", ALL),
        CHANGES("pin 1", ONE),
        CHANGES("tool checkpoint --calls calls.json", ALL),
        CHANGES("run one.yaml --fresh --no-input --run last", ONE),
        CHANGES("fork big --from step-1 --yes", ALL),
        CHANGES("submit one.yaml --run queued", ONE),
        CHANGES("cancel queued", ONE),
        CHANGES("resolve --run ask --all --dismiss", ALL),
        CHANGES("resume ask", ALL),
        CHANGES("export 2 -o one.tar.zst", ALL),
        CHANGES("import one.tar.zst", ALL),
        CHANGES("rollback 1 --yes", ALL),
        CHANGES("undo --yes", ALL),
        CHANGES("redo --yes", ALL),
        CHANGES("rebuild 2", ALL),
        CHANGES("backup copy.db", ALL),
        CHANGES("copy .pawl/events.db copied.db", ALL),
        CHANGES("prune sessions --keep 2", ALL),
        CHANGES("prune checkpoints --keep 2 --yes", ALL),
        CHANGES("init --rebuild", ALL),
};

enum { LINES = sizeof lines / sizeof lines[0] };

static const char *const directories[SIZES] = {"small", "middle", "large"};

/* ---- The scene ------------------------------------------------------------------------------- */

static FILE *create(const char *name)
{
        FILE *file = fopen(name, "w");

        if (!file)
                bench_die("cannot write a file");
        return file;
}

static void finish(FILE *file)
{
        if (fclose(file))
                bench_die("cannot write a file");
}

static double run(const line *l)
{
        char words[200], *argv[WORDS_MAX * 2] = {(char *)(uintptr_t)bench_tool(l->program)};
        int n = 1;

        snprintf(words, sizeof words, "%s", l->words);
        for (char *at, *word = strtok_r(words, " ", &at); word; word = strtok_r(NULL, " ", &at))
                argv[n++] = word;
        return bench_spawn_cpu(argv, l->code);
}

/* The @ of the words is @p i. */
static void must(const char *words, size_t i, int code)
{
        const int head = (int)strcspn(words, "@");
        char with[200];

        snprintf(with, sizeof with, "%.*s", head, words);
        if (words[head])
                snprintf(with, sizeof with, "%.*s%zu%s", head, words, i, words + head + 1);
        run(&(line){"pawl", with, 0, false, code});
}

/* "Term12x": a word that is a term, whose number is no spelling of another's. */
static void write_terms(const char *name, const char *term, size_t n)
{
        FILE *file = create(name);

        fputs("terms:\n", file);
        for (size_t i = 0; i < n; i++)
                fprintf(file, "  - { surface: %s%zux, definition: \"Sense %zu of %s.\" }\n", term,
                        i, i, term);
        finish(file);
}

static void write_missions(size_t n)
{
        FILE *file = create("one.yaml");

        fputs("mission: one\nworkspace: { checkpoint: manual }\n"
              "steps:\n  - { id: only, run: [/bin/true] }\n",
                file);
        finish(file);
        file = create("big.yaml");
        fputs("mission: big\nworkspace: { checkpoint: manual }\n"
              "glossary: { team_domain: team.yaml }\nsteps:\n",
                file);
        for (size_t i = 1; i <= n; i++)
                fprintf(file,
                        "  - { id: step-%zu, run: [echo, done], inputs: { description: The "
                        "Term%zux. } }\n",
                        i, i - 1);
        finish(file);
        file = create("ask.yaml");
        fputs("mission: ask\nstrictness: max\nworkspace: { checkpoint: manual }\nsteps:\n"
              "  - { id: only, run: [/bin/true], inputs: { description: '",
                file);
        for (size_t i = 0; i < n; i++)
                fprintf(file, "\"word%zuof\" ", i);
        fputs("' } }\n", file);
        finish(file);
}

static void write_documents(size_t n)
{
        FILE *file = create("words.md");

        for (size_t i = 0; i < n; i++)
                fprintf(file, "The **Gate%zux**: what opens Term%zux.\n\n", i, i);
        finish(file);
        file = create("inputs.json");
        for (size_t i = 0; i < n; i++)
                fprintf(file, "%s\"member %zu\":%zu", i ? "," : "{", i, i);
        fputs("}\n", file);
        finish(file);
        file = create("calls.json");
        fputs("[{\"callId\":\"c1\",\"name\":\"replace\",\"args\":{\"file_path\":\"files/0.txt\"}}]\n",
                file);
        finish(file);
}

static void write_files(size_t n, size_t version)
{
        char name[64];

        for (size_t i = 0; i < n; i++) {
                snprintf(name, sizeof name, "files/%zu.txt", i);
                FILE *file = create(name);
                fprintf(file, "file %zu, version %zu\n", i, version);
                finish(file);
        }
}

static void make_scene(const char *directory, size_t n)
{
        static filled_log filled;

        if (mkdir(directory, 0777) || chdir(directory) || mkdir("files", 0777) ||
                mkdir(".pawl", 0700))
                bench_die("cannot make a directory");
        write_terms("team.yaml", "Term", n + 3); /* three are edited */
        write_terms("more.yaml", "More", n);
        write_missions(n);
        write_documents(n);
        write_files(n, 0);
        filled_open(&filled, ".pawl/events.db", n * EVENTS, FILLED_TERMS);
        pawl_log_close(filled.log);
        must("run one.yaml --no-input --fresh --run first", 0, 0);
        must("checkpoint", 0, 0);
        for (size_t i = 1; i <= n; i++) {
                must("run one.yaml --no-input --fresh --run one-@", i, 0);
                must("session start --mission m-@", i, 0);
                must("session end --mission m-@ --status completed", i, 0);
                write_files(1, i);
                must("checkpoint", 0, 0);
        }
        write_files(n, n + 1);
        must("run big.yaml --no-input --run big", 0, 0);
        must("run ask.yaml --no-input --run ask", 0, 3);
        if (chdir(".."))
                bench_die("cannot leave a directory");
}

/* ---- The figures ----------------------------------------------------------------------------- */

static void measure(double ns[SIZES], const line *l)
{
        for (int size = 0; size < SIZES; size++) {
                if (chdir(directories[size]))
                        bench_die("cannot enter a directory");
                ns[size] = run(l);
                for (int i = 1; i < ROUNDS && !l->changes; i++) {
                        const double again = run(l);
                        ns[size] = again < ns[size] ? again : ns[size];
                }
                if (chdir(".."))
                        bench_die("cannot leave a directory");
        }
}

/* The larger size of two beside the smaller one. */
static void answer(const line *l, const double ns[SIZES], size_t n, int larger)
{
        bench_series figure = {NULL, 0, 0}, yardstick = {NULL, 0, 0};
        char what[200], beside[40];

        for (int i = 1; i < larger; i++)
                n *= 10;
        snprintf(what, sizeof what, "%s %s, %zu of everything", l->program, l->words, n * 10);
        snprintf(beside, sizeof beside, "%zu", n);
        bench_add(&figure, ns[larger]);
        bench_add(&yardstick, ns[larger - 1]);
        bench_answer(&(bench_question){.what = what, .beside = beside, .target = l->most}, &figure,
                &yardstick);
        bench_clear(&figure);
        bench_clear(&yardstick);
}

int main(int argc, char **argv)
{
        const size_t n = bench_count(argc, argv, 10);
        double ns[SIZES];

        bench_folder();
        for (size_t i = 0, size = n; i < SIZES; i++, size *= 10)
                make_scene(directories[i], size);
        for (size_t i = 0; i < LINES; i++) {
                measure(ns, &lines[i]);
                for (int larger = 1; larger < SIZES; larger++)
                        answer(&lines[i], ns, n, larger);
        }
        return 0;
}
