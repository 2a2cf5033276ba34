# pawl import-events: another tool's glossary events, as the first ones of a log.
. "$SOURCE_DIR/tests/cli/shared.sh"
log=041-billing.events.jsonl
cp "$SOURCE_DIR/tests/golden/$log" .

it "every line is taken, and says where it comes from"
runs 0 pawl import-events "$log" --actor user:ana
same "$(cat out)" "13 lines taken over, as 15 events"
is_empty err
runs 0 eventlog verify
runs 0 eventlog replay --check
same "$(eventlog export | jq -r 'select(.payload.origin.event_id != null).payload.origin.line' | tr '\n' ' ')" "1 2 3 4 5 6 7 8 9 10 11 12 13 "
same "$(eventlog export | jq -r 'select(.payload.origin.line == 9).payload.origin.more | tostring')" '{"semantic_check_event_id":"a-check"}'
same "$(eventlog export | jq -r '.time' | head -1)" "2026-02-16T12:00:01.000001Z"
same "$(eventlog export | jq -r 'select(.type == "TermCandidateObserved") | .actor + " " + .step_id')" "llm:claude step-specify-001"
same "$(eventlog export | jq -r 'select(.type == "RunStarted").actor')" user:ana

it "the hash of its origin is that of the line, which is Python's form"
while IFS= read -r line; do printf %s "$line" | sha256sum | cut -d' ' -f1; done <"$log" >hashes
eventlog export | jq -r 'select(.payload.origin.sha256 != null).payload.origin.sha256' | diff hashes -

it "what they mean is what there is: senses, answers, a checkpoint that is not resumed"
same "$(pawl glossary list --json | jq -r '.[] | "\(.scope) \(.surface): \(.definition)"')" \
        "$(printf '%s\n' 'team_domain workspace: Git worktree directory' 'core workspace: VS Code workspace file' \
        'mission_local workspace: Git worktree directory' 'mission_local refunds: Money that goes back.')"
same "$(pawl conflicts --all --json | jq -r '.[] | "\(.status) \(.term) \(.conflict_type) \([.candidates[].scope] | join(","))"')" \
        "resolved workspace ambiguous team_domain,core"
token=$(pawl runs --json --id run-2026-02-16-001 | jq -r '.steps[0].retry_token')
fails 1 'was taken over from another tool' pawl resume "$token"

it "a log with events is not added to"
before=$(eventlog head)
fails 1 'has 15 events already; name a log that has none' pawl import-events "$log"
same "$(eventlog head)" "$before"

it "a log that was made and has none takes them, also several files at once, each event once"
mkdir other && pawl init other >/dev/null
sed 's/041-billing/042-other/g; s/-2026-02-16-/-of-42-/g; s/4000-8000-0/4000-8000-1/g' "$log" |
        jq -cS 'del(.inputs, .hash)' >042-other.events.jsonl
runs 0 pawl import-events "$log" 042-other.events.jsonl --db other/.pawl/events.db --json
same "$(jq -c . out)" '{"taken":26,"events":30,"not_taken":[]}'
runs 0 eventlog replay --check --db other/.pawl/events.db
same "$(pawl glossary list --db other/.pawl/events.db --json | jq -r '[.[] | select(.scope == "mission_local").mission_id] | unique | join(" ")')" \
        "041-billing 042-other"

it "what cannot be taken is named by its line; the others are there"
{
        echo 'no JSON'
        head -2 "$log"
        sed -n 1p "$log"
        echo
        sed -n 3p "$log" | jq -cS '.event_id = "a" | del(.timestamp)'
        sed -n 3p "$log" | jq -cS '.event_id = "b" | .new_sense.status = "odd"'
        sed -n 3p "$log" | jq -cS '.event_id = "c" | .scope = "nowhere"'
        sed -n 6p "$log" | jq -cS '.event_id = "d" | del(.step_id)'
        sed -n 7p "$log" | sed 's/naïve\|na\\u00efve/naive/'
        sed -n 10p "$log"
        sed -n 13p "$log" | sed 's/caf/Caf/'
        sed -n 7p "$log" | jq -cS '.event_id = "e" | .input_hash = "short" | del(.inputs)'
        sed -n 1p "$log" | jq -cS '.event_id = "f" | .event_type = "GlossaryStrictnessSet"'
        echo '{"event_type": "GlossaryScopeActivated", "a": 1, "a": 2}'
        printf '{"event_type": "\xff"}\n'
        sed -n 3p "$log"
} >mixed.jsonl
runs 1 pawl import-events mixed.jsonl --db mixed.db
same "$(cat out)" "3 lines taken over, as 4 events"
same "$(sed -nE 's/^pawl: mixed.jsonl: line ([0-9]+): .*; .*/\1/p' err | tr '\n' ' ')" "1 4 6 7 8 9 10 11 12 13 14 15 16 "
says '^pawl: mixed.jsonl: line 4: event_id: is that of line 2, which was taken; ' err
says '^pawl: mixed.jsonl: line 6: timestamp: is missing' err
says '^pawl: mixed.jsonl: line 8: scope "nowhere": is not known; ' err
says '^pawl: mixed.jsonl: line 10: input_hash: does not fit what it was made from' err
says '^pawl: mixed.jsonl: line 11: conflict_id: no line before asks about ' err
says '^pawl: mixed.jsonl: line 12: hash: does not fit' err
says '^pawl: mixed.jsonl: line 14: event_type: GlossaryStrictnessSet is none that a Pawl log has; ' err
says '^pawl: import-events: 13 lines were not taken; ' err
runs 0 eventlog replay --check --db mixed.db
runs 1 pawl import-events mixed.jsonl --db mixed_too.db --json
same "$(jq -c '[.taken, .events, (.not_taken | length), .not_taken[0].line, .not_taken[12].line, .not_taken[0].file]' out)" '[3,4,13,1,16,"mixed.jsonl"]'

it "where nothing can be taken no log is made; a file that is not there is said"
echo nonsense >nonsense.jsonl
runs 1 pawl import-events nonsense.jsonl --db none.db
[ ! -e none.db ]
fails 1 'No such file or directory; name a file' pawl import-events nowhere.jsonl --db none.db
[ ! -e none.db ]
misused 'FILE' pawl import-events

it "times with zones, without, and as str() of them"
sed -n 1p "$log" | jq -cS '.event_id = "1" | .timestamp = "2026-02-16T12:00:00+02:30"' >times.jsonl
sed -n 1p "$log" | jq -cS '.event_id = "2" | .timestamp = "2026-02-16 12:00:00.5"' >>times.jsonl
sed -n 1p "$log" | jq -cS '.event_id = "3" | .timestamp = "2026-02-16T12:00:00Z"' >>times.jsonl
sed -n 1p "$log" | jq -cS '.event_id = "4" | .timestamp = "2026-02-30T12:00:00Z"' >>times.jsonl
runs 1 pawl import-events times.jsonl --db times.db
says 'line 4: timestamp: ' err
same "$(eventlog export --db times.db | jq -r 'select(.type == "GlossaryScopeActivated").time' | tr '\n' ' ')" \
        "2026-02-16T09:30:00.000000Z 2026-02-16T12:00:00.500000Z 2026-02-16T12:00:00.000000Z "
