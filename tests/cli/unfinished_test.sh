# `pawl run` of a mission that has an unfinished run.
. "$SOURCE_DIR/tests/cli/shared.sh"
write_mission
runs 3 pawl run mission.yaml --run one --no-input

it "without a terminal it says so, with progress and how to go on, and runs nothing"
before=$(eventlog head)
fails 1 'mission refund-service: run one is blocked at 1/3 steps, last active 20..-..-.. ..:..:.. UTC; resume it with `pawl run MISSION --resume`, or start anew with `pawl run MISSION --fresh`' \
        pawl run mission.yaml
same "$(eventlog head)" "$before"

it "--fresh starts another, and so does an id of one's own"
runs 3 pawl run mission.yaml --fresh --no-input
runs 3 pawl run mission.yaml --run two --no-input
same "$(events RunStarted)" 3

it "what does not go together is wrong usage, and nothing is run"
before=$(eventlog head)
misused '--fresh and --resume do not go together' pawl run mission.yaml --fresh --resume
misused '--resume goes on with a run that there is' pawl run mission.yaml --run three --resume
same "$(eventlog head)" "$before"

it "--resume goes on with the newest"
pawl resolve "$(pawl conflicts --json | jq -r '.[] | select(.run_id == "two").conflict_id')" --pick 1 >/dev/null
runs 0 pawl run mission.yaml --resume --json
same "$(jq -r '.run_id + " " + .status' out)" "two completed"
same "$(events RunStarted)" 3

it "on a terminal it asks: r goes on, f starts anew, anything else is no"
dialog 1 'spawn pawl run mission.yaml
see {run .* is blocked at 1/3 steps}
see {resume it, start a fresh run, or quit\? \[r/f/Q\]: }
send "\r"'
says '^pawl: mission refund-service: nothing was run; answer r or f' screen
same "$(events RunStarted)" 3
dialog 0 'spawn pawl run mission.yaml
see {\[r/f/Q\]: }
send "f\r"'
same "$(events RunStarted)" 4
dialog 0 'spawn pawl run mission.yaml
see {\[r/f/Q\]: }
send "r\r"'
same "$(events RunStarted)" 4
same "$(events RunCompleted)" 3

it "of one that is at work it names the owner: exit 6, unless a fresh one is wanted"
cat >slow.yaml <<'END'
mission: slow
steps:
  - {id: sleepy, run: [sh, -c, "touch started; while [ ! -e go ]; do sleep 0.05; done"]}
END
pawl run slow.yaml --run first >first 2>&1 </dev/null &
pid=$!
await started
fails 6 "mission slow: run first is running at 0/1 steps, .* owned by pid $pid on .*; wait for it, or start another beside it: .pawl run MISSION --fresh." \
        pawl run slow.yaml
touch go
runs 0 pawl run slow.yaml --fresh
wait "$pid"

it "of many that begin at once one does, and the others name its process"
sed 's/^mission: slow/mission: many/; s/touch started/echo begun >>begun/; s/-e go /-e many /' slow.yaml >many.yaml
pids=()
for i in 1 2 3 4; do
        (code=0; pawl run many.yaml >"many.$i" 2>&1 </dev/null || code=$?; echo "$code" >"code.$i.new"; mv "code.$i.new" "code.$i") &
        pids+=($!)
done
three_ended() { [ "$(cat code.[1-4] | wc -l)" -eq 3 ]; }
until_it three_ended || { touch many; wait "${pids[@]}"; exit 1; }
await begun
same "$(cat code.[1-4] | sort -u)" 6
owner=$(eventlog export | jq -r 'select(.type == "RunClaimed" and .mission_id == "many").payload.owner.pid')
same "$(grep -cE "run .* is running at 0/1 steps, .* owned by pid $owner on .*; wait for it" many.[1-4] | grep -c ':1$')" 3
touch many
wait "${pids[@]}"
same "$(cat code.[1-4] | sort | xargs)" "0 6 6 6"
same "$(cat begun)" begun

it "where there is none to go on with, --resume says so and starts"
runs 0 pawl run slow.yaml --resume
says '^pawl: mission slow: no run is unfinished, so a new one starts$' err
runs 0 pawl run slow.yaml
is_empty err

it "a run that failed is unfinished too"
cat >fails.yaml <<'END'
mission: fails
steps:
  - {id: one, run: [test, -e, mended]}
END
runs 1 pawl run fails.yaml --run bad
before=$(eventlog head)
fails 1 'mission fails: run bad is failed at 0/1 steps, .*; resume it with `pawl run MISSION --resume`, or start anew with `pawl run MISSION --fresh`' \
        pawl run fails.yaml
same "$(eventlog head)" "$before"
touch mended
runs 0 pawl run fails.yaml --resume
same "$(tail -1 out)" "run bad: completed, 1 of 1 steps completed"
