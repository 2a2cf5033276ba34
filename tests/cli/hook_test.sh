# pawl hook: what an agent's hooks ask for, and what they get.
. "$SOURCE_DIR/tests/cli/shared.sh"
export HOME=$PWD/home
unset XDG_CONFIG_HOME
mkdir home project
cd project
git init -q .
printf '%s\n' out err >.git/info/exclude

# hook EVENT MEMBERS [OPTION...]: the reply is in out.
hook() {
        local event=$1 members=$2
        shift 2
        jq -nc --arg cwd "$PWD" --arg event "$event" \
                "{session_id:\"s1\",cwd:\$cwd,hook_event_name:\$event} + {$members}" >../call
        local code=0
        pawl hook "$@" <../call >out 2>err || code=$?
        return $code
}

it "a session's start where there is no log makes none and tells nothing"
hook SessionStart 'source:"startup"'
same "$(cat out)" '{}'
[ ! -e .pawl ]

it "a checkpoint is taken before a tool that edits or runs a shell, and before no other"
echo one >a
hook PreToolUse 'tool_name:"Read",tool_input:{}'
[ ! -e .pawl ]
hook PreToolUse 'tool_name:"Bash",tool_input:{command:"echo two >a"},tool_use_id:"toolu_1"'
same "$(cat out)" '{}'
same "$(cat err)" "pawl: the log of this repository is $PWD/.pawl/events.db"
echo two >a
hook PreToolUse 'tool_name:"Edit",tool_input:{file_path:"a"},tool_use_id:"toolu_2"'
same "$(pawl checkpoints --json | jq -c 'map([.n,.trigger,.description])')" \
        '[[1,"auto","before Bash (toolu_1)"],[2,"auto","before Edit (toolu_2)"]]'
same "$(pawl restore list --json | jq length)" 2

it "none is taken where nothing changed since the last, nor where checkpoints are switched off"
before=$(eventlog head)
hook PreToolUse 'tool_name:"Edit",tool_input:{file_path:"a"},tool_use_id:"toolu_3"'
same "$(cat out)" '{}'
echo three >a
PAWL_TOOL_CHECKPOINTS=off hook PreToolUse 'tool_name:"Edit",tool_input:{},tool_use_id:"toolu_4"'
same "$(eventlog head)" "$before"

it "a hook that finds nothing changed does not wait for others that look"
echo two >a
same "$(pawl checkpoints --json | jq length)" 2
flock -s .pawl/events.db-lock timeout 10 "$BIN/pawl" hook <../call >out
same "$(cat out)" '{}'
same "$(eventlog head)" "$before"
echo three >a

it "two hooks of one batch take one checkpoint"
hook PreToolUse 'tool_name:"Edit",tool_input:{},tool_use_id:"toolu_5"' & first=$!
pawl hook <<<'{"session_id":"s1","hook_event_name":"PreToolUse","tool_name":"Write","tool_use_id":"toolu_6"}' >../second
wait $first
same "$(cat ../second)" '{}'
same "$(pawl checkpoints --json | jq length)" 3

it "each state comes back, by the call's name and by the checkpoint's number"
name=$(pawl restore list --json | jq -r '.[] | select(contains("toolu_1"))')
runs 0 pawl restore "$name"
same "$(cat a)" one
runs 0 pawl rollback 2 --yes
same "$(cat a)" two

it "before compaction and at the end the session is kept with what was edited"
echo four >a
echo new >b
hook PreCompact 'trigger:"auto"'
hook PreCompact 'trigger:"auto"'
same "$(events SessionCheckpointed)" 1
hook Stop 'last_assistant_message:"Put four into a."'
hook SessionEnd 'reason:"logout"'
same "$(pawl sessions --json | jq -c '.[0] | [.mission_id,.status]')" '["claude:s1","completed"]'
same "$(eventlog list --type SessionCheckpointed --json | jq -sc 'map([.actor, .payload.reason])')" \
        '[["agent:claude","context_warning"],["agent:claude","session_end"]]'
same "$(pawl handoff --json | jq -c '.files')" '[{"path":"a","change":"changed"},{"path":"b","change":"added"}]'

it "the next session's context is the handoff of the last, in the agent's own form"
hook SessionStart 'source:"startup",session_id:"s2"'
same "$(jq -r '.hookSpecificOutput.hookEventName' out)" SessionStart
jq -r '.hookSpecificOutput.additionalContext' out >context
says '^> Put four into a\.$' context
says '^- b' context
hook sessionStart 'conversation_id:"c",session_id:null'
same "$(jq -r 'keys[]' out)" additional_context

it "an agent's form is found out: where it gives no id of a call, where a shell is the event"
echo five >a
hook BeforeTool 'tool_name:"run_shell_command",tool_input:{command:"x"},timestamp:"2026-01-20T14:30:00Z"'
same "$(pawl checkpoints --json | jq -r '.[-1].description')" "before run_shell_command (call)"
same "$(eventlog list --type WorkspaceCheckpointed --json | jq -r .actor | tail -1)" agent:gemini
echo six >a
jq -nc --arg root "$PWD" '{conversation_id:"c",workspace_roots:[$root],hook_event_name:"beforeShellExecution",command:"ls"}' >../call
(cd / && pawl hook) <../call >out
same "$(cat out)" '{}'
same "$(eventlog list --type WorkspaceCheckpointed --json | jq -r .actor | tail -1)" agent:cursor
runs 0 eventlog replay --check

it "an event of a session that is not known starts it, one of a session that has ended does not"
while read -r event session status members; do
        hook "$event" "session_id:\"$session\",$members"
        same "$(pawl sessions --json | jq -r ".[] | select(.mission_id == \"claude:$session\") | .status")" "$status"
done <<'END'
PreToolUse new1 active tool_name:"Read"
PreToolUse new2 active tool_name:"Bash"
PreCompact new3 active trigger:"auto"
Stop new4 active last_assistant_message:"x"
Stop new5 active stop_hook_active:false
SessionEnd new6 completed reason:"exit"
SessionEnd s1 completed reason:"exit"
END

it "the end of a turn, as each agent tells of it, takes a checkpoint of what changed, and counts the turn"
while read -r agent event members; do
        before=$(pawl checkpoints --json | jq length)
        echo "$agent" >a
        for turn in 1 2; do # the second changed nothing
                hook "$event" "session_id:\"turns-$agent\",$members" --agent "$agent"
                same "$(cat out)" '{}'
        done
        same "$(pawl checkpoints --json | jq -c ".[$before:] | map([.trigger,.description])")" '[["auto","at the end of a turn"]]'
        same "$(eventlog list --type SessionUpdated --json | jq -c 'select(.mission_id == "'"$agent:turns-$agent"'") | .payload | [.turn_checkpoint, .summary]')" \
                "$(for turn in 1 2; do jq -nc "{$members} | [$((before + 1)), .last_assistant_message // .prompt_response]"; done)"
done <<'END'
claude Stop last_assistant_message:"said"
codex Stop last_assistant_message:"said",turn_id:"t",model:"m"
gemini AfterAgent prompt_response:"said",timestamp:"2026-01-20T14:30:00Z"
vscode Stop stop_hook_active:false
cursor stop status:"completed",conversation_id:"c"
END
echo more >a
before=$(pawl checkpoints --json | jq length)
PAWL_TOOL_CHECKPOINTS=off hook Stop 'session_id:"turns-claude"'
same "$(pawl checkpoints --json | jq length)" "$before"

it "a tool that the log's settings name edits"
echo 'edit_tools: [mcp__fs__write_file]' >.pawl/config.yaml
echo seven >a
hook PreToolUse 'tool_name:"mcp__fs__write_file",tool_use_id:"toolu_7"'
same "$(pawl checkpoints --json | jq -r '.[-1].description')" "before mcp__fs__write_file (toolu_7)"
rm .pawl/config.yaml

it "the JSON value ends the reading: nobody waits for the end of the input"
for text in '{"hook_event_name":"Notification","x":["}\\\"",{}]}' '[1]' '\xef\xbb\xbf {"hook_event_name":"Stop","cwd":"/nowhere"}\n'; do
        mkfifo ../pipe
        sleep 100 >../pipe & holder=$!
        { printf "$text" >../pipe; } &
        code=0
        timeout 20 pawl hook <../pipe >out 2>err || code=$?
        kill "$holder"
        rm ../pipe
        same "$code" 0
done

it "what is no call of a hook is said and stops no agent, unless it is strict"
before=$(eventlog head)
for input in '' nope '[]' '{"session_id":"s"}' '{"hook_event_name":7}'; do
        pawl hook <<<"$input" >out 2>err
        same "$(cat out)" '{}'
        says '^pawl: standard input: .*; ' err
        code=0
        pawl hook --strict <<<"$input" >out 2>err || code=$?
        same "$code" 2
        is_empty out
        says '^pawl: standard input: .*; ' err
done
pawl hook <<<'{"hook_event_name":"Notification","cwd":"/nowhere"}' >out
same "$(cat out)" '{}'
same "$(eventlog head)" "$before"

it "no checkpoints are taken of the home directory and of the root, and the person is told"
for directory in "$HOME" /; do
        jq -nc --arg cwd "$directory" '{cwd:$cwd,hook_event_name:"PreToolUse",tool_name:"Bash"}' >../call
        pawl hook <../call >out 2>err
        says '^\{"systemMessage":"pawl: .*of which no checkpoints are taken; start the agent in the directory of a project' out
done
[ ! -e "$HOME/.pawl" ]
[ ! -e /.pawl ]

it "nor where HOME names it by a link, or below a home directory that is a repository itself"
ln -s home ../link
mkdir "$HOME/.git" "$HOME/below"
for directory in "$HOME" "$HOME/below"; do
        jq -nc --arg cwd "$directory" '{cwd:$cwd,hook_event_name:"PreToolUse",tool_name:"Bash"}' >../call
        HOME=$(dirname "$HOME")/link/ pawl hook <../call >out 2>err
        [ ! -e "$HOME/.pawl" ]
done
[ -e "$HOME/below/.pawl/events.db" ]
rm -r "$HOME/.git" "$HOME/below" ../link

it "a new log is made at the top of the repository"
mkdir -p ../other/deep
git init -q ../other
jq -nc --arg cwd "$(realpath ../other/deep)" '{cwd:$cwd,hook_event_name:"PreToolUse",tool_name:"Bash"}' >../call
pawl hook <../call >out
[ -e ../other/.pawl/events.db ]
[ ! -e ../other/deep/.pawl ]

it "hooks of an unknown session that come at once start one session, and lose nothing"
for round in 1 2 3 4 5 6; do
        echo "$round" >once
        for event in SessionStart PreToolUse Stop PreCompact PreToolUse SessionStart; do
                jq -nc --arg e $event --arg s "at-once-$round" '{session_id: $s, hook_event_name: $e, tool_name: "Edit", tool_input: {}, last_assistant_message: "x", trigger: "auto", source: "startup"}' |
                        pawl hook --strict >/dev/null 2>>../at-once &
        done
        wait
        same "$(cat ../at-once)" ""
        same "$(pawl sessions --mission "claude:at-once-$round" --json | jq length)" 1
done
same "$(pawl checkpoints --json | jq '.[-1].files')" "$(pawl checkpoint --json | jq .files)"
