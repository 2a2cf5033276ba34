# `pawl cancel` ends a run for good, whoever has it.
. "$SOURCE_DIR/tests/cli/shared.sh"

cat >seed.yaml <<'END'
terms:
  - {surface: workspace, definition: Where a step works.}
  - {surface: workspace, definition: The account that people share.}
END
cat >long.yaml <<'END'
mission: long
steps:
  - id: one
    run: [sh, -c, "trap 'echo ended >ended; exit 1' TERM; echo $$ >pid; while :; do sleep 0.1; done"]
  - {id: two, run: [touch, two]}
END
cat >asks.yaml <<'END'
mission: asks
strictness: max
glossary: {core: seed.yaml}
steps:
  - {id: one, inputs: {description: the workspace}, run: ["true"]}
END
cat >waits.yaml <<'END'
mission: waits
steps:
  - {id: one, run: ["false"], retry: {attempts: 3, delay: 1h}}
END
await() { until_it test -s "$1"; }
started() { # MISSION: its run, once it is there
        for _ in $(seq 1200); do
                run=$(pawl runs --json 2>/dev/null | jq -r --arg m "$1" '[.runs[] | select(.mission_id == $m)][0].run_id // empty')
                [ -z "$run" ] || return 0
                sleep 0.02
        done
        return 1
}

it "the command of a run that is at work gets TERM, and its runner says who did it"
pawl run long.yaml >run.out 2>run.err &
runner=$!
until_it test -s pid
started long
runs 0 pawl cancel "${run:0:8}" --actor user:ana --json
same "$(jq -c . out)" "{\"run_id\":\"$run\",\"status\":\"cancelled\"}"
code=0
wait "$runner" || code=$?
same "$code" 1
says "^pawl: run $run: was cancelled by user:ana$" run.err
same "$(cat run.out)" "checkpoint 1 (session start)
run $run: cancelled, 0 of 2 steps completed"
[ -e ended ]
[ ! -e two ]
if kill -0 "$(cat pid)" 2>/dev/null; then
        echo "its command runs on"
        exit 1
fi

it "it has ended for good: nothing goes on with it, and it is said everywhere"
fails 1 "^pawl: run $run: was cancelled by user:ana; start a new one with" pawl resume "$run"
fails 1 'is cancelled; only a run that has not ended can be cancelled' pawl cancel "$run"
fails 1 'was cancelled by user:ana' pawl skip "$run" one
runs 0 pawl runs --status cancelled --json
same "$(jq -r '.runs[].run_id' out)" "$run"
runs 0 pawl status
lacks "${run:0:8}" out
same "$(eventlog replay --json | jq -r '.runs[0].status')" cancelled
same "$(eventlog export | jq -r 'select(.type == "RunCancelled") | .actor')" user:ana
same "$(pawl sessions --json | jq -r '.[0].status')" interrupted

it "a run of the mission begins without a question"
printf '#!/bin/sh\nexit 0\n' >quick
sed -i 's/run: \[sh.*/run: ["true"]/' long.yaml
runs 0 pawl run long.yaml

it "a blocked run asks nobody any more"
runs 3 pawl run --no-input asks.yaml
started asks
same "$(pawl conflicts --json | jq length)" 1
runs 0 pawl cancel "$run"
same "$(pawl conflicts --json | jq length)" 0
runs 0 pawl status
lacks asks out

it "a run that waits for its next attempt ends within seconds"
pawl run waits.yaml >run.out 2>run.err &
runner=$!
started waits
for _ in $(seq 500); do [ "$(eventlog list --type StepAttemptFailed --json | wc -l)" -lt 1 ] || break; sleep 0.02; done
runs 0 pawl cancel "$run"
code=0
wait "$runner" || code=$?
same "$code" 1
says 'was cancelled by' run.err

it "a run in line is not taken by a worker"
mkdir files
cp long.yaml files/
cd files
runs 0 pawl submit long.yaml --json
run=$(jq -r .run_id out)
runs 0 pawl cancel "$run"
runs 0 pawl work --once --dir ../dirs
same "$(pawl runs --id "$run" --json | jq -r .status)" cancelled
cd ..

it "a question that it left is not open any more, and takes no answer"
write_mission
runs 3 pawl run mission.yaml --run asked --no-input
conflict=$(pawl conflicts --json | jq -r '.[] | select(.run_id == "asked").conflict_id')
runs 0 pawl cancel asked
same "$(pawl conflicts --json | jq '[.[] | select(.run_id == "asked")] | length')" 0
head=$(eventlog head)
fails 1 "conflict $conflict: run asked is cancelled, and waits for no answer; start a new one" pawl resolve "$conflict" --pick 1
fails 1 'run asked: has no open conflict' pawl resolve --run asked --all --dismiss
echo '{"conflict_id":"'"$conflict"'","pick":1}' >answers
fails 1 'answers: line 1: conflict .* is cancelled' pawl resolve --answers answers
same "$(eventlog head)" "$head"

it "a rollback takes its files and steps back, and it stays cancelled; so with an undo, and of what was asked"
above=${PAWL_DB:-}
mkdir back
cd back
own_log
printf '%s\n' out err >.pawlignore
printf '%s\n' 'mission: back' 'steps:' '  - {id: a, run: [touch, a.txt]}' '  - {id: b, run: ["false"]}' >back.yaml
cp ../asks.yaml ../seed.yaml .
# back_to CHECKPOINT STATUS...: the steps of the run are these then, and before it and after the undo what they were.
back_to() {
        local to=$1 before
        shift
        before=$(eventlog replay --json | jq -c '.runs[0].steps')
        runs 0 pawl rollback "$to" --yes
        lacks 'resume|to be run again' out
        same "$(eventlog replay --json | jq -r '.runs[0] | .status, .steps[].status' | xargs)" "cancelled $*"
        runs 0 pawl undo --yes
        lacks 'resume|to be run again' out
        same "$(eventlog replay --json | jq -c '.runs[0].steps')" "$before"
        same "$(eventlog replay --json | jq -r '.runs[0].status')" cancelled
}
runs 0 pawl checkpoint
runs 1 pawl run back.yaml --run r1
runs 0 pawl rollback 1 --plan
says '^  step    b of run r1 is to be run again$' out
runs 0 pawl cancel r1
back_to 1 pending pending
back_to @a completed pending
runs 0 pawl rollback 1 --yes
says '^  step    a of run r1 is pending again$' out
[ ! -e a.txt ]
fails 1 'was cancelled' pawl resume r1
runs 0 pawl status
lacks r1 out
runs 0 eventlog replay --check
forget_log
own_log
runs 0 pawl checkpoint
runs 3 pawl run asks.yaml --run r1 --no-input
runs 0 pawl rollback 1 --yes
runs 0 pawl cancel r1
runs 0 pawl undo --yes
same "$(eventlog replay --json | jq -r '.runs[0] | .status, .steps[].status' | xargs)" 'cancelled blocked'
same "$(pawl conflicts --json | jq length)" 0
runs 0 eventlog replay --check
cd ..
! on_server || PAWL_DB=$above

it "what has completed, and what is not there, is refused"
fails 1 'is completed; only a run that has not ended' pawl cancel "$(pawl runs --status completed --json | jq -r '.runs[0].run_id')"
fails 1 'none' pawl cancel 00000000-0000-4000-8000-000000000000

it "what its command wrote until then is in the log, and nowhere beside it"
printf '%s\n' 'mission: words' 'steps:' \
        "  - {id: one, run: [sh, -c, 'trap \"echo last words >&2; exit 1\" TERM; echo first words >&2; while :; do sleep 0.1; done']}" >words.yaml
pawl run words.yaml >run.out 2>run.err &
runner=$!
until_it sh -c 'cat .pawl/events.db-logs/*/one.1 | grep -q "first words"'
started words
runs 0 pawl cancel "$run" --actor user:ana
code=0
wait "$runner" || code=$?
same "$code" 1
[ ! -e .pawl/events.db-logs ]
same "$(pawl logs "$run" one)" 'first words'
runs 0 pawl logs "$run" one --json
same "$(jq -c '.attempts[] | [.attempt, .status, .reason, .text]' out)" '[1,"interrupted","cancelled by user:ana","first words\n"]'
runs 0 eventlog replay --check

it "it is so where its pawl was killed before, too"
sh -c 'echo $$ >pawl.pid; exec pawl run words.yaml' >run.out 2>run.err &
runner=$!
until_it sh -c 'cat .pawl/events.db-logs/*/one.1 | grep -q "first words"'
kill -9 "$(cat pawl.pid)"
wait "$runner" || true
started words
runs 0 pawl cancel "$run"
[ ! -e .pawl/events.db-logs ]
same "$(pawl logs "$run" one)" 'first words'

runs 0 eventlog verify
runs 0 eventlog replay --check

it "each run is replayed alone as in the whole log"
runs_replay_alone
