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

# Nothing is left in the workspace.
quietly() {
        "$@" >../said 2>&1 </dev/null || { cat ../said; return 1; }
        ! on_server || unnamed ../said
}

it "a run's files are those that it changed, the first run's too"
forget_log
rm -f ./*
echo by hand >mine
cat >files.yaml <<'M'
mission: files
steps:
  - {id: make, run: [sh, -c, "echo one >made; echo more >>mine"]}
M
changes() { pawl handoff "$@" --json | jq -c '[.files[] | select(.change) | [.path, .change]]'; }
kinds() { pawl handoff "$@" --json | jq -c '[.rollbacks[] | [.kind, .checkpoint]]'; }
quietly pawl run files.yaml --no-input
same "$(changes)" '[["made","added"],["mine","changed"]]'
echo by hand >>mine
quietly pawl run files.yaml --no-input --fresh
same "$(changes)" '[["mine","changed"]]'

it "after a rollback, an undo and a redo the files are listed as they are, with what went back when"
before=$(pawl checkpoints --json | jq '.[-2].n')
quietly pawl rollback "$before" --yes
same "$(changes)" '[]'
same "$(kinds)" "[[\"rollback\",$before]]"
pawl handoff >../handoff
says "^Files rolled back to checkpoint $before, 20[-0-9]{8}T[0-9:]{8}Z\$" ../handoff
quietly pawl undo --yes
same "$(changes)" '[["mine","changed"]]'
same "$(pawl handoff --json | jq -c '[.rollbacks[].kind]')" '["rollback","undo"]'
quietly pawl redo --yes
same "$(changes)" '[]'
same "$(pawl handoff --json | jq -c '[.rollbacks[].kind]')" '["rollback","undo","redo"]'
quietly pawl rollback 1 --yes
same "$(changes)" '[["made","removed"],["mine","changed"]]'

it "an agent's files are those that differ now, each once, also after a restore of some"
forget_log
rm -f ./*
echo one >kept
echo one >gone
quietly pawl checkpoint
quietly pawl session start --mission agent
session=$(pawl sessions --json | jq -r '.[0].session_id')
echo two >kept
rm gone
echo new >made
quietly pawl session update --id "$session" --file made --file notes.txt
quietly pawl checkpoint
all='[["gone","removed"],["kept","changed"],["made","added"]]'
same "$(changes)" "$all"
same "$(pawl handoff --json | jq -c '[.files[].path] | sort')" '["gone","kept","made","notes.txt"]'
quietly pawl rollback 1 --clean --yes
same "$(changes)" '[]'
same "$(pawl handoff --json | jq -c '[.files[].path]')" '["notes.txt"]'
quietly pawl undo --yes
same "$(changes)" "$all"

it "a file is listed once, however it is named"
quietly pawl session update --id "$session" --file ./made --file "$PWD/kept" --file "$PWD/notes.txt" --file notes//txt --file notes/txt
same "$(pawl handoff --json | jq -c '[.files[].path] | sort')" '["gone","kept","made","notes.txt","notes//txt"]'

it "an earlier session's files are its own, as they are now"
quietly pawl session end --id "$session"
quietly pawl session start --mission agent
echo other >other
echo two >>kept
quietly pawl checkpoint
same "$(changes)" '[["kept","changed"],["other","added"]]'
same "$(changes "$session")" "$all"
quietly pawl rollback 1 --clean --yes
same "$(changes "$session")" '[]'

it "a checkpoint that a person takes is the active session's"
same "$(pawl sessions --id "$(pawl sessions --latest --json | jq -r '.[0].session_id')" --json | jq '.[0].workspace_checkpoints | length')" 1

it "nobody is told that nothing is left where that is not known"
quietly pawl session end --mission agent
pawl handoff >../handoff
says '^It was ended; what is left to do it did not tell:$' ../handoff
tail -1 ../handoff | unnamed >../last
says '^pawl session resume session-' ../last
pawl sessions >../sessions
says '^Resume the latest: pawl session resume session-' ../sessions

it "a session beside one that was left in the middle says so"
quietly pawl session start --mission other --step one
left=$(cat ../said)
quietly pawl session end --status interrupted
quietly pawl session start --mission other
unnamed ../said
says "session $left: was left in the middle; \`pawl session resume --take-over $left\` continues it" ../said
quietly pawl session end
quietly pawl session start --mission other
lacks 'left in the middle' ../said
quietly pawl session end

it "what continues a session's run is what status says"
cat >asks.yaml <<'M'
mission: asks
steps:
  - {id: approve, ask: {question: "Publish?", options: [yes, no]}}
M
pawl run asks.yaml --run asked --no-input >/dev/null 2>&1 || true
same "$(pawl sessions | sed -n 's/^Answer first: //p')" "$(pawl status | grep -oE 'pawl resolve .*')"
pawl cancel asked >/dev/null
pawl sessions >../sessions
says '^The latest is cancelled; `pawl handoff session-' ../sessions
pawl handoff | tail -1 >../last
says '^Nothing is left to do: it is cancelled\.$' ../last
quietly pawl session start --mission asks
lacks 'left in the middle' ../said

it "a mission file that changed is listed once"
forget_log
rm -f ./*
cat >m.yaml <<'M'
mission: m
steps:
  - {id: a, run: [touch, a]}
  - {id: b, run: [test, -e, go]}
M
pawl run m.yaml --run r --no-input >/dev/null 2>&1 || true
sed -i "s/test, -e, go/sh, -c, 'echo >>m.yaml'/" m.yaml
quietly pawl resume r --accept-changed-mission --no-input
same "$(pawl handoff --json | jq -c '[.files[] | [.path, .change]]')" '[["m.yaml","changed"]]'
