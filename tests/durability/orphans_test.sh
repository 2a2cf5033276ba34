# A pawl that is killed in the middle of a step leaves no process of the step's command running, and a
# resume starts the command once, never beside what is left of it.
. "$SOURCE_DIR/tests/cli/shared.sh"

# A command that knows when another of its kind is at work (the file beside), and whose child, in a
# session of its own, writes to the file ticks every 10 ms, whatever signal it gets.
cat >work <<'END'
#!/bin/sh
for pid in $(cat pids 2>/dev/null); do
        ! grep -qs '^State:.[^ZX]' /proc/$pid/status || echo "$pid" >>beside
done
: >pids
setsid sh -c 'trap "" HUP INT QUIT TERM USR1; echo $$ >>pids; while :; do echo . >>ticks; sleep 0.01; done' &
child=$!
echo $$ >>pids
until [ "$(wc -l <pids)" -eq 2 ]; do sleep 0.01; done
echo "$PAWL_RETRY_TOKEN" >>keys
: >began
while [ ! -e go ]; do echo . >>ticks; sleep 0.01; done
kill -KILL $child
END
chmod +x work
cat >mission.yaml <<'END'
mission: slow
steps:
  - { id: one, run: [./work] }
END

# silent: soon nothing writes any more, and none of the processes is there.
silent() {
        local end before pid
        end=$(($(date +%s%N) + 8000000000))
        for pid in $(cat pids); do
                while grep -qs '^State:.[^ZX]' "/proc/$pid/status"; do
                        [ "$(date +%s%N)" -lt "$end" ] || { echo "process $pid is still there"; return 1; }
                        sleep 0.01
                done
        done
        before=$(wc -c <ticks)
        sleep 0.2
        same "$(wc -c <ticks)" "$before"
}

for signal in KILL QUIT ABRT; do
        it "a run that SIG$signal ends leaves nothing of its command"
        remove_log
        rm -rf keys began go ticks pids beside
        code=0
        env --default-signal pawl run mission.yaml --run one >first.out 2>first.err </dev/null &
        first=$!
        await began
        kill -"$signal" "$first"
        wait "$first" 2>/dev/null || code=$?
        same "$code" $((128 + $(kill -l "$signal")))
        silent

        it "after SIG$signal a resume runs it once more"
        touch go
        runs 0 pawl resume one
        same "$(wc -l <keys)" 2
        same "$(sort -u keys | wc -l)" 1
        [ ! -e beside ] || { echo "beside it was $(cat beside)"; return 1; }
        same "$(events StepStarted)" 1
        same "$(events StepCompleted)" 1
        runs 0 eventlog verify
done

it "a resume that comes at the same moment never runs it beside the old one"
touch go
for round in $(seq 20); do
        remove_log
        rm -rf keys began go ticks pids beside
        env --default-signal pawl run mission.yaml --run one >first.out 2>first.err </dev/null &
        first=$!
        await began
        touch go.next
        kill -KILL "$first"
        mv go.next go
        runs 0 pawl resume one --wait # for the moment in which it is still alive
        wait "$first" 2>/dev/null || true
        [ ! -e beside ] || { echo "round $round: beside it was $(cat beside)"; return 1; }
        same "$(events StepCompleted)" 1
done
echo "killed in three ways, and 20 times with a resume at once: no process was left, none ran beside another"
