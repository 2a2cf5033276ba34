# pawl hook for each agent and each of its events: what it tells, as it was seen (shortened), with more members than are
# known, with fewer, of other types, and with what is no strict JSON; and what is no call at all.
. "$SOURCE_DIR/tests/cli/shared.sh"
export HOME=$PWD/home
unset XDG_CONFIG_HOME
mkdir home calls

# Of each agent: what it tells of a call of its shell, what stands for the event's name, and its events; the first ones
# come before a tool.
cat >agents.json <<'END'
{
 "claude": {"event": "hook_event_name", "before": ["PreToolUse"],
  "other": ["SessionStart", "PostToolUse", "Notification", "PreCompact", "Stop", "SessionEnd"],
  "call": {"session_id": "0d1-s", "transcript_path": "/t", "prompt_id": "p1", "permission_mode": "bypassPermissions", "effort": {"level": "high"},
   "tool_name": "Bash", "tool_input": {"command": "echo x >> f", "description": "edit"}, "tool_use_id": "toolu_1", "last_assistant_message": "Done."}},
 "codex": {"event": "hook_event_name", "before": ["PreToolUse"], "other": ["SessionStart", "UserPromptSubmit", "PreCompact", "Stop"],
  "call": {"session_id": "0d1-s", "turn_id": "t1", "transcript_path": "/t", "model": "stub", "permission_mode": "bypassPermissions",
   "tool_name": "Bash", "tool_input": {"command": "echo x >> f"}, "tool_use_id": "call_1", "last_assistant_message": "Done."}},
 "gemini": {"event": "hook_event_name", "before": ["BeforeTool"], "other": ["SessionStart", "AfterTool", "PreCompress", "AfterAgent", "SessionEnd"],
  "call": {"session_id": "0d1-s", "transcript_path": "/t", "timestamp": "2026-01-20T14:30:00Z",
   "tool_name": "run_shell_command", "tool_input": {"command": "echo x >> f", "description": "edit"}, "prompt_response": "Done."}},
 "vscode": {"event": "hookEventName", "before": ["PreToolUse"], "other": ["SessionStart", "PreCompact", "Stop"],
  "tools": ["runTerminalCommand", "createFile"],
  "call": {"sessionId": "vscode-chat://local/0d1", "timestamp": "2026-01-20T14:30:00Z",
   "tool_name": "run_in_terminal", "tool_input": {"command": "echo x >> f"}, "tool_use_id": "c1"}},
 "cursor": {"event": "hook_event_name", "before": ["preToolUse", "beforeShellExecution"],
  "other": ["sessionStart", "afterFileEdit", "preCompact", "stop", "sessionEnd"],
  "call": {"conversation_id": "0d1-s", "generation_id": "g1", "cursor_version": "2.0",
   "tool_name": "Shell", "tool_input": {"command": "echo x >> f"}, "tool_use_id": "c1", "command": "echo x >> f"}}
}
END

# calls AGENT DIRECTORY: the calls of its, one a line, as "EVENT KIND BEFORE JSON"; those before a tool of each kind.
calls() {
        jq -r --arg agent "$1" --arg cwd "$2" '.[$agent] as $a
                | ($a.before + $a.other)[] as $event
                | ($a.before | any(. == $event)) as $before
                | ($a.call + {($a.event): $event, cwd: $cwd}) as $call
                | def line($kind; $json): if $before or ($kind | IN("seen", "less", "types", "half")) then "\($event) \($kind) \($before) \($json)" else empty end;
                  line("seen"; $call | tojson),
                  line("more"; {zzz: {a: [1, {b: null}]}, n: 1e300} + $call + {"": ""} | tojson),
                  line("less"; {($a.event): $event, cwd: $cwd, tool_name: $call.tool_name} | tojson),
                  line("types"; ($call | map_values(7)) + {($a.event): $event, cwd: $cwd, tool_name: $call.tool_name, tool_input: [1], reason: {}} | tojson),
                  line("null"; ($call | map_values(null)) + {($a.event): $event, cwd: $cwd, tool_name: $call.tool_name} | tojson),
                  line("session"; $call + {session_id: "../\u0001 ", sessionId: " /"} | tojson),
                  line("large"; $call + {tool_input: {content: ("x" * 300000)}} | tojson),
                  line("half"; ($call | tojson)[:-1] + ",\"last_assistant_message\":\"cut \\ud83d\",\"prompt_response\":\"\\udc00\",\"tool_input\":{\"command\":\"\\ud83d \\ud83d\\ude00\"}}"),
                  line("twice"; ($call | tojson)[:-1] + ",\"tool_input\":{\"n\":1e999,\"n\":2},\"model\":1,\"model\":2}"),
                  line("mark"; "\ufeff" + ($call | tojson)),
                  line("tool"; $call + {tool_name: ($a.tools // [])[]} | tojson)' agents.json
}

for agent in claude codex gemini vscode cursor; do
        it "$agent: each event is answered with its JSON alone, and before a tool there is a checkpoint"
        mkdir "project-$agent"
        calls "$agent" "$PWD/project-$agent" >"calls/$agent"
        cd "project-$agent"
        git init -q .
        n=0
        : >../outs
        while read -r event kind before json; do
                [ "$before" = false ] || n=$((n + 1))
                echo x >>a
                code=0
                pawl hook --agent "$agent" --strict <<<"$json" >../out 2>../err || code=$?
                same "$event $kind: $code $(grep -v 'the log of this repository is' ../err || true)" "$event $kind: 0 "
                cat ../out >>../outs
        done <"../calls/$agent"
        same "$(wc -l <../outs)" "$(wc -l <"../calls/$agent")"
        jq -es 'all(type == "object" and (keys - ["hookSpecificOutput", "additional_context"]) == [])' ../outs >/dev/null
        same "$(eventlog list --type WorkspaceCheckpointed --json | jq -rs "map(select(.payload.description | test(\"^before \"))) | length, (map(.actor) | unique[])")" \
                "$n"$'\n'"agent:$agent"
        runs 0 eventlog replay --check
        cd ..
done

it "half of a character and members that are there twice cost no more than themselves"
cd project-claude
same "$(eventlog list --type ToolCallCheckpointed --json | jq -rs 'map(.payload.call_id) | unique | join(" ")')" "call toolu_1"
same "$(pawl sessions --json | jq -r '[.[].mission_id] | map(select(test("%2f"))) | unique | join(" ")')" "claude:..%2f%01%20"
eventlog export | jq -es 'any(.payload.summary == "cut \ufffd")' >/dev/null
cd ..

it "what is no call is said in one line, and stops the agent only where that is asked for"
cd project-claude
before=$(eventlog head)
for agent in claude cursor; do
        for input in '' $'\n' hello '[]' '7' '{"a":' '{"session_id":"s","cwd":"/"}' '{"hook_event_name":["PreToolUse"]}' '{} {}' $'\xff' '{"tool_input":"\ud83d"}'; do
                code=0
                printf '%s' "$input" | pawl hook --agent "$agent" >../out 2>../err || code=$?
                same "$agent $input: $code" "$agent $input: 0"
                same "$(<../out)" '{}'
                same "$(wc -l <../err)" 1
                says '^pawl: standard input: [^;]+; .' ../err
                code=0
                printf '%s' "$input" | pawl hook --agent "$agent" --strict >../out 2>../err || code=$?
                same "$agent $input: $code" "$agent $input: 2"
                is_empty ../out
                says '^pawl: standard input: [^;]+; .' ../err
        done
done
same "$(eventlog head)" "$before"
cd ..
