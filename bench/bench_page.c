/* How quick the page is with much in the log: 1,000,000 events, and a run of 2,000 steps with a
 * checkpoint of the files after each. Each place and each filter in Chromium, from the wish to what
 * is painted, beside the bare answers that it asked for: the same requests, one after the other,
 * without a browser.
 *
 *   build/bench/bench_page [EVENTS [ROUNDS [STEPS]]]   (default 1000000, 7, 2000; needs Chromium
 * and node, and what `scripts/deps test` fetches) */
#include "bench/filled_log.h"
#include "bench/spawn.h"
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { EVENTS = 1000000, ROUNDS = 7, STEPS = 2000 };

static const char *argument(int argc, char **argv, int at, const char *otherwise)
{
        return argc > at ? argv[at] : otherwise;
}

static void run_steps(size_t n)
{
        FILE *file = fopen("mission.yaml", "w");

        if (!file)
                bench_die("cannot write a mission");
        fputs("mission: long\nsteps:\n", file);
        for (size_t i = 0; i < n; i++)
                fprintf(file, "  - {id: step-%zu, run: [sh, -c, 'echo %zu >file']}\n", i, i);
        if (fclose(file))
                bench_die("cannot write a mission");
        (void)bench_spawn_ns((char *[]){(char *)(uintptr_t)bench_tool("pawl"), "run",
                "mission.yaml", "--run", "long", "--no-input", NULL});
}

/* Its lines: what, the page's nanoseconds and those of the bare answers, with tabs between them. */
static void read_rows(FILE *node)
{
        bench_series page = {NULL, 0, 0}, bare = {NULL, 0, 0};
        char line[512], what[256] = "";

        for (bool more = true; more;) {
                more = fgets(line, sizeof line, node) != NULL;
                const size_t len = more ? strcspn(line, "\t") : 0;
                char *at = line + len;
                if (*what && (!more || strlen(what) != len || strncmp(what, line, len) != 0)) {
                        bench_answer(&(bench_question){.what = what, .beside = "its bare answers"},
                                &page, &bare);
                        bench_clear(&page);
                        bench_clear(&bare);
                }
                if (!more)
                        break;
                if (*at != '\t') { /* how long all of it took */
                        bench_note("%s", line);
                        what[0] = '\0';
                        continue;
                }
                snprintf(what, sizeof what, "%.*s", (int)len, line);
                bench_add(&page, strtod(at + 1, &at));
                bench_add(&bare, strtod(at, NULL));
        }
}

int main(int argc, char **argv)
{
        const size_t events = bench_count(argc, argv, EVENTS);
        filled_log filled;
        char command[1024], path[4096];
        const char *tool = bench_tool("pawl");

        bench_folder();
        if (mkdir(".pawl", 0700))
                bench_die("cannot make a folder");
        filled_open(&filled, ".pawl/events.db", events, FILLED_TERMS);
        pawl_log_close(filled.log);
        snprintf(path, sizeof path, "%.*s:%s", (int)(strrchr(tool, '/') - tool), tool,
                getenv("PATH"));
        setenv("PATH", path, 1);
        run_steps(strtoul(argument(argc, argv, 3, "2000"), NULL, 10));
        snprintf(command, sizeof command, "node %s/../tests/browser/quickness.mjs %s %s %s",
                BENCH_SOURCE, argument(argc, argv, 2, "7"), filled.sample[0].run,
                filled.sample[0].step);
        FILE *node = popen(command, "r"); /* NOLINT(cert-env33-c): a command of ours */
        if (!node)
                bench_die("cannot start node");
        read_rows(node);
        if (pclose(node))
                bench_die("the page was not measured; `scripts/deps test` brings what is needed");
        return 0;
}
