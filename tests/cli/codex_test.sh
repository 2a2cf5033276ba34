# pawl hook and Codex: what it is told and what it answers, held against Codex's published schemas (tests/golden/codex_hooks.tsv).
. "$SOURCE_DIR/tests/cli/shared.sh"
export HOME=$PWD/home
unset XDG_CONFIG_HOME
mkdir home project
cd project
git init -q .
printf '%s\n' out err >.git/info/exclude

# wrong EVENT OBJECT FILE: what in the JSON of the file the table does not have so, a line each.
wrong() {
        jq -rn --arg event "$1" --arg in "$2" --slurpfile given "$3" --rawfile table "$SOURCE_DIR/tests/golden/codex_hooks.tsv" '
                [$table | splits("\n") | select(test("^[^#]")) | split("\t") |
                        {event: .[0], in: .[1], name: (.[2] | rtrimstr("!")), must: (.[2] | endswith("!")), types: (.[3] | split(" "))}] as $rows |
                def fits($types): . as $value | any($types[]; . == "any" or . == ($value | type) or
                        (startswith("=") and (sub("EVENT"; $event) == "=\($value)") and ($value | type != "null")));
                # the row of the event itself goes before that of all events
                def named($in): [$rows[] | select(.in == $in and (.event == "*" or .event == $event))] |
                        group_by(.name) | map(sort_by(.event == "*")[0]);
                def check($in): . as $object | named($in) as $known |
                        (if type != "object" then "\($in): is no object" else empty end),
                        ($known[] | select(.must and (.name as $n | $object | has($n) | not)) | "\($in): lacks \(.name)"),
                        (to_entries[] | .key as $name | .value as $value | [$known[] | select(.name == $name)][0] as $row |
                                if $row == null then "\($in): \($name) is not known"
                                elif ($value | fits($row.types)) | not then "\($in): \($name) is not \($row.types | join(" or ")): \($value)"
                                elif $value | type == "object" and ($row.types | index("any") | not) then $value | check($name)
                                else empty end);
                if ($given | length) != 1 then "is not one JSON value" else $given[0] | check($in) end'
}

# hook EVENT MEMBERS [OPTION...]: as Codex calls it; the reply is in out. Both are as the schemas have them.
hook() {
        local event=$1 members=$2
        shift 2
        jq -n --arg cwd "${where:-$PWD}" --arg event "$event" \
                "{session_id:\"s1\",transcript_path:null,cwd:\$cwd,hook_event_name:\$event,model:\"m\"} +
                (if \$event == \"SessionStart\" then {} else {turn_id:\"t1\"} end) +
                (if \$event == \"PreCompact\" then {} else {permission_mode:\"default\"} end) + {$members}" >../call
        same "$(wrong "$event" in ../call)" ""
        runs 0 pawl hook --agent codex "$@" <../call
        same "$(wrong "$event" out out)" ""
}
# As shared.sh has it, but with its input.
runs() {
        local wanted=$1 code=0
        shift
        "$@" >out 2>err || code=$?
        [ "$code" -eq "$wanted" ] || { echo "exit code $code, not $wanted: $*"; return 1; }
}
tool='tool_name:"apply_patch",tool_input:{command:"*** Begin Patch"},tool_use_id:"call_1"'

it "the table refuses what the schemas refuse"
while IFS=$'\t' read -r event object json says; do
        printf '%s' "$json" >../case
        same "$(wrong "$event" "$object" ../case | tr '\n' ';')" "$says"
done <<'END'
PreToolUse	out	{}	
PreToolUse	out	{"continue":true,"suppressOutput":false,"systemMessage":"x"}	
PreToolUse	out	{"continue":false}	out: continue is not =true: false;
PreToolUse	out	{"suppressOutput":true}	out: suppressOutput is not =false: true;
SessionStart	out	{"suppressOutput":true}	
PreToolUse	out	{"hookSpecificOutput":{"additionalContext":"x"}}	hookSpecificOutput: lacks hookEventName;
PreToolUse	out	{"hookSpecificOutput":{"hookEventName":"Stop"}}	hookSpecificOutput: hookEventName is not =EVENT: Stop;
PreToolUse	out	{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask"}}	hookSpecificOutput: permissionDecision is not known;
Stop	out	{"hookSpecificOutput":{"hookEventName":"Stop"}}	out: hookSpecificOutput is not known;
PreCompact	out	{"additional_context":"x"}	out: additional_context is not known;
Stop	out	{"systemMessage":7}	out: systemMessage is not string or null: 7;
Stop	out	[]	out: is no object;
Stop	out	{} {}	is not one JSON value;
PreCompact	in	{"session_id":"s","transcript_path":null,"cwd":"/","hook_event_name":"PreCompact","model":"m","turn_id":"t","trigger":"other"}	in: trigger is not =manual or =auto: other;
END

it "where there is no log nothing is answered"
hook SessionStart 'source:"startup"'
same "$(cat out)" '{}'
hook Stop 'stop_hook_active:false,last_assistant_message:"Nothing."'
hook PreCompact 'trigger:"manual"'
[ ! -e .pawl ]

it "a checkpoint is taken before a patch and a shell"
echo one >a
hook PreToolUse "$tool"
same "$(cat out)" '{}'
echo two >a
hook PreToolUse 'tool_name:"Bash",tool_input:{command:"ls"},tool_use_id:"call_2",agent_id:"a",agent_type:"explorer"'
same "$(pawl checkpoints --json | jq -c 'map(.description)')" '["before apply_patch (call_1)","before Bash (call_2)"]'
same "$(eventlog list --type WorkspaceCheckpointed --json | jq -r .actor | sort -u)" agent:codex

it "other tools and other events are passed over"
before=$(eventlog head)
hook PreToolUse 'tool_name:"view_image",tool_input:"x",tool_use_id:"call_3"'
hook PostToolUse "$tool,tool_response:{}"
hook PermissionRequest 'tool_name:"Bash",tool_input:{command:"ls"}'
hook UserPromptSubmit 'prompt:"go on"'
same "$(cat out)" '{}'
same "$(eventlog head)" "$before"

it "a session is kept before compaction, and its last words at each turn's end"
hook PreCompact 'trigger:"auto"'
hook Stop 'stop_hook_active:false,last_assistant_message:"Put two into a."'
hook Stop 'stop_hook_active:true,last_assistant_message:null'
same "$(events SessionCheckpointed)" 1

it "the handoff comes as context, and ends the session before it, which Codex does not"
hook SessionStart 'source:"resume",session_id:"s2"'
says 'Put two into a' <(jq -r .hookSpecificOutput.additionalContext out)
hook SessionStart 'source:"clear",session_id:"s3"'
same "$(pawl sessions --json | jq -c '[.[] | [.mission_id,.status]]')" \
        '[["codex:s3","active"],["codex:s2","interrupted"],["codex:s1","interrupted"]]'

it "what is left out of a checkpoint is said to the person and to the model"
mkdir late
for i in {10..69}; do truncate -s 60M "late/$i"; done
hook PreToolUse "$tool" --budget 1s
same "$(jq -r .systemMessage out)" "$(jq -r .hookSpecificOutput.additionalContext out)"
says 'could not be read in time' out
rm -rf late

it "so is a root that is refused"
where=$HOME hook PreToolUse "$tool"
same "$(jq -r .systemMessage out)" "$(jq -r .hookSpecificOutput.additionalContext out)"
says 'of which no checkpoints are taken' out
runs 0 pawl checkpoint --max-files 2
touch b c d
hook PreToolUse "$tool"
says 'has more than 2 files' out

it "and each failure, at each event; strict, none is answered"
echo "no log" >.pawl/events.db
for call in "PreToolUse $tool" 'SessionStart source:"startup"' 'PreCompact trigger:"auto"' 'Stop stop_hook_active:false,last_assistant_message:"x"'; do
        hook "${call%% *}" "${call#* }"
        says '"systemMessage":"pawl: .*events.db: ' out
        runs 2 pawl hook --agent codex --strict <../call
        is_empty out
        says '^pawl: .*events.db: ' err
done
printf nope >../call
runs 0 pawl hook --agent codex <../call
for event in PreToolUse SessionStart PreCompact Stop; do
        same "$(wrong $event out out)" ""
done
