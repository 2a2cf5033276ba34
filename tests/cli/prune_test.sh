# Pruning sessions: what goes, why the rest stays, and what is left of a log.
. "$SOURCE_DIR/tests/cli/shared.sh"

it "without sessions there is nothing to do"
pawl init >/dev/null
runs 0 pawl prune sessions --keep 3
says '^0 of 0 sessions deleted$' out
same "$(eventlog head | cut -d' ' -f1)" 0
misused 'keep is needed' pawl prune sessions

it "a dry run lists what would go, and why the rest stays, and writes nothing"
write_mission
runs 3 pawl run mission.yaml --run held --no-input
cat >plain.yaml <<'END'
mission: plain
steps:
  - {id: a, run: [echo, a]}
END
cat >bad.yaml <<'END'
mission: bad
steps:
  - {id: b, run: ["false"]}
END
runs 1 pawl run bad.yaml --run failed
for n in 1 2 3 4; do
        runs 0 pawl run plain.yaml --run "run-$n"
done
pinned=$(pawl session start --mission paper --summary "secret words")
pawl session pin "$pinned" >/dev/null
pawl session end >/dev/null
agent=$(pawl session start --mission paper --summary "more secret words" --pending x)
pawl session checkpoint >/dev/null
pawl session end >/dev/null
active=$(pawl session start --mission paper)
runs 0 pawl run plain.yaml --run last
before=$(eventlog head)
runs 0 pawl prune sessions --keep 1 --dry-run
same "$(eventlog head)" "$before"
says "^$pinned .* stays: pinned$" out
says "^$active .* stays: active$" out
says "^$agent .* goes$" out
says '^session-[0-9a-f-]+ +refund-service .* stays: open conflict$' out
says '^session-[0-9a-f-]+ +bad .* stays: its run can be resumed$' out
says '^session-[0-9a-f-]+ +plain .* stays: newest$' out
says '^5 of 10 sessions would be deleted$' out
pawl prune sessions --keep 1 --dry-run --json | jq -e 'map(select(.goes)) | length == 5' >/dev/null

it "what goes leaves its envelopes, a receipt, and a chain that verifies"
eventlog export >before.jsonl
runs 0 pawl prune sessions --keep 1 --actor user:ana
says '^5 of 10 sessions deleted$' out
runs 0 eventlog verify
runs 0 eventlog replay --check
eventlog export >after.jsonl
lacks 'more secret words' after.jsonl
same "$(jq -c 'del(.payload)' before.jsonl)" "$(jq -c 'del(.payload, .payload_hash)' after.jsonl | head -n -1)"
same "$(tail -n 1 after.jsonl | jq -c '[.type, .actor, .payload.kind, (.payload.pruned | length)]')" '["Pruned","user:ana","sessions",5]'
same "$(pawl sessions --json | jq length)" 5
fails 1 "session $agent: was pruned" pawl sessions --id "$agent"
fails 1 "session $agent: was pruned" pawl session resume "$agent"

it "again there is nothing that goes, and nothing is written"
before=$(eventlog head)
runs 0 pawl prune sessions --keep 1
says '^0 of 5 sessions deleted$' out
same "$(eventlog head)" "$before"

it "the state tables made anew say the same"
runs 0 pawl init --rebuild
runs 0 eventlog replay --check
same "$(pawl sessions --json | jq length)" 5
runs 0 pawl run plain.yaml --fresh

it "each run is replayed alone as in the whole log"
runs_replay_alone
