# A mission that was edited between two sittings: shown, refused without a yes, accepted, run again.
. "$SOURCE_DIR/tests/cli/shared.sh"

# A run whose second of three steps fails until the file `go` is there.
begin() {
        forget_log
        rm -rf journal go
        cat >mission.yaml <<'END'
mission: release
steps:
  - {id: fetch, inputs: {from: trunk}, run: [sh, -c, "echo fetch >>journal; echo 1"]}
  - {id: build, inputs: {what: {$from: fetch}}, run: [sh, -c, "echo build >>journal; test -e go"]}
  - {id: publish, run: [sh, -c, "echo publish >>journal"]}
END
        runs 1 pawl run mission.yaml --run one
        touch go
        head=$(eventlog head)
}

# changes FILE: what a JSON result says of the mission.
changes() {
        jq -r '[.mission_changed[] | .step_id + ":" + .change] | join(" ")' "$1"
}

it "a failed step that is called otherwise is no completed run: exit 4, nothing written"
begin
sed -i 's/id: build/id: make/' mission.yaml
runs 4 pawl resume one
says '^  step make: added$' err
says '^  step build: removed$' err
says '^pawl: run one: its mission changed since: step make is new, step build was removed; put it back, keep what is completed with `pawl resume one --accept-changed-mission`, or run what changed again with `pawl resume one --rerun-changed`$' err
same "$(tail -1 out)" "run one: failed, 1 of 3 steps completed"
runs 4 pawl resume one --json --no-input
same "$(changes out)" "make:added build:removed"
same "$(jq -r .status out)" failed
same "$(eventlog head)" "$head"
same "$(tr '\n' ' ' <journal)" "fetch build "

it "one change is said in one line"
begin
sed -i 's/trunk/branch/' mission.yaml
runs 4 pawl resume one
same "$(wc -l <err)" 1
says 'step fetch has other inputs; put it back' err

it "the command that is suggested works as it is printed, and keeps what is completed"
eval "$(grep -o '`pawl resume one --accept-changed-mission`' err | tr -d '`')" >out
same "$(tail -1 out)" "run one: completed, 3 of 3 steps completed"
same "$(tr '\n' ' ' <journal)" "fetch build build publish "
same "$(eventlog export | jq -c 'select(.type == "RunMissionChanged") | [.actor != null, .payload.changes, .payload.rerun]')" \
        '[true,[{"change":"inputs","step_id":"fetch"}],[]]'
runs 0 eventlog replay --check

it "the changed step, and what takes from it, run again where that is asked for"
begin
sed -i 's/trunk/branch/' mission.yaml
runs 0 pawl resume one --rerun-changed --json
same "$(jq -r .status out) $(changes out)" "completed fetch:inputs"
same "$(tr '\n' ' ' <journal)" "fetch build fetch build publish "
runs 0 eventlog replay --check

it "a step that left the mission is skipped, and counts no more"
begin
sed -i '/id: build/d' mission.yaml
runs 0 pawl resume one --accept-changed-mission
same "$(tail -1 out)" "run one: completed, 2 of 2 steps completed"
same "$(pawl runs --id one --json | jq -c '[.steps_completed, .steps_total, [.steps[].status]]')" \
        '[2,2,["completed","completed","skipped"]]'
runs 0 eventlog replay --check

it "on a terminal it shows what changed and asks; the default is no"
begin
sed -i 's/id: publish/id: announce/' mission.yaml
dialog 4 'spawn pawl resume one
see {the mission changed since the run began:}
see {  step announce: added}
see {  step publish: removed}
see {go on with the changed mission, and keep what is completed\? \[y/N\]: }
send "\r"'
same "$(eventlog head)" "$head"
dialog 0 'spawn pawl resume one
see {\[y/N\]: }
send "y\r"'
same "$(events RunMissionChanged)" 1

it "a comment is no change"
begin
sed -i '1i # of trunk' mission.yaml
runs 0 pawl resume one
same "$(events RunMissionChanged)" 0

it "a run that is completed tells its result, whatever became of its file"
sed -i 's/id: publish/id: announce/' mission.yaml
runs 0 pawl resume one
rm mission.yaml
runs 0 pawl resume one
same "$(tail -1 out)" "run one: completed, 3 of 3 steps completed"

it "a recorded mission that is not in the log any more closes the gate: exit 5, whatever the file says and is accepted"
if ! on_server; then
        for change in no yes; do
                begin
                python3 -c 'import sqlite3; c = sqlite3.connect(".pawl/events.db"); c.execute("DELETE FROM blobs WHERE instr(CAST(content AS TEXT), ?) > 0", ("\"mission\":\"release\"",)); c.commit()'
                [ $change = no ] || sed -i 's/echo publish/echo changed/' mission.yaml
                for option in --no-input --accept-changed-mission --rerun-changed; do
                        fails 5 'run one: the mission that it began with is not in the log any more; put back' pawl resume one --no-input $option
                done
                same "$(eventlog head)" "$head"
                same "$(cat journal)" "$(printf 'fetch\nbuild')"
        done
fi

it "a step that began anew under a stricter mission is checked so by the token of before, too"
forget_log
write_mission
sed -i '/earlier/d; s/^    critical: true/    needs: [research]\n    critical: true/' mission.yaml
runs 3 pawl run mission.yaml --run one --no-input
token=$(eventlog export | jq -r 'select(.type == "StepCheckpointed" and .step_id == "specify") | .payload.retry_token')
sed -i 's/three days/four days/; 1i strictness: max' mission.yaml
runs 3 pawl resume one --rerun-changed --no-input
runs 3 pawl resume "$token" --no-input
same "$(eventlog export | jq -r 'select(.type == "GenerationBlockedBySemanticConflict") | .payload.effective_strictness' | tr '\n' ' ')" \
        "medium max max "
runs 0 eventlog verify
