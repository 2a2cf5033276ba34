/* pawl session start, update, checkpoint, end, resume, pin: sessions of agents that pawl does not
 * run. */
#include "base/error.h"
#include "cli/pawl/actor.h"
#include "cli/pawl/commands.h"
#include "cli/pawl/session_json.h"
#include "cli/pawl/workspace.h"
#include "command/find.h"
#include "command/printable.h"
#include "events/log.h"
#include "mission/mission.h"
#include <pawl/session.h>
#include <stdio.h>
#include <stdlib.h>

/* One invocation: what it tells, and of which session. */
typedef struct telling {
        pawl_log *log;
        const char *actor;
        pawl_session_work work;
        char session_id[129];
        pawl_error *err;
} telling;

static bool has_option(const cli_call *cli, const char *name)
{
        for (const cli_option *o = cli->cmd->options; o->name; o++)
                if (strcmp(o->name, name) == 0)
                        return true;
        return false;
}

static pawl_status read_work(telling *t, const cli_call *cli)
{
        const char **at = pawl__arena_array(cli->arena, cli->n_repeated + 1, sizeof *at);

        if (!at)
                return pawl__nomem(t->err);
        if (!has_option(cli, "step"))
                return PAWL_OK;
        t->work.current_step = cli_value(cli, "step");
        t->work.summary = cli_value(cli, "summary");
        t->work.completed = at;
        at += t->work.n_completed = cli_texts(at, cli, "done");
        if (cli_given(cli, "pending"))
                t->work.pending = at;
        at += t->work.n_pending = cli_texts(at, cli, "pending");
        t->work.files = at;
        t->work.n_files = cli_texts(at, cli, "file");
        return PAWL_OK;
}

pawl_status cli_session_meant(
        char id[129], const cli_call *cli, pawl_log *log, bool kept, pawl_error *err)
{
        pawl_session_filter filter = {.version = PAWL_SESSION_FILTER_VERSION,
                .mission_id = has_option(cli, "mission") ? cli_value(cli, "mission") : NULL,
                .status = "active"};
        const char *named = has_option(cli, "id") ? cli_value(cli, "id") : NULL;
        const pawl_session *found = NULL;
        pawl_sessions *list = NULL;
        pawl__state *state;
        size_t n = 0;

        if (!named && !filter.mission_id)
                named = cli_variable(cli, "PAWL_SESSION_ID");
        if (named && *named) {
                snprintf(id, 129, "%s", named);
                return PAWL_OK;
        }
        TRY(pawl__state_of(&state, log, err));
        filter.worktree = pawl__state_worktree(state, NULL);
        pawl_status status = pawl_session_list(&list, log, &filter, err);
        if (status)
                return status;
        for (size_t i = 0; i < list->n; i++)
                if (!kept || !list->items[i].run_id.data) {
                        found = &list->items[i];
                        n++;
                }
        if (n == 1)
                snprintf(id, 129, "%.*s", PAWL__FMT(found->session_id));
        else
                status =
                        n ? pawl__fail(err, PAWL_EINVAL,
                                    "session: more than one session is active; name one by "
                                    "--mission or in $PAWL_SESSION_ID")
                          : pawl__fail(err, PAWL_ENOTFOUND,
                                    "session: no session is active; `pawl session start --mission M` "
                                    "begins one");
        pawl_sessions_free(list);
        return status;
}

/* The session as it is now. */
static pawl_status print_json(telling *t, const cli_call *cli)
{
        pawl_session_filter filter = PAWL_SESSION_FILTER_INIT;
        pawl_sessions *list = NULL;

        filter.session_id = t->session_id;
        filter.limit = 1;
        pawl_status status = pawl_session_list(&list, t->log, &filter, t->err);
        if (!status && list->n == 0)
                status = pawl__fail(t->err, PAWL_ENOTFOUND,
                        "session %s: is gone; `pawl sessions` lists those there are",
                        t->session_id);
        if (!status)
                status = cli_print_object(cli, cli_session_fields, list->items, t->err);
        pawl_sessions_free(list);
        return status;
}

/* What every one of the commands begins and ends with. */
static pawl_status with_session(cli_call *cli, pawl_log *log, bool find,
        pawl_status (*tell)(telling *, cli_call *), pawl_error *err)
{
        telling t = {.log = log, .err = err};
        pawl_status status = PAWL_OK;

        if (has_option(cli, "actor"))
                status = cli_actor(&t.actor, cli, err);
        if (!status)
                status = read_work(&t, cli);
        if (!status && find)
                status = cli_session_meant(t.session_id, cli, log, false, err);
        if (!status)
                status = tell(&t, cli);
        return status || !cli_given(cli, "json") ? status : print_json(&t, cli);
}

/* The session that was made. */
static void tell_id(telling *t, const cli_call *cli, const char *id)
{
        snprintf(t->session_id, sizeof t->session_id, "%s", id);
        if (cli_given(cli, "json"))
                return;
        cli_putf(cli->in->out, "%s\n", id);
}

/* Is that what it left, and has nobody ended it since? */
static pawl_status is_left(
        bool *left, const pawl_session *s, const cli_call *cli, pawl_log *log, pawl_error *err)
{
        pawl__row run;

        *left = pawl__text_is(s->status, "interrupted") || pawl__text_is(s->status, "error");
        if (!*left || !s->run_id.data)
                return PAWL_OK;
        TRY(cli_run_row(&run, s->run_id, cli, log, err));
        *left = !pawl__text_is(run.v[PAWL__RUN_STATUS].text, "completed") &&
                !pawl__text_is(run.v[PAWL__RUN_STATUS].text, "cancelled");
        return PAWL_OK;
}

/* The mission's newest session before this one in this work tree, where it was left in the middle.
 */
static pawl_status tell_interrupted(telling *t, const cli_call *cli, const char *id)
{
        pawl_session_filter filter = PAWL_SESSION_FILTER_INIT;
        pawl_sessions *list = NULL;
        pawl__state *state;
        bool left = false;

        filter.mission_id = cli_value(cli, "mission");
        filter.limit = 2;
        TRY(pawl__state_of(&state, t->log, t->err));
        filter.worktree = pawl__state_worktree(state, NULL);
        TRY(pawl_session_list(&list, t->log, &filter, t->err));
        const size_t at = list->n && pawl__text_is(list->items[0].session_id, id);
        const pawl_session *s = &list->items[at];
        pawl_status status = PAWL_OK;
        if (at < list->n)
                status = is_left(&left, s, cli, t->log, t->err);
        if (!status && left && s->run_id.data)
                cli_noticef(cli,
                        "session %.*s: was left in the middle; `pawl status` says what continues "
                        "its run",
                        PAWL__FMT(s->session_id));
        else if (!status && left)
                cli_noticef(cli,
                        "session %.*s: was left in the middle; `pawl session resume --take-over %.*s` continues it in "
                        "place of the new one",
                        PAWL__FMT(s->session_id), PAWL__FMT(s->session_id));
        pawl_sessions_free(list);
        return status;
}

static pawl_status tell_start(telling *t, cli_call *cli)
{
        pawl_session_options options = PAWL_SESSION_OPTIONS_INIT;
        char id[PAWL_SESSION_ID_MAX];

        options.actor = t->actor;
        options.take_over = cli_given(cli, "take-over");
        pawl_status status = pawl_session_start(
                id, t->log, cli_value(cli, "mission"), &t->work, &options, t->err);
        if (status)
                return status;
        tell_id(t, cli, id);
        return tell_interrupted(t, cli, id);
}

static pawl_status tell_update(telling *t, cli_call *cli)
{
        (void)cli;
        return pawl_session_update(t->log, t->session_id, t->actor, &t->work, t->err);
}

static pawl_status tell_checkpoint(telling *t, cli_call *cli)
{
        const char *reason = cli_value(cli, "reason");
        uint64_t seq;
        pawl_status status = pawl_session_checkpoint(&seq, t->log, t->session_id, t->actor,
                reason ? reason : "manual", &t->work, t->err);

        if (!status && !cli_given(cli, "json"))
                fprintf(cli->in->out, "%llu\n", (unsigned long long)seq);
        return status;
}

static void notice(const char *line, void *user)
{
        cli_noticef(user, "%s", line);
}

/* Settings that cannot be read are refused before the session ends. */
static pawl_status tell_end(telling *t, cli_call *cli)
{
        const char *as = cli_value(cli, "status");
        pawl__config config;

        TRY(pawl__config_load(&config, pawl__log_place(t->log), t->err));
        TRY(pawl_session_end(t->log, t->session_id, t->actor, as ? as : "completed",
                cli_value(cli, "reason"), &t->work, t->err));
        pawl__retention_at_end(t->log, &config.retention, t->actor, notice, cli);
        return PAWL_OK;
}

static pawl_status tell_resume(telling *t, cli_call *cli)
{
        char id[PAWL_SESSION_ID_MAX];
        pawl_session_options options = PAWL_SESSION_OPTIONS_INIT;

        options.actor = t->actor;
        options.take_over = cli_given(cli, "take-over");
        pawl_status status = pawl_session_resume(
                id, t->log, cli->args[0], cli_number(cli, "checkpoint", 0), &options, t->err);

        if (!status)
                tell_id(t, cli, id);
        return status;
}

static pawl_status tell_pin(telling *t, cli_call *cli)
{
        snprintf(t->session_id, sizeof t->session_id, "%s", cli->args[0]);
        return pawl_session_pin(t->log, cli->args[0], !cli_given(cli, "off"), t->err);
}

static pawl_status start_session(cli_call *cli, pawl_log *log, pawl_error *err)
{
        return with_session(cli, log, false, tell_start, err);
}

static pawl_status update_session(cli_call *cli, pawl_log *log, pawl_error *err)
{
        return with_session(cli, log, true, tell_update, err);
}

static pawl_status checkpoint_session(cli_call *cli, pawl_log *log, pawl_error *err)
{
        return with_session(cli, log, true, tell_checkpoint, err);
}

static pawl_status end_session(cli_call *cli, pawl_log *log, pawl_error *err)
{
        return with_session(cli, log, true, tell_end, err);
}

static pawl_status resume_session(cli_call *cli, pawl_log *log, pawl_error *err)
{
        return with_session(cli, log, false, tell_resume, err);
}

static pawl_status pin_session(cli_call *cli, pawl_log *log, pawl_error *err)
{
        return with_session(cli, log, false, tell_pin, err);
}

#define WORK_OPTIONS                                                                               \
        {"step", 0, 0, CLI_TEXT, "ID", NULL, "the step at hand; empty for none"},                  \
                {"done", 0, 0, CLI_TEXTS, "STEP", NULL, "a step that is completed; repeatable"},   \
                {"pending", 0, 0, CLI_TEXTS, "STEP", NULL,                                         \
                        "a step that is pending; repeatable, in place of those told before"},      \
                {"file", 0, 0, CLI_TEXTS, "FILE", NULL, "a file that matters; repeatable"},        \
                {"summary", 0, 0, CLI_TEXT, "TEXT", NULL, "the context, in your words"},           \
        {                                                                                          \
                "actor", 0, 0, CLI_TEXT, "ACTOR", NULL, "who tells it (default: user:NAME)"        \
        }
#define WHICH_OPTIONS                                                                              \
        {"id", 0, 0, CLI_TEXT, "ID", NULL,                                                         \
                "the session (default: $PAWL_SESSION_ID, or the one that is active)"},             \
        {                                                                                          \
                "mission", 0, 0, CLI_TEXT, "MISSION", NULL, "the active one of this mission"       \
        }
#define TAKE_OVER                                                                                  \
        {                                                                                          \
                "take-over", 0, 0, CLI_FLAG, NULL, NULL, "end the mission's active session first"  \
        }
#define END_OF_OPTIONS                                                                             \
        {"json", 0, 0, CLI_FLAG, NULL, NULL, "print one object, as `sessions --json` has it"},     \
        {                                                                                          \
                NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL                                             \
        }

static const cli_option start_options[] = {
        {"mission", 0, 'm', CLI_TEXT, "MISSION", NULL, "the mission that it is about"},
        WORK_OPTIONS,
        TAKE_OVER,
        END_OF_OPTIONS,
};
static const cli_option update_options[] = {WHICH_OPTIONS, WORK_OPTIONS, END_OF_OPTIONS};
static const cli_option checkpoint_options[] = {
        WHICH_OPTIONS,
        WORK_OPTIONS,
        {"reason", 0, 0, CLI_CHOICE, "REASON",
                "manual|step_complete|context_warning|error_recovery|time_limit|task_complete|"
                "session_end",
                "manual, step_complete, context_warning, error_recovery, time_limit, "
                "task_complete or session_end"},
        END_OF_OPTIONS,
};
static const cli_option end_options[] = {
        WHICH_OPTIONS,
        WORK_OPTIONS,
        {"status", 0, 0, CLI_CHOICE, "STATUS", "completed|interrupted|error",
                "completed, interrupted or error (default: completed)"},
        {"reason", 0, 0, CLI_TEXT, "REASON", NULL, "why it ends"},
        END_OF_OPTIONS,
};
static const cli_option resume_options[] = {
        {"checkpoint", 0, 0, CLI_NUMBER, "SEQ", NULL, "as it stood at this checkpoint"},
        {"actor", 0, 0, CLI_TEXT, "ACTOR", NULL, "who resumes it (default: user:NAME)"},
        TAKE_OVER,
        END_OF_OPTIONS,
};
static const cli_option pin_options[] = {
        {"off", 0, 0, CLI_FLAG, NULL, NULL, "no longer"},
        END_OF_OPTIONS,
};

const cli_cmd pawl_session_start_cmd = {
        .name = "session start",
        .traits = CLI_SERVED | CLI_CHANGES | CLI_ADDS,
        .options = start_options,
        .help = "Start a session of an agent at a mission, and print its id",
        .on_log = start_session,
        .access = CLI_MAKE,
};

const cli_cmd pawl_session_update_cmd = {
        .name = "session update",
        .traits = CLI_SERVED | CLI_CHANGES | CLI_ADDS,
        .options = update_options,
        .help = "Tell what a session is at",
        .on_log = update_session,
        .access = CLI_WRITE,
};

const cli_cmd pawl_session_checkpoint_cmd = {
        .name = "session checkpoint",
        .traits = CLI_SERVED | CLI_CHANGES | CLI_ADDS,
        .options = checkpoint_options,
        .help = "Mark a point that a session can be resumed from, and print its seq",
        .on_log = checkpoint_session,
        .access = CLI_WRITE,
};

const cli_cmd pawl_session_end_cmd = {
        .name = "session end",
        .traits = CLI_SERVED | CLI_CHANGES | CLI_ADDS,
        .options = end_options,
        .help = "End a session of an agent",
        .on_log = end_session,
        .access = CLI_WRITE,
};

const cli_cmd pawl_session_resume_cmd = {
        .name = "session resume",
        .args = "SESSION",
        .arg_help = {"the session to go on from"},
        .traits = CLI_SERVED | CLI_CHANGES | CLI_ADDS,
        .options = resume_options,
        .help = "Start a session where an earlier one, or one of its checkpoints, left off",
        .on_log = resume_session,
        .access = CLI_WRITE,
};

const cli_cmd pawl_session_pin_cmd = {
        .name = "session pin",
        .args = "SESSION",
        .arg_help = {"the session"},
        .traits = CLI_SERVED | CLI_CHANGES | CLI_ADDS,
        .options = pin_options,
        .help = "Keep a session from being pruned",
        .on_log = pin_session,
        .access = CLI_WRITE,
};
