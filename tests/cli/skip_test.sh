# A step that failed is gone past.
. "$SOURCE_DIR/tests/cli/shared.sh"
export PAWL_DB=$PWD/.pawl/events.db

cat >mission.yaml <<'MISSION'
mission: m
steps:
  - id: a
    run: [sh, -c, 'echo a >>journal; exit 3']
  - id: b
    inputs: {from: {$from: a}}
    run: [sh, -c, 'echo b >>journal; cat']
MISSION

it "refuses a step that has not failed, or is not there, and a run that is held"
runs 1 pawl run mission.yaml --run r1
before=$(events)
fails 1 'step b: is pending in run r1; only a step that failed can be skipped' pawl skip r1 b
fails 1 'step c: is not in run r1' pawl skip r1 c
fails 1 'r9' pawl skip r9 a
echo '{' >bad.json
fails 1 'output: ' pawl skip r1 a --output bad.json
fails 1 'none.json' pawl skip r1 a --output none.json
same "$(events)" "$before"

it "goes past it with null, recorded with the actor"
runs 0 pawl skip r1 a --actor user:ana
says 'step a is skipped; continue with `pawl resume r1' out
same "$(eventlog export | jq -c 'select(.type == "StepCompleted") | [.actor, .payload.skipped, .payload.exit_code]')" '["user:ana",true,-1]'
same "$(pawl output r1 a)" null
runs 0 pawl resume r1
says '^\[1/2\] a: skipped$' out
same "$(tail -n 1 out)" "run r1: completed, 2 of 2 steps completed or skipped"
same "$(pawl output r1 b)" '{"from":null}'
same "$(xargs <journal)" "a b"
fails 1 'step a: is skipped in run r1' pawl skip r1 a
runs 0 eventlog replay --check

it "goes past it with what a file says"
runs 1 pawl run mission.yaml --run r2 --fresh
echo '{"by": "hand", "n": [1, 2]}' >given.json
same "$(pawl skip r2 a --output given.json --json)" '{"run_id":"r2","step_id":"a","status":"skipped"}'
runs 0 pawl resume r2
same "$(pawl output r2 b)" '{"from":{"by":"hand","n":[1,2]}}'

it "leaves a run alone that somebody is at"
printf 'mission: held\nsteps: [{id: a, run: [sh, -c, "touch begun; sleep 20"]}]\n' >held.yaml
pawl run held.yaml --run h1 >held.out 2>&1 &
pid=$!
await begun
fails 6 'run h1: is held by pid' pawl skip h1 a
kill "$pid"
wait "$pid" || :

it "says that a step whose process died is unfinished"
rm begun
pawl run held.yaml --run h2 --fresh >held.out 2>&1 &
pid=$!
await begun
kill -9 "$pid"
wait "$pid" || :
fails 1 'step a: is unfinished in run h2; only a step that failed can be skipped' pawl skip h2 a
