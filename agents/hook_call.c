#include "agents/hook_call.h"
#include "agents/jsonc.h"
#include "base/error.h"
#include <stdlib.h>

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

/* A shell's command is beside the other members where the event itself names the tool. */
static void find_tool(pawl__hook_call *call, const pawl__json_tree *tree)
{
        const pawl__node input = pawl__json_get(tree, 0, "tool_input");

        call->tool = MEMBER(tree, "tool_name", "toolName");
        if (pawl__text_is(call->event_name, "beforeShellExecution"))
                call->tool = pawl__text("Shell");
        if (input != PAWL__NO_NODE && pawl__json_at(tree, input)->type == PAWL__JSON_OBJECT)
                call->arguments = pawl__json_at(tree, input)->value;
}

/* ---- What is not strict JSON ----------------------------------------------------------------- */

/* The UTF-16 unit that an escape at @p p is; 0: it is none. */
static unsigned unit_at(const char *p, const char *end)
{
        char digits[5] = "";

        if (end - p < 6 || p[0] != '\\' || p[1] != 'u')
                return 0;
        memcpy(digits, p + 2, 4);
        return strspn(digits, "0123456789abcdefABCDEF") == 4 ? (unsigned)strtoul(digits, NULL, 16)
                                                             : 0;
}

/* Half a surrogate pair is what JavaScript writes of a text that was cut within a character. */
static void add_whole_characters(pawl__buf *out, pawl_text json)
{
        const char *const end = json.data + json.len;

        for (const char *p = json.data; p < end;) {
                const unsigned unit = unit_at(p, end), next = unit ? unit_at(p + 6, end) : 0;
                const bool high = unit >= 0xd800 && unit < 0xdc00;
                const bool pair = high && next >= 0xdc00 && next < 0xe000;
                size_t len = pair ? 12 : *p == '\\' && end - p > 1 ? 2 : 1;
                if (unit >= 0xd800 && unit < 0xe000 && !pair) {
                        pawl__buf_adds(out, "\\ufffd");
                        p += 6;
                        continue;
                }
                pawl__buf_add(out, p, len);
                p += len;
        }
}

/* One member after the other, each that can be read; of several of one name the last. */
static pawl_status keep_readable(pawl__buf *kept, pawl_text json, pawl_error *err)
{
        static const char *const names[] = {"hook_event_name", "hookEventName", "session_id",
                "sessionId", "conversation_id", "cursor_version", "timestamp", "turn_id", "model",
                "cwd", "workspace_roots", "tool_name", "toolName", "tool_input", "tool_use_id",
                "toolUseId", "tool_call_id", "prompt_id", "generation_id", "last_assistant_message",
                "prompt_response", "reason"};
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl__buf whole = PAWL__BUF_INIT;

        if (!json.len)
                return PAWL_EPARSE;
        add_whole_characters(&whole, json);
        pawl_status status = pawl__buf_check(&whole, err);
        const char *const end = status ? NULL : whole.data + whole.len;
        const char *p = status ? NULL : pawl__jsonc_skip_blank(whole.data, end);
        const pawl__jsonc_span root = {p, p ? pawl__jsonc_skip_value(p, end, 0) : NULL};

        if (!status && (!root.to || !pawl__jsonc_is_object(root) ||
                               pawl__jsonc_skip_blank(root.to, end) != end))
                status = PAWL_EPARSE;
        for (size_t i = 0; i < sizeof names / sizeof *names && !status; i++) {
                const pawl__jsonc_span value = pawl__jsonc_get(NULL, root, names[i]);
                if (!value.from)
                        continue;
                const size_t len = (size_t)(value.to - value.from);
                status = pawl__json_tree_read(&tree, value.from, len, NULL);
                if (!status) {
                        pawl__buf_addf(kept, "%s\"%s\":", kept->len ? "," : "{", names[i]);
                        pawl__buf_add(kept, value.from, len);
                }
                status = status == PAWL_ENOMEM ? status : PAWL_OK;
        }
        if (!status && !kept->len)
                status = PAWL_EPARSE;
        pawl__buf_addc(kept, '}');
        pawl__json_tree_free(&tree);
        pawl__buf_free(&whole);
        return status ? status : pawl__buf_check(kept, err);
}

/* Strictly; or else what can be read of it. A byte order mark is none of it. */
static pawl_status read_document(
        pawl__json_tree *tree, pawl__buf *kept, pawl_text json, pawl_error *err)
{
        if (pawl__text_starts(json, "\xef\xbb\xbf"))
                json = (pawl_text){json.data + 3, json.len - 3};
        pawl_status status = pawl__json_tree_read(tree, json.data, json.len, err);
        if (!status || status == PAWL_ENOMEM)
                return status;
        const pawl_status kept_status = keep_readable(kept, json, NULL);
        if (kept_status)
                return kept_status == PAWL_ENOMEM ? pawl__nomem(err) : status;
        return pawl__json_tree_read(tree, kept->data, kept->len, err);
}

/* An agent may leave its end of the pipe open: the bracket that closes the first one is the end. */
bool pawl__hook_call_whole(pawl_text text, void *scan)
{
        pawl__hook_scan *s = scan;

        for (; s->at < text.len; s->at++) {
                const char c = text.data[s->at];
                if (s->quoted && c == '\\')
                        s->at++;
                else if (c == '"')
                        s->quoted = !s->quoted;
                else if (!s->quoted && (c == '{' || c == '['))
                        s->depth++;
                else if (!s->quoted && s->depth && (c == '}' || c == ']') && --s->depth == 0)
                        return true;
        }
        return false;
}

/* ---- The call -------------------------------------------------------------------------------- */

pawl_status pawl__hook_call_read(pawl__hook_call *out, pawl__json_tree *tree, pawl__buf *kept,
        pawl_text json, const pawl__agent *agent, pawl_error *err)
{
        pawl__hook_call call = {.agent = agent};
        pawl_status status = read_document(tree, kept, json, err);

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
