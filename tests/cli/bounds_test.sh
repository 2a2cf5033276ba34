# What is too large for a checkpoint is refused before it is read, and one that takes too long says what it left out.
. "$SOURCE_DIR/tests/cli/shared.sh"
export HOME=$PWD/home
unset XDG_CONFIG_HOME
mkdir -p home project/d
cd project
printf '%s\n' out err call told >.pawlignore
for i in 1 2 3 4; do echo "$i" >"d/$i"; done

hook() {
        jq -nc --arg cwd "$PWD" '{session_id:"s",cwd:$cwd,hook_event_name:"PreToolUse",tool_name:"Bash",tool_use_id:"t",tool_input:{}}' >call
        pawl hook "$@" <call >out 2>err
}

it "a root of more files is refused with what to do instead, and nothing is written"
runs 1 pawl checkpoint --max-files 4
says ': has more than 4 files; leave out .* raise the bound: .pawl checkpoint --max-files N.$' err
same "$(eventlog head)" "0 $(printf '0%.0s' {1..64})"
same "$(sqlite3 .pawl/events.db 'SELECT (SELECT count(*) FROM contents) + (SELECT count(*) FROM packed)')" 0

it "and one of more bytes"
runs 1 pawl checkpoint --max-bytes 9
says ': has files of more than 9 bytes together; .* --max-bytes SIZE.$' err
same "$(events WorkspaceCheckpointed)" 0

it "a tool's checkpoint obeys it too, and says so of the call"
runs 1 pawl tool checkpoint --max-files 4 '[{"callId":"c","name":"replace"}]'
says '1 of 1 calls failed: c: .*has more than 4 files' err

it "the bound stays what the last checkpoint was taken by, and can be raised"
runs 0 pawl checkpoint --max-files 6
same "$(eventlog list --json | jq -c '[.payload.max_files, .payload.max_bytes]')" '[6,null]'
for i in 5 6; do echo "$i" >"d/$i"; done
hook
jq -r .systemMessage out >told
says '^pawl: .*has more than 6 files; ' told
jq -r .hookSpecificOutput.additionalContext out >told
says '^pawl: .*has more than 6 files; ' told
says 'has more than 6 files' err
same "$(events WorkspaceCheckpointed)" 1
runs 0 pawl checkpoint --max-files 7
hook
same "$(cat out)" '{}'

it "a rollback's safety copy is taken all the same"
for i in 7 8 9; do echo "$i" >"d/$i"; done
runs 0 pawl rollback 1 --yes
[ ! -e d/5 ]
runs 0 pawl undo --yes
same "$(cat d/9)" 9

it "what is not read in time is listed, and the person and the agent are told"
remove_log
mkdir late
for i in {10..69}; do truncate -s 60M "late/$i"; done
echo last >late/last
hook --budget 1s
jq -r .systemMessage out >told
says '^pawl: checkpoint 1 lacks [0-9]+ files or directories that could not be read in time' told
same "$(jq -r .hookSpecificOutput.additionalContext out)" "$(cat told)"
same "$(jq -r .hookSpecificOutput.hookEventName out)" PreToolUse
says 'pawl show 1' err
runs 0 pawl show 1
says 'late/last.*time budget' out

it "the next checkpoint reads what the last did not"
for i in {10..69}; do truncate -s 0 "late/$i"; done
hook --budget 1m
same "$(cat out)" '{}'
same "$(pawl checkpoints --json | jq -c 'map(.skipped > 0)')" '[true,false]'
runs 0 pawl rollback 1 --yes
same "$(cat late/last)" last
