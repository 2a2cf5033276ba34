# The judge of histories (judge.py) and `eventlog verify` refuse each of many histories that cannot have been, by the
# rule that it breaks; what the programs really write is legal.
. "$SOURCE_DIR/tests/cli/shared.sh"
judge() { python3 "$SOURCE_DIR/tests/model/judge.py" "$@"; }
write_mission

it "a run that blocks on a term, with an answer that is replaced"
runs 3 pawl run mission.yaml --run terms --no-input
conflict=$(pawl conflicts --json | jq -r '.[0].conflict_id')
runs 0 pawl resolve "$conflict" --pick 1
runs 0 pawl resolve "$conflict" --pick 2 --replace
runs 0 pawl resume terms

it "one that blocks on what a step has written"
cat >output.yaml <<'M'
mission: output
strictness: max
steps:
  - {id: says, run: [echo, A snake_case name.]}
M
runs 3 pawl run output.yaml --run output --no-input
runs 0 pawl resolve "$(pawl conflicts --json | jq -r '.[0].conflict_id')" --define "A name with an underscore."
runs 0 pawl resume output

it "one that asks people, in time and too late"
cat >asks.yaml <<'M'
mission: asks
steps:
  - {id: approve, ask: {question: "Publish?", options: [yes, no], to: ["user:ana"]}}
  - {id: in-time, ask: {question: "Now?", options: [yes, no], within: 1s, otherwise: no}}
M
runs 3 pawl run asks.yaml --run asks --no-input
runs 0 pawl resolve "$(pawl conflicts --json | jq -r '.[0].conflict_id')" --answer yes --actor user:ana
runs 3 pawl resume asks --no-input
sleep 1
runs 0 pawl resume asks --no-input

it "runs of steps at once that fail, are tried again, gone past, resumed and cancelled"
cat >fails.yaml <<'M'
mission: fails
parallel: 2
steps:
  - {id: early, run: ["true"], needs: []}
  - {id: fails, run: [test, -e, go], retry: {attempts: 2, delay: 1ms}, needs: []}
  - {id: last, inputs: {takes: [{$from: early}, {$from: fails}]}, run: [cat], needs: [early, fails]}
M
runs 1 pawl run fails.yaml --run cancelled
runs 0 pawl cancel cancelled
runs 1 pawl run fails.yaml --run skipped --fresh
runs 0 pawl skip skipped fails
runs 0 pawl resume skipped
runs 1 pawl run fails.yaml --run failed --fresh
touch go
runs 0 pawl resume failed

it "a run whose inputs and mission change"
cat >changes.yaml <<'M'
mission: changes
glossary: {team_domain: team.yaml}
steps:
  - {id: first, inputs: {from: trunk}, run: [cat]}
  - {id: blocks, critical: true, inputs: {description: Refunds land in the workspace.}, run: [cat]}
M
runs 3 pawl run changes.yaml --run changes --no-input
sed -i 's/trunk/branch/; s/Refunds land in the workspace/Nothing/; $a\  - {id: added, run: ["true"]}' changes.yaml
runs 0 pawl resume changes --rerun-changed --accept-changed-inputs

it "a run with a step that its when leaves out"
cat >when.yaml <<'M'
mission: when
steps:
  - {id: looks, run: [echo, "false"]}
  - {id: if-so, when: {$from: looks}, run: ["true"]}
M
runs 0 pawl run when.yaml --run when

it "a fork, a rollback and its undo, in the workspace of a run"
runs 0 pawl fork terms --from publish --dir fork
runs 0 pawl resume "$(cat out)"
runs 0 pawl rollback "$(pawl checkpoints --json | jq '[.[] | select(.step_id == "research")][0].n')" --yes
runs 0 pawl undo --yes

it "a step that was blocked is blocked again behind a rollback and its undo"
n=$(pawl checkpoint before --json | jq .n)
runs 3 pawl run asks.yaml --run again --no-input --fresh
runs 0 pawl rollback "$n" --yes
runs 0 pawl undo --yes
runs 0 pawl resolve "$(pawl conflicts --json | jq -r '[.[] | select(.run_id == "again")][0].conflict_id')" --answer yes --actor user:ana
runs 3 pawl resume again --no-input

it "a run of the queue"
mkdir queue
(cd queue && sed 's/.*id: approve.*/  - {id: works, run: ["true"]}/; /in-time/d; s/asks/queued/' ../asks.yaml >queued.yaml)
runs 0 pawl submit queue/queued.yaml --run queued
runs 0 pawl work --once --dir worker

it "a session of an agent, and one of its calls"
session=$(pawl session start --mission paper --summary begins)
runs 0 pawl session update --id "$session" --summary goes
runs 0 pawl session end --id "$session"
runs 0 pawl tool checkpoint '[{"callId":"c","name":"write_file","args":{"file_path":"go"}}]' --json

it "what the programs wrote is legal"
runs 0 eventlog export
mv out good.jsonl
runs 0 judge good.jsonl
is_empty out
runs 0 judge <good.jsonl

it "what cannot have been is refused, by the judge and by verify, and each names the same rule"
runs 0 eventlog verify
sqlite3 .pawl/events.db 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null
log_damaged mutated.db
runs 0 python3 "$SOURCE_DIR/tests/support/mutations.py" "$SOURCE_DIR/tests/model/judge.py" good.jsonl .pawl/events.db "$BIN/eventlog"
says '^[0-9]+ mutations$' out
