# Several steps at work at once: what their checkpoints say, and the way back to them.
. "$SOURCE_DIR/tests/cli/shared.sh"
export PAWL_DB=$PWD/.pawl/events.db

cat >mission.yaml <<'MISSION'
mission: m
parallel: 3
steps:
  - {id: a, needs: [], run: [sh, -c, 'until test -e at-b; do sleep 0.02; done; echo a >of-a']}
  - {id: b, needs: [], run: [sh, -c, 'touch at-b; until test -e at-c; do sleep 0.02; done; sleep 0.3; echo b >of-b']}
  - {id: c, needs: [a], run: [sh, -c, 'touch at-c; echo c >of-c']}
  - {id: d, needs: [b, c], run: [sh, -c, 'cat of-a of-b of-c']}
MISSION

it "a checkpoint says which steps were at work when it was taken"
runs 0 pawl run mission.yaml --run r1 --no-input
same "$(eventlog export | jq -c 'select(.type == "WorkspaceCheckpointed" and .step_id == "a") | .payload.steps_running')" '["b"]'
runs 0 eventlog verify
runs 0 eventlog replay --check
same "$(pawl output r1 d | tr '\n' ' ')" 'a b c '

it "a rollback to it sets back what was at work then, and what came later"
n=$(pawl checkpoints --run r1 --step a --json | jq '.[0].n')
runs 0 pawl rollback "$n" --yes
same "$(pawl runs --id r1 --json | jq -c '[.steps[].status]')" '["completed","pending","pending","pending"]'
[ -e of-a ]
[ ! -e of-b ]
[ ! -e of-c ]
runs 0 pawl resume r1
same "$(pawl output r1 d | tr '\n' ' ')" 'a b c '
same "$(eventlog list --run r1 --type StepStarted -n 99 --json | jq -r .step_id | sort | uniq -c | awk '{ print $2 $1 }' | tr '\n' ' ')" "a1 b2 c2 d2 "
runs 0 eventlog replay --check

it "a run that several steps hold says of one what holds that one"
cat >held.yaml <<'MISSION'
mission: held
strictness: max
parallel: 2
steps:
  - {id: x, needs: [], inputs: {description: 'The "frobnicator" is here.'}, metadata: {glossary_watch_terms: [frobnicator]}, run: ['true']}
  - {id: y, needs: [], inputs: {description: 'The "gadgetizer" is here.'}, metadata: {glossary_watch_terms: [gadgetizer]}, run: ['true']}
  - {id: z, needs: [], ask: {question: "Go?"}}
MISSION
runs 3 pawl run held.yaml --run held --no-input
same "$(pawl conflicts --json | jq length)" 3
of_x=$(pawl conflicts --json | jq -r '.[] | select(.step_id == "x") | .conflict_id')
says "^pawl: step x: generation is blocked by 1 unresolved conflict; answer with .pawl resolve $of_x " err
runs 0 pawl cancel held

it "an interrupted run goes on with those that were at work, under their tokens"
cat >two.yaml <<'MISSION'
mission: two
parallel: 2
steps:
  - {id: x, needs: [], run: [sh, -c, 'echo "x $PAWL_RETRY_TOKEN" >>tokens; touch at-x; until test -e go; do sleep 0.02; done']}
  - {id: y, needs: [], run: [sh, -c, 'echo "y $PAWL_RETRY_TOKEN" >>tokens; touch at-y; until test -e go; do sleep 0.02; done']}
  - {id: z, needs: [x, y], run: ['true']}
MISSION
pawl run two.yaml --run r2 --no-input >out 2>err &
pid=$!
await at-x
await at-y
kill -TERM $pid
code=0
wait $pid || code=$?
same "$code" 143
same "$(pawl runs --id r2 --json | jq -r .status)" interrupted
touch go
runs 0 pawl resume
same "$(sort -u tokens | wc -l)" 2
same "$(wc -l <tokens)" 4
