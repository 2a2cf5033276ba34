# Questions with a time: when it is over, whoever looks at the run records what then holds.
. "$SOURCE_DIR/tests/cli/shared.sh"
trap 'kill ${background:-} 2>/dev/null || true' EXIT

# write_ask MEMBERS: a mission that asks so.
write_ask() {
        cat >mission.yaml <<END
mission: release
steps:
  - id: approve
    ask: {question: Publish?, $1}
  - id: publish
    inputs: {said: {\$from: approve}}
    run: [sh, -c, "cat >>journal; echo >>journal"]
END
}

# resolved FILTER: of the last answer's event.
resolved() {
        eventlog export | jq -c "select(.type == \"GlossaryClarificationResolved\") | $1" | tail -1
}

# due: when the last question's time is over.
due() {
        eventlog export | jq -r 'select(.type == "GlossaryClarificationRequested") | .payload.due_at' | tail -1
}

# overdue: wait until it is.
overdue() {
        until_it eval '[[ $(date -u +%FT%T.%6NZ) > $(due) ]]'
}

it "before that nothing is recorded"
write_ask 'within: 1h'
runs 3 pawl run mission.yaml --run early --no-input
runs 3 pawl resume early --no-input
same "$(events GlossaryClarificationResolved)" 0
runs 0 pawl cancel early

it "after it a resume takes what is to be otherwise"
write_ask 'options: [yes, no], to: ["user:ana"], within: 1s, otherwise: no'
runs 3 pawl run mission.yaml --run one --no-input
overdue
same "$(events GlossaryClarificationResolved)" 0
runs 0 pawl resume one --no-input
same "$(cat journal)" '{"said":"no"}'
same "$(resolved '[.payload.answer, .actor, .payload.actor.actor_id, .payload.resolution_mode, .run_id, .step_id]')" \
        '["no","system:timeout","system:timeout","timeout","one","approve"]'
runs 0 pawl conflicts --all
says '^    answered by system:timeout: no$' out
runs 0 eventlog replay --check

it "resume without a run's name finds it, and status says what counts"
runs 3 pawl run mission.yaml --run two --no-input
overdue
runs 0 pawl status
says 'nobody answered "Publish\?" in time, so that "no" counts' out
lacks 'its answers are in' out
runs 0 pawl resume --no-input
same "$(wc -l <journal)" 2

it "an answer that comes before anybody looked still counts"
runs 3 pawl run mission.yaml --run three --no-input
id=$(pawl conflicts --json | jq -r '.[].conflict_id')
overdue
runs 0 pawl resolve "$id" --answer yes --actor user:ana
runs 0 pawl resume three --no-input
same "$(tail -1 journal)" '{"said":"yes"}'

it "a resume that waits goes on by itself"
runs 3 pawl run mission.yaml --run four --no-input
runs 0 pawl resume four --wait --no-input
same "$(tail -1 journal)" '{"said":"no"}'

it "without otherwise the step fails; a resume asks again, for the whole time"
write_ask 'within: 1s'
runs 3 pawl run mission.yaml --run five --no-input
overdue
runs 0 pawl status
says 'nobody answered "Publish\?" in time, so that its step fails' out
lacks 'its answers are in' out
runs 0 pawl plan resume five
says 'nobody answered in time, so that it fails' out
runs 1 pawl resume --no-input
says 'nothing to resume' err
runs 1 pawl resume five --no-input
says 'step approve: nobody answered in time' err
same "$(resolved .payload.answer)" null
runs 0 pawl conflicts --all
says '^    not answered in time; system:timeout$' out
same "$(pawl runs --id five --json | jq -r .status)" failed
runs 0 eventlog replay --check
before=$(due)
runs 3 pawl resume five --no-input
[[ $(due) > $before ]]
id=$(pawl conflicts --json | jq -r '.[].conflict_id')
runs 0 pawl resolve "$id" --answer 'in May'
runs 0 pawl resume five --no-input
same "$(tail -1 journal)" '{"said":"in May"}'
runs 0 eventlog replay --check

it "after a failure the answer may be put in place of none"
runs 3 pawl run mission.yaml --run six --no-input
overdue
runs 1 pawl resume six --no-input
id=$(pawl conflicts --all --json | jq -r '.[-1].conflict_id')
runs 0 pawl resolve "$id" --answer June --replace
runs 0 pawl resume six --no-input
same "$(tail -1 journal)" '{"said":"June"}'

it "a worker takes such a run by itself, soon"
remove_log
rm -rf journal
write_ask 'options: [yes, no], within: 1s, otherwise: no'
sed -i 's/>>journal; echo.*"/"/' mission.yaml
git init -q . 2>/dev/null || true
runs 0 pawl submit mission.yaml --run eight
pawl work --dir work >worked 2>&1 &
background=$!
until_it sh -c 'pawl runs --id eight --json | jq -e ".status == \"completed\""'
kill "$background"
wait "$background" || true
same "$(resolved '[.payload.answer, .actor]')" '["no","system:timeout"]'
same "$(eventlog export | jq -s '[.[] | select(.type == "GlossaryClarificationRequested" or .type == "GlossaryClarificationResolved").time[0:19] + "Z" | fromdate] | (.[1] - .[0]) <= 20')" true
runs 0 eventlog replay --check
