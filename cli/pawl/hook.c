/*
 * pawl hook: what the hooks of an agent call. It reads what the agent tells on standard input, does
 * what the event asks for, and prints nothing but the agent's JSON. A failure is said, but stops no
 * agent, unless --strict.
 */
#include "agents/hook_call.h"
#include "base/error.h"
#include "base/system.h"
#include "cli/pawl/commands.h"
#include "cli/pawl/hooks.h"
#include "cli/pawl/workspace.h"
#include "command/find.h"
#include "command/input.h"
#include "session/handoff.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pawl/session.h>
#include <pawl/toolcalls.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
        STRICT_FAILED = 2, /* by it an agent is told to stop */
        HANDOFF_ENTRIES = 20,
        BUDGET_MS = 10000,  /* of a checkpoint; agents wait 60 seconds for a hook */
        CONTEXT_MAX = 8000, /* bytes; agents cut what is longer than 10,000 characters */
        SUMMARY_MAX = 2000
};

/* One invocation. */
typedef struct hooking {
        const cli_call *cli;
        cli_input input;
        pawl__json_tree tree;
        pawl__hook_call call;
        pawl_log *log;
        pawl__buf actor, mission;
        char session_id[PAWL_SESSION_ID_MAX]; /* of the log; empty: none is active */
        uint64_t kept_seq;                    /* of its last checkpoint, or 0 */
        pawl_workspace_options workspace;
        uint64_t left_out, n; /* by the time budget, of checkpoint n */
        pawl__arena arena;
        pawl__json_writer reply; /* an object that is open */
        pawl_error err;
} hooking;

/* ---- The log ------------------------------------------------------------------------------------
 */

static bool exists(const char *directory, const char *name)
{
        char path[PATH_MAX];
        struct stat st;

        return snprintf(path, sizeof path, "%s/%s", directory, name) < (int)sizeof path &&
               lstat(path, &st) == 0;
}

/* Where a log is created: the top of the git repository, short of the home directory, else here. */
static pawl_status go_to_project(hooking *h)
{
        const char *const home = h->cli->in->home;
        char here[PATH_MAX], top[PATH_MAX];

        if (!getcwd(here, sizeof here))
                return pawl__fail_errno(&h->err, errno, ".", "find the working directory");
        if (strcmp(here, "/") == 0 || (home && strcmp(here, home) == 0))
                return pawl__fail(&h->err, PAWL_EINVAL,
                        "%s: is %s, of which no checkpoints are taken; start the agent in the "
                        "directory of a project, or make a log for this one: pawl init --db FILE",
                        here, here[1] ? "the home directory" : "the root of the file system");
        memcpy(top, here, sizeof top);
        while (top[1] && !(home && strcmp(top, home) == 0) && !exists(top, ".git"))
                *(strrchr(top, '/') == top ? top + 1 : strrchr(top, '/')) = '\0';
        if (top[1] && !(home && strcmp(top, home) == 0) && chdir(top) != 0)
                return pawl__fail_errno(&h->err, errno, top, "go there");
        return PAWL_OK;
}

/* PAWL_DONE: there is none, and none is to be made. */
static pawl_status open_log(hooking *h, bool make)
{
        char directory[PATH_MAX];
        pawl__buf path = PAWL__BUF_INIT;
        pawl_status status = PAWL_OK;

        if (h->call.directory.len >= sizeof directory)
                return pawl__fail(&h->err, PAWL_EINVAL, "cwd: is longer than any path");
        if (h->call.directory.len) {
                memcpy(directory, h->call.directory.data, h->call.directory.len);
                directory[h->call.directory.len] = '\0';
                if (chdir(directory) != 0)
                        return pawl__fail_errno(&h->err, errno, directory, "go there");
        }
        if (!cli_named_log(h->cli)) {
                status = cli_find_log(&path, h->cli, &h->err);
                pawl__buf_free(&path);
                if (status == PAWL_ENOTFOUND && !make)
                        return PAWL_DONE;
                if (status == PAWL_ENOTFOUND)
                        status = go_to_project(h);
        }
        if (!status)
                status = cli_open_log(&h->log, h->cli, make ? CLI_MAKE : CLI_WRITE, &h->err);
        return status;
}

/* Two hooks of one batch of calls come at once: the second waits, and finds nothing changed.
 * Closing the file ends it. -1: there is no such file to lock. */
static int lock(const hooking *h)
{
        pawl__buf path = PAWL__BUF_INIT;
        int fd = -1;

        pawl__buf_addf(&path, "%s-lock", pawl__log_place(h->log));
        if (!path.failed)
                fd = open(path.data, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
        pawl__buf_free(&path);
        while (fd >= 0 && flock(fd, LOCK_EX) != 0 && errno == EINTR)
                ;
        return fd;
}

/* ---- The session --------------------------------------------------------------------------------
 */

/* The active session of the agent's own session. */
static pawl_status find_session(hooking *h)
{
        pawl_session_filter filter = PAWL_SESSION_FILTER_INIT;
        pawl_sessions *list = NULL;

        filter.mission_id = h->mission.data;
        filter.status = "active";
        filter.limit = 1;
        pawl_status status = pawl_session_list(&list, h->log, &filter, &h->err);
        if (!status && list->n) {
                snprintf(h->session_id, sizeof h->session_id, "%.*s",
                        PAWL__FMT(list->items[0].session_id));
                h->kept_seq = list->items[0].checkpoint_seq;
        }
        pawl_sessions_free(list);
        return status;
}

/* Some agents do not tell that a session ends: then it has when the next one begins. */
static pawl_status end_others(hooking *h)
{
        pawl_session_filter filter = PAWL_SESSION_FILTER_INIT;
        pawl_sessions *list = NULL;
        pawl_status status = PAWL_OK;

        if (pawl__agent_tells_end(h->call.agent))
                return PAWL_OK;
        filter.status = "active";
        status = pawl_session_list(&list, h->log, &filter, &h->err);
        for (size_t i = 0; !status && i < list->n; i++)
                if (pawl__text_eq(list->items[i].actor, pawl__buf_text(&h->actor)))
                        status = pawl_session_end(h->log, list->items[i].session_id.data,
                                h->actor.data, "interrupted", "another session began", NULL,
                                &h->err);
        pawl_sessions_free(list);
        return status;
}

static pawl_status start_session(hooking *h)
{
        pawl_session_options options = PAWL_SESSION_OPTIONS_INIT;
        pawl_status status = find_session(h);

        if (status || *h->session_id)
                return status;
        status = end_others(h);
        options.actor = h->actor.data;
        return status ? status
                      : pawl_session_start(
                                h->session_id, h->log, h->mission.data, NULL, &options, &h->err);
}

/* In the command of a step, checkpoints are of the step, its run and its session. */
static bool in_step(const hooking *h)
{
        return cli_variable(h->cli, "PAWL_RUN_ID") != NULL;
}

/* ---- Before a tool ------------------------------------------------------------------------------
 */

static bool is_listed(pawl_text tool, const char *list)
{
        for (; list && *list; list += strcspn(list, ","), list += *list == ',')
                if (pawl__text_eq(tool, (pawl_text){list, strcspn(list, ",")}))
                        return true;
        return false;
}

static bool wants_checkpoint(const hooking *h)
{
        const char *word = cli_variable(h->cli, "PAWL_TOOL_CHECKPOINTS");

        if (word && strcmp(word, "off") == 0)
                return false;
        return h->call.tool.len &&
               (pawl__tool_changes_files(h->call.tool) ||
                       is_listed(h->call.tool, cli_variable(h->cli, "PAWL_EDIT_TOOLS")));
}

static pawl_status write_batch(pawl__json_writer *w, const hooking *h)
{
        const pawl__hook_call *call = &h->call;

        pawl__json_open_object(w);
        if (call->message_id.len)
                pawl__json_member_text(w, "messageId", call->message_id);
        pawl__json_name(w, "calls");
        pawl__json_open_array(w);
        pawl__json_open_object(w);
        pawl__json_member_text(w, "callId", call->call_id.len ? call->call_id : pawl__text("call"));
        pawl__json_member_text(w, "name", call->tool);
        if (call->arguments.len)
                pawl__json_member_raw(w, "args", call->arguments);
        pawl__json_close_object(w);
        pawl__json_close_array(w);
        pawl__json_close_object(w);
        return pawl__json_end_writer(w);
}

static pawl_status take_before(hooking *h, pawl_text batch_json)
{
        pawl_toolcalls_options options = PAWL_TOOLCALLS_OPTIONS_INIT;
        const char *const tool = pawl__arena_copy(&h->arena, h->call.tool).data;
        pawl_toolcalls *batch = NULL;
        pawl_status status = pawl__arena_check(&h->arena, &h->err);

        if (status)
                return status;
        options.edit_tools = &tool;
        options.n_edit_tools = 1;
        options.files = cli_variable(h->cli, "PAWL_TOOL_CHECKPOINT_FILES");
        options.workspace = &h->workspace;
        options.only_if_changed = true;
        options.session_id = h->session_id;
        options.mission_id = h->mission.data;
        if (in_step(h)) {
                options.mission_id = cli_variable(h->cli, "PAWL_MISSION_ID");
                options.run_id = cli_variable(h->cli, "PAWL_RUN_ID");
                options.step_id = cli_variable(h->cli, "PAWL_STEP_ID");
                options.session_id = cli_variable(h->cli, "PAWL_SESSION_ID");
        }
        status = pawl_toolcalls_checkpoint(
                &batch, h->log, batch_json.data, batch_json.len, &options, &h->err);
        if (!status) {
                const pawl_toolcall_outcome *outcome = pawl_toolcalls_at(batch, 0);
                if (outcome->status)
                        status = pawl__fail(&h->err, outcome->status, "%s", outcome->error);
                h->left_out = outcome->over_budget;
                h->n = outcome->n;
        }
        pawl_toolcalls_free(batch);
        return status;
}

static pawl_status before_tool(hooking *h)
{
        pawl__json_writer batch = PAWL__JSON_WRITER_INIT;
        pawl_status status;

        if (!wants_checkpoint(h))
                return PAWL_OK;
        status = open_log(h, true);
        if (status)
                return status;
        const int fd = lock(h);
        if (!in_step(h))
                status = start_session(h);
        if (!status && write_batch(&batch, h))
                status = pawl__nomem(&h->err);
        if (!status)
                status = take_before(h, pawl__buf_text(&batch.buf));
        if (fd >= 0)
                close(fd);
        pawl__json_writer_free(&batch);
        return status;
}

/* ---- A session's events -------------------------------------------------------------------------
 */

static void reply_context(hooking *h, pawl_text text)
{
        static const char rest[] = "\n(The rest: `pawl handoff`.)\n";
        pawl__buf cut = PAWL__BUF_INIT;

        pawl__buf_add(&cut, text.data, pawl__utf8_cut(text.data, text.len, CONTEXT_MAX));
        if (cut.len < text.len)
                pawl__buf_adds(&cut, rest);
        h->reply.buf.failed |= cut.failed;
        if (h->call.agent->form == PAWL__HOOK_PLAIN) {
                pawl__json_member_text(&h->reply, "additional_context", pawl__buf_text(&cut));
        } else {
                pawl__json_name(&h->reply, "hookSpecificOutput");
                pawl__json_open_object(&h->reply);
                pawl__json_member_text(&h->reply, "hookEventName", h->call.event_name);
                pawl__json_member_text(&h->reply, "additionalContext", pawl__buf_text(&cut));
                pawl__json_close_object(&h->reply);
        }
        pawl__buf_free(&cut);
}

/* What the last session left, before this one begins. */
static pawl_status session_start(hooking *h)
{
        char *text = NULL;
        size_t len;
        pawl_status status = open_log(h, false);

        if (status)
                return status;
        status = pawl_session_handoff(&text, &len, h->log, NULL, HANDOFF_ENTRIES, &h->err);
        if (!status)
                reply_context(h, (pawl_text){text, len});
        pawl_free(text);
        if (status == PAWL_ENOTFOUND)
                status = PAWL_OK;
        return status || in_step(h) ? status : start_session(h);
}

/* The workspace as the session leaves it, if it changed since the last checkpoint. */
static pawl_status take_workspace(hooking *h)
{
        pawl_workspace_checkpoint_request request = PAWL_CHECKPOINT_REQUEST_INIT;
        pawl_workspace_capture *capture = NULL;

        request.description = "at the session's end";
        request.automatic = request.only_if_changed = true;
        request.mission_id = h->mission.data;
        request.session_id = h->session_id;
        pawl_status status =
                pawl_workspace_checkpoint(&capture, h->log, &request, &h->workspace, &h->err);
        if (!status) {
                h->left_out = capture->counts.over_budget;
                h->n = capture->info.n;
        }
        pawl_workspace_capture_free(capture);
        return status == PAWL_DONE ? PAWL_OK : status;
}

/* What was edited: what differs now from how the session found it. */
static pawl_status compare(pawl_comparison **out, const char ***files, size_t *n, hooking *h)
{
        char which[24];
        uint64_t before;
        pawl_status status = pawl__session_before(&before, h->log, h->session_id, &h->err);

        if (status || !before)
                return status;
        snprintf(which, sizeof which, "%llu", (unsigned long long)before);
        status = pawl_workspace_compare(
                out, h->log, which, NULL, &h->workspace, NULL, NULL, &h->err);
        if (status || !(*out)->n_files)
                return status;
        *files = pawl__arena_array(&h->arena, (*out)->n_files, sizeof **files);
        for (size_t i = 0; *files && i < (*out)->n_files; i++) {
                const pawl_text path = (*out)->files[i].path;
                if (pawl__utf8_valid(path.data, path.len))
                        (*files)[(*n)++] = pawl__arena_copy(&h->arena, path).data;
        }
        return *files ? pawl__arena_check(&h->arena, &h->err) : pawl__nomem(&h->err);
}

/* A session that is not there has nothing to keep: it changed nothing. So has one that was kept by
 * the last event there is; some agents tell of a compaction before each of their requests. */
static pawl_status keep_session(hooking *h, bool ends)
{
        pawl_session_work work = {NULL, NULL, NULL, 0, NULL, 0, NULL, 0};
        const char *const reason = pawl__arena_copy(&h->arena, h->call.reason).data;
        pawl_comparison *comparison = NULL;
        const char **files = NULL;
        unsigned char hash[32];
        uint64_t seq;
        pawl_status status = in_step(h) ? PAWL_DONE : open_log(h, false);

        if (!status)
                status = find_session(h);
        if (!status && pawl_log_head(&seq, hash, h->log))
                status = pawl__log_failed(h->log, PAWL_EIO, &h->err);
        if (status || !*h->session_id || (!ends && seq == h->kept_seq))
                return status;
        if (ends)
                status = take_workspace(h);
        if (!status)
                status = compare(&comparison, &files, &work.n_files, h);
        work.files = files;
        if (!status && ends)
                status = pawl_session_end(
                        h->log, h->session_id, h->actor.data, "completed", reason, &work, &h->err);
        else if (!status)
                status = pawl_session_checkpoint(&seq, h->log, h->session_id, h->actor.data,
                        "context_warning", &work, &h->err);
        pawl_comparison_free(comparison);
        return status;
}

static pawl_status before_compaction(hooking *h)
{
        return keep_session(h, false);
}

static pawl_status session_end(hooking *h)
{
        return keep_session(h, true);
}

/* What was done, in the agent's own words. */
static pawl_status turn_end(hooking *h)
{
        pawl_session_work work = {NULL, NULL, NULL, 0, NULL, 0, NULL, 0};
        pawl_text said = h->call.message;

        if (!said.len || in_step(h))
                return PAWL_OK;
        pawl_status status = open_log(h, false);
        if (!status)
                status = find_session(h);
        if (status || !*h->session_id)
                return status;
        said.len = pawl__utf8_cut(said.data, said.len, SUMMARY_MAX);
        work.summary = pawl__arena_copy(&h->arena, said).data;
        status = pawl__arena_check(&h->arena, &h->err);
        if (!status)
                status = pawl_session_update(h->log, h->session_id, h->actor.data, &work, &h->err);
        return status;
}

/* ---- The command --------------------------------------------------------------------------------
 */

static pawl_status read_call(hooking *h)
{
        const char *name = cli_value(h->cli, "agent");
        pawl_text json;
        pawl_status status = cli_input_open(&h->input, "-", &h->err);

        if (!status)
                status = cli_input_all(&json, &h->input, &h->err);
        if (!status)
                status = pawl__hook_call_read(
                        &h->call, &h->tree, json, pawl__agent_named(name), &h->err);
        if (status)
                return status;
        pawl__buf_addf(&h->actor, "agent:%s", h->call.agent->name);
        pawl__buf_adds(&h->mission, h->call.agent->name);
        if (h->call.session.len)
                pawl__buf_addf(&h->mission, ":%.*s",
                        (int)pawl__utf8_cut(h->call.session.data, h->call.session.len, 100),
                        h->call.session.data);
        h->workspace = (pawl_workspace_options)PAWL_WORKSPACE_OPTIONS_INIT;
        h->workspace.home = h->cli->in->home;
        h->workspace.config_home = h->cli->in->config_home;
        h->workspace.actor = h->actor.data;
        h->workspace.budget_ms =
                cli_given(h->cli, "budget") ? cli_duration_ms(h->cli, "budget") : BUDGET_MS;
        status = pawl__buf_check(&h->actor, &h->err);
        return status ? status : pawl__buf_check(&h->mission, &h->err);
}

static pawl_status handle(hooking *h)
{
        static pawl_status (*const handlers[])(hooking *) = {
                [PAWL__HOOK_BEFORE_TOOL] = before_tool,
                [PAWL__HOOK_SESSION_START] = session_start,
                [PAWL__HOOK_BEFORE_COMPACTION] = before_compaction,
                [PAWL__HOOK_TURN_END] = turn_end,
                [PAWL__HOOK_SESSION_END] = session_end,
        };
        pawl_status status = read_call(h);

        if (!status && h->call.event != PAWL__HOOK_OTHER)
                status = handlers[h->call.event](h);
        return status == PAWL_DONE ? PAWL_OK : status;
}

/* To the person, and to the model before it calls a tool, where the agent hands it on. */
static void tell(hooking *h, pawl_text message)
{
        if (!h->call.agent || h->call.agent->form == PAWL__HOOK_PLAIN)
                return;
        pawl__json_member_text(&h->reply, "systemMessage", message);
        if (h->call.event == PAWL__HOOK_BEFORE_TOOL)
                reply_context(h, message);
}

static int tell_failure(hooking *h)
{
        pawl__buf message = PAWL__BUF_INIT;

        (void)cli_fail(h->cli, &h->err);
        if (cli_given(h->cli, "strict"))
                return STRICT_FAILED;
        pawl__buf_addf(&message, "pawl: %s", h->err.message);
        if (!message.failed)
                tell(h, pawl__buf_text(&message));
        pawl__buf_free(&message);
        return CLI_DONE;
}

static void tell_left_out(hooking *h)
{
        pawl__buf message = PAWL__BUF_INIT;

        pawl__buf_addf(&message,
                "pawl: checkpoint %" PRIu64 " lacks %" PRIu64
                " files or directories that could not "
                "be read in time and cannot be brought back by it (`pawl show %" PRIu64 "` names "
                "them); the next checkpoint goes on, or take one now: pawl checkpoint",
                h->n, h->left_out, h->n);
        if (!message.failed) {
                cli_noticef(h->cli, "%s", message.data + strlen("pawl: "));
                tell(h, pawl__buf_text(&message));
        }
        pawl__buf_free(&message);
}

static int hook_run(cli_call *cli)
{
        hooking h = {.cli = cli,
                .input = {.fd = -1},
                .tree = PAWL__JSON_TREE_INIT,
                .actor = PAWL__BUF_INIT,
                .mission = PAWL__BUF_INIT,
                .arena = PAWL__ARENA_INIT,
                .reply = PAWL__JSON_WRITER_INIT,
                .err = PAWL_ERROR_INIT};
        int code = CLI_DONE;

        pawl__json_open_object(&h.reply);
        if (handle(&h))
                code = tell_failure(&h);
        else if (h.left_out)
                tell_left_out(&h);
        pawl__json_close_object(&h.reply);
        if (code == CLI_DONE && !pawl__json_end_writer(&h.reply))
                fprintf(cli->in->out, "%s\n", h.reply.buf.data);
        pawl__json_writer_free(&h.reply);
        if (h.log)
                cli_close_log(cli, h.log);
        pawl__arena_free(&h.arena);
        pawl__json_tree_free(&h.tree);
        pawl__buf_free(&h.actor);
        pawl__buf_free(&h.mission);
        cli_input_close(&h.input);
        return code;
}

static const cli_option options[] = {
        {"agent", 0, 0, CLI_CHOICE, "NAME", CLI_AGENT_NAMES,
                "whose hook it is (default: found out from what it tells)"},
        {"strict", 0, 0, CLI_FLAG, NULL, NULL, "after a failure exit 2, which stops the agent"},
        {"budget", 0, 0, CLI_DURATION, "TIME", NULL,
                "list what it has not read by then in place of capturing it (default: 10s)"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd pawl_hook_cmd = {
        .name = "hook",
        .args = "",
        .traits = CLI_CHANGES | CLI_WORKSPACE,
        .options = options,
        .help = "Do what an agent's hook asks for; reads the agent's JSON from standard input",
        .run = hook_run,
};
