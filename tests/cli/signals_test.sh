# Signals in the middle of a run, and a second process that wants it.
. "$SOURCE_DIR/tests/cli/shared.sh"
cat >mission.yaml <<'END'
mission: slow
steps:
  - id: quick
    run: [sh, -c, "echo quick >>journal"]
  - id: sleepy
    run: [sh, -c, "echo $PAWL_RETRY_TOKEN >>keys; trap 'echo got >>signals; exit 1' INT TERM; touch started; while [ ! -e go ]; do sleep 0.05; done; echo slept >>journal"]
END

# start: a run in the background, its command begun; its pid is in pid.
start() {
        rm -f started
        pawl "$@" --json >out 2>err </dev/null &
        pid=$!
        await started
}

# ended CODE: the background process ends with this code.
ended() {
        local code=0
        wait "$pid" || code=$?
        same "$code" "$1"
}

for signal in INT:130 TERM:143; do
        it "SIG${signal%:*} during a command reaches it, and the exit code is ${signal#*:}"
        forget_log
        rm -rf journal keys signals go
        start run mission.yaml --run one
        kill "-${signal%:*}" "$pid"
        ended "${signal#*:}"
        same "$(cat signals)" got
        same "$(grep -c '^pawl: ' err)" 1
        says "^pawl: step sleepy: interrupted by SIG${signal%:*}; go on with \`pawl resume" err
        jq -e '.status == "interrupted" and (.steps[1] | .cursor == "post_gate" and .status == "pending" and .unfinished)' out >/dev/null
        same "$(eventlog export | jq -r 'select(.type == "SessionEnded").payload.status')" interrupted

        it "the resume starts the command again under the same key, and nothing else"
        touch go
        runs 0 pawl resume
        same "$(tr '\n' ' ' <journal)" "quick slept "
        same "$(sort -u keys | wc -l)" 1
        same "$(wc -l <keys)" 2
done

it "a second process gets exit 6 and the owner's pid at once, and writes nothing"
forget_log
rm -rf journal keys go
start run mission.yaml --run one
before=$(eventlog head)
cp out first_out
begun=$(date +%s)
runs 6 pawl resume one
[ $(($(date +%s) - begun)) -lt 20 ]
says "^pawl: run one: .*$pid" err
runs 6 pawl run mission.yaml --run one
same "$(eventlog head)" "$before"

it "with --wait it waits so long and no longer"
runs 6 pawl resume one --wait=1
says "$pid" err
(sleep 0.3; touch go) &
rm out # the first one writes to it still
runs 0 pawl resume one --wait --json
same "$(jq -r .status out)" completed
wait "$pid"
same "$(tr '\n' ' ' <journal)" "quick slept "

it "a process that was killed lost its claim: the resume goes on at the command, under the same key"
forget_log
rm -rf journal keys go
start run mission.yaml --run one
kill -KILL "$pid"
ended 137
touch go
runs 0 pawl resume one
same "$(sort -u keys | wc -l)" 1
same "$(grep -c quick journal)" 1
runs 0 eventlog verify
runs 0 eventlog replay --check

it "a reader of standard output that goes away does not stop the run"
forget_log
rm -rf journal keys go
touch go
pawl run mission.yaml --run one </dev/null 2>err | true
is_empty err
same "$(pawl resume one --json | jq -r .status)" completed
