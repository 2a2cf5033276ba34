# pawl compare: what lies between two runs, step by step.
. "$SOURCE_DIR/tests/cli/shared.sh"
cat >team.yaml <<'END'
terms:
  - {surface: workspace, definition: A folder.}
  - {surface: workspace, definition: An account., confidence: 0.9}
END
cat >mission.yaml <<'END'
mission: letters
glossary: {team_domain: team.yaml}
params: {way: {type: string, default: long}}
steps:
  - id: plan
    inputs: {description: A plan., parts: [1, 2]}
    run: [sh, -c, 'echo plan >plan.txt; echo 1']
  - id: specify
    critical: true
    inputs: {description: It lands in the workspace.}
    run: [sh, -c, 'echo 2']
  - id: write
    inputs: {way: {$param: way}, from: {$from: plan}}
    run: [sh, -c, 'echo "$0" >text.txt; echo "{\"way\": \"$0\"}"', {$param: way}]
END
printf '%s\n' out err graph.yaml >.gitignore
answer() { pawl resolve "$(pawl conflicts --json | jq -r '.[0].conflict_id')" "$@" >/dev/null; }
runs 3 pawl run mission.yaml --run one --no-input
answer --pick 1
runs 0 pawl resume one

it "a run and itself, and one that goes the same way in the same workspace: alike, exit 0"
runs 0 pawl compare one one
says '^no difference$' out
says '^step plan: same, [0-9.]+ s → [0-9.]+ s$' out
runs 0 pawl run mission.yaml --run two --fresh
head=$(eventlog head)
runs 0 pawl compare one two # it was not asked again, but told what was answered
is_empty err
same "$(eventlog head)" "$head"

it "another answer"
printf 'mission: ask\nsteps:\n  - {id: q, ask: {question: "Which?", options: [left, right]}}\n' >ask.yaml
for way in left right; do
        runs 3 pawl run ask.yaml --run "$way" --no-input --fresh
        answer --answer "$way"
        runs 0 pawl resume "$way"
done
runs 1 pawl compare left right --json
same "$(jq -c '.steps[0] | .answers, .output' out)" '[{"term":"Which?","before":"left","after":"right"}]
[{"path":"output","change":"changed","before":"left","after":"right"}]'
runs 1 pawl compare left right
says '^answer Which\?: "left" → "right"$' out

it "what was answered and done on a line that was undone is not the run's"
sed -i 's/^steps:/&\n  - {id: first, run: ["true"]}/' ask.yaml
for way in west east; do
        runs 3 pawl run ask.yaml --run "$way" --no-input --fresh
        answer --answer "$([ "$way" = west ] && echo left || echo right)"
        runs 0 pawl resume "$way"
done
runs 3 pawl run ask.yaml --run again --no-input --fresh
runs 0 pawl checkpoint waits
waits=$(pawl checkpoints --json | jq '.[-1].n')
answer --answer left
runs 0 pawl resume again
runs 0 pawl compare west again
runs 0 pawl rollback "$waits" --yes
runs 0 pawl resume again # it was asked before that, and the answer is kept
runs 0 pawl compare west again
runs 0 pawl rollback "$((waits - 1))" --yes
says '^  step    q of run again is to be run again$' out
runs 0 pawl conflicts --all
says '^.{8}  "Which\?": question, resolved, but that was undone$' out
runs 3 pawl resume again --no-input
answer --answer right
runs 0 pawl resume again
runs 0 pawl compare east again
runs 0 pawl undo --yes
runs 0 pawl compare west again
same "$(pawl conflicts --all --json | jq -c '[.[] | select(.run_id == "again") | .answer, .undone]')" '["left",false]'
runs 0 eventlog replay --check

it "other inputs, output and files; what takes from it"
runs 0 pawl run mission.yaml --run short --fresh --set way=short
runs 1 pawl compare two short --json
same "$(jq -c '.same, [.steps[] | [.step_id, .same]]' out)" 'false
[["plan",true],["specify",true],["write",false]]'
same "$(jq -c '.steps[2] | .inputs, .output, [.files[] | [.path, .change]]' out)" '[{"path":"inputs.way","change":"changed","before":"long","after":"short"}]
[{"path":"output.way","change":"changed","before":"long","after":"short"}]
[["text.txt","modified"]]'
jq -e '.a.run_id == "two" and .b.status == "completed" and (.steps[2].duration_ms.a | type) == "number"' out >/dev/null
runs 1 pawl compare two short
says '^run two \(letters, completed\) → run short \(letters, completed\)$' out
says '^inputs.way: "long" → "short"$' out
says '^output.way: "long" → "short"$' out
says '^M  text.txt  \+1 -1$' out
lacks 'no difference' out

it "a fork is compared with what it was forked from: what it has from there is the same"
runs 0 pawl fork one --from write --dir way --set way=short
fork=$(cat out)
runs 1 pawl compare one "$fork" --json
same "$(jq -c '[.steps[] | [.step_id, .same, .status.a, .status.b]]' out)" '[["plan",true,"completed","completed"],["specify",true,"completed","completed"],["write",false,"completed","pending"]]'
runs 0 pawl resume "$fork"
runs 1 pawl compare one "$fork" --json
same "$(jq -c '[.steps[] | select(.same | not) | .step_id]' out)" '["write"]'
same "$(jq -c '.steps[2].files | [.[].path]' out)" '["text.txt"]'
jq -e '.steps[0].duration_ms.a == .steps[0].duration_ms.b' out >/dev/null
runs 0 pawl fork one --from write --dir same
runs 0 pawl resume "$(cat out)"
runs 0 pawl compare one "$(pawl runs --json | jq -r '.runs[0].run_id')"

it "another order, steps of one alone, another mission"
sed -e '/id: specify/,/echo 2/d' -e 's/mission: letters/mission: notes/' mission.yaml >other.yaml
printf '  - {id: more, run: ["true"]}\n' >>other.yaml
runs 0 pawl run other.yaml --run other
runs 1 pawl compare two other
says '^step specify: only in two$' out
says '^step more: only in other$' out
runs 1 pawl compare two other --json
same "$(jq -c '[.steps[] | [.step_id, .moved, .status.a, .status.b]]' out)" \
        '[["plan",false,"completed","completed"],["specify",false,"completed",null],["write",false,"completed","completed"],["more",false,null,"completed"]]'
printf 'mission: turn\nsteps:\n  - {id: a, run: [echo, a]}\n  - {id: b, run: [echo, b]}\n' >turn.yaml
runs 0 pawl run turn.yaml --run ab
printf 'mission: turn\nsteps:\n  - {id: b, run: [echo, b]}\n  - {id: a, run: [echo, a]}\n' >turn.yaml
runs 0 pawl run turn.yaml --run ba --fresh
runs 1 pawl compare ab ba --json
same "$(jq -c '[.steps[] | [.step_id, .moved]]' out)" '[["a",true],["b",true]]'

it "with needs, a step's place is what it needs, wherever it stands in the file"
graph() { printf '%s\n' 'mission: graph' 'steps:' "$@" >graph.yaml; }
graph '  - {id: a, needs: [], run: [echo, a]}' '  - {id: b, needs: [], run: [echo, b]}' '  - {id: c, needs: [a], run: [echo, c]}'
runs 0 pawl run graph.yaml --run g1
graph '  - {id: c, needs: [a], run: [echo, c]}' '  - {id: b, needs: [], run: [echo, b]}' '  - {id: a, needs: [], run: [echo, a]}'
runs 0 pawl run graph.yaml --run g2 --fresh
runs 0 pawl compare g1 g2
lacks 'another place' out
graph '  - {id: a, needs: [], run: [echo, a]}' '  - {id: b, needs: [], run: [echo, b]}' '  - {id: c, run: [echo, c]}'
runs 0 pawl run graph.yaml --run g3 --fresh # left out: the step before
runs 1 pawl compare g1 g3 --json
same "$(jq -c '[.steps[] | [.step_id, .moved]]' out)" '[["a",false],["b",false],["c",true]]'

it "a run that is not there: exit 1, and why"
fails 1 '^pawl: run nowhere: ' pawl compare one nowhere
misused 'B' pawl compare one
