#include "cli/pawl/session_run.h"
#include "cli/pawl/actor.h"
#include "cli/pawl/outcome.h"
#include "cli/pawl/prompt.h"
#include "cli/pawl/signals.h"
#include "cli/pawl/status.h"
#include "cli/pawl/watch.h"
#include "cli/pawl/within.h"
#include "command/find.h"
#include "events/log.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static unsigned wait_ms_of(const cli_call *cli)
{
        const char *wait = cli_value(cli, "wait");

        if (!wait)
                return 0;
        return *wait ? (unsigned)cli_number(cli, "wait", 0) * 1000U : UINT32_MAX;
}

/* Seconds by a clock that does not step. */
static time_t now(void)
{
        struct timespec time;

        clock_gettime(CLOCK_BOOTTIME, &time);
        return time.tv_sec;
}

/* Go on, and on again: the answers that one step waited for may lead to the next that needs some,
 * which is waited for too, as long as there is time. */
static pawl_status go_on(pawl_run_result **result, pawl_log *log, const char *what,
        const pawl_run_options *given, pawl_error *err)
{
        const time_t end = now() + (time_t)(given->wait_ms / 1000);
        pawl_run_options options = *given;
        pawl_status status = pawl_mission_resume(result, log, what, &options, err);

        while (status == PAWL_BLOCKED && given->wait_ms && !given->clarify && *result) {
                const time_t left = end - now();
                if (left <= 0)
                        break;
                char *run = strdup((*result)->run_id);
                if (!run)
                        break;
                if (given->wait_ms != UINT32_MAX)
                        options.wait_ms = (unsigned)left * 1000U;
                pawl_run_result_free(*result);
                *err = (pawl_error)PAWL_ERROR_INIT;
                status = pawl_mission_resume(result, log, run, &options, err);
                free(run);
        }
        return status;
}

static int sit(const cli_call *cli, pawl_log *log, pawl_mission *mission, const char *what,
        const pawl_run_options *options, bool watch)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl_run_result *result = NULL;
        cli_watcher watcher = {.pid = 0};
        pawl_run_options own = *options;
        char fresh[37];

        if (watch) {
                const pawl_sources *sources = pawl__log_sources(log);
                if (mission && !own.run_id) {
                        sources->uuid(fresh, sources->user);
                        own.run_id = fresh;
                }
                if (cli_watcher_begin(&watcher, cli, mission ? own.run_id : what, &err))
                        return cli_fail(cli, &err);
                if (watcher.pid) {
                        own.notice = cli_watcher_notice;
                        own.notice_user = &watcher;
                }
                options = &own;
        }
        pawl_status status = mission ? pawl_mission_run(&result, mission, log, options, &err)
                                     : go_on(&result, log, what, options, &err);
        cli_watcher_end(&watcher);

        if (!mission && !what && !result && (status == PAWL_ESTATE || status == PAWL_ENOTFOUND) &&
                !cli_given(cli, "json") && cli_status_list(NULL, cli, log, NULL))
                return cli_fail(cli, &err);
        int code = cli_print_outcome(cli, status, result, options->checkpoint_user, &err);
        pawl_run_result_free(result);
        return code;
}

int cli_sit(const cli_call *cli, pawl_log *log, pawl_mission *mission, const char *what,
        const pawl_run_options *given, bool watch)
{
        pawl_run_options options = *given;
        pawl_error err = PAWL_ERROR_INIT;
        cli_progress progress = cli_progress_of(cli);
        cli_prompt prompt = {.asks = !cli_given(cli, "no-input") && !watch &&
                                     isatty(STDIN_FILENO) && isatty(STDERR_FILENO),
                .log = log};
        int code;

        if (cli_signals_catch(&prompt.signal_fd, &err) || cli_actor(&options.actor, cli, &err) ||
                cli_within_root(&options.within, cli, &err)) {
                code = cli_fail(cli, &err);
        } else {
                options.wait_ms = wait_ms_of(cli);
                options.signal_fd = prompt.signal_fd;
                options.time_limit_ms = cli_duration_ms(cli, "time-limit");
                options.clarify = prompt.asks ? cli_prompt_clarify : NULL;
                options.clarify_terms = prompt.asks ? cli_prompt_terms : NULL;
                options.clarify_user = &prompt;
                options.confirm = cli_prompt_confirm;
                options.confirm_user = &prompt;
                options.confirm_mission = cli_prompt_mission;
                options.confirm_mission_user = &prompt;
                options.progress = cli_progress_show;
                options.progress_user = &progress;
                options.checkpoint = cli_progress_checkpoint;
                options.checkpoint_user = &progress;
                options.home = cli->in->home;
                options.config_home = cli->in->config_home;
                options.trouble = prompt.asks ? cli_prompt_trouble : NULL;
                options.trouble_user = &prompt;
                options.notice = cli_print_problem;
                options.notice_user = (void *)(uintptr_t)cli;
                code = sit(cli, log, mission, what, &options, watch);
        }
        cli_prompt_free(&prompt);
        return code;
}
