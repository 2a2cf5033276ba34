# Steps that are no mere sequence: what check and runs show of them, and what is refused.
. "$SOURCE_DIR/tests/cli/shared.sh"
export PAWL_DB=$PWD/.pawl/events.db

cat >mission.yaml <<'MISSION'
mission: m
steps:
  - {id: publish, needs: [test, docs], run: ['true']}
  - {id: fetch, needs: [], run: ['true']}
  - {id: build, run: ['true']}
  - {id: test, run: [sh, -c, 'test -e go']}
  - {id: docs, needs: [fetch], run: ['true']}
MISSION

pawl init >/dev/null

it "shows the steps as they wait for each other"
runs 0 pawl check mission.yaml
same "$(awk 'NR > 1 { print $1 }' out | tr '\n' ' ')" "fetch build test publish docs "
says '^  build  *fetch ' out
says '^    test  *build ' out
says '^      publish  *test, docs ' out
same "$(pawl check mission.yaml --json | jq -c '[.[] | [.step_id, .needs]]')" \
        '[["publish",["test","docs"]],["fetch",[]],["build",["fetch"]],["test",["build"]],["docs",["fetch"]]]'

it "shows those of a run so, too"
runs 1 pawl run mission.yaml --run r1
runs 0 pawl runs --id r1
says '^  build  *fetch  *completed' out
says '^    test  *build  *failed' out
says '^      publish  *test, docs  *pending' out
says '^  docs  *fetch  *completed' out
same "$(pawl runs --id r1 --json | jq -c '[.steps[] | [.step_id, .needs, .status]]')" \
        '[["publish",["test","docs"],"pending"],["fetch",[],"completed"],["build",["fetch"],"completed"],["test",["build"],"failed"],["docs",["fetch"],"completed"]]'
same "$(pawl runs --json | jq -r '.runs[0].current_step')" test
touch go
runs 0 pawl resume r1
same "$(pawl runs --json --id r1 | jq -r .steps_completed)" 5

it "gives a sequence's steps the one before them"
cat >linear.yaml <<'MISSION'
mission: l
steps: [{id: a, run: ['true']}, {id: b, run: ['true']}]
MISSION
runs 0 pawl run linear.yaml --run r2
same "$(pawl runs --id r2 --json | jq -c '[.steps[].needs]')" '[[],["a"]]'
runs 0 pawl runs --id r2
lacks NEEDS out

it "refuses a circle, and writes nothing"
before=$(events)
cat >circle.yaml <<'MISSION'
mission: c
steps:
  - {id: a, needs: [b], run: ['true']}
  - {id: b, run: ['true']}
MISSION
fails 1 'circle.yaml: line 3: steps\[0\].needs\[0\]: step "b" needs "a" in turn' pawl check circle.yaml
fails 1 'step "b" needs "a" in turn' pawl run circle.yaml
same "$(events)" "$before"

it "shows a step that its when leaves out as skipped, and counts it"
cat >left-out.yaml <<'MISSION'
mission: left-out
steps: [{id: look, run: [echo, 'false']}, {id: act, when: {$from: look}, run: [echo, never]}]
MISSION
runs 0 pawl run left-out.yaml --run left-out --json
same "$(jq -c '[.status, (.steps[] | [.step_id, .status])]' out)" '["completed",["look","completed"],["act","skipped"]]'
same "$(pawl runs --id left-out --json | jq -r '.steps[1].status')" skipped
same "$(eventlog replay --run left-out --json | jq -r '.runs[0].steps[1].status')" skipped
runs 0 eventlog replay --check
runs 0 pawl resume left-out
says '2 of 2 steps completed' out

it "each run is replayed alone as in the whole log"
runs_replay_alone
