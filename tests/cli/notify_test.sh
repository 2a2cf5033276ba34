# A mission's `notify` is told, at least once, that a run is blocked, has failed or is completed; what becomes of
# its command harms nothing.
. "$SOURCE_DIR/tests/cli/shared.sh"

cat >told <<'END'
#!/bin/sh
cat >>"$HERE/told.jsonl"
echo "this is not the run's output"
echo "$PAWL_RUN_ID $PAWL_MISSION_ID $PAWL_DB" >>"$HERE/told.env"
END
cat >seed.yaml <<'END'
terms:
  - {surface: workspace, definition: Where a step works.}
  - {surface: workspace, definition: The account that people share.}
END
chmod +x told
export HERE=$PWD
mission() { # NAME STEPS...
        printf 'mission: %s\nstrictness: max\nglossary: {core: seed.yaml}\nnotify: [%s]\nsteps:\n' "$1" "${command:-./told}"
        shift
        printf '  - %s\n' "$@"
}
told() { jq -r "$@" told.jsonl; }

it "a run that completes is told of by the event, and its output is its own"
mission done '{id: one, run: [echo, hello]}' >done.yaml
runs 0 pawl run --json done.yaml
same "$(jq -r .status out)" completed
same "$(told .type)" RunCompleted
same "$(told .run_id)" "$(jq -r .run_id out)"
same "$(told .seq)" "$(eventlog list --type RunCompleted --json | jq .seq)"
eventlog export | jq -c 'select(.type == "RunCompleted")' | jq -S . >event
jq -S . told.jsonl | cmp - event
same "$(cat told.env)" "$(jq -r .run_id told.jsonl) done $(on_server && echo "$PAWL_DB" || echo "$PWD/.pawl/events.db")"
same "$(eventlog export | jq -c 'select(.type == "RunNotified") | .payload')" "{\"seq\":$(told .seq)}"

it "it is told once: a run and a resume later say nothing of it"
runs 0 pawl run done.yaml --fresh
same "$(told .type | wc -l)" 2
runs 0 pawl resume "$(told -s '.[0].run_id')"
same "$(told .type | wc -l)" 2

it "a block is told of by its event, and the answer leads on to the next"
rm told.jsonl
mission asks '{id: one, inputs: {description: the workspace}, run: ["true"]}' >asks.yaml
runs 3 pawl run --no-input asks.yaml
same "$(told .type)" GenerationBlockedBySemanticConflict
same "$(told '.payload.conflicts[0].term')" workspace
runs 0 pawl resolve "$(pawl conflicts --json | jq -r '.[0].conflict_id')" --pick 1
runs 0 pawl resume --no-input
same "$(told .type | tail -n 1)" RunCompleted
same "$(told .type | wc -l)" 2

it "a failure is told of, with the reason"
rm told.jsonl
mission fails '{id: one, run: ["false"]}' >fails.yaml
runs 1 pawl run fails.yaml
same "$(told '.type, .payload.reason')" "$(printf 'RunFailed\nstep one: exit code 1')"

it "an interruption is not"
rm told.jsonl
mission waits '{id: one, run: [sh, -c, "kill -TERM $PPID; sleep 30"]}' >waits.yaml
sed -i 's/kill -TERM $PPID/kill -TERM $(cat pawl.pid)/' waits.yaml
sh -c 'echo $$ >pawl.pid; exec pawl run waits.yaml' >out 2>err || code=$?
same "$code" 143
[ ! -e told.jsonl ]

it "a command that fails harms nothing, and is told again when the run or the mission goes on"
command=./broken mission broken '{id: one, run: ["true"]}' >broken.yaml
printf '#!/bin/sh\ncat >/dev/null\nexit 7\n' >broken
chmod +x broken
runs 0 pawl run broken.yaml
says 'notify: \./broken: ended with exit code 7; it is told again when the run or the mission goes on' err
first=$(eventlog list --type RunCompleted --json | tail -n 1 | jq -r .run_id)
cp told broken
runs 0 pawl run --fresh broken.yaml
same "$(told .run_id | head -n 1)" "$first"
same "$(told .type | wc -l)" 2
runs 0 pawl run --fresh broken.yaml
same "$(told .type | wc -l)" 3

it "a killed runner told nobody: the next run of the mission does"
rm told.jsonl
command=./killer mission killed '{id: one, run: ["true"]}' >killed.yaml
printf '#!/bin/sh\nkill -9 $(cat pawl.pid)\nsleep 5\n' >killer
chmod +x killer
code=0
sh -c 'echo $$ >pawl.pid; exec pawl run killed.yaml' >out 2>err || code=$?
same "$code" 137
cp told killer
runs 0 pawl run --fresh killed.yaml
same "$(told .type)" "$(printf 'RunCompleted\nRunCompleted')"
same "$(told .seq | sort -u | wc -l)" 2

it "one that takes too long is given up, with what it started, though it ignores TERM"
command=./slow mission slow '{id: one, run: ["true"]}' >slow.yaml
printf '#!/bin/sh\nexit 7\n' >slow
chmod +x slow
for _ in 1 2 3; do
        runs 0 pawl run --fresh slow.yaml
done
printf '#!/bin/sh\ntrap "" TERM\necho $$ >slow.pid\nsleep 100\n' >slow
begun=$(date +%s)
runs 0 pawl run slow.yaml
# of those that are left to be told the first alone, and what became of this one
same "$(grep -c 'notify: \./slow: took longer than 10 s' err)" 2
[ $(($(date +%s) - begun)) -lt 80 ]
if kill -0 "$(cat slow.pid)" 2>err; then
        echo "it still runs"
        exit 1
fi

it "check refuses one that is not there, and a list without a command"
command=./nowhere mission nowhere '{id: one, run: ["true"]}' >nowhere.yaml
fails 1 'notify: .*nowhere' pawl check nowhere.yaml
sed 's/notify: .*/notify: []/' nowhere.yaml >empty.yaml
fails 1 'empty\.yaml: line 4: notify: names no command' pawl check empty.yaml

it "a mission that learns to tell later tells of runs that began before"
rm -f told.jsonl
mission later '{id: one, run: [test, -e, there]}' | grep -v notify >later.yaml
runs 1 pawl run later.yaml
mission later '{id: one, run: [test, -e, there]}' >later.yaml
touch there
runs 0 pawl resume "$(pawl runs --json | jq -r '.runs[0].run_id')"
same "$(told .type)" RunCompleted

runs 0 eventlog verify
runs 0 eventlog replay --check
