# Time limits and further attempts of a step.
. "$SOURCE_DIR/tests/cli/shared.sh"
export PAWL_DB=$PWD/.pawl/events.db

# failures FIELD...: of each StepAttemptFailed, one line.
failures() {
        eventlog export --run "$1" | jq -c "select(.type == \"StepAttemptFailed\") | .payload | [$2]"
}

# times RUN TYPE FIELD: of its last event of the type.
times() {
        eventlog export --run "$1" | jq -r "select(.type == \"$2\") | $3" | tail -n 1
}

# now: milliseconds of a clock that does not step.
now() {
        awk '{print int($1 * 1000)}' /proc/uptime
}

step() { # ID KEYS COMMAND
        printf 'mission: m\nworkspace: {checkpoint: off}\nsteps:\n- id: %s\n  %s\n  run: [bash, -c, %s]\n' "$1" "$2" "'$3'" >mission.yaml
}

it "refuses what is no time, no number of attempts, no exit code"
step a 'timeout: 10' true # of which a quoted one would not be right either
fails 1 'steps\[0\].timeout: "10" is not a time; write a whole number and ms, s, m, h or d' pawl check mission.yaml
step a 'timeout: [10s]' true
fails 1 'steps\[0\].timeout: "" is not a time' pawl check mission.yaml
step a 'retry: {attempts: 2, delay: 3}' true
fails 1 'steps\[0\].retry.delay: "3" is not a time' pawl check mission.yaml
for time in 10 1.5s 0s -1s 366d 1w s '' 99999999999999999999s; do
        step a "timeout: '$time'" true
        fails 1 'steps\[0\].timeout: ".*" is not a time; write a whole number and ms, s, m, h or d' pawl check mission.yaml
done
step a 'retry: {delay: 1s}' true
fails 1 'steps\[0\].retry.attempts: is missing' pawl check mission.yaml
step a 'retry: {attempts: 0}' true
fails 1 'steps\[0\].retry.attempts: 0 is out of range' pawl check mission.yaml
step a 'retry: {attempts: 2, on_exit: [0]}' true
fails 1 'steps\[0\].retry.on_exit: is no exit code of a failure' pawl check mission.yaml
step a 'retry: {attempts: 2, until: 3}' true
fails 1 'steps\[0\].retry.until: unknown key' pawl check mission.yaml

it "tries again, under the same key, until it succeeds"
step a 'retry: {attempts: 4, delay: 100ms, max_delay: 200ms}' 'echo $PAWL_RETRY_TOKEN >>keys; echo try >&2; test $(wc -l <keys) -ge 4 || exit 75; echo done'
from=$(now)
runs 0 pawl run mission.yaml --run r1
took=$(($(now) - from))
[ "$took" -ge 375 ] # 100, 200 and 200 ms, less a quarter each
says 'step a: attempt 1 of 4 failed \(exit code 75\); next in 0\.1 s' err
says 'step a: attempt 3 of 4 failed \(exit code 75\); next in 0\.[12] s' err # and not 0.3 or 0.4
same "$(sort -u keys | wc -l)" 1
same "$(failures r1 '.attempt, .exit_code, .reason, .tries, .of' | xargs -d '\n')" \
        '[1,75,"exit code 75",1,4] [2,75,"exit code 75",2,4] [3,75,"exit code 75",3,4]'
failures r1 .retry_at | grep -qE '^\["20[0-9-]+T[0-9:.]+Z"\]$'
same "$(events StepFailed)" 0
same "$(pawl logs r1 a --json | jq -r '[.attempts[].text] | add' | grep -c '^try$')" 4
same "$(pawl logs r1 a --json | jq -r '[.attempts[].status] | join(" ")')" "failed failed failed completed"
lacks 'tries' <(pawl runs --id r1)
runs 0 eventlog replay --check

it "fails when all attempts have, and a resume has as many again"
step a 'retry: {attempts: 2, delay: 10ms}' 'echo x >>tried; exit 3'
runs 1 pawl run mission.yaml --run r2
says 'step a: exit code 3' err
same "$(wc -l <tried) $(failures r2 .tries | wc -l) $(events StepFailed)" "2 1 1"
runs 1 pawl resume r2
same "$(wc -l <tried) $(failures r2 .tries | xargs) $(events StepFailed)" "4 [1] [1] 2"

it "tries again by these exit codes alone"
step a 'retry: {attempts: 3, delay: 10ms, on_exit: [75, 4]}' 'echo x >>coded; test $(wc -l <coded) -gt 1 && exit 5; exit 75'
runs 1 pawl run mission.yaml --run r3
same "$(wc -l <coded)" 2
same "$(failures r3 .exit_code)" '[75]'

it "ends an attempt that takes too long, and all that it started"
step a 'timeout: 300ms' '(setsid bash -c "trap : TERM; echo \$BASHPID >grandchild; while :; do sleep 1; done" &) ; sleep 60'
from=$(now)
runs 1 pawl run mission.yaml --run r4
[ $(($(now) - from)) -lt 50000 ]
says 'step a: timed out after 300ms' err
[ ! -e "/proc/$(cat grandchild)" ]
step a 'timeout: 2s
  retry: {attempts: 2, delay: 10ms}' 'echo x >>slow; test $(wc -l <slow) -gt 1 || sleep 60'
runs 0 pawl run mission.yaml --run r5
same "$(failures r5 '.reason, .exit_code')" '["timed out after 2s",-1]'

it "kills one that does not heed TERM, after 10 s"
step a 'timeout: 200ms' 'trap "echo termed >&2" TERM; while :; do sleep 0.2; done'
from=$(now)
runs 1 pawl run mission.yaml --run r6
took=$(($(now) - from))
[ "$took" -ge 10000 ]
[ "$took" -lt 60000 ]
says termed err

it "says in the meantime which attempt is next, and when; a signal ends the wait"
step a 'retry: {attempts: 3, delay: 60s}' 'echo x >>waited; test -e fixed || exit 9'
pawl run mission.yaml --run w1 >w1.out 2>w1.err &
pid=$!
until_it grep -q 'attempt 1 of 3' w1.err
runs 0 pawl status
says 'attempt 2 of 3, next in [1-6]?[0-9] s' out
runs 0 pawl runs --id w1
says 'tries +attempt 2 of 3, next in [1-6]?[0-9] s' out
same "$(pawl runs --id w1 --json | jq -r .retry | cut -c1-24)" "attempt 2 of 3, next in "
runs 0 pawl handoff
says 'tries: attempt 2 of 3, next in [1-6]?[0-9] s' out
kill -INT "$pid"
code=0
wait "$pid" || code=$?
same "$code" 130
says 'run w1: interrupted by SIGINT' w1.err
runs 0 pawl runs --id w1
says 'tries +attempt 2 of 3, next in [1-6]?[0-9] s' out

it "waits in the next session for what is left"
runs 130 timeout --preserve-status -s INT 2 pawl resume w1
same "$(wc -l <waited)" 1
step a 'retry: {attempts: 3, delay: 4s}' 'echo x >>killed; test -e fixed || exit 9'
pawl run mission.yaml --run w2 >w2.out 2>w2.err &
pid=$!
until_it grep -q 'attempt 1 of 3' w2.err
kill -KILL "$pid"
wait "$pid" || :
touch fixed
runs 0 pawl resume w2
[[ $(times w2 StepCompleted .time) > $(times w2 StepAttemptFailed .payload.retry_at) ]]
same "$(wc -l <killed) $(failures w2 .tries)" "2 [1]"

it "the attempts at a step that a rollback set back count no more"
cat >back.yaml <<'END'
mission: back
steps:
  - {id: a, run: ["true"]}
  - {id: b, retry: {attempts: 2, delay: 5m}, run: [sh, -c, "echo x >>tries; exit 9"]}
END
printf '%s\n' '*' '!back.yaml' >.pawlignore
pawl run back.yaml --run back >back.out 2>back.err &
pid=$!
until_it grep -q 'attempt 1 of 2' back.err
kill -INT "$pid"
wait "$pid" || :
target=$(pawl checkpoints --run back --step a --json | jq '.[0].n')
runs 0 pawl rollback "$target" --yes
pawl resume back >again.out 2>again.err &
pid=$!
until_it grep -q 'attempt 1 of 2' again.err # and not what is left of five minutes later
same "$(wc -l <tries)" 2
kill -INT "$pid"
wait "$pid" || :
rm .pawlignore

it "before the next attempt it looks whether the log is there, and the run is its own"
for what in cancelled removed replaced; do
        mkdir "$what"
        step a 'retry: {attempts: 2, delay: 8s}' 'echo x >>tried; test $(wc -l <tried) -gt 1'
        mv mission.yaml "$what"
        env -u PAWL_DB pawl init "$what" >/dev/null
        (cd "$what" && exec env -u PAWL_DB pawl run mission.yaml --run r) >"$what.out" 2>"$what.err" &
        eval "$what=$!"
done
for what in cancelled removed replaced; do
        until_it grep -q 'attempt 1 of 2' "$what.err"
done
env -u PAWL_DB pawl cancel r --db cancelled/.pawl/events.db >/dev/null
rm -r removed/.pawl replaced/.pawl
env -u PAWL_DB pawl init replaced >/dev/null
ended() { # NAME CODE TIMES LINE: its exit code, how often it was tried, and how it says that it ended
        code=0
        wait "${!1}" || code=$?
        same "$code $(wc -l <"$1/tried") $(tail -n 1 "$1.out")" "$2 $3 run r: $4"
}
ended cancelled 1 1 "cancelled, 0 of 1 steps completed"
ended removed 0 2 "completed, 1 of 1 steps completed"
ended replaced 5 1 "interrupted, 0 of 1 steps completed"
runs 0 eventlog verify --db removed/.pawl/events.db

runs 0 eventlog verify

it "each run is replayed alone as in the whole log"
runs_replay_alone
