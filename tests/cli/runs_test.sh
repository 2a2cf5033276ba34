# Runs: the list, its pages, what a run stands at, and one with its steps.
. "$SOURCE_DIR/tests/cli/shared.sh"

# run ID FIELD: of one run.
run() {
        pawl runs --id "$1" --json | jq -r ".$2"
}

# listed OPTION...: the ids of a list, in order.
listed() {
        pawl runs --json "$@" | jq -r '[.runs[].run_id] | join(" ")'
}

it "without a log, and without runs, there is a helpful line"
fails 1 'no log' pawl runs
runs 0 pawl init
runs 0 pawl runs
says '^no runs; `pawl run MISSION` starts one$' out
same "$(pawl runs --json)" '{"runs":[],"next":null}'

it "a run that completed"
write_mission
sed -i '/critical/d' mission.yaml
runs 0 pawl run mission.yaml --run zeta
same "$(run zeta status) $(run zeta mission_id) $(run zeta steps_completed)/$(run zeta steps_total)" \
        "completed refund-service 3/3"
same "$(run zeta current_step) $(run zeta retry_token) $(run zeta owner) $(run zeta reason)" "null null null null"
same "$(run zeta conflicts_open)" 0
same "$(run zeta session_id)" "$(pawl sessions --json | jq -r '.[0].session_id')"
same "$(run zeta mission_path)" "$PWD/mission.yaml"
seq=$(run zeta started_seq)
same "$(eventlog show "$seq" | jq -r .type)" RunStarted
same "$(run zeta started_at)" "$(eventlog show "$seq" | jq -r .time)"
same "$(run zeta updated_at)" "$(eventlog show "$(run zeta updated_seq)" | jq -r .time)"

it "one that is blocked tells how many conflicts hold it and the token to go on with"
write_mission
runs 3 pawl run mission.yaml --run alpha --no-input --json
token=$(jq -r '.steps[1].retry_token' out)
same "$(run alpha status) $(run alpha current_step) $(run alpha conflicts_open)" "blocked specify 1"
same "$(run alpha retry_token)" "$token"
same "$(pawl runs --id alpha --json | jq -r '[.steps[] | .step_id + ":" + .status] | join(" ")')" \
        "research:completed specify:blocked publish:pending"
same "$(pawl runs --id alpha --json | jq -c '.steps[0] | [.exit_code, (.input_hash | length), (.output_hash | length)]')" \
        "[0,64,64]"
same "$(pawl runs --id alpha --json | jq -c '.steps[2].exit_code')" null

it "and the table says the same"
runs 0 pawl runs
says '^RUN +MISSION +STARTED +STATUS +STEPS +AT +OPEN$' out
says '^alpha +refund-service +20..-..-.. ..:..:.. +blocked +1/3 +specify +1$' out
runs 0 pawl runs --id alpha
says '^status +blocked$' out
says '^conflicts +1 open; see `pawl conflicts`$' out
says "^specify +blocked +${token:0:8}\$" out

it "the list is newest first, and pages fit together"
cat >fail.yaml <<'END'
mission: fails
steps:
  - id: one
    run: [sh, -c, "exit 3"]
END
runs 1 pawl run fail.yaml --run mid
same "$(run mid status) $(run mid 'steps[0].exit_code')" "failed 3"
same "$(listed)" "mid alpha zeta"
same "$(listed -n 2)" "mid alpha"
next=$(pawl runs -n 2 --json | jq .next)
same "$next" "$(run alpha started_seq)"
same "$(pawl runs -n 2 --before "$next" --json | jq -c '[[.runs[].run_id], .next]')" '[["zeta"],null]'
same "$(pawl runs -n 3 --json | jq .next)" null
runs 0 pawl runs -n 2
says "^older ones: pawl runs --before $next\$" out
same "$(listed --status completed) $(listed --status blocked) $(listed --status failed)" "zeta alpha mid"
same "$(listed --status interrupted)" ""
runs 0 pawl runs --status running
says '^no such runs$' out

it "a run at work says who holds it; one that was killed is interrupted"
cat >slow.yaml <<'END'
mission: slow
steps:
  - id: one
    run: [sh, -c, "touch at-work; exec sleep 60"]
END
pawl run slow.yaml --run busy >out 2>err </dev/null &
pid=$!
await at-work
same "$(run busy status) $(run busy owner.pid)" "running $pid"
same "$(listed --status running)" busy
runs 0 pawl runs --id busy
says "^owner +pid $pid on " out
step() {
        pawl runs --id "$1" --json | jq -c '.steps[0] | [.status, .unfinished]'
}
same "$(step busy)" '["running",false]'
kill -KILL "$pid"
wait "$pid" || true
same "$(listed --status interrupted)" busy
same "$(step busy)" '["pending",true]'
runs 0 pawl runs --id busy
says '^one +unfinished ' out
same "$(run busy owner)" null
same "$(eventlog export | jq -r 'select(.type == "SessionEnded") | .payload.reason' | tail -1)" \
        "process died"

it "nor is a step of one that was cancelled at work"
runs 0 pawl cancel busy
same "$(run busy status) $(step busy)" 'cancelled ["pending",true]'
runs 0 pawl runs --id busy
says '^one +unfinished ' out

it "a step says what it needs, what decides about it, and how often it was tried"
cat >graph.yaml <<'END'
mission: graph
parallel: 2
steps:
  - {id: look, run: [echo, '{"go": false}']}
  - {id: left, needs: [look], when: {$from: "look#/go"}, run: [echo, left]}
  - {id: right, needs: [look], run: ["false"], retry: {attempts: 3, delay: 1h}}
END
pawl run graph.yaml --run tried --no-input >out 2>err </dev/null &
pid=$!
for _ in $(seq 500); do
        [ -z "$(run tried 'steps[2].retry // empty')" ] || break
        sleep 0.02
done
says '^attempt 2 of 3, next in [0-9]+ [a-z0-9 ]+$' <(run tried 'steps[2].retry')
kill -KILL "$pid"
wait "$pid" || true
same "$(pawl runs --id tried --json | jq -c '[.steps[] | [.step_id, .needs, .when, .unfinished]]')" \
        '[["look",[],null,false],["left",["look"],"look#/go",false],["right",["look"],null,true]]'

it "what cannot be is refused"
fails 1 'run none: is not in this log; `pawl runs` lists them' pawl runs --id none
misused 'STATUS|status' pawl runs --status done
misused '--id names one run' pawl runs --id alpha -n 2
misused 'before' pawl runs --before 0

it "a UUID is shown as far as it names the run; on a narrow terminal, too"
id=01234567-89ab-4cde-8f01-23456789abcd
runs 3 pawl run mission.yaml --run $id --no-input
dialog 0 'spawn sh -c "stty cols 80; pawl runs; pawl checkpoints"'
says "^${id:0:8} +refund-service +20[-0-9 :]+ +blocked +1/3 +specify +1[[:space:]]*\$" screen
lacks '.{81}' <(tr -d '\r' <screen)
says '^ *[0-9]+ cp-[^ ]* +research +- ' screen
