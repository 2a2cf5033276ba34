#include "cli/pawl/unfinished.h"
#include "base/error.h"
#include "command/find.h"
#include "command/printable.h"
#include "mission/mission.h"
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

/* One letter from the terminal: r, f, or q for anything else. Read byte by byte, as what is typed
 * ahead belongs to later questions. */
static char ask(const char *what)
{
        char answer = 0, c;

        cli_putf(stderr, "%s\nresume it, start a fresh run, or quit? [r/f/Q]: ", what);
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

        if (!run->pid && !cli_given(cli, "no-input") && isatty(STDIN_FILENO) &&
                isatty(STDERR_FILENO)) {
                pawl__unfinished_describe(what, run, mission);
                char answer = ask(what);
                if (answer != 'q')
                        return answer == 'r' ? CLI_GO_ON : CLI_BESIDE;
                pawl__fail(&err, PAWL_ESTATE,
                        "mission %.100s: nothing was run; answer r or f, or give --resume or "
                        "--fresh",
                        pawl_mission_id(mission));
                return refuse(code, cli, &err);
        }
        (void)pawl__unfinished_fail(run, mission, &err);
        return refuse(code, cli, &err);
}

cli_choice cli_choose_run(pawl_unfinished *run, int *code, const cli_call *cli, pawl_log *log,
        const pawl_mission *mission)
{
        pawl_error err = PAWL_ERROR_INIT;
        char what[200];

        if (cli_given(cli, "fresh") || cli_given(cli, "run"))
                return CLI_BESIDE;
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
