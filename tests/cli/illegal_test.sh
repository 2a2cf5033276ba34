# Events that another program appended, with right hashes, where they must not be: `eventlog verify` names seq and rule,
# and nothing is appended behind them in their run.
. "$SOURCE_DIR/tests/cli/shared.sh"

append() {
        python3 "$SOURCE_DIR/tests/cli/append_event.py" .pawl/events.db
}

# last TYPE FILTER: what the filter makes of the last event of that type.
last() {
        eventlog export | jq -c --arg type "$1" 'select(.type == $type)' | tail -n 1 | jq -c "${@:2}"
}

begin() {
        remove_log
        rm -rf journal
        runs 3 pawl run mission.yaml --run one --no-input
        id=$(pawl conflicts --json | jq -r '.[0].conflict_id')
}

# found RULE: by verify, and by who resumes the run.
found() {
        local seq
        seq=$(eventlog head | cut -d' ' -f1)
        fails 5 "^eventlog: .*seq $seq .*rule $1" eventlog verify
        fails 5 "seq $seq breaks a rule" pawl resume one --no-input
        same "$(eventlog head | cut -d' ' -f1)" "$seq"
        lacks specify journal
}

write_mission
it "a step that is blocked is not completed, nor past the gate"
begin
last StepCompleted '.step_id = "specify"' | append
found step-status
begin
last StepCheckpointed '.payload |= (.cursor = "post_gate" | .retry_token = "00000000-0000-4000-8000-000000000009")' | append
found step-status

it "a run does not end over a step that is open, and nothing is completed twice"
begin
last StepCompleted '.type = "RunCompleted" | .step_id = null | .payload = {}' | append
found all-steps-done
begin
last StepCompleted . | append
found step-status

it "a conflict that there is not has no answer, and one has one"
begin
runs 0 pawl resolve "$id" --pick 1
last GlossaryClarificationResolved '.payload.conflict_id = "0123456789abcdef"' | append
found asked-first
begin
runs 0 pawl resolve "$id" --pick 1
last GlossaryClarificationResolved . | append
found answered-once

it "other runs of the log go on, and a log with a damaged run says so each time"
runs 0 pawl run mission.yaml --run two --no-input --fresh
fails 5 'rule answered-once' eventlog verify
fails 5 'breaks a rule' pawl cancel one

it "a claim comes behind every fence, also one that no lease has"
begin
last RunClaimed '.payload.fence = 50' | append
runs 0 eventlog verify
runs 3 pawl resume one --no-input
same "$(last RunClaimed .payload.fence)" 51
runs 0 pawl cancel one

it "a payload that is not in canonical JSON is found, of a type that is not known too"
for type in Unknown RunNotified; do
        for text in 'no JSON' '{"seq": @}' '["seq",1]'; do
                begin
                text=$(echo "$text" | sed "s/@/$(last GenerationBlockedBySemanticConflict .seq)/")
                last RunClaimed ".type = \"$type\" | .text = \$text" --arg text "$text" | append
                fails 5 "seq $(eventlog head | cut -d' ' -f1) .*rule form" eventlog verify
        done
done
fails 5 'seq [0-9]+ .*payload' pawl runs

it "a fork takes over nothing but what its origin had completed"
begin
for event in RunClaimed RunStarted StepCompleted; do
        last $event '.run_id = "forged" | if .type == "RunStarted" then .payload.forked_from = {run_id: "one", step_id: "specify", seq: 9}
                elif .type == "StepCompleted" then .payload |= (.forked = true | .output_hash = "'"$(printf %064d 0)"'") else . end' | append
done
fails 5 'rule fork-first' eventlog verify
fails 5 'breaks a rule' pawl resume forged --no-input
