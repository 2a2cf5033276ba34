# Tool calls: a checkpoint before each that edits, and taking one back.
. "$SOURCE_DIR/tests/cli/shared.sh"
printf '%s\n' /out /err /calls >.pawlignore

calls='[{"callId":"c1","name":"replace","args":{"file_path":"a.txt"}},
        {"callId":"c2","name":"read_file","args":{}},
        {"callId":"c3","name":"write_file","args":{"n":9007199254740993},"x":[1.0]}]'

it "a batch that edits nothing makes no log, and none is made where it is switched off"
runs 0 pawl tool checkpoint '[{"callId":"c","name":"read_file"}]' --json
same "$(cat out)" '{"calls":[{"callId":"c","name":"read_file"}],"errors":[]}'
runs 0 pawl tool checkpoint "$calls" --off
says '^c1 \(replace\): no checkpoint, they are switched off$' out
PAWL_TOOL_CHECKPOINTS=off runs 0 pawl tool checkpoint "$calls" --files calls --json
lacks checkpoint out
[ ! -e .pawl ]
[ ! -e calls ]

it "each call that edits gets one, and nothing of it is lost"
echo one >a.txt
printf '%s' "$calls" >calls.json
runs 0 pawl tool checkpoint --calls calls.json --json
rm calls.json
first=$(jq -r '.calls[0].checkpoint' out)
same "$(jq -c '[.errors, .calls[1].checkpoint]' out)" '[[],null]'
says '"args":\{"n":9007199254740993\},"x":\[1\.0\]' out
[[ $first =~ ^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}-[0-9]{2}-[0-9]{2}-[0-9]{3}Z-c1-replace\.json$ ]]
same "$(events ToolCallCheckpointed) $(events WorkspaceCheckpointed)" "2 2"
runs 0 pawl restore list --json
same "$(jq -r '.[0]' out)" "$first"
same "$(jq length out)" 2

it "calls come from standard input, too, and people are told in lines"
pawl tool checkpoint --calls - <<<"$calls" >out
says '^c2 \(read_file\): no checkpoint, it edits nothing$' out
says '^c3 \(write_file\): 20.*Z-c3-write_file\.json$' out

it "a call is taken back by its name: the files are as before it, and it is told"
echo two >a.txt
runs 0 pawl restore "$first" --json
same "$(cat a.txt)" one
same "$(jq -c '[.toolCall, .checkpoint.n, .history]' out)" \
        '[{"callId":"c1","name":"replace","args":{"file_path":"a.txt"}},1,null]'
[ "$(jq .safety out)" -gt 1 ]
runs 0 pawl undo --yes
same "$(cat a.txt)" two
runs 0 pawl restore "${first%.json}"
says '^the call, which was not run again:' out
says '"file_path": "a.txt"' out
runs 0 pawl undo --yes

it "a name that leads elsewhere, and one that is not there, are refused before anything is changed"
before=$(eventlog head)
fails 1 'name ../a.json: holds "\.\."; take one that `pawl restore list` prints' pawl restore ../a.json
fails 1 'holds ".."' pawl restore ...json
fails 1 'a\.json: the log has no tool call of that name' pawl restore a
fails 1 'a\.json: the log has no tool call of that name' pawl restore a.json
misused 'restore' pawl restore
same "$(eventlog head)" "$before"

it "documents are written to a directory for programs that read files, and read from there"
mkdir -m 700 elsewhere
echo elsewhere/ >>.pawlignore
PAWL_TOOL_CHECKPOINT_FILES=$PWD/calls PAWL_EDIT_TOOLS=edit,read_file runs 0 pawl tool checkpoint \
        '{"history":[{"type":"user"}],"messageId":"m","calls":'"$calls"'}'
runs 0 pawl restore list --files calls
same "$(wc -l <out)" 1
name=$(cat out)
same "$(stat -c %a "calls/$name")" 600
same "$(jq -c '[.history, .messageId, .toolCall.name, .commitHash[:25]]' "calls/$name")" \
        '[[{"type":"user"}],"m","read_file","cp-09-before-read-file-c2"]'
ln -s "../calls/$name" elsewhere/link.json
fails 1 'link\.json: is no regular file' pawl restore link.json --files elsewhere
echo '{"toolCall":{"args":{}}}' >elsewhere/bad.json
fails 1 'bad\.json: toolCall\.name: is missing; it must be text' pawl restore bad.json --files elsewhere
echo '{"toolCall":{"name":"replace","args":{}},"commitHash":"1"}' >elsewhere/other.json
fails 1 'other\.json: commitHash 1 is no checkpoint of this log' pawl restore other.json --files elsewhere
echo '{"toolCall":{"name":"replace","args":{"a":1}}}' >elsewhere/none.json
runs 0 pawl restore none.json --files elsewhere --json
same "$(jq -c . out)" '{"name":"none.json","toolCall":{"name":"replace","args":{"a":1}},"restored":false,"checkpoint":null,"safety":null,"rollback":null}'
runs 0 pawl restore list --files elsewhere --json
same "$(jq -c . out)" '["bad.json","none.json","other.json"]'
PAWL_TOOL_CHECKPOINT_FILES=calls runs 0 pawl restore "$name" --json
same "$(jq -r .messageId out) $(jq -r .restored out)" "m true"
runs 0 pawl undo --yes
runs 0 pawl restore list --files nowhere
says '^no tool call has a checkpoint in nowhere' out

it "one that fails is told for its call, and the others have theirs"
: >file
runs 1 pawl tool checkpoint "$calls" --files file --json
same "$(jq -c '[.errors[].callId]' out)" '["c1","c3"]'
lacks '"checkpoint"' out
says '^pawl: 2 of 3 calls failed: c1: file: is no directory' err
fails 1 'calls\[0\]\.callId: is missing; it must be text' pawl tool checkpoint '[{"name":"replace"}]'
fails 1 'line 1, column 1' pawl tool checkpoint ''
misused 'give the calls, or --calls' pawl tool checkpoint
misused 'give the calls, or --calls' pawl tool checkpoint '[]' --calls out
PAWL_TOOL_CHECKPOINTS=maybe fails 1 'PAWL_TOOL_CHECKPOINTS: maybe is not known; set on or off' \
        pawl tool checkpoint "$calls"

it "a mission says to the commands of its steps which tools edit, and where documents go"
forget_log
rm -r calls elsewhere
cat >mission.yaml <<'END'
mission: edits
workspace:
  tool_checkpoints: on
  edit_tools: [edit, "write file"]
  tool_checkpoint_files: calls
steps:
  - id: one
    run: [sh, -c, 'echo before >a.txt; pawl tool checkpoint "[{\"callId\":\"c1\",\"name\":\"edit\"},{\"callId\":\"c2\",\"name\":\"replace\"}]" --json; echo after >a.txt']
  - id: two
    run: [sh, -c, 'echo "$PAWL_TOOL_CHECKPOINTS|$PAWL_EDIT_TOOLS|$PAWL_TOOL_CHECKPOINT_FILES" >told']
END
runs 0 pawl run mission.yaml --run r1
same "$(cat told)" "on|edit,write file|$PWD/calls"
runs 0 pawl restore list --files calls
name=$(cat out)
same "$(wc -l <out)" 1
same "$(eventlog export | jq -r 'select(.type == "ToolCallCheckpointed") | "\(.run_id) \(.step_id) \(.payload.tool)"')" \
        "r1 one edit"

it "what is switched off where a run is started stays off, and restore says so"
PAWL_TOOL_CHECKPOINTS=off runs 0 pawl run mission.yaml --run off --fresh
same "$(cat told)" "off|edit,write file|$PWD/calls"
PAWL_TOOL_CHECKPOINTS=off fails 1 'restore: tool checkpoints are switched off \(PAWL_TOOL_CHECKPOINTS=off\); set it' \
        pawl restore "$name" --files calls
forget_log
rm -rf calls told
runs 0 pawl run mission.yaml --run r1
name=$(pawl restore list --files calls)

it "a member that is null counts as absent"
runs 0 pawl tool checkpoint '{"history":null,"messageId":null,"calls":[{"callId":"n","name":"replace","args":null}]}' --json --off
echo '{"toolCall":{"name":"replace","args":{}},"history":null,"commitHash":null,"messageId":null}' >calls/null.json
runs 0 pawl restore null --files calls --json
same "$(jq -c . out)" '{"name":"null.json","toolCall":{"name":"replace","args":{}},"restored":false,"checkpoint":null,"safety":null,"rollback":null}'
rm calls/null.json

it "a call of a run that is over is taken back, but for what came later, and the run goes on from there"
runs 0 pawl restore "$name" --files calls
same "$(cat a.txt)" before
[ -e "calls/$name" ]
says '^  leave +told: not made by what is taken back$' out
rm told
runs 0 pawl resume r1
same "$(cat a.txt)" after
same "$(cat told)" "on|edit,write file|$PWD/calls"
runs 0 eventlog verify
runs 0 eventlog replay --check

it "what a mission says of them is checked"
sed -i 's/tool_checkpoints: on/tool_checkpoints: sometimes/' mission.yaml
fails 1 'line 3: workspace.tool_checkpoints: .*is not known; write on or off' pawl check mission.yaml
sed -i 's/tool_checkpoints: sometimes/tool_checkpoints: off/; s/\[edit, "write file"\]/["a,b"]/' mission.yaml
fails 1 'line 4: workspace.edit_tools.*is no name of a tool; write one without commas' pawl check mission.yaml
sed -i 's/\["a,b"\]/[]/' mission.yaml
fails 1 'line 4: workspace.edit_tools: names none; write them, or tool_checkpoints: off' pawl check mission.yaml
