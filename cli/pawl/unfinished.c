#include "cli/pawl/unfinished.h"
#include "base/error.h"
#include "base/sources.h"
#include "command/find.h"
#include "command/printable.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

/* "run R of M is blocked at 3/6 steps, last active 2026-11-20 12:35:00" */
static void describe(char out[400], const pawl_unfinished *run, const pawl_mission *mission)
{
        char time[28];

        pawl__time_format(time, run->updated_us);
        time[10] = ' ';
        snprintf(out, 400,
                "mission %.100s: run %s is %s at %" PRIu64 "/%" PRIu64
                " steps, last active %.19s UTC",
                pawl_mission_id(mission), run->run_id, run->status, run->steps_completed,
                run->steps_total, time);
}

/* One letter from the terminal: r, f, or q for anything else. Read byte by byte, as what is typed
 * ahead belongs to later questions. */
static char ask(const char *what)
{
        char answer = 0, c;

        cli_puts(stderr, what);
        fputs("\nresume it, start a fresh run, or quit? [r/f/Q]: ", stderr);
        fflush(stderr);
        for (;;) {
                ssize_t n = read(STDIN_FILENO, &c, 1);
                if (n < 0 && errno == EINTR)
                        continue;
                if (n <= 0)
                        fputc('\n', stderr);
                if (n <= 0 || c == '\n')
                        break;
                if (!answer && c != ' ')
                        answer = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
        }
        return answer == 'r' || answer == 'f' ? answer : 'q';
}

static cli_choice refuse(int *code, const cli_call *cli, const pawl_error *err)
{
        *code = cli_fail(cli, err);
        return CLI_NEITHER;
}

static cli_choice choose(
        const pawl_unfinished *run, int *code, const cli_call *cli, const pawl_mission *mission)
{
        pawl_error err = PAWL_ERROR_INIT;
        char what[400];

        describe(what, run, mission);
        if (run->pid) {
                pawl__fail(&err, PAWL_EHELD,
                        "%.300s, owned by pid %" PRId64 " on %.40s; wait for it, or start another "
                        "beside it with --fresh",
                        what, run->pid, run->host);
                return refuse(code, cli, &err);
        }
        if (!cli_given(cli, "no-input") && isatty(STDIN_FILENO) && isatty(STDERR_FILENO)) {
                char answer = ask(what);
                if (answer != 'q')
                        return answer == 'r' ? CLI_GO_ON : CLI_START;
                pawl__fail(&err, PAWL_ESTATE,
                        "mission %.100s: nothing was run; answer r or f, or give --resume or "
                        "--fresh",
                        pawl_mission_id(mission));
                return refuse(code, cli, &err);
        }
        pawl__fail(&err, PAWL_ESTATE, "%s; go on with it by --resume, or start anew with --fresh",
                what);
        return refuse(code, cli, &err);
}

cli_choice cli_choose_run(pawl_unfinished *run, int *code, const cli_call *cli, pawl_log *log,
        const pawl_mission *mission)
{
        pawl_error err = PAWL_ERROR_INIT;
        char what[200];

        if (cli_given(cli, "fresh") || cli_given(cli, "run"))
                return CLI_START;
        pawl_status status = pawl_mission_unfinished(run, mission, log, &err);
        if (status && status != PAWL_ENOTFOUND) {
                *code = cli_fail(cli, &err);
                return CLI_NEITHER;
        }
        if (!status)
                return cli_given(cli, "resume") ? CLI_GO_ON : choose(run, code, cli, mission);
        if (cli_given(cli, "resume")) {
                snprintf(what, sizeof what,
                        "mission %.100s: no run is unfinished, so a new one starts",
                        pawl_mission_id(mission));
                cli_notice(cli, what);
        }
        return CLI_START;
}
