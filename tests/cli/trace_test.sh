# eventlog trace: a run as spans, for OpenTelemetry.
. "$SOURCE_DIR/tests/cli/shared.sh"
export PAWL_DB=$PWD/.pawl/events.db

# spans FILTER: of each span, in the order of their ends.
spans() {
        jq -r ".resourceSpans[].scopeSpans[].spans[] | $1" trace
}

# attribute NAME: a jq filter for its value.
attribute() {
        echo "(.attributes[] | select(.key == \"$1\").value | .stringValue // .intValue)"
}

cat >mission.yaml <<'MISSION'
mission: m
workspace: {checkpoint: off}
secrets: [TOKEN]
steps:
  - id: long
    run: [sh, -c, 'test -e died || { : >died; sleep 100; }; echo "$TOKEN"']
  - id: decide
    ask: {question: "Go on?"}
  - id: fail
    retry: {attempts: 2, delay: 10ms}
    run: [sh, -c, 'test -e go']
MISSION

export TOKEN=a-token-that-nobody-may-see
pawl run mission.yaml --run r --no-input >out 2>&1 &
runner=$!
await died
eventlog trace r >trace
kill -9 "$runner"

it "gives what has not ended the time of the run's last event, and no status"
same "$(spans '[.name, .status] | tostring' | tr '\n' ' ')" '["step long",{}] ["session",{}] ["run",{}] '
same "$(spans .endTimeUnixNano | sort -u | wc -l)" 1

runs 3 pawl resume r --no-input
runs 0 pawl resolve "$(pawl conflicts --json | jq -r '.[0].conflict_id')" --answer yes
runs 1 pawl resume r
touch go
runs 0 pawl resume r
runs 0 eventlog trace r
cp out trace

it "has the run, its sessions, each time that a step was at work and each wait for an answer"
same "$(spans .name)" "step long
session
step long
step decide
session
wait for an answer
step decide
step fail
session
step fail
session
run"
same "$(spans 'select(.name == "step fail") | .status | tostring')" '{"code":2,"message":"exit code 1"}
{"code":1}'
same "$(spans 'select(.name == "run").status.code')" 1
same "$(spans "select(.name == \"step fail\") | $(attribute pawl.exit_code)" | tr '\n' ' ')" '1 0 '
same "$(spans "select(.name == \"wait for an answer\") | $(attribute pawl.conflict_id)")" "$(pawl conflicts --all --json | jq -r '.[0].conflict_id')"

it "hangs steps under their sessions, sessions and waits under the run"
same "$(jq -r '.resourceSpans[].scopeSpans[].spans | INDEX(.spanId) as $by
        | .[] | "\(.name) < \($by[.parentSpanId // ""].name)"' trace | sort -u)" "run < null
session < run
step decide < session
step fail < session
step long < session
wait for an answer < run"

it "ends what a process that died had begun with the last that it wrote"
same "$(spans 'select(.name == "session") | .endTimeUnixNano' | head -1)" \
        "$(eventlog export | jq -r 'select(.type == "StepCheckpointed" and .step_id == "long") | .time' | head -1 |
                sed 's/Z$//' | { IFS=. read -r seconds micro; echo "$(date -u -d "${seconds}Z" +%s)${micro}000"; })"

it "holds every event of the run, once, and another attempt among them"
same "$(spans ".events[] | $(attribute pawl.seq)" | sort -n)" "$(eventlog export --run r | jq .seq)"
same "$(spans '.events[] | select(.name == "StepAttemptFailed") | .name' | wc -l)" 1

it "writes ids and times as OTLP has them in JSON"
same "$(spans '[.traceId, .spanId, .startTimeUnixNano, .endTimeUnixNano] | tostring' |
        sed -E '/^\["[0-9a-f]{32}","[0-9a-f]{16}","[0-9]{19}","[0-9]{19}"\]$/d')" ""
same "$(spans .traceId | sort -u | wc -l)" 1
same "$(spans .spanId | sort | uniq -d)" ""
same "$(spans 'select(.endTimeUnixNano < .startTimeUnixNano)')" ""

it "prints the same bytes again, of an id's beginning too, and no secret"
pawl run mission.yaml --run other --no-input >/dev/null 2>&1 || true
eventlog trace r | cmp - trace
eventlog trace othe | jq -e '.resourceSpans[].scopeSpans[].spans[-1].attributes[] | select(.value.stringValue == "other")' >/dev/null
lacks "$TOKEN" trace

it "says that a run is not there"
fails 1 'run none: is not in this log; .pawl runs.* lists them' eventlog trace none
runs 2 eventlog trace

it "does without a payload that was pruned"
runs 0 pawl prune sessions --keep 0
eventlog export --run r | jq -e 'select(.payload == null)' >/dev/null
runs 0 eventlog trace r
cp out trace
same "$(spans .name | sort | uniq -c | tr -s ' ' | tr '\n' ';')" \
        " 1 run; 4 session; 2 step decide; 2 step fail; 2 step long; 1 wait for an answer;"
