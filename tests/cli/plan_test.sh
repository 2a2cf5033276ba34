# `pawl plan` says what resume, cancel and skip would do, and does nothing.
. "$SOURCE_DIR/tests/cli/shared.sh"

cat >graph.yaml <<'EOF'
mission: graph
parallel: 2
steps:
  - {id: look, run: [echo, '{"go": true}']}
  - {id: left, needs: [look], when: {$from: "look#/go"}, run: [echo, left]}
  - {id: right, needs: [look], run: ["false"]}
  - {id: ask, needs: [look], ask: {question: Really?, options: ["yes", "no"]}}
  - {id: end, needs: [left, right], run: [echo, end]}
  - {id: publish, needs: [ask], run: [echo, published]}
EOF
# planned ACTION...: each step with what becomes of it.
planned() {
        pawl plan "$@" --json | jq -r '[.steps[] | .step_id + ":" + .then] | join(" ")'
}
refused() {
        pawl plan "$@" --json | jq -r '.refused | .status + " " + .message'
}

runs 1 pawl run graph.yaml --run one --no-input
head=$(eventlog head)

it "what has completed stays, what failed runs again, what is asked holds what needs it"
same "$(planned resume one)" "look:stays left:stays right:runs ask:asks end:runs publish:waits"
runs 0 pawl plan resume one
says '^STEP +STATUS +THEN +WHY$' out
says '^right +failed +runs +it failed$' out
says '^ask +blocked +asks +a question of it is open$' out
says '^publish +pending +waits +for ask$' out

it "cancelling ends what has not ended, skipping lets what waited run"
same "$(planned cancel one)" "look:stays left:stays right:never ask:never end:never publish:never"
same "$(planned skip one right)" "look:stays left:stays right:skipped ask:asks end:runs publish:waits"

it "a mission that changed is refused, with the changes, until they are accepted"
sed -i 's/echo, left/echo, LEFT/; /id: publish/d' graph.yaml
echo '  - {id: more, needs: [end], run: [echo, more]}' >>graph.yaml
says '^PAWL_EINPUTS run one: its mission changed since: .*--rerun-changed' <(refused resume one)
same "$(pawl plan resume one --json | jq -c '[.changes[] | .step_id + ":" + .change]')" \
        '["left:run","more:added","publish:removed"]'
same "$(planned resume one --accept-changed-mission)" \
        "look:stays left:stays right:runs ask:asks end:runs publish:left more:runs"
same "$(planned resume one --rerun-changed)" \
        "look:stays left:again right:runs ask:asks end:runs publish:left more:runs"
same "$(pawl plan resume one --rerun-changed --json | jq -r '.steps[1].why')" "its command changed"

it "what would be refused says so, as the action itself does"
fails 1 'only a step that failed can be skipped' pawl skip one left
same "$(refused skip one left)" "PAWL_ESTATE $(sed 's/^pawl: //' err)"
fails 1 'run none: is not in this log' pawl plan cancel none
fails 1 'step none: is not in run one' pawl plan skip one none
misused 'nothing to plan; give resume, cancel or skip' pawl plan rerun one
misused 'skip takes a run and its step' pawl plan skip one
misused 'a step goes with skip alone' pawl plan cancel one left
same "$(eventlog head)" "$head"

it "a run at work has an owner, whose process would end"
cat >long.yaml <<'EOF'
mission: long
steps:
  - {id: one, run: [sh, -c, "touch at-work; exec sleep 60"]}
  - {id: two, run: [touch, two]}
EOF
pawl run long.yaml --run long --no-input >run.out 2>run.err </dev/null &
pid=$!
for _ in $(seq 500); do
        [ ! -e at-work ] || break
        sleep 0.02
done
same "$(planned cancel long)" "one:ends two:never"
same "$(pawl plan cancel long --json | jq .owner.pid)" "$pid"
says "^PAWL_EHELD run long: is held by pid $pid on " <(refused resume long)
kill -KILL "$pid"
wait "$pid" || true
same "$(planned resume long)" "one:runs two:runs"
same "$(pawl plan resume long --json | jq -r '.steps[0].why')" "it was at work when the run was interrupted"
runs 0 pawl cancel long
fails 1 'is cancelled; only a run that has not ended can be cancelled' pawl cancel long
same "$(refused cancel long)" "PAWL_ESTATE $(sed 's/^pawl: //' err)"
says '^PAWL_ESTATE run long: was cancelled by ' <(refused resume long)
