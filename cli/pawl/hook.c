/*
 * pawl hook: what the hooks of an agent call. It reads what the agent tells on standard input, does
 * what the event asks for, and prints nothing but the agent's JSON. A failure is said, but stops no
 * agent, unless --strict.
 */
#include "cli/pawl/hook.h"
#include "base/error.h"
#include "base/ids.h"
#include "cli/pawl/commands.h"
#include "cli/pawl/hooks.h"
#include "cli/pawl/workspace.h"
#include "command/find.h"
#include <inttypes.h>
#include <stdlib.h>

enum {
        STRICT_FAILED = 2, /* by it an agent is told to stop */
        BUDGET_MS = 10000, /* of a checkpoint; agents wait 60 seconds for a hook */
};

/* AGENT:SESSION. What no id may have of a session's, such as the slashes of a URL, is written %2f.
 */
static void name_mission(hooking *h)
{
        pawl_text session = h->call.session;
        const char *const agent = h->call.agent->name;

        pawl__buf_adds(&h->mission, agent);
        if (session.len) {
                session.len = pawl__utf8_cut(session.data, session.len, 100);
                pawl__buf_addf(&h->mission, ":%.*s", PAWL__FMT(session));
        }
        if (h->mission.failed || !pawl__id_check(pawl__buf_text(&h->mission), "session", NULL))
                return;
        pawl__buf_clear(&h->mission);
        pawl__buf_addf(&h->mission, "%s:", agent);
        for (size_t i = 0; i < session.len && h->mission.len < 100; i++) {
                const unsigned char c = (unsigned char)session.data[i];
                const bool plain = (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') ||
                                   (c && strchr("-_.:", c));
                if (plain)
                        pawl__buf_addc(&h->mission, (char)c);
                else
                        pawl__buf_addf(&h->mission, "%%%02x", c);
        }
}

static pawl_status read_call(hooking *h)
{
        const char *name = cli_value(h->cli, "agent");
        pawl__hook_scan scan = {.at = 0};
        pawl_text json;
        pawl_status status = cli_input_open(&h->input, "-", &h->err);

        if (!status)
                status = cli_input_until(&json, &h->input, pawl__hook_call_whole, &scan, &h->err);
        if (!status)
                status = pawl__hook_call_read(
                        &h->call, &h->tree, &h->kept, json, pawl__agent_named(name), &h->err);
        if (status)
                return status;
        pawl__buf_addf(&h->actor, "agent:%s", h->call.agent->name);
        name_mission(h);
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
                [PAWL__HOOK_BEFORE_TOOL] = hook_before_tool,
                [PAWL__HOOK_SESSION_START] = hook_session_start,
                [PAWL__HOOK_BEFORE_COMPACTION] = hook_before_compaction,
                [PAWL__HOOK_TURN_END] = hook_turn_end,
                [PAWL__HOOK_SESSION_END] = hook_session_end,
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
                hook_reply_context(h, message);
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
                .kept = PAWL__BUF_INIT,
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
        pawl__buf_free(&h.kept);
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
        .traits = CLI_CHANGES | CLI_WORKSPACE,
        .options = options,
        .help = "Do what an agent's hook asks for; reads the agent's JSON from standard input",
        .run = hook_run,
};
