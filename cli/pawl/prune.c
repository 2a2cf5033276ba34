/* pawl prune sessions: let go of what old sessions said. */
#include "base/json_write.h"
#include "cli/pawl/actor.h"
#include "cli/pawl/commands.h"
#include "command/find.h"
#include "command/json.h"
#include "command/table.h"
#include <pawl/session.h>
#include <stdio.h>

static int print_json(const cli_call *cli, const pawl_prune_report *report)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        pawl__json_open_array(&w);
        for (size_t i = 0; i < pawl_prune_report_count(report); i++) {
                const pawl_pruned_session *one = pawl_prune_report_at(report, i);
                pawl__json_open_object(&w);
                pawl__json_member_text(&w, "session_id", one->session_id);
                pawl__json_member_text(&w, "mission_id", one->mission_id);
                pawl__json_member_text(&w, "status", one->status);
                pawl__json_member_bool(&w, "goes", !one->stays);
                pawl__json_member_string(&w, "why", one->stays);
                pawl__json_close_object(&w);
        }
        pawl__json_close_array(&w);
        return cli_print_json(cli, &w);
}

static const cli_column columns[] = {
        {"id", CLI_CELL_TEXT, CLI_WHOLE},
        {"mission", CLI_CELL_TEXT, CLI_CUT},
        {"status", CLI_CELL_TEXT, CLI_WHOLE},
        {"what", CLI_CELL_TEXT, CLI_CUT},
};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

static pawl_status add_row(cli_table *table, const void *report, size_t i, pawl_error *err)
{
        const pawl_pruned_session *one = pawl_prune_report_at(report, i);
        char what[64];

        snprintf(what, sizeof what, "%s%s", one->stays ? "stays: " : "goes",
                one->stays ? one->stays : "");
        const cli_cell cells[COLUMNS] = {{.text = one->session_id}, {.text = one->mission_id},
                {.text = one->status}, {.text = pawl__text(what)}};
        return cli_table_row(table, cells, err);
}

static int print_table(const cli_call *cli, const pawl_prune_report *report)
{
        size_t n = pawl_prune_report_count(report);
        pawl_error err = PAWL_ERROR_INIT;

        if (cli_table_print(cli->in->out, columns, COLUMNS, add_row, report, n, &err))
                return cli_fail(cli, &err);
        fprintf(cli->in->out, "%s%zu of %zu sessions %s\n", n ? "\n" : "",
                pawl_prune_report_going(report), n,
                cli_given(cli, "dry-run") ? "would be deleted" : "deleted");
        return CLI_DONE;
}

static int prune_run(cli_call *cli)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl_prune_report *report = NULL;
        pawl__buf actor = PAWL__BUF_INIT;
        bool dry_run = cli_given(cli, "dry-run");
        pawl_log *log;
        int code;

        if (cli_open_log(&log, cli, CLI_WRITE, &err))
                return cli_fail(cli, &err);
        if (cli_actor(&actor, cli, &err) ||
                pawl_session_prune(&report, log, (size_t)cli_number(cli, "keep", 0), dry_run,
                        actor.data, &err))
                code = cli_fail(cli, &err);
        else
                code = cli_given(cli, "json") ? print_json(cli, report) : print_table(cli, report);
        pawl_prune_report_free(report);
        pawl__buf_free(&actor);
        cli_close_log(cli, log);
        return code;
}

static const cli_option prune_options[] = {
        {"keep", 0, 'k', CLI_COUNT, "N", NULL, "the newest N stay"},
        {"dry-run", 0, 0, CLI_DRY_RUN, NULL, NULL,
                "only say what would be deleted, and why the rest stays"},
        {"actor", 0, 0, CLI_TEXT, "ACTOR", NULL, "who does it (default: user:NAME)"},
        {"json", 0, 0, CLI_FLAG, NULL, NULL, "print an array of objects"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd pawl_prune_sessions_cmd = {
        .name = "prune sessions",
        .args = "",
        .traits = CLI_SERVED | CLI_CHANGES,
        .options = prune_options,
        .help = "Delete old session data; the chain still verifies",
        .run = prune_run,
};
