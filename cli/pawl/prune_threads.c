/* pawl prune threads: delete old threads of graph runners. */
#include "base/error.h"
#include "cli/pawl/actor.h"
#include "cli/pawl/agree.h"
#include "cli/pawl/commands.h"
#include "cli/pawl/prune.h"
#include "command/json.h"
#include "command/printable.h"
#include <inttypes.h>
#include <pawl/threads.h>
#include <stdio.h>
#include <time.h>

#define COUNTED(n) (n), (n) == 1 ? "" : "s"
#define AT(member) CLI_AT(pawl_pruned_thread, member)

static const cli_field one_fields[] = {
        {"thread_id", CLI_AS_TEXT, AT(thread_id), .title = "thread"},
        {"mission_id", CLI_AS_TEXT, AT(mission_id), .title = "mission", .cut = CLI_CUT},
        {"checkpoints", CLI_AS_INTEGER, AT(checkpoints), .title = "checkpoints"},
        CLI_GOES(AT(stays)),
        CLI_NO_FIELD,
};

static const cli_field fields[] = {
        {"threads", CLI_AS_LIST, CLI_ITEMS(pawl_thread_prune_report, items, n),
                .fields = one_fields},
        {"checkpoints", CLI_AS_INTEGER, CLI_AT(pawl_thread_prune_report, checkpoints)},
        {"writes", CLI_AS_INTEGER, CLI_AT(pawl_thread_prune_report, writes)},
        {"contents", CLI_AS_INTEGER, CLI_AT(pawl_thread_prune_report, contents)},
        {"bytes", CLI_AS_INTEGER, CLI_AT(pawl_thread_prune_report, bytes)},
        CLI_NO_FIELD,
};

typedef struct asked {
        size_t keep;
        int64_t older_us;
        bool dry_run;
        const char *actor;
} asked;

static asked what_is_asked(const cli_call *cli, const char *actor)
{
        asked a = {SIZE_MAX, INT64_MAX, cli_given(cli, "dry-run"), actor};
        struct timespec now;

        clock_gettime(CLOCK_REALTIME, &now);
        if (cli_given(cli, "keep"))
                a.keep = (size_t)cli_number(cli, "keep", 0);
        if (cli_given(cli, "older-than"))
                a.older_us = (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000 -
                             (int64_t)cli_duration_ms(cli, "older-than") * 1000;
        return a;
}

static pawl_status print(
        const cli_call *cli, pawl_log *log, const pawl_thread_prune_report *report, pawl_error *err)
{
        char size[32];

        if (cli_given(cli, "json")) {
                pawl__json_writer w = PAWL__JSON_WRITER_INIT;
                pawl__json_open_object(&w);
                cli_fields_json(&w, fields, report);
                pawl__json_close_object(&w);
                return cli_print_json(cli, &w, err);
        }
        pawl_status status = cli_print_list(
                cli, log, one_fields, report->items, report->n, sizeof *report->items, err);
        if (status)
                return status;
        cli_size_text(size, report->bytes);
        fprintf(cli->in->out,
                "%s%zu of %zu threads %s: %" PRIu64 " checkpoint%s, %" PRIu64 " write%s, %" PRIu64
                " content%s, %s\n",
                report->n ? "\n" : "", report->going, report->n,
                cli_given(cli, "dry-run") ? "would be deleted" : "deleted",
                COUNTED(report->checkpoints), COUNTED(report->writes), COUNTED(report->contents),
                size);
        return PAWL_OK;
}

/* On a terminal, what would be deleted is shown and asked about. */
static pawl_status agree(
        const cli_call *cli, pawl_threads *threads, const asked *a, pawl_error *err)
{
        pawl_thread_prune_report *report;
        char question[80];

        if (a->dry_run || cli_given(cli, "yes") || !cli_can_ask(cli))
                return PAWL_OK;
        pawl_status status =
                pawl_thread_prune(&report, threads, a->keep, a->older_us, true, a->actor, err);
        if (status)
                return status;
        for (size_t i = 0; i < report->n; i++) {
                if (report->items[i].stays)
                        continue;
                cli_putf(cli->in->err, "  thread %.*s is deleted for good\n",
                        CLI_FMT(report->items[i].thread_id));
        }
        snprintf(question, sizeof question, "delete %zu of %zu?", report->going, report->n);
        if (report->going && !cli_agrees(question))
                status = pawl__fail(
                        err, PAWL_ESTATE, "prune: nothing was changed; answer y to do it");
        pawl_thread_prune_free(report);
        return status;
}

static pawl_status prune(cli_call *cli, pawl_log *log, pawl_error *err)
{
        pawl_thread_prune_report *report = NULL;
        pawl_threads *threads = NULL;
        const char *actor;
        pawl_status status = cli_actor(&actor, cli, err);

        if (!status)
                status = pawl_threads_open(&threads, log, NULL, err);
        if (status)
                return status;
        const asked a = what_is_asked(cli, actor);
        status = agree(cli, threads, &a, err);
        if (!status)
                status = pawl_thread_prune(
                        &report, threads, a.keep, a.older_us, a.dry_run, a.actor, err);
        if (!status)
                status = print(cli, log, report, err);
        pawl_thread_prune_free(report);
        pawl_threads_close(threads);
        return status;
}

static const cli_option prune_options[] = {
        {"keep", 0, 'k', CLI_COUNT, "N", NULL, "the N that were put to last stay"},
        {"older-than", 0, 'k', CLI_DURATION, "TIME", NULL,
                "those stay that were put to since: 12h, 30d"},
        {"dry-run", 0, 0, CLI_DRY_RUN, NULL, NULL,
                "only say what would be deleted, and why the rest stays"},
        {"yes", 'y', 0, CLI_FLAG, NULL, NULL, "do it without asking"},
        {"actor", 0, 0, CLI_TEXT, "ACTOR", NULL, "who does it (default: user:NAME)"},
        {"json", 0, 0, CLI_FLAG, NULL, NULL, "print one object"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd pawl_prune_threads_cmd = {
        .name = "prune threads",
        .traits = CLI_SERVED | CLI_CHANGES | CLI_REPLACES,
        .options = prune_options,
        .help = "Delete old threads of graph runners, and the values that nothing else names",
        .on_log = prune,
        .access = CLI_WRITE,
};
