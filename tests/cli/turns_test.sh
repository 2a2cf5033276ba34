# What each checkpoint changed, the turns of an agent's session, and a checkpoint by its turn, call or path.
. "$SOURCE_DIR/tests/cli/shared.sh"
export HOME=$PWD/home
mkdir home project
cd project
git init -q .
printf '%s\n' out err call >.git/info/exclude
begin_log

# hook EVENT MEMBERS: of session s1.
hook() {
        jq -nc --arg cwd "$PWD" --arg event "$1" \
                "{session_id:\"s1\",cwd:\$cwd,hook_event_name:\$event} + {$2}" >call
        pawl hook --agent claude <call >out
}

it "a list shows what each changed since the one before, and in which turn it was taken"
mkdir src
echo 1 >src/a
echo 1 >b
hook PreToolUse 'tool_name:"Bash",tool_use_id:"toolu_1"'
echo 2 >src/a
echo 1 >src/c
hook Stop "last_assistant_message:(\"é\" * 200)"
hook Stop 'last_assistant_message:"nothing done"'
rm b
hook PreToolUse 'tool_name:"Edit",tool_use_id:"toolu_2"'
chmod +x src/a
hook Stop 'last_assistant_message:"third"'
runs 0 pawl checkpoints --json
same "$(jq -c 'map([.n, (.changed | if . then [.added,.removed,.modified] else . end), .turn.n, (.turn.text // "" | length)])' out)" \
        '[[1,null,1,150],[2,[1,0,1],1,150],[3,[0,1,0],3,5],[4,[0,0,1],3,5]]'
same "$(jq -c 'map(.turn.session_id == .session_id) | unique' out)" '[true]'
runs 0 pawl checkpoints
says '^N +ID +STEP +DESCRIPTION +TRIGGER +CHANGES +TURN +SAID ' out
says '\+1 ~1 +1 +é' out

it "a checkpoint of a turn that has not ended, or of no agent, has none"
echo 3 >src/a
hook PreToolUse 'tool_name:"Edit",tool_use_id:"toolu_3"'
same "$(pawl checkpoint now --json | jq -c '[.changed, .turn]')" '[{"added":0,"removed":0,"modified":0},null]'
same "$(pawl checkpoints --json | jq -c 'map(.turn.n)')" '[1,1,3,3,null,null]'
same "$(pawl checkpoints --json -n 1 | jq -c '.[0].changed')" '{"added":0,"removed":0,"modified":0}'

it "a turn is named by its number, in the newest session or in one that is named; a call by its name"
session=$(pawl sessions --json | jq -r '.[0].session_id')
while read -r name n; do
        same "$(pawl show "$name" --json | jq .n)" "$n"
        same "$(pawl diff "$name" 1 --json | jq .a.n)" "$n"
done <<END
@turn:1 2
@turn:2 2
@turn:3 4
@turn:$session:3 4
$(pawl restore list --json | jq -r '.[1]') 3
$(pawl restore list --json | jq -r '.[1] | sub("[.]json$"; "")') 3
END
for name in @turn:4 @turn:0 "@turn:$session:9" @turn:nobody:1; do
        fails 1 "^pawl: checkpoint $name: no such turn has ended; " pawl show "$name"
done
fails 1 '^pawl: checkpoint nothing.json: there is none; ' pawl show nothing.json
runs 0 pawl rollback @turn:1 --yes
same "$(cat src/a b)" "2
1"

it "the turn after a rollback, that changed nothing, ended where the rollback led"
hook Stop 'last_assistant_message:"fourth"'
same "$(pawl show @turn:4 --json | jq .n)" 2

it "paths choose those that changed them"
while read -r paths numbers; do
        # shellcheck disable=SC2086
        same "$(pawl checkpoints --json -- $paths | jq -c 'map(.n)')" "$numbers"
done <<'END'
b [1,3]
src/c [2]
src/a [1,2,4,5]
. [1,2,3,4,5]
nowhere []
END
same "$(pawl checkpoints -n 1 --json -- src/a | jq -c 'map(.n)')" "$(pawl checkpoints --json -- src/a | jq -c '[.[-1].n]')"
(cd src && same "$(pawl checkpoints --json -- c | jq ".[0].n")" 2)
misused 'paths come after --' pawl checkpoints b

it "without arguments diff compares with the current checkpoint"
runs 0 pawl diff
says '^checkpoint 2 → the workspace$' out
says '^no difference$' out
echo changed >b
echo new >d
same "$(pawl diff --json | jq -c '[.a.n, .b, (.files | map(.path))]')" '[2,null,["b","d"]]'
same "$(pawl diff --json -- d | jq -c '.files | map(.path)')" '["d"]'
misused 'name the checkpoint' pawl rollback -- b

it "a prune of the session leaves no turns"
hook SessionEnd 'reason:"exit"'
echo >e
hook PreToolUse 'session_id:"s2",tool_name:"Bash"'
hook Stop 'session_id:"s2",last_assistant_message:"x"'
pawl prune sessions --keep 1 >out
same "$(pawl checkpoints --json --all | jq -c 'map(.turn.n // empty)')" '[1]'
runs 0 eventlog replay --check

it "on a terminal of 80 columns a step's name and what was said can be read"
if command -v script >/dev/null; then
        cat >steps.yaml <<'END'
mission: steps
steps:
  - {id: compile-the-library, run: [touch, compiled]}
  - {id: test-linux-x86-64, run: [touch, tested]}
END
        pawl run steps.yaml --no-input >/dev/null 2>&1
        pawl checkpoint "a description that is far too long for any terminal" >/dev/null
        script -qec 'stty cols 80; pawl checkpoints' /dev/null </dev/null | tr -d '\r' >out
        says ' compile-the-library ' out
        says ' test-linux-x86-64 ' out
        same "$(awk 'length > 100' out)" "" # bytes, of 80 characters
fi
