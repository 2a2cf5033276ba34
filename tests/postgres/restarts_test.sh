# Needs PAWL_WITH_POSTGRES.
# A server that crashes and comes back, again and again, while a mission runs: the run ends well, each step was completed
# once, and nothing is missing.
[ -e "$PAWL_TEST_SERVER" ] || { echo "there is no PostgreSQL to test with"; exit 77; }
. "$SOURCE_DIR/tests/cli/shared.sh"
own=$PWD/server.url
support=$SOURCE_DIR/tests/support/postgres
trap '"$support" stop "$own"' EXIT
"$support" start "$own"
PAWL_DB="$(cat "$own")#crashes"
export PAWL_DB

steps=25 crashes=3
[ "${PAWL_TEST_FULL:-}" != 1 ] || { steps=600 crashes=60; }
{
        echo 'mission: m'
        echo 'steps:'
        for i in $(seq $steps); do echo "  - {id: s$i, run: [sh, -c, 'echo $i >>journal; sleep 0.1']}"; done
} >mission.yaml
runs 0 pawl init
pawl run mission.yaml --run r --no-input >run.out 2>run.err &
run=$!
for _ in $(seq $crashes); do
        sleep 0.7
        "$support" kill "$own"
        sleep 0.3
        "$support" again "$own"
done
code=0
wait "$run" || code=$?
[ "$code" = 0 ] || { cat run.err; pawl resume r --no-input; }
runs 0 eventlog verify
runs 0 eventlog replay --check
same "$(eventlog export | jq -r 'select(.type == "StepCompleted") | .step_id' | sort | uniq -c | awk '$1 != 1')" ''
same "$(events StepCompleted)" "$steps"
same "$(sort -un journal | wc -l)" "$steps"
same "$code" 0

# Away for good: one line, soon.
"$support" kill "$own"
began=$SECONDS
fails 1 'cannot connect' pawl status
[ $((SECONDS - began)) -lt 12 ]
