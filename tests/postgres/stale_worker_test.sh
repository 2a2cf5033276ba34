# Needs PAWL_WITH_POSTGRES.
# A worker that is stopped past its lease, and goes on later: another machine's has its run by then. What the
# stopped one had under way is refused by its fence, each step is completed once, and both were given one retry token.
[ -e "$PAWL_TEST_SERVER" ] || { echo "there is no PostgreSQL to test with"; exit 77; }
elsewhere=(unshare --uts --pid --fork --mount-proc)
"${elsewhere[@]}" true 2>/dev/null || { echo "namespaces cannot be made here"; exit 77; }
. "$SOURCE_DIR/tests/cli/shared.sh"
export PAWL_DB="$(cat "$PAWL_TEST_SERVER")#$(basename "$PWD").$$"
log_on_server "$PAWL_DB"
here=$PWD
runs 0 pawl init
mkdir workspace
cd workspace
cat >mission.yaml <<END
mission: moved
steps:
  - {id: before, run: [sh, -c, 'echo before >>"$here/effects"']}
  - {id: slow, run: [sh, -c, 'echo \$PAWL_RETRY_TOKEN >>"$here/tokens"; while [ ! -e "$here/go" ]; do sleep 0.1; done; echo \$\$']}
  - {id: after, run: [sh, -c, 'echo after >>"$here/effects"']}
END
runs 0 pawl submit mission.yaml --json
run=$(jq -r .run_id out)
cd ..

# lines FILE N: wait until it has so many.
lines() {
        local tries
        for tries in $(seq 300); do
                [ "$(cat "$1" 2>/dev/null | wc -l)" -lt "$2" ] || return 0
                sleep 0.1
        done
        echo "$1 does not come to $2 lines"
        return 1
}

# The first, which is a machine of its own, as it has process numbers and a name of its own.
"${elsewhere[@]}" sh -c 'hostname elsewhere; exec pawl work --once --lease 2 --dir there' >first 2>&1 &
outer=$!
lines tokens 1
mapfile -t stopped < <(pgrep -P "$outer"; for p in $(pgrep -P "$outer"); do pgrep -P "$p"; done)
[ "${#stopped[@]}" -ge 2 ]
kill -STOP "${stopped[@]}"
pawl work --lease 2 --dir here >second 2>&1 &
second=$!
trap 'kill -KILL "$second" "${stopped[@]}" 2>/dev/null || true' EXIT
lines tokens 2
touch go
kill -CONT "${stopped[@]}"
lines second 2
code=0
wait "$outer" || code=$?
same "$code" 0
kill -TERM "$second"
wait "$second" || code=$?
same "$code" 0
says "was taken over by (process|another process, which has ended)" first
says "^run $run: busy in " first
says "^run $run: completed" second

same "$(sort -u tokens | wc -l)" 1
same "$(cat effects)" "before
after"
eventlog export >all
same "$(jq -r 'select(.type == "StepCompleted").step_id' all)" "before
slow
after"
same "$(jq -r 'select(.type == "RunClaimed").payload.fence' all)" "1
2"
runs 0 eventlog verify
runs 0 eventlog replay --check
