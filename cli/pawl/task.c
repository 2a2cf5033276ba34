/* pawl task done: mark a task of an agent's session complete, for a hook to call. */
#include "base/error.h"
#include "cli/pawl/actor.h"
#include "cli/pawl/commands.h"
#include "cli/pawl/git.h"
#include "cli/pawl/session_json.h"
#include "command/find.h"
#include "command/json.h"
#include "command/printable.h"
#include "events/log.h"
#include "session/session.h"
#include <inttypes.h>
#include <pawl/mission.h>
#include <stdio.h>

typedef struct task {
        const cli_call *cli;
        pawl_log *log;
        const char *actor;
        char session_id[129];
        char mission_id[129];
        pawl__json_writer json; /* what --json prints */
        pawl_error *err;
} task;

static void copy(char out[129], pawl_text text)
{
        snprintf(out, 129, "%.*s", text.data ? (int)text.len : 0, text.data ? text.data : "");
}

/* The mission's newest session that an agent keeps. */
static pawl_status find_last(bool *found, task *t)
{
        pawl_session_filter filter = PAWL_SESSION_FILTER_INIT;
        pawl_sessions *list = NULL;

        *found = false;
        filter.mission_id = t->mission_id;
        pawl_status status = pawl_session_list(&list, t->log, &filter, t->err);
        for (size_t i = 0; !status && i < list->n && !*found; i++) {
                const pawl_session *session = &list->items[i];
                if (session->run_id.data)
                        continue;
                copy(t->session_id, session->session_id);
                *found = true;
        }
        pawl_sessions_free(list);
        return status;
}

/* Does the log know the mission at all? */
static pawl_status check_mission(task *t)
{
        pawl_session_filter filter = PAWL_SESSION_FILTER_INIT;
        pawl_sessions *list = NULL;

        filter.mission_id = t->mission_id;
        filter.limit = 1;
        pawl_status status = pawl_session_list(&list, t->log, &filter, t->err);
        if (!status && list->n == 0)
                status = pawl__fail(t->err, PAWL_ENOTFOUND,
                        "mission %.128s: is not known here, no session is of it; `pawl session "
                        "start --mission M` begins one",
                        t->mission_id);
        pawl_sessions_free(list);
        return status;
}

/* The newest session of the mission is resumed; without one, the first begins. */
static pawl_status begin_session(task *t)
{
        const pawl_session_options options = {PAWL_SESSION_OPTIONS_VERSION, t->actor, false};
        char next[PAWL_SESSION_ID_MAX];
        bool found;

        TRY(find_last(&found, t));
        TRY(found ? pawl_session_resume(next, t->log, t->session_id, 0, &options, t->err)
                  : pawl_session_start(next, t->log, t->mission_id, NULL, &options, t->err));
        copy(t->session_id, pawl__text(next));
        return PAWL_OK;
}

/* The session to tell: the one that is meant, or a new one where the mission's last left off. */
static pawl_status find_session(task *t)
{
        const char *mission = cli_value(t->cli, "mission");
        pawl_session_filter filter = PAWL_SESSION_FILTER_INIT;
        pawl_sessions *list = NULL;

        copy(t->mission_id, pawl__text(mission));
        if (mission)
                TRY(check_mission(t));
        pawl_status status = cli_session_meant(t->session_id, t->cli, t->log, true, t->err);
        if (status == PAWL_ENOTFOUND && mission)
                return begin_session(t);
        if (status || mission)
                return status;
        filter.session_id = t->session_id;
        status = pawl_session_list(&list, t->log, &filter, t->err);
        if (!status && list->n)
                copy(t->mission_id, list->items[0].mission_id);
        pawl_sessions_free(list);
        return status;
}

static bool as_text(const task *t)
{
        return !cli_given(t->cli, "json");
}

/* Where --write says, else beside the log. */
static pawl_status write_handoff(task *t)
{
        const char *path = cli_value(t->cli, "write");
        const char *log = pawl__log_place(t->log);
        pawl__buf beside = PAWL__BUF_INIT;
        pawl_status status = path ? PAWL_OK : pawl__log_place_make(t->log, t->err);

        if (!status && !path &&
                (pawl__buf_add(&beside, log, (size_t)(strrchr(log, '/') - log) + 1) ||
                        pawl__buf_adds(&beside, "handoff.txt")))
                status = pawl__nomem(t->err);
        if (!status)
                status = pawl__handoff_write(t->log, t->session_id, path ? path : beside.data, 0,
                        path ? 0644 : 0600, t->err);
        if (!status && as_text(t))
                cli_putf(t->cli->in->out, "handoff: %s\n", path ? path : beside.data);
        if (!status)
                pawl__json_member_string(&t->json, "handoff", path ? path : beside.data);
        pawl__buf_free(&beside);
        return status;
}

static void tell_marked(task *t, uint64_t seq)
{
        pawl__json_writer *w = &t->json;

        pawl__json_open_object(w);
        pawl__json_member_string(w, "task", t->cli->args[0]);
        pawl__json_member_string(w, "session_id", t->session_id);
        pawl__json_member_string(w, "mission_id", t->mission_id);
        pawl__json_member_integer(w, "seq", (int64_t)seq);
        if (!as_text(t))
                return;
        cli_putf(t->cli->in->out, "task %s: done, checkpoint %" PRIu64 " of %s\n", t->cli->args[0],
                seq, t->session_id);
}

static pawl_status mark(task *t)
{
        const char *const done[] = {t->cli->args[0]};
        pawl_session_work work = {.completed = done, .n_completed = 1};
        uint64_t seq;
        pawl_status status = pawl_session_checkpoint(
                &seq, t->log, t->session_id, t->actor, "task_complete", &work, t->err);

        if (status)
                return status;
        tell_marked(t, seq);
        return write_handoff(t);
}

/* What was marked, and then the commit, which says itself what it does. */
static pawl_status finish(task *t)
{
        pawl_status status = PAWL_OK;

        pawl__json_close_object(&t->json);
        if (!as_text(t))
                status = cli_print_json(t->cli, &t->json, t->err);
        if (!status && cli_given(t->cli, "commit"))
                status = cli_git_commit(as_text(t) ? t->cli->in->out : t->cli->in->err,
                        t->cli->args[0], cli_arg(t->cli, 1), t->err);
        return status;
}

static pawl_status task_done(cli_call *cli, pawl_log *log, pawl_error *err)
{
        task t = {.cli = cli, .log = log, .json = PAWL__JSON_WRITER_INIT, .err = err};
        pawl_status status = cli_actor(&t.actor, cli, err);

        if (!status)
                status = find_session(&t);
        if (!status)
                status = mark(&t);
        if (!status)
                status = finish(&t);
        pawl__json_writer_free(&t.json);
        return status;
}

static int task_run(cli_call *cli)
{
        if (cli->n_args > 1 && !cli_given(cli, "commit"))
                return cli_usage(cli, "one argument too many: \"%s\"", cli->args[1]);
        return cli_with_log(cli, CLI_WRITE, task_done);
}

static const cli_option task_options[] = {
        {"mission", 0, 0, CLI_TEXT, "MISSION", NULL,
                "the mission that it is of (default: that of $PAWL_SESSION_ID, or of the active session)"},
        {"commit", 0, 0, CLI_LOCAL, NULL, NULL, "commit what is staged in git, if anything is"},
        {"write", 0, 0, CLI_FILE, "FILE", NULL,
                "where the handoff goes (default: handoff.txt beside the log)"},
        {"actor", 0, 0, CLI_TEXT, "ACTOR", NULL, "who tells it (default: user:NAME)"},
        {"json", 0, 0, CLI_FLAG, NULL, NULL, "print one object"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd pawl_task_done_cmd = {
        .name = "task done",
        .args = "TASK [MESSAGE]",
        .arg_help = {"the task", "the message of the commit"},
        .traits = CLI_SERVED | CLI_CHANGES | CLI_ADDS,
        .options = task_options,
        .help = "Mark a task of an agent's session complete, with a checkpoint and the handoff",
        .run = task_run,
};
