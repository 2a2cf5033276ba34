/* pawl handoff: what is done, what was being done, what is next, and the command to go on with. */
#include "base/error.h"
#include "cli/find.h"
#include "cli/json.h"
#include "cli/pawl/commands.h"
#include <pawl/session.h>
#include <stdio.h>

typedef struct telling {
        const cli_call *cli;
        pawl_log *log;
        pawl_sessions *found;
        const pawl_session *session; /* in found */
        pawl_error err;
} telling;

/* The session that was named, or the latest. */
static pawl_status find(telling *t)
{
        const char *mission = cli_value(t->cli, "mission");
        pawl_session_filter filter = PAWL_SESSION_FILTER_INIT;
        pawl_status status;

        filter.session_id = cli_arg(t->cli, 0);
        filter.mission_id = mission;
        filter.limit = 1;
        status = pawl_session_list(&t->found, t->log, &filter, &t->err);
        if (status)
                return status;
        if (pawl_sessions_count(t->found)) {
                t->session = pawl_sessions_at(t->found, 0);
                return PAWL_OK;
        }
        if (!mission)
                return pawl__fail(&t->err, PAWL_ENOTFOUND,
                        "no session yet; `pawl run MISSION` or `pawl session start` begins one");
        return filter.session_id
                       ? pawl__fail(&t->err, PAWL_ENOTFOUND,
                                 "session %.128s: is not of mission %.128s; leave one of them out",
                                 filter.session_id, mission)
                       : pawl__fail(&t->err, PAWL_ENOTFOUND,
                                 "mission %.128s: has no session; `pawl sessions` lists them all",
                                 mission);
}

static void write_json(pawl__json_writer *w, const telling *t, const char *name, pawl_text value)
{
        pawl__json_open_object(w);
        pawl__json_member_text(w, "session_id", t->session->session_id);
        pawl__json_member_text(w, "mission_id", t->session->mission_id);
        pawl__json_member_text(w, "run_id", t->session->run_id);
        pawl__json_member_text(w, name, value);
        pawl__json_close_object(w);
}

static int tell(telling *t, const char *name, pawl_text value)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        if (!cli_given(t->cli, "json")) {
                fwrite(value.data, 1, value.len, stdout);
                return CLI_DONE;
        }
        write_json(&w, t, name, value);
        return cli_print_json(t->cli, &w);
}

static int print_document(telling *t)
{
        char *text;
        size_t len;

        if (pawl_session_handoff(&text, &len, t->log, t->session->session_id.data,
                    cli_number(t->cli, "summary", 0), &t->err))
                return cli_fail(t->cli, &t->err);
        int code = tell(t, "text", pawl__text_n(text, len));
        pawl_free(text);
        return code;
}

static int write_document(telling *t)
{
        const char *path = cli_value(t->cli, "write");

        if (pawl_session_handoff_write(t->log, t->session->session_id.data, path,
                    cli_number(t->cli, "summary", 0), &t->err))
                return cli_fail(t->cli, &t->err);
        return cli_given(t->cli, "json") ? tell(t, "path", pawl__text(path)) : CLI_DONE;
}

static int handoff_run(cli_call *cli)
{
        telling t = {.cli = cli, .err = PAWL_ERROR_INIT};
        int code;

        if (cli_open_log(&t.log, cli, CLI_LOOK, &t.err))
                return cli_fail(cli, &t.err);
        if (find(&t))
                code = cli_fail(cli, &t.err);
        else
                code = cli_given(cli, "write") ? write_document(&t) : print_document(&t);
        pawl_sessions_free(t.found);
        pawl_log_close(t.log);
        return code;
}

static const cli_option handoff_options[] = {
        {"write", 0, 0, CLI_FILE, "FILE", NULL, "write it into a file, whole or not at all"},
        {"summary", 0, 0, CLI_NUMBER, "N", NULL,
                "list the last N steps that are done, count others"},
        {"mission", 0, 0, CLI_TEXT, "MISSION", NULL, "the latest session of this mission"},
        {"json", 0, 0, CLI_FLAG, NULL, NULL, "print one object"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd pawl_handoff_cmd = {
        .name = "handoff",
        .args = "[SESSION]",
        .min_args = 0,
        .max_args = 1,
        .options = handoff_options,
        .help = "Print what a session leaves to whoever comes next",
        .run = handoff_run,
};
