# "By hand" is said of files alone that neither Pawl nor a step wrote.
. "$SOURCE_DIR/tests/cli/shared.sh"
printf '%s\n' /out /err /go >.pawlignore

# by_hand CHECKPOINT: the paths that a rollback to it says so of
by_hand() {
        pawl rollback "$1" --plan --json | jq -r '[.items[] | select(.by_hand).path] | join(" ")'
}
# newest: the number of the newest checkpoint
newest() {
        pawl checkpoints --json | jq '.[-1].n'
}

it "what was written before a run began is by hand, what its steps wrote is not"
echo 1 | tee hand step failed >/dev/null
pawl checkpoint one >/dev/null
cat >m.yaml <<'END'
mission: m
steps:
  - id: good
    run: [sh, -c, 'echo 2 >step']
  - id: bad
    run: [sh, -c, 'echo 2 >failed; exit 1']
END
echo 2 >hand
runs 1 pawl run m.yaml --run r
same "$(by_hand 1)" "hand m.yaml"
echo 3 >failed
same "$(by_hand 1)" "failed hand m.yaml"

it "what a killed step wrote is not, and what came before it is"
cat >k.yaml <<'END'
mission: k
steps:
  - id: slow
    run: [sh, -c, 'echo 3 >step; : >go; exec sleep 100']
END
pawl checkpoint k >/dev/null
n=$(newest)
pawl run k.yaml --run k >/dev/null 2>&1 &
until [ -e go ]; do sleep 0.02; done
kill -KILL $!
wait $! || true
same "$(by_hand "$n")" ""
runs 0 pawl cancel k

it "nor is what steps wrote that left no checkpoint"
sed 's/^mission: m/mission: n\nworkspace: {checkpoint: manual}/; s/exit 1/exit 0/; s/echo 2/echo 4/g' m.yaml >n.yaml
pawl checkpoint n >/dev/null
n=$(newest)
runs 0 pawl run n.yaml --run n
same "$(by_hand "$n")" ""

it "nor is what Pawl wrote, by a rollback of some paths or of all"
pawl checkpoint all >/dev/null
n=$(newest)
runs 0 pawl rollback 1 --yes -- hand
same "$(by_hand "$n")" ""
echo 9 >hand
same "$(by_hand "$n")" hand
pawl checkpoint again >/dev/null
runs 0 pawl rollback "$n" --yes
same "$(by_hand "$(($(newest) - 1))")" ""
echo 10 >step
same "$(by_hand "$n")" step

it "it stays by hand when a checkpoint captures it since, by whomever"
pawl checkpoint before >/dev/null
n=$(newest)
echo 11 >hand
echo '{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Write","tool_input":{"file_path":"x"}}' | pawl hook
[ "$(newest)" -gt "$n" ]
same "$(by_hand "$n")" hand
pawl checkpoint after >/dev/null
same "$(by_hand "$n")" hand
echo 12 >step
pawl checkpoint once-more >/dev/null
same "$(by_hand "$n")" "hand step"
runs 1 pawl run m.yaml --run r3 --fresh
same "$(by_hand "$n")" hand
runs 0 eventlog verify
