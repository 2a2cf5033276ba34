# Needs PAWL_WITH_POSTGRES.
# A server that says nothing: a signal ends who waits for it, soon; nothing is lost, and all goes on when it answers again.
[ -e "$PAWL_TEST_SERVER" ] || { echo "there is no PostgreSQL to test with"; exit 77; }
. "$SOURCE_DIR/tests/cli/shared.sh"
own=$PWD/server.url
support=$SOURCE_DIR/tests/support/postgres
"$support" start "$own"
master=$(head -n 1 "$(cat "$own.folder")/data/postmaster.pid")
server() { kill "-$1" "$master" $(pgrep -P "$master") 2>/dev/null || true; } # STOP or CONT
trap 'server CONT; kill $(jobs -p) 2>/dev/null || true; "$support" stop "$own"' EXIT
PAWL_DB="$(cat "$own")#silent"
export PAWL_DB

# ends CODE PID: it gets TERM, and ends so, soon: not when the server is given up, after 28 s.
ends() {
        local code=0 began
        sleep 0.5
        began=$(date +%s%N)
        kill -TERM "$2"
        wait "$2" || code=$?
        [ "$code" = "$1" ] || { echo "it ended with $code, not $1"; cat err; exit 1; }
        [ $((($(date +%s%N) - began) / 1000000)) -lt 20000 ] || { echo "it took too long"; cat err; exit 1; }
}

runs 0 pawl init
cat >mission.yaml <<'END'
mission: m
steps:
  - {id: first, run: [sh, -c, 'echo first >>journal']}
  - {id: slow, run: [sh, -c, 'touch at-work; while [ ! -e go ]; do sleep 0.1; done; echo slow >>journal']}
END

# While a step's end is to be recorded.
pawl run mission.yaml --run r --no-input >out 2>err &
run=$!
await at-work
server STOP
touch go
ends 143 "$run"
says 'did not answer|cannot be asked' err
server CONT
runs 0 pawl resume r --no-input
same "$(events StepCompleted)" 2
runs 0 eventlog verify

# While the step runs, which gets the signal.
rm go at-work
pawl run mission.yaml --run r2 --no-input >out 2>err &
run=$!
await at-work
server STOP
ends 143 "$run"
server CONT

# While the first answer is waited for, of a run that goes on.
server STOP
pawl resume r2 --no-input >out 2>err &
ends 143 $!
server CONT
touch go
runs 0 pawl resume r2 --no-input

# An idle worker, and one that is at work.
pawl work --dir work >out 2>err &
worker=$!
until_it catches_term "$worker"
sleep 1
server STOP
ends 0 "$worker"
server CONT

# It asks for the log's end twice a second, and nothing else, whether another one is at work or not.
rm -f go at-work
runs 0 pawl submit mission.yaml --run s
pawl work --dir work2 >out2 2>err2 &
other=$!
await work2/1/at-work
log=$(cat "$own.folder")/log
(export PAWL_DB="${PAWL_DB%#*}&options=-c%20log_statement%3Dall%20-c%20application_name%3Didle#silent" && exec pawl work --dir work >out 2>err) &
worker=$!
until_it catches_term "$worker"
asked() { grep -c 'LOG:  execute' "$log" || true; }
# quiet: as many times as half seconds went by, at most.
quiet() {
        local before began
        before=$(asked)
        began=$(date +%s%3N)
        sleep 2
        [ "$before" -gt 0 -a $(($(asked) - before)) -le $((($(date +%s%3N) - began) / 500 + 1)) ]
}
quiet || quiet || quiet || quiet || { tail -n 30 "$log"; exit 1; } # not yet while it begins
touch work2/1/go
until_it grep -q 's: completed' out2
kill -TERM "$worker" "$other"
wait "$worker"
wait "$other"
runs 0 eventlog verify
runs 0 eventlog replay --check
