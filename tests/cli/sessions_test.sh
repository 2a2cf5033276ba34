# Sessions: one for each sitting at a run, however it ends; and those that agents keep.
. "$SOURCE_DIR/tests/cli/shared.sh"

# session FIELD [PICK]: of the newest session, or of what PICK picks, as `sessions --json` has it.
session() {
        pawl sessions --json | jq -r "${2:-.[0]} | .$1"
}

it "without a log, and without sessions, there is a helpful line"
fails 1 'no log' pawl sessions
runs 0 pawl init
runs 0 pawl sessions
says '^no sessions; .*pawl run MISSION' out
same "$(pawl sessions --json)" "[]"

it "a run that ends has a session that completed"
write_mission
sed -i '/critical/d' mission.yaml
runs 0 pawl run mission.yaml --run one
same "$(session status) $(session run_id) $(session mission_id)" "completed one refund-service"
same "$(session steps_completed)/$(session steps_total) $(session current_step)" "3/3 null"
[ "$(session ended_at)" != null ]
same "$(session checkpoints)" 3
runs 0 pawl sessions
says '^ID +MISSION +STARTED +DURATION +STATUS +PROGRESS$' out
says "^session-[0-9]{8}-[0-9]{6} +refund-service +20..-..-.. ..:..:.. +[0-9]+s +completed +3/3 \(100%\)$" out
says 'The latest is completed' out

it "one that blocks is interrupted, with the step it stopped at and the command that goes on"
write_mission
runs 3 pawl run mission.yaml --run two --no-input
same "$(session status) $(session reason) $(session current_step)" "interrupted blocked specify"
same "$(session steps_completed)/$(session steps_total)" 1/3
runs 0 pawl sessions
says '1/3 \(33%\)' out
says '^Answer first: pawl resolve [0-9a-f]+ --pick N$' out
says '^Resume the latest: pawl resume two$' out

it "the command can be typed as it is shown, whatever the run is called"
mkdir other
for run in "a b; touch touched" "it's \$(touch touched)"; do
        runs 3 pawl run mission.yaml --run "$run" --no-input --db other/events.db
        runs 0 pawl sessions --db other/events.db
        command=$(sed -n 's/^Resume the latest: //p' out)
        runs 3 eval "$command --no-input --db other/events.db"
        [ ! -e touched ]
done

it "the resume is a session of its own, and the earlier one stays as it was"
pawl resolve "$(pawl conflicts --json | jq -r '.[0].conflict_id')" --pick 1 >/dev/null
runs 0 pawl resume two
same "$(session status)" completed
same "$(pawl sessions --json | jq -c '[.[] | .steps_completed]')" "[3,1,3]"
same "$(session status '.[1]')" interrupted

it "they are filtered by mission, id, status and number"
same "$(pawl sessions --status interrupted --json | jq length)" 1
same "$(pawl sessions --status error --json)" "[]"
same "$(pawl sessions --mission refund-service -n 2 --json | jq length)" 2
same "$(pawl sessions --mission other --json)" "[]"
same "$(pawl sessions --latest --json | jq -r '.[0].run_id')" two
id=$(session session_id '.[2]')
same "$(pawl sessions --id "$id" --json | jq -r '.[0].run_id')" one
fails 1 'session nobody: is not in this log' pawl sessions --id nobody
misused 'there is no "done"' pawl sessions --status done

it "a step that fails leaves a session in error, with why"
cat >failing.yaml <<'END'
mission: failing
steps:
  - {id: only, run: ["false"]}
END
runs 1 pawl run failing.yaml
same "$(session status)" error
session reason >reason
says 'step only: exit code 1' reason

cat >slow.yaml <<'END'
mission: slow
steps:
  - {id: quick, run: ["true"]}
  - {id: sleepy, run: [sh, -c, "echo $PAWL_SESSION_ID >sitting; trap 'exit 1' TERM; touch started; while [ ! -e go ]; do sleep 0.05; done"]}
END

for signal in INT:130 TERM:143 HUP:129; do
        it "SIG${signal%:*} leaves a session that says so"
        rm -f started
        (trap - INT; exec pawl run slow.yaml --fresh >out 2>err </dev/null) &
        pid=$!
        await started
        same "$(session status) $(session current_step)" "active sleepy"
        same "$(cat sitting)" "$(session session_id)"
        kill "-${signal%:*}" "$pid"
        code=0
        wait "$pid" || code=$?
        same "$code" "${signal#*:}"
        same "$(session status) $(session reason) $(session current_step)" "interrupted SIG${signal%:*} sleepy"
done

it "a session whose process died is found by the next command that looks"
rm -f started
pawl run slow.yaml --fresh --run killed >out 2>err </dev/null &
pid=$!
await started
kill -KILL "$pid"
wait "$pid" || true
same "$(eventlog replay --json | jq -r '.sessions[-1].status')" active
same "$(session status) $(session current_step)" "interrupted sleepy"
same "$(session reason)" "process died"
same "$(eventlog replay --json | jq -r '.runs[-1].status')" interrupted
runs 0 eventlog replay --check
same "$(events SessionEnded)" "$(events SessionStarted)"

it "and is shown so, and nothing is written, where the log cannot be"
rm -f started
pawl run slow.yaml --fresh --run killed-too >out 2>err </dev/null &
pid=$!
await started
kill -KILL "$pid"
wait "$pid" || true
mkdir copy
cp -r .pawl copy/
if [ "$(id -u)" = 0 ]; then
        chattr +i copy/.pawl/events.db 2>/dev/null && immutable=yes || immutable=
else
        chmod -R a-w copy/.pawl
        immutable=yes
fi
if [ -n "$immutable" ]; then
        before=$(eventlog head --db copy/.pawl/events.db)
        same "$(pawl sessions --db copy/.pawl/events.db --json | jq -r '.[0].status')" interrupted
        same "$(eventlog head --db copy/.pawl/events.db)" "$before"
        [ "$(id -u)" != 0 ] || chattr -i copy/.pawl/events.db
fi
chmod -R u+w copy/.pawl

it "a time limit stops a run between and during commands, to be resumed"
rm -f started go
runs 1 pawl run slow.yaml --run limited --time-limit 3s
says '^pawl: run limited: time limit reached; go on with `pawl resume limited`$' err
same "$(session status) $(session reason)" "interrupted time limit reached"
same "$(eventlog export --run limited | jq -r 'select(.type == "SessionCheckpointed").payload.reason' | tr '\n' ' ')" "step_complete time_limit "
touch go
runs 0 pawl resume limited --time-limit 1h
misused 'is not a time' pawl run slow.yaml --time-limit 30
misused 'is not a time' pawl run slow.yaml --time-limit 0s

it "an agent keeps a session from the shell"
forget_log
id=$(pawl session start --mission paper --actor agent:one --step draft --pending draft --pending review)
same "$(session status) $(session current_step) $(session steps_total)" "active draft 2"
fails 6 "mission paper: session $id of agent:one is active" pawl session start --mission paper
runs 0 pawl session update --done draft --step review --summary "Two sources agree." --file paper.txt
same "$(session steps_completed)/$(session steps_total) $(session summary)" "1/2 Two sources agree."
seq=$(pawl session checkpoint --reason context_warning)
same "$(eventlog show "$seq" | jq -r .type 2>/dev/null || eventlog export | jq -r "select(.seq == $seq).type")" SessionCheckpointed
runs 0 env PAWL_SESSION_ID="$id" pawl session update --done review --step ''
runs 0 pawl session end --reason "all done"
same "$(session status) $(session reason) $(session steps_completed)" "completed all done 2"
fails 1 'no session is active' pawl session update --step x
fails 1 'has ended' pawl session update --id "$id" --step x
misused 'there is no "tired"' pawl session checkpoint --id "$id" --reason tired
again=$(pawl session resume "$id" --checkpoint "$seq" --actor agent:two)
same "$(session session_id) $(session steps_completed) $(session actor)" "$again 1 agent:two"
runs 0 pawl session pin "$again"
same "$(session pinned)" true
runs 0 pawl session pin "$again" --off
same "$(session pinned)" false
taken=$(pawl session start --mission paper --take-over)
same "$(session session_id) $(session status '.[1]')" "$taken interrupted"
runs 0 eventlog verify
runs 0 eventlog replay --check

it "a table fits the terminal"
stty_columns() { script -qec "stty cols $1; pawl sessions" /dev/null | tr -d '\r'; }
pawl session start --mission "$(printf 'long-%.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)" >/dev/null
stty_columns 100 | awk '{ if (length($0) > 100) exit 1 }'

it "runs and sessions that start at once on one log get a session each"
rm -rf once && mkdir once && cd once
own_log
many=60
for i in $(seq $many); do
        printf 'mission: m%s\nsteps: [{id: a, run: [echo, hi]}]\n' "$i" >"m$i.yaml"
done
for i in $(seq $many); do
        { pawl run "m$i.yaml" --run "r$i" --no-input || echo "run $i: $?"; } >"out$i" 2>&1 &
        [ $((i % 6)) -gt 0 ] || { pawl session start --mission "agent$i" || echo "session $i: $?"; } >"out$i-agent" 2>&1 &
done
wait
cat out* >all
lacks '^(run|session) [0-9]+: [0-9]+$|started already' all
same "$(pawl sessions --json -n 1000 | jq '[.[].session_id] | [length, (unique | length)] | @csv' -r)" 70,70
id=$(session session_id)
same "$(pawl sessions --id "${id%????}" --json | jq -r '.[0].session_id')" "$id"
cd ..

it "each run is replayed alone as in the whole log"
runs_replay_alone
