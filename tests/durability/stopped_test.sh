# A process that owns a run is stopped until its lease is long over. Nobody on its machine takes the run for
# that, and it goes on as if nothing had been. No lease is waited for: the clock by which it runs out is put
# ahead for who comes after (clock_ahead.c).
. "$SOURCE_DIR/tests/cli/shared.sh"
calls_shim=$BUILD_DIR/tests/kill_at_write.so clock_shim=$BUILD_DIR/tests/clock_ahead.so
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0
export CLOCK_AHEAD=$PWD/clock
# A stopped process that a failure leaves behind would keep the test from ending.
trap 'kill -KILL $(jobs -p) 2>/dev/null || true' EXIT

cat >mission.yaml <<'END'
mission: slow
steps:
  - id: one
    run: [sh, -c, "cat >/dev/null; echo $PAWL_RETRY_TOKEN >>keys; : >began; while [ ! -e go ]; do sleep 0.05; done; echo ended >>calls; echo $$"]
END

# clock SECONDS: so far ahead is the clock of programs that have the shim; at once, or not at all.
clock() {
        echo "$1" >clock.new
        mv clock.new clock
}

# ahead COMMAND...: a program whose clock is the file's.
ahead() {
        LD_PRELOAD=$clock_shim "$@"
}

# start COMMAND...: in the background; its pid is in $first.
start() {
        "$@" >first.out 2>first.err </dev/null &
        first=$!
}

# stopped: wait until the first process is.
stopped() {
        local tries
        for tries in $(seq 400); do
                ! grep -q '^State:.T' "/proc/$first/status" || return 0
                sleep 0.05
        done
        echo "pid $first was not stopped"
        return 1
}

# fresh: no run, and a clock that is right.
fresh() {
        remove_log
        rm -rf keys began go calls
        clock 0
}

# refused: nobody gets the run, though its owner is stopped and its lease is over.
refused() {
        local before
        before=$(eventlog head)
        for clock in 5 31 100000; do
                clock "$clock"
                runs 6 ahead pawl resume one
                says "^pawl: run one: is held by pid $first on $(hostname);" err
        done
        same "$(eventlog head)" "$before"
}

# goes_on: it wakes up, and completes what it began.
goes_on() {
        kill -CONT "$first"
        wait "$first"
        says "^run one: completed" first.out
        same "$(events StepCompleted)" 1
        same "$(events RunClaimed)" 1
        same "$(wc -l <keys)" 1
        runs 0 eventlog verify
        runs 0 eventlog replay --check
}

it "an owner that is stopped during its step's command keeps the run"
fresh
start pawl run mission.yaml --run one
await began
kill -STOP "$first"
stopped
refused
touch go
goes_on

it "so does one that is stopped between its command's end and the append of the result"
fresh
touch go
LD_PRELOAD=$calls_shim CALL_LIST=$PWD/calls pawl run mission.yaml --run none >/dev/null </dev/null
sed -i '/^ended/,$ { /^waitpid a-command/d }' calls # the watcher's, which counts by itself
at=$(grep -n '^ended' calls | cut -d: -f1) # the command's own line stands for no call of the program
same "$(sed -n "$((at + 1))p" calls)" "unlink terms-1.json"
sync_at=$(awk '/^ended/ { after = 1; next } { n++ } after && /fdatasync events.db-wal/ { print n; exit }' calls)
fresh
touch go
LD_PRELOAD=$calls_shim STOP_AT=$at start pawl run mission.yaml --run one
stopped
same "$(wc -l <keys)" 1
refused
goes_on

it "one that is stopped while it writes keeps the log locked: who comes is told so, and nobody loses"
if [ "${PAWL_TEST_FULL:-}" = 1 ]; then # for 5 seconds a lock is waited for
        fresh
        touch go
        LD_PRELOAD=$calls_shim STOP_AT=$sync_at start pawl run mission.yaml --run one
        stopped
        clock 31
        runs 1 ahead pawl resume one
        says "process $first \\(pawl\\) has kept it locked for 5000 ms; wait for that process or end it$" err
        runs 0 eventlog verify
        kill -CONT "$first"
        wait "$first"
        says "^run one: completed" first.out
        same "$(events RunClaimed)" 1
        runs 0 pawl resume one
fi

it "a person who thinks at a question longer than a lease lasts keeps the run"
fresh
cat >team.yaml <<'END'
terms:
  - { surface: workspace, definition: A folder in which one step does its work. }
  - { surface: workspace, definition: The account that people share. }
END
cat >asks.yaml <<'END'
mission: asks
glossary: { team_domain: team.yaml }
steps:
  - { id: one, critical: true, inputs: { description: Refunds land in the workspace. }, run: [cat] }
END
cat >script.exp <<'END'
log_user 0
log_file -a -noappend screen
set timeout 60
spawn env LD_PRELOAD=$::env(SHIMS) CALL_LIST=calls POLL_MAX=50 pawl run asks.yaml --run one
expect -re {later} {} timeout { puts stderr "no question"; exit 99 }
exec touch asked
while {![file exists answer]} { after 20 }
catch { send "1\r" }
expect eof
exit [lindex [wait] 3]
END
rm -f calls asked answer
# renewed: wait until the one who asks has written something to the log once more.
renewed() {
        local before tries
        before=$(wc -l <calls)
        for tries in $(seq 400); do
                [ "$(wc -l <calls)" -le "$((before + 2))" ] || return 0
                sleep 0.05
        done
        echo "the claim was not renewed"
        return 1
}
SHIMS=$calls_shim:$clock_shim expect -f script.exp 2>first.err &
dialog=$!
await asked
renewed
clock 25
renewed
clock 50
renewed
runs 6 ahead pawl resume one --no-input
says "^pawl: run one: is held by pid" err
same "$(events RunClaimed)" 1
touch answer
wait "$dialog"
same "$(events RunCompleted)" 1

it "one that is stopped at its question does, too"
remove_log
rm -rf answer asked calls
clock 0
SHIMS=$calls_shim:$clock_shim expect -f script.exp >first.out 2>first.err &
dialog=$!
await asked
runs 6 pawl resume one
first=$(sed -n 's/.*is held by pid \([0-9]*\) .*/\1/p' err)
kill -STOP "$first"
stopped
refused
kill -CONT "$first"
touch answer
wait "$dialog"
same "$(events RunClaimed)" 1
same "$(events RunCompleted)" 1
runs 0 eventlog replay --check
echo "owners stopped in their command, before their append and at a question: none lost its run"
