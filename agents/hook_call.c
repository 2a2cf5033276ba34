#include "agents/hook_call.h"
#include "base/error.h"

static const struct {
        const char *name;
        pawl__hook_event event;
} events[] = {
        {"PreToolUse", PAWL__HOOK_BEFORE_TOOL},
        {"BeforeTool", PAWL__HOOK_BEFORE_TOOL},
        {"preToolUse", PAWL__HOOK_BEFORE_TOOL},
        {"beforeShellExecution", PAWL__HOOK_BEFORE_TOOL},
        {"SessionStart", PAWL__HOOK_SESSION_START},
        {"sessionStart", PAWL__HOOK_SESSION_START},
        {"PreCompact", PAWL__HOOK_BEFORE_COMPACTION},
        {"PreCompress", PAWL__HOOK_BEFORE_COMPACTION},
        {"preCompact", PAWL__HOOK_BEFORE_COMPACTION},
        {"Stop", PAWL__HOOK_TURN_END},
        {"AfterAgent", PAWL__HOOK_TURN_END},
        {"stop", PAWL__HOOK_TURN_END},
        {"SessionEnd", PAWL__HOOK_SESSION_END},
        {"sessionEnd", PAWL__HOOK_SESSION_END},
};

/* The first of these members that is a text. */
static pawl_text member(const pawl__json_tree *tree, const char *const *names)
{
        pawl_text text = {NULL, 0};

        for (; *names && !text.data; names++)
                text = pawl__json_get_text(tree, 0, *names);
        return text;
}
#define MEMBER(tree, ...) member(tree, (const char *const[]){__VA_ARGS__, NULL})

static bool has(const pawl__json_tree *tree, const char *name)
{
        return pawl__json_get(tree, 0, name) != PAWL__NO_NODE;
}

static const pawl__agent *find_agent(const pawl__json_tree *tree, pawl_text event)
{
        const bool gemini = pawl__text_starts(event, "Before") ||
                            pawl__text_starts(event, "After") ||
                            pawl__text_is(event, "PreCompress") || has(tree, "timestamp");

        return pawl__agent_named(has(tree, "conversation_id") || has(tree, "cursor_version")
                                         ? "cursor"
                                 : gemini                                     ? "gemini"
                                 : has(tree, "turn_id") || has(tree, "model") ? "codex"
                                 : has(tree, "sessionId")                     ? "vscode"
                                                                              : "claude");
}

/* The first of the workspace's roots, where an agent has several and says no directory. */
static pawl_text find_directory(const pawl__json_tree *tree)
{
        pawl_text directory = MEMBER(tree, "cwd");
        const pawl__node roots = pawl__json_get(tree, 0, "workspace_roots");
        pawl__node first;

        if (directory.len || roots == PAWL__NO_NODE ||
                pawl__json_at(tree, roots)->type != PAWL__JSON_ARRAY)
                return directory;
        first = pawl__json_first(tree, roots);
        if (first != PAWL__NO_NODE && pawl__json_at(tree, first)->type == PAWL__JSON_STRING)
                directory = pawl__json_at(tree, first)->value;
        return directory;
}

/* A shell's command stands beside the other members where the event itself names the tool. */
static void find_tool(pawl__hook_call *call, const pawl__json_tree *tree)
{
        const pawl__node input = pawl__json_get(tree, 0, "tool_input");

        call->tool = MEMBER(tree, "tool_name", "toolName");
        if (pawl__text_is(call->event_name, "beforeShellExecution"))
                call->tool = pawl__text("Shell");
        if (input != PAWL__NO_NODE && pawl__json_at(tree, input)->type == PAWL__JSON_OBJECT)
                call->arguments = pawl__json_at(tree, input)->value;
}

pawl_status pawl__hook_call_read(pawl__hook_call *out, pawl__json_tree *tree, pawl_text json,
        const pawl__agent *agent, pawl_error *err)
{
        pawl__hook_call call = {.agent = agent};
        pawl_status status = pawl__json_tree_read(tree, json.data, json.len, err);

        if (status)
                return pawl__fail_prefix(err, status, "standard input");
        call.event_name = MEMBER(tree, "hook_event_name", "hookEventName");
        if (!call.event_name.len)
                return pawl__fail(err, PAWL_EINVAL,
                        "standard input: has no hook_event_name; let the agent call this, as "
                        "`pawl hooks install --agent NAME` sets it up");
        for (size_t i = 0; i < sizeof events / sizeof *events; i++)
                if (pawl__text_is(call.event_name, events[i].name))
                        call.event = events[i].event;
        if (!call.agent)
                call.agent = find_agent(tree, call.event_name);
        call.session = MEMBER(tree, "session_id", "sessionId", "conversation_id");
        call.directory = find_directory(tree);
        find_tool(&call, tree);
        call.call_id = MEMBER(tree, "tool_use_id", "toolUseId", "tool_call_id");
        call.message_id = MEMBER(tree, "turn_id", "prompt_id", "generation_id");
        call.message = MEMBER(tree, "last_assistant_message", "prompt_response");
        call.reason = MEMBER(tree, "reason");
        *out = call;
        return PAWL_OK;
}
