# The handoff, `status`, `sessions` and `runs` say what is so when they are read.
. "$SOURCE_DIR/tests/cli/shared.sh"

it "two steps fail, and each is named with its own exit code"
cat >two.yaml <<'M'
mission: two
parallel: 3
steps:
  - {id: a, needs: [], run: [sh, -c, "exit 113"]}
  - {id: b, needs: [], run: [sh, -c, "exit 114"]}
  - {id: c, needs: [], run: [sh, -c, "exit 115"]}
M
runs 1 pawl run two.yaml --no-input --run r
for step in "a: exit code 113" "b: exit code 114" "c: exit code 115"; do
        same "$(grep -c "step $step" err)" 1
done
same "$(eventlog export | jq -r 'select(.type == "RunFailed").payload.reason' | tr -d '\n' | grep -oE '11[345]' | sort | paste -sd' ')" \
        "113 114 115"

it "the handoff, status, sessions and runs say the same"
failures='[["a",113,"exit code 113"],["b",114,"exit code 114"],["c",115,"exit code 115"]]'
same "$(pawl handoff --json | jq -c '[.in_progress[] | [.step_id, .exit_code, .reason]]')" "$failures"
same "$(pawl status --json | jq -c '[.runs[0].failures[] | [.step_id, .exit_code, .reason]]')" "$failures"
same "$(pawl sessions --id "$(pawl sessions --json | jq -r '.[0].session_id')" --json | jq -c '[.[0].steps[] | [.step_id, .exit_code, .reason]]')" \
        "$failures"
same "$(pawl runs --id r --json | jq -c '[.steps[] | [.step_id, .exit_code, .reason]]')" "$failures"
runs 0 pawl status
says 'step a: exit code 113; step b: exit code 114; step c: exit code 115' out

it "failed steps are issues of the handoff"
runs 0 pawl handoff
says '^- step a failed: exit code 113$' out
says '^- step b failed: exit code 114$' out
same "$(grep "None blocking" out || true)" ""

it "a step that failed again says why it failed last"
sed -i 's/exit 113/exit 116/' two.yaml
runs 1 pawl resume r --accept-changed-mission --no-input
same "$(pawl handoff --json | jq -c '[.in_progress[].exit_code]')" "[116,114,115]"
runs 0 pawl handoff
says '^- step a failed: exit code 116$' out
